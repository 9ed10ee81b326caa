# SPDX-License-Identifier: Apache-2.0
# libopenremap through the kernel's driver: by the block device and by the character device, for root and for others, and the
# pages of files.
. /scripts/lib.sh
# value NAME, of a JSON object on the standard input
value() { tr ',{}' '\n\n\n' | sed -n "s/^ *\"$1\": *\"\{0,1\}\([^\"]*\)\"\{0,1\} *$/\1/p"; }

data one 32 >/tmp/a
data two 32 >/tmp/b
for node in $disk /dev/ng0n1; do
  cli="openremap-cli --device $node"
  $cli identify
  expect "pages by $node" "$($cli --json identify | value pages)" $pages
  $cli write 128 --input /tmp/a
  $cli write 256 --input /tmp/b --fua
  $cli flush
  $cli remap 128 512 --count 32
  $cli read 512 --count 32 --output /tmp/back
  cmp /tmp/back /tmp/a || fail "remapped by $node"
  $cli remap --range 256:640:16 --range 272:700:16
  get 640 16 >/tmp/back && get 700 16 >>/tmp/back
  cmp /tmp/back /tmp/b || fail "remapped by one vector and $node"
  $cli deallocate 128 --count 32
  if $cli remap 128 800 2>/tmp/error; then fail "the source has no data"; fi
  grep -q remap_unmapped /tmp/error || fail "not the device's reason: $(cat /tmp/error)"
  echo 3 >/proc/sys/vm/drop_caches
  get 512 32 | cmp - /tmp/a || fail "the target goes with its source"
done
before=$(openremap-cli --device /dev/ng0n1 --json stats | value remap_commands)

# Linux passes vendor commands for root only. A share can be said by Copy.
mkdir -p /etc
echo 'nobody:x:65534:65534::/:/bin/sh' >/etc/passwd
echo 'nogroup:x:65534:' >/etc/group
chmod 666 /dev/ng0n1
other() { su nobody -s /bin/sh -c "$*"; }
other openremap-cli --device /dev/ng0n1 remap 512 900 --count 32
get 900 32 | cmp - /tmp/a || fail "shared by Copy"
if other openremap-cli --device /dev/ng0n1 remap 512 1000 --move 2>/tmp/error; then fail "a move is not for everybody"; fi
grep -q 'root only' /tmp/error || fail "not the reason: $(cat /tmp/error)"
chmod 600 /dev/ng0n1
if other openremap-cli --device /dev/ng0n1 identify 2>/tmp/error; then fail "the node is root's"; fi
grep -q 'permission denied' /tmp/error || fail "not the reason: $(cat /tmp/error)"
after=$(openremap-cli --device /dev/ng0n1 --json stats | value remap_commands)
expect "remaps since" $((after - before)) 1

# Files: the blocks of one become those of another.
mkfs.ext4 -q -F -b 4096 $disk || fail "mkfs.ext4"
mount -t ext4 $disk /mnt
cp /tmp/a /mnt/source
cp /tmp/b /mnt/target
at=0
while [ $at -lt 32 ]; do
  from=$(openremap-cli --json map /mnt/source --page $at)
  into=$(openremap-cli --json map /mnt/target --page $at)
  expect "the namespace" "$(echo "$from" | value namespace)" nvme0n1
  count=$(echo "$from" | value pages)
  room=$(echo "$into" | value pages)
  [ "$count" -le "$room" ] || count=$room
  openremap-cli --device /dev/ng0n1 remap "$(echo "$from" | value lpn)" "$(echo "$into" | value lpn)" --count "$count"
  at=$((at + count))
done
expect "pages of the file" $at 32
echo 3 >/proc/sys/vm/drop_caches
cmp /mnt/target /tmp/a || fail "the file is not what was remapped"
cp /tmp/b /mnt/source
sync
echo 3 >/proc/sys/vm/drop_caches
cmp /mnt/target /tmp/a || fail "the file has changed with the other one"
cmp /mnt/source /tmp/b || fail "the source cannot be written"

dd if=/tmp/a of=/mnt/hole bs=$page seek=8 count=1 2>/dev/null
if openremap-cli map /mnt/hole 2>/tmp/error; then fail "a hole lies nowhere"; fi
grep -q 'a hole' /tmp/error || fail "not the reason: $(cat /tmp/error)"
openremap-cli map /mnt/hole --page 8
fallocate -l 65536 /mnt/reserved
if openremap-cli map /mnt/reserved 2>/tmp/error; then fail "reserved space has no data"; fi
if openremap-cli map /tmp/a 2>/tmp/error; then fail "no file of a namespace"; fi
grep -q 'does not lie on' /tmp/error || fail "not the reason: $(cat /tmp/error)"
umount /mnt
e2fsck -f -n $disk || fail "e2fsck finds errors"
quiet_kernel
