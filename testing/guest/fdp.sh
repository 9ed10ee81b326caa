# SPDX-License-Identifier: Apache-2.0
# Flexible Data Placement with stock nvme-cli: the handles, writes through one of them, and the logs afterwards.
. /scripts/lib.sh
nvme fdp configs $control --endgrp-id=1 >/tmp/configs
handles=$(field /tmp/configs "Number of Reclaim Unit Handles")
if [ "$DEVICE" = model ]; then expect "handles" "$handles" 4; else [ "$handles" -ge 2 ] || fail "$handles handles"; fi
expect "enabled" "$(nvme get-feature $control --feature-id=0x1d --cdw11=1 | sed -n 's/.*0x0*\([0-9]*\)$/\1/p')" 1
last=$((handles - 1))
# left HANDLE: prints how many pages the handle's reclaim unit still takes.
left() {
  nvme fdp status $disk >/tmp/status
  sed -n "/^Placement Identifier $1;/,/RUAMW/s/.*(RUAMW): //p" /tmp/status
}
nvme fdp update $disk --pids=$last
before=$(left $last)
other=$(left 0)
data placed 8 >/tmp/a
nvme write $disk --start-block=64 --block-count=7 --data-size=$((8 * page)) --data=/tmp/a --dir-type=2 --dir-spec=$last
nvme flush $disk
get 64 8 | cmp - /tmp/a || fail "placed pages read as other data"
after=$(left $last)
[ $((before - after)) -ge 8 ] ||
  fail "8 pages were written, but the room of handle $last went from $before to $after pages"
expect "room of handle 0" "$(left 0)" "$other"
nvme fdp usage $control --endgrp-id=1 >/tmp/usage
expect "handles in use" "$(grep -c 'Reclaim Unit Handle' /tmp/usage)" "$handles"
grep "Reclaim Unit Handle $last " /tmp/usage | grep -q 'Host Specified' || fail "handle $last: $(cat /tmp/usage)"
nvme fdp stats $control --endgrp-id=1 >/tmp/stats
[ "$(field /tmp/stats 'Host Bytes with Metadata Written (HBMW)')" -ge $((8 * page)) ] || fail "$(cat /tmp/stats)"
# An identifier that does not exist counts as none (NVMe base specification, Data Placement directive).
data elsewhere 1 >/tmp/b
nvme write $disk --start-block=64 --data-size=$page --data=/tmp/b --dir-type=2 --dir-spec=$handles
get 64 1 | cmp - /tmp/b || fail "a page written with an unknown handle reads as other data"
quiet_kernel
