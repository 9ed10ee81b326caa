# SPDX-License-Identifier: Apache-2.0
# Leaves data for kept.sh: a file in a file system, and remapped pages beyond the file system.
. /scripts/lib.sh
mkfs.ext4 -q -F -b 4096 $disk $((pages / 2)) || fail "mkfs.ext4"
mount -t ext4 $disk /mnt
data kept 64 >/mnt/kept
umount /mnt
data remapped 8 >/tmp/a
put /tmp/a $((pages - 8))
remap $((pages - 8)) $((pages - 32)) 8
blkdiscard -o $(((pages - 8) * page)) -l $((8 * page)) $disk
