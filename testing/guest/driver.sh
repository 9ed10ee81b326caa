# SPDX-License-Identifier: Apache-2.0
# The kernel's own driver is bound, with a queue and an interrupt for each CPU, and reports no problem.
. /scripts/lib.sh
expect "the controller's state" "$(cat /sys/class/nvme/nvme0/state)" live
expect "the transport" "$(cat /sys/class/nvme/nvme0/transport)" pcie
expect "the PCI class" "$(cat /sys/class/nvme/nvme0/device/class)" 0x010802
expect "the driver" "$(basename "$(readlink /sys/class/nvme/nvme0/device/driver)")" nvme
expect "queues with their own interrupt" "$(grep -c 'nvme0q[1-9]' /proc/interrupts)" "$CPUS"
expect "the block size" "$(cat /sys/block/nvme0n1/queue/logical_block_size)" $page
expect "the write cache" "$(cat /sys/block/nvme0n1/queue/write_cache)" "write back"
expect "FUA" "$(cat /sys/block/nvme0n1/queue/fua)" 1
[ "$(cat /sys/block/nvme0n1/queue/write_zeroes_unmap_max_bytes)" -gt 0 ] || fail "Write Zeroes does not deallocate"

# Each CPU has a queue, and gets the interrupts of that queue.
interrupts() { awk -v column=$(($1 + 2)) '$NF ~ /nvme0q[1-9]/ { n += $column } END { print n }' /proc/interrupts; }
cpu=0
while [ $cpu -lt "$CPUS" ]; do
  before=$(interrupts $cpu)
  taskset $(printf %x $((1 << cpu))) dd if=$disk of=/dev/null bs=$page count=8 iflag=direct 2>/dev/null
  given=$(($(interrupts $cpu) - before))
  [ $given -ge 8 ] || fail "8 reads on CPU $cpu gave it $given interrupts"
  cpu=$((cpu + 1))
done
dmesg | grep nvme
quiet_kernel
