# SPDX-License-Identifier: Apache-2.0
# pagefs-node checks the PageFS of a database on the raw namespace, and finds a damaged page. Raw, a namespace that is
# mounted is refused.
. /scripts/lib.sh
node=/dev/ng0n1
# finds CODE ARGUMENTS: runs pagefs, which must end with CODE. Its output goes to /tmp/found.
finds() {
  wanted=$1
  shift
  code=0
  pagefs --node $node "$@" >/tmp/found 2>&1 || code=$?
  [ $code = "$wanted" ] || fail "pagefs $*: exit code $code, not $wanted: $(cat /tmp/found)"
}

nvme format $control --namespace-id=1 --force >/dev/null
finds 1 check
grep -q 'no file system' /tmp/found || fail "another reason: $(cat /tmp/found)"

db_bench --device=$node --mode=blend --num=1000 --seed="$SEED" --json=/tmp/bench 2>/tmp/progress ||
  fail "db_bench: $(tail -n 3 /tmp/progress)"
nvme smart-log $control >/tmp/before
finds 0 check --read
finds 0 space
finds 0 list
grep -q MANIFEST /tmp/found || fail "no manifest: $(cat /tmp/found)"
[ "$(grep -c 'ldb' /tmp/found)" -gt 1 ] || fail "no tables: $(cat /tmp/found)"
nvme smart-log $control >/tmp/after
expect "host write commands during the checks" "$(field /tmp/after host_write_commands)" \
  "$(field /tmp/before host_write_commands)"

# A metadata page is damaged.
get 1 1 >/tmp/good
data damage 1 >/tmp/damage
put /tmp/damage 1
finds 1 check
grep -q 'FINDING: metadata area 0, page 0 (LPN 1)' /tmp/found || fail "the damaged page is not named: $(cat /tmp/found)"
put /tmp/good 1
finds 0 check --read

finds 2 mend

# Nobody mounts it while another has it.
mkfs.ext4 -q -F -b 4096 $disk || fail "mkfs.ext4"
mount -t ext4 $disk /mnt
if db_bench --device=$node --num=100 2>/tmp/error; then fail "db_bench accepted a node whose ext4 is mounted"; fi
grep -q 'in use' /tmp/error || fail "refused for another reason: $(cat /tmp/error)"
umount /mnt

# Of what holds something else it makes a file system on request alone.
if db_bench --device=$node --num=100 2>/tmp/error; then fail "db_bench accepted a node with an ext4"; fi
grep -q 'holds something else' /tmp/error || fail "refused for another reason: $(cat /tmp/error)"
dd if=/dev/zero of=/tmp/zero bs=4096 count=1 2>/dev/null
put /tmp/zero 0
if db_bench --device=$node --num=100 2>/tmp/error; then fail "db_bench accepted what is left of an ext4"; fi
grep -q 'is not blank' /tmp/error || fail "refused for another reason: $(cat /tmp/error)"
finds 2 format # without --yes
finds 0 format --yes
finds 0 check --read
nvme format $control --namespace-id=1 --force >/dev/null
quiet_kernel
