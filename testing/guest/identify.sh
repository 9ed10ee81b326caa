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

for feature in 1 2 4 5 6 7 8 9 0xa 0xb; do
  nvme get-feature $control -f $feature -H >/tmp/feature || fail "feature $feature"
done
nvme get-feature $control -f 7 -H | grep 'NSQA): 8'

# A controller must answer the driver's queries, so they leave no entry in the error log.
nvme smart-log $control >/tmp/smart
nvme error-log $control -e 4 >/tmp/errors
entries=$(field /tmp/smart num_err_log_entries)
expect "entries of the error log" "$entries" 0
quiet_kernel
