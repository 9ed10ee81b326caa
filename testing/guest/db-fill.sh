# SPDX-License-Identifier: Apache-2.0
# Fills a database of each mode on ext4, for db-there.sh.
. /scripts/lib.sh
mkfs.ext4 -q -F -b 4096 $disk || fail "mkfs.ext4"
mount -t ext4 $disk /mnt
for mode in $MODES; do
  mkdir /mnt/$mode
  database /mnt/$mode $mode --json=/tmp/filled 2>/tmp/progress || fail "db_bench $mode: $(tail -n 3 /tmp/progress)"
done
umount /mnt
