# SPDX-License-Identifier: Apache-2.0
# fio writes, reads back and compares, on both queues at the same time.
. /scripts/lib.sh
size=$((pages * page / 2 < 8388608 ? pages * page / 2 : 8388608))
fio --name=mix --filename=$disk --direct=1 --ioengine=libaio --rw=randrw --bs=4k --iodepth=16 --size=$size \
  --verify=crc32c --verify_fatal=1 --do_verify=1 --randseed="$SEED" --thread --output-format=terse --terse-version=3 \
  >/tmp/fio || fail "$(cat /tmp/fio)"
fio --name=large --filename=$disk --direct=1 --ioengine=libaio --rw=write --bs=4k-256k --iodepth=8 --size=$size \
  --verify=crc32c --verify_fatal=1 --do_verify=1 --randseed="$SEED" --thread --output-format=terse --terse-version=3 \
  >>/tmp/fio || fail "$(cat /tmp/fio)"
cut -d ';' -f 3,5,6,8,47,49 /tmp/fio
awk -F ';' '$5 != 0 { exit 1 }' /tmp/fio || fail "fio reports errors"
quiet_kernel
