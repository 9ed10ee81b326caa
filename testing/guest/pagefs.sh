# SPDX-License-Identifier: Apache-2.0
# pagefs-node looks at the PageFS of a database on the raw namespace, and finds what is damaged.
. /scripts/lib.sh
node=/dev/ng0n1
# finds CODE ARGUMENTS: what it says goes to /tmp/found
finds() {
  wanted=$1
  shift
  code=0
  pagefs --node $node "$@" >/tmp/found 2>&1 || code=$?
  [ $code = "$wanted" ] || fail "pagefs $*: exit code $code, not $wanted: $(cat /tmp/found)"
}

nvme format $control --namespace-id=1 --force >/dev/null
finds 1 check
grep -q 'no file system' /tmp/found || fail "not the reason: $(cat /tmp/found)"

db_bench --device=$node --mode=blend --num=1000 --seed="$SEED" --json=/tmp/bench 2>/tmp/progress ||
  fail "db_bench: $(tail -n 3 /tmp/progress)"
nvme smart-log $control >/tmp/before
finds 0 check --read
finds 0 space
finds 0 list
grep -q MANIFEST /tmp/found || fail "no manifest: $(cat /tmp/found)"
[ "$(grep -c 'ldb' /tmp/found)" -gt 1 ] || fail "no tables: $(cat /tmp/found)"
nvme smart-log $control >/tmp/after
expect "writes while looking" "$(field /tmp/after host_write_commands)" "$(field /tmp/before host_write_commands)"

# A page of the metadata.
get 1 1 >/tmp/good
data damage 1 >/tmp/damage
put /tmp/damage 1
finds 1 check
grep -q 'FINDING: metadata area 0, page 0 (LPN 1)' /tmp/found || fail "not what is damaged: $(cat /tmp/found)"
put /tmp/good 1
finds 0 check --read

finds 2 mend
nvme format $control --namespace-id=1 --force >/dev/null
quiet_kernel
