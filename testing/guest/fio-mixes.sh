# SPDX-License-Identifier: Apache-2.0
# fio with several block sizes, depths and kinds of access. All data is compared.
. /scripts/lib.sh
size=$((pages * page / 2 < 16777216 ? pages * page / 2 : 16777216))
verified="--verify=crc32c --verify_fatal=1 --do_verify=1 --randseed=$SEED --thread --ioengine=libaio"
for direct in 1 0; do
  for block in 4k 64k 1m; do
    for depth in 1 64; do
      for rw in randrw write; do
        echo "direct=$direct bs=$block iodepth=$depth $rw"
        fio --name=mix --filename=$disk --direct=$direct --rw=$rw --bs=$block --iodepth=$depth --size=$size \
          --io_size=2m $verified >/tmp/fio 2>&1 || fail "$(cat /tmp/fio)"
      done
    done
  done
done
# Trims: each trimmed block is written again, and read at the end.
fio --name=trim --filename=$disk --direct=1 --rw=randtrimwrite --bs=4k --iodepth=8 --size=$size --io_size=2m $verified \
  >/tmp/fio 2>&1 || fail "$(cat /tmp/fio)"
quiet_kernel
