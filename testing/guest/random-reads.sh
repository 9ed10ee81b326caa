# SPDX-License-Identifier: Apache-2.0
# Prints how many random reads of 4 KiB a second the guest gets, with one and with 32 under way: of the disk, and of a
# disk that the kernel completes itself, which is what the guest could get of any device.
. /scripts/lib.sh
insmod /lib/modules/configfs.ko
insmod /lib/modules/null_blk.ko queue_mode=2 irqmode=0 bs=$page gb=1 submit_queues="$CPUS"
# Reads of pages that hold nothing would not reach the flash.
fio --name=fill --filename=$disk --direct=1 --ioengine=libaio --rw=write --bs=64k --iodepth=4 --thread \
  --output-format=terse --terse-version=3 >/tmp/fio || fail "$(cat /tmp/fio)"
rate() { # DISK DEPTH: sets `rate`
  fio --name=read --filename="$1" --direct=1 --ioengine=libaio --rw=randread --norandommap --bs=4k --iodepth="$2" \
    --runtime=5 --time_based --randseed="$SEED" --thread --output-format=terse --terse-version=3 >/tmp/fio ||
    fail "$(cat /tmp/fio)"
  rate=$(cut -d ';' -f 8 /tmp/fio)
  [ "$rate" -gt 0 ] || fail "nothing was read: $(cat /tmp/fio)"
}
for depth in 1 32; do
  rate $disk $depth
  reads=$rate
  rate /dev/nullb0 $depth
  echo "depth $depth: $reads reads a second, $rate without a device"
done
quiet_kernel
