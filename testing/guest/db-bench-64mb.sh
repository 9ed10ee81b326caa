# SPDX-License-Identifier: Apache-2.0
# 64 MB of random puts on ext4: as many keys as a small disk has room for, put several times each.
. /scripts/lib.sh
mkfs.ext4 -q -F -b 4096 $disk || fail "mkfs.ext4"
mount -t ext4 $disk /mnt
db_bench --device=/mnt --mode=skip --num=10000 --operations=64000 --seed="$SEED" --json=/tmp/result 2>/tmp/progress ||
  fail "db_bench: $(tail -n 3 /tmp/progress)"
expect "keys read back" "$(member keys_verified /tmp/result)" "$(member keys_expected /tmp/result)"
expect "bytes put" "$(member user_bytes /tmp/result)" 64000000
echo "64 MB: WA $(member wa /tmp/result), $(member remapped_pages /tmp/result) pages remapped," \
  "$(member gc_pages /tmp/result) moved by GC, $(member wall_seconds /tmp/result) s"
umount /mnt
e2fsck -f -n $disk || fail "e2fsck finds errors"
quiet_kernel
