# SPDX-License-Identifier: Apache-2.0
# A file system is made, filled, read back after the page cache was dropped, and checked.
. /scripts/lib.sh
mkfs.ext4 -q -F -b 4096 $disk || fail "mkfs.ext4"
mount -t ext4 $disk /mnt
blob=$((pages / 8 < 256 ? pages / 8 : 256))
data blob $blob >/tmp/blob
n=0
at=0
while [ $((at + n % 16)) -lt $blob ]; do
  mkdir -p /mnt/$((n % 7))
  dd if=/tmp/blob of=/mnt/$((n % 7))/$n bs=$page skip=$at count=$((1 + n % 16)) 2>/dev/null
  at=$((at + 1 + n % 16))
  n=$((n + 1))
done
rm -r /mnt/3
(cd /mnt && find . -type f -exec sha256sum {} + | sort -k 2 >/tmp/sums)
sync
echo 3 >/proc/sys/vm/drop_caches
(cd /mnt && sha256sum -c /tmp/sums >/dev/null) || fail "files differ after the cache was dropped"

[ "$(wc -l </tmp/sums)" -gt 4 ] || fail "only $(wc -l </tmp/sums) files"
fstrim -v /mnt
(cd /mnt && echo 3 >/proc/sys/vm/drop_caches && sha256sum -c /tmp/sums >/dev/null) || fail "files differ after fstrim"
umount /mnt
e2fsck -f -n $disk || fail "e2fsck finds errors"
mount -t ext4 $disk /mnt
(cd /mnt && sha256sum -c /tmp/sums >/dev/null) || fail "files differ after mounting again"
umount /mnt
quiet_kernel
