# SPDX-License-Identifier: Apache-2.0
# db-survives.sh MODE: after a power cut ext4 recovers. The database holds every synced put, and no put without all puts
# before it.
. /scripts/lib.sh
mount -t ext4 $disk /mnt
dmesg | grep -i recover || fail "there was nothing to recover: the power was not cut"
database /mnt "$1" --check="$SYNCED" 2>/tmp/progress || fail "db_bench: $(tail -n 3 /tmp/progress)"
umount /mnt
e2fsck -f -n $disk || fail "e2fsck finds errors"
quiet_kernel
