# SPDX-License-Identifier: Apache-2.0
# Leaves a database on ext4 behind for db-there.sh.
. /scripts/lib.sh
mkfs.ext4 -q -F -b 4096 $disk || fail "mkfs.ext4"
mount -t ext4 $disk /mnt
database /mnt --json=/tmp/filled 2>/tmp/progress || fail "db_bench: $(tail -n 3 /tmp/progress)"
umount /mnt
