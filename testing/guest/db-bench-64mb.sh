# SPDX-License-Identifier: Apache-2.0
# 64 MB of random puts on ext4. The keys fill a small disk, and each is put several times.
. /scripts/lib.sh
mkfs.ext4 -q -F -b 4096 $disk || fail "mkfs.ext4"
# Without discard the small flash soon holds mostly deleted data, and GC is busy moving it.
mount -t ext4 -o discard $disk /mnt
# Reports progress twenty times.
OPENREMAP_PROGRESS=every \
  db_bench --device=/mnt --mode=skip --num=10000 --operations=64000 --seed="$SEED" --json=/tmp/result 2>&1 |
  awk '$1 != "progress" { print; next }
    { part = $4 " " int($2 * 20 / $3) }
    part != last { print; last = part; fflush() }'
[ -s /tmp/result ] || fail "db_bench wrote no result"
expect "keys read back" "$(member keys_verified /tmp/result)" "$(member keys_expected /tmp/result)"
expect "bytes put" "$(member user_bytes /tmp/result)" 64000000
echo "64 MB: WA $(member wa /tmp/result), $(member remapped_pages /tmp/result) pages remapped," \
  "$(member gc_pages /tmp/result) moved by GC, $(member wall_seconds /tmp/result) s"
umount /mnt
e2fsck -f -n $disk || fail "e2fsck finds errors"
quiet_kernel
