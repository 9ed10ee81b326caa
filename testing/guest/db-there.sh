# SPDX-License-Identifier: Apache-2.0
# After a restart of the guest, every put of db-fill.sh is there.
. /scripts/lib.sh
mount -t ext4 $disk /mnt
for mode in $MODES; do
  database /mnt/$mode $mode --check=$database_puts 2>/tmp/progress || fail "db_bench $mode: $(tail -n 3 /tmp/progress)"
done
umount /mnt
e2fsck -f -n $disk || fail "e2fsck finds errors"
quiet_kernel
