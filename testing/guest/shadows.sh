# SPDX-License-Identifier: Apache-2.0
# The driver finds Doorbell Buffer Config and uses it: the controller says so, and the kernel has not refused it.
. /scripts/lib.sh
nvme id-ctrl $control >/tmp/id
oacs=$(field /tmp/id oacs)
[ $((oacs & 0x100)) -ne 0 ] || fail "OACS $oacs does not have the command"
nvme get-log $control --log-id=5 --log-len=4096 --raw-binary >/tmp/effects || fail "the log of supported commands"
expect "the command's entry in the log" "$(od -A n -t u4 -j $((4 * 0x7c)) -N 4 /tmp/effects | tr -d ' ')" 1
if dmesg | grep -i 'set dbbuf'; then
  fail "the kernel could not set the buffers"
fi
# Many rings of each queue, with data that tells when a command was lost or done twice.
data shadows 64 >/tmp/pages
for round in 1 2 3 4 5; do
  put /tmp/pages $((round * 64))
  get $((round * 64)) 64 | cmp - /tmp/pages || fail "round $round reads something else"
done
quiet_kernel
