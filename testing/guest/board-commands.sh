# SPDX-License-Identifier: Apache-2.0
# The commands of docs/boards/db_bench.md, as they are there but with fewer puts; then the one for a board with another
# firmware, of which the kernel counts the writes.
. /scripts/lib.sh
cd /tmp
echo "$(grep -vc '^numbers=' /scripts/board-lines.sh) commands"
# What db_bench tells of its progress is kept back. If a line fails, the last of it has the reason.
exec 3>&2 2>/tmp/progress
trap 'tail -n 3 /tmp/progress >&3' EXIT
. /scripts/board-lines.sh
. /scripts/board-baseline.sh
trap - EXIT
exec 2>&3
for place in ext4 raw; do
  for mode in off blend; do
    result=$place-$mode.json
    [ "$(member keys_expected $result)" -gt 2000 ] || fail "no keys: $(cat $result)"
    expect "$place $mode: keys read back" "$(member keys_verified $result)" "$(member keys_expected $result)"
    expect "$place $mode: pages copied instead" "$(member remap_fallbacks $result)" 0
    echo "$place $mode: WA1 $(member wa1 $result)"
  done
  [ "$(member host_bytes $place-blend.json)" -lt "$(member host_bytes $place-off.json)" ] || fail "blend saves nothing"
done

expect "baseline: keys read back" "$(member keys_verified baseline.json)" "$(member keys_expected baseline.json)"
# ext4 and LevelDB are the same as with ext4-off.json; the kernel counts in place of the device.
percent=$(($(member host_bytes baseline.json) * 100 / $(member host_bytes ext4-off.json)))
{ [ $percent -ge 95 ] && [ $percent -le 105 ]; } || fail "the kernel counts $percent % of what the device counts"
echo "baseline: WA1 $(member wa1 baseline.json), the device said $(member wa1 ext4-off.json) of off"
nvme format $control --namespace-id=1 --force >/dev/null
quiet_kernel
