# SPDX-License-Identifier: Apache-2.0
# What the controller tells nvme-cli agrees with itself and with the kernel.
. /scripts/lib.sh
nvme id-ctrl $control >/tmp/ctrl
nvme id-ns $disk >/tmp/ns
nvme list-subsys
expect "mn" "$(field /tmp/ctrl mn)" OpenRemap
expect "nn" "$(field /tmp/ctrl nn)" 1
expect "NSZE" "$(($(field /tmp/ns nsze)))" "$pages"
expect "TNVMCAP" "$(field /tmp/ctrl tnvmcap)" $((pages * page))
expect "DLFEAT" "$(field /tmp/ns dlfeat)" 9
expect "ONCS: deallocate, Write Zeroes, Copy" $(($(field /tmp/ctrl oncs) & 0x10c)) $((0x10c))
expect "the kernel's largest transfer" "$(cat /sys/block/nvme0n1/queue/max_hw_sectors_kb)" \
  $((4 << $(field /tmp/ctrl mdts)))
nvme ns-descs $disk | grep nguid
nvme list-ns $control | grep 0x1

for feature in 1 2 4 6 7 8 9 0xa 0xb; do
  nvme get-feature $control -f $feature -H >/tmp/feature || fail "feature $feature"
done
nvme get-feature $control -f 5 -n 1 -H >/tmp/feature || fail "feature 5, which is the namespace's"
nvme get-feature $control -f 7 -H | grep 'NSQA): 8'

# A controller must answer the driver's queries, so they leave no entry in the error log.
nvme smart-log $control >/tmp/smart
nvme error-log $control -e 4 >/tmp/errors
entries=$(field /tmp/smart num_err_log_entries)
expect "entries of the error log" "$entries" 0

# A log page of a group that does not exist is refused, and is not answered with another group's.
groups=$(($(field /tmp/ctrl endgidmax)))
for page_id in 9 0x20 0x21 0x22 0x23; do
  for group in 0 1 2 255 65535; do
    if answer=$(nvme get-log $control -i $page_id -l 64 --lsi=$group -b 2>&1 >/tmp/page); then
      { [ "$group" -ge 1 ] && [ "$group" -le "$groups" ]; } || fail "log page $page_id of group $group is answered"
    else
      expect "log page $page_id of group $group" "$(echo "$answer" | grep -ci 'invalid field')" 1
      [ "$group" -lt 1 ] || [ "$group" -gt "$groups" ] || fail "log page $page_id of group $group is refused"
    fi
  done
done

# No LBA is concerned in an admin command: all ones, which stock readers show as none. The field that is wrong is the
# log page identifier, byte 40 of the command.
nvme get-log $control -i 0x77 -l 64 >/tmp/page 2>&1 && fail "log page 77h is answered"
nvme error-log $control -e 1 >/tmp/errors
cat /tmp/errors
expect "LBA of an admin error" "$(($(field /tmp/errors lba)))" $((0xffffffffffffffff))
expect "location of the error" "$(($(field /tmp/errors parm_err_loc)))" 40
expect "queue of the error" "$(field /tmp/errors sqid)" 0
quiet_kernel
