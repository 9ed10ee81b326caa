# SPDX-License-Identifier: Apache-2.0
# db-write.sh MODE: fills a database on ext4, with some puts synced, until the power is cut.
. /scripts/lib.sh
mkfs.ext4 -q -F -b 4096 $disk || fail "mkfs.ext4"
mount -t ext4 $disk /mnt
database /mnt "$1" 2>&1 | tell_synced
