# SPDX-License-Identifier: Apache-2.0
# A file system is filled to 95 %. Files are deleted and written again while it is full.
. /scripts/lib.sh
mkfs.ext4 -q -F -b 4096 -m 0 $disk || fail "mkfs.ext4"
mount -t ext4 $disk /mnt
data blob 256 >/tmp/blob
sum=$(sha256sum </tmp/blob)
free() { df -k /mnt | awk 'NR == 2 { print $4 }'; }
total=$(df -k /mnt | awk 'NR == 2 { print $2 }')
n=0
while [ $(($(free) * 20)) -gt "$total" ]; do
  cp /tmp/blob /mnt/$n
  n=$((n + 1))
done
echo "$n files"
round=0
while [ $round -lt 3 ]; do
  k=$round
  while [ $k -lt $n ]; do
    rm /mnt/$k
    k=$((k + 5))
  done
  sync
  [ $round -ne 1 ] || fstrim -v /mnt
  k=$round
  while [ $k -lt $n ]; do
    cp /tmp/blob /mnt/$k
    k=$((k + 5))
  done
  round=$((round + 1))
done
sync
echo 3 >/proc/sys/vm/drop_caches
k=0
while [ $k -lt $n ]; do
  expect "file $k" "$(sha256sum </mnt/$k)" "$sum"
  k=$((k + 1))
done
df -h /mnt
umount /mnt
e2fsck -f -n $disk || fail "e2fsck finds errors"
quiet_kernel
