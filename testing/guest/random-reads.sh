# SPDX-License-Identifier: Apache-2.0
# Prints how many random reads of 4 KiB a second the guest gets, with one and with 32 under way.
. /scripts/lib.sh
# Reads of pages that hold nothing would not reach the flash.
fio --name=fill --filename=$disk --direct=1 --ioengine=libaio --rw=write --bs=64k --iodepth=4 --thread \
  --output-format=terse --terse-version=3 >/tmp/fio || fail "$(cat /tmp/fio)"
for depth in 1 32; do
  fio --name=read --filename=$disk --direct=1 --ioengine=libaio --rw=randread --norandommap --bs=4k \
    --iodepth=$depth --runtime=5 --time_based --randseed="$SEED" --thread --output-format=terse --terse-version=3 \
    >/tmp/fio || fail "$(cat /tmp/fio)"
  rate=$(cut -d ';' -f 8 /tmp/fio)
  [ "$rate" -gt 0 ] || fail "nothing was read: $(cat /tmp/fio)"
  echo "depth $depth: $rate reads a second"
done
quiet_kernel
