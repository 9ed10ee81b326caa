# SPDX-License-Identifier: Apache-2.0
# db-survives.sh MODE: after a power cut ext4 recovers, and the database holds every put that was synced, and none without those
# before it.
. /scripts/lib.sh
mount -t ext4 $disk /mnt
dmesg | grep -i recover || fail "there was nothing to recover: the power did not go"
database /mnt "$1" --check="$SYNCED" 2>/tmp/progress || fail "db_bench: $(tail -n 3 /tmp/progress)"
umount /mnt
e2fsck -f -n $disk || fail "e2fsck finds errors"
quiet_kernel
