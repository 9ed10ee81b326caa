# SPDX-License-Identifier: Apache-2.0
# After a power cut the file system recovers, and every synced file is there.
. /scripts/lib.sh
mount -t ext4 $disk /mnt
n=$(cat /mnt/count)
[ "$n" -ge "$SYNCED" ] || fail "the count says $n files, but $SYNCED were synced"
k=1
while [ $k -le "$n" ]; do
  data "synced $k" 2 | cmp - /mnt/$k || fail "file $k of $n"
  k=$((k + 1))
done
echo "$n files"
dmesg | grep -i recover || fail "there was nothing to recover: the power was not cut"
umount /mnt
e2fsck -f -n $disk || fail "e2fsck finds errors"
quiet_kernel
