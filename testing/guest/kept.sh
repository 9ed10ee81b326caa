# SPDX-License-Identifier: Apache-2.0
# After a restart of the guest, everything that keep.sh left is there.
. /scripts/lib.sh
e2fsck -f -n $disk || fail "e2fsck finds errors"
mount -t ext4 -o ro $disk /mnt
data kept 64 | cmp - /mnt/kept || fail "the file differs"
umount /mnt
data remapped 8 >/tmp/a
get $((pages - 32)) 8 | cmp - /tmp/a || fail "remapped pages differ"
head -c $((8 * page)) /dev/zero >/tmp/zero
get $((pages - 8)) 8 | cmp - /tmp/zero || fail "deallocated pages are back"
quiet_kernel
