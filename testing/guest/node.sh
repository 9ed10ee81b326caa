# SPDX-License-Identifier: Apache-2.0
# libopenremap through the kernel's driver: by block device and by character device, for root and for other users.
# Then the pages of files.
. /scripts/lib.sh
# value NAME: prints that member of a JSON object on standard input.
value() { tr ',{}' '\n\n\n' | sed -n "s/^ *\"$1\": *\"\{0,1\}\([^\"]*\)\"\{0,1\} *$/\1/p"; }

data one 32 >/tmp/a
data two 32 >/tmp/b
for node in $disk /dev/ng0n1; do
  cli="openremap-cli --device $node"
  $cli identify
  expect "pages by $node" "$($cli --json identify | value pages)" $pages
  depth=1 # one ioctl at a time; the character device has io_uring
  [ $node = $disk ] || depth=64
  expect "commands at a time by $node" "$($cli --json identify | value queue_depth)" $depth
  $cli write 128 --input /tmp/a
  $cli write 256 --input /tmp/b --fua
  $cli flush
  $cli remap 128 512 --count 32
  $cli read 512 --count 32 --output /tmp/back
  cmp /tmp/back /tmp/a || fail "the target of a remap by $node reads as other data"
  $cli remap --range 256:640:16 --range 272:700:16
  get 640 16 >/tmp/back && get 700 16 >>/tmp/back
  cmp /tmp/back /tmp/b || fail "the targets of one vector by $node read as other data"
  $cli deallocate 128 --count 32
  if $cli remap 128 800 2>/tmp/error; then fail "a remap of a source without data was accepted"; fi
  grep -q remap_unmapped /tmp/error || fail "refused for another reason: $(cat /tmp/error)"
  echo 3 >/proc/sys/vm/drop_caches
  get 512 32 | cmp - /tmp/a || fail "the target changed when its source was deallocated"
done
before=$(openremap-cli --device /dev/ng0n1 --json stats | value remap_commands)

# Linux passes vendor commands for root only. A share is then sent as Copy.
mkdir -p /etc
echo 'nobody:x:65534:65534::/:/bin/sh' >/etc/passwd
echo 'nogroup:x:65534:' >/etc/group
chmod 666 /dev/ng0n1
other() { su nobody -s /bin/sh -c "$*"; }
other openremap-cli --device /dev/ng0n1 remap 512 900 --count 32
get 900 32 | cmp - /tmp/a || fail "pages shared by Copy read as other data"
if other openremap-cli --device /dev/ng0n1 remap 512 1000 --move 2>/tmp/error; then
  fail "a user who is not root could send a move"
fi
grep -q 'root only' /tmp/error || fail "refused for another reason: $(cat /tmp/error)"
chmod 600 /dev/ng0n1
if other openremap-cli --device /dev/ng0n1 identify 2>/tmp/error; then
  fail "a user without rights could open the node"
fi
grep -q 'permission denied' /tmp/error || fail "refused for another reason: $(cat /tmp/error)"
after=$(openremap-cli --device /dev/ng0n1 --json stats | value remap_commands)
expect "remaps since" $((after - before)) 1

# Files: the blocks of one file are remapped into another.
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
cmp /mnt/target /tmp/a || fail "the file does not read as the one that was remapped into it"
cp /tmp/b /mnt/source
sync
echo 3 >/proc/sys/vm/drop_caches
cmp /mnt/target /tmp/a || fail "the file changed when the other one was written"
cmp /mnt/source /tmp/b || fail "the source does not read as written"

dd if=/tmp/a of=/mnt/hole bs=$page seek=8 count=1 2>/dev/null
if openremap-cli map /mnt/hole 2>/tmp/error; then fail "map found a place for a hole"; fi
grep -q 'a hole' /tmp/error || fail "refused for another reason: $(cat /tmp/error)"
openremap-cli map /mnt/hole --page 8
fallocate -l 65536 /mnt/reserved
if openremap-cli map /mnt/reserved 2>/tmp/error; then fail "map found a place for reserved space"; fi
if openremap-cli map /tmp/a 2>/tmp/error; then fail "map accepted a file that is on no namespace"; fi
grep -q 'does not lie on' /tmp/error || fail "refused for another reason: $(cat /tmp/error)"
umount /mnt
e2fsck -f -n $disk || fail "e2fsck finds errors"
quiet_kernel
