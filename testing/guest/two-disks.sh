# SPDX-License-Identifier: Apache-2.0
# Two devices of the kind in one machine: Linux takes both, tells them apart, and mirrors one to the other (MD RAID1).
. /scripts/lib.sh
first=/dev/nvme0n1
second=/dev/nvme1n1
nvme list
nvme list-subsys
# Each of these names the device, or its namespace, to the whole machine: subsystems, by-id links, multipathing.
for name in /sys/class/nvme/nvme%/serial /sys/class/nvme/nvme%/subsysnqn /sys/block/nvme%n1/wwid \
  /sys/block/nvme%n1/nguid /sys/block/nvme%n1/eui; do
  one=$(cat "$(echo $name | tr % 0)")
  other=$(cat "$(echo $name | tr % 1)")
  echo "$name: $one, $other"
  [ -n "$one" ] && [ -n "$other" ] || fail "$name is empty"
  [ "$one" != "$other" ] || fail "$name is '$one' for both"
done
for node in $first $second; do
  wwid=$(cat /sys/block/"${node#/dev/}"/wwid)
  expect "the name of udev's link" "$wwid" "eui.$(nvme id-ns $node | sed -n 's/^nguid *: //p')"
done

dd if=/dev/zero of=$first bs=$page count=8 oflag=direct 2>/dev/null
data second 8 | dd of=$second bs=$page oflag=direct iflag=fullblock 2>/dev/null
there=$(dd if=$first bs=$page count=8 iflag=direct 2>/dev/null | tr -d '\0')
expect "the first disk, after a write to the second" "$there" ""

for module in md-mod raid1; do insmod /lib/modules/$module.ko; done
export MDADM_NO_UDEV=1
mdadm --create /dev/md0 --run --level=1 --raid-devices=2 --assume-clean --size=8192 $first $second
cat /proc/mdstat
grep -q '^md0 : active raid1 nvme[01]n1\[[01]\] nvme[01]n1\[[01]\]$' /proc/mdstat || fail "no mirror of both"
grep -q '\[UU\]' /proc/mdstat || fail "a half of the mirror is missing"
data mirror 64 >/tmp/mirror
dd if=/tmp/mirror of=/dev/md0 bs=$page oflag=direct iflag=fullblock 2>/dev/null
mdadm --stop /dev/md0
mdadm --assemble --run /dev/md0 $first $second
grep -q '\[UU\]' /proc/mdstat || fail "a half of the mirror is missing after it was assembled"
dd if=/dev/md0 bs=$page count=64 iflag=direct 2>/dev/null | cmp - /tmp/mirror || fail "the mirror holds something else"
# Each half holds the data, too, behind its superblock.
offset=$(mdadm --examine $first | sed -n 's/^ *Data Offset : \([0-9]*\) sectors.*/\1/p')
mdadm --stop /dev/md0
for half in $first $second; do
  dd if=$half bs=512 skip="$offset" count=$((64 * 8)) 2>/dev/null | cmp - /tmp/mirror || fail "$half holds other data"
done
quiet_kernel
