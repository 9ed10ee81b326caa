# SPDX-License-Identifier: Apache-2.0
# An empty file system for write-synced.sh.
. /scripts/lib.sh
mkfs.ext4 -q -F -b 4096 $disk || fail "mkfs.ext4"
mount -t ext4 $disk /mnt
echo 0 >/mnt/count
sync
umount /mnt
