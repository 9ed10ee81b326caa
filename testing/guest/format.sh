# SPDX-License-Identifier: Apache-2.0
# Format NVM: all data is gone, and lifetime counters continue.
. /scripts/lib.sh
data format 16 >/tmp/a
put /tmp/a 0
put /tmp/a $((pages - 16))
nvme smart-log $control >/tmp/before
nvme format $disk --force
get 0 16 >/tmp/b
head -c $((16 * page)) /dev/zero >/tmp/zero
cmp /tmp/b /tmp/zero || fail "the first pages still hold data"
get $((pages - 16)) 16 | cmp - /tmp/zero || fail "the last pages still hold data"
put /tmp/a 8
get 8 16 | cmp - /tmp/a || fail "data written after the format differs"
nvme smart-log $control >/tmp/smart
[ "$(field /tmp/smart host_write_commands)" -gt "$(field /tmp/before host_write_commands)" ] ||
  fail "lifetime counters were reset"
expect "NUSE" "$(($(nvme id-ns $disk | sed -n 's/^nuse *: //p')))" 16
quiet_kernel
