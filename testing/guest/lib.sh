# SPDX-License-Identifier: Apache-2.0
# What the guest's tests share; each begins with `. /scripts/lib.sh`. settings.sh is the launcher's: SEED, CPUS, DEVICE, LevelDB's MODES; after a
# power cut SYNCED, the last number that was said to be synced.
set -eu
. /scripts/settings.sh
disk=/dev/nvme0n1
control=/dev/nvme0
page=4096
pages=$(($(cat /sys/block/nvme0n1/size) / 8))

# Vendor commands (docs/gen/formats.md).
remap_opcode=0x80
remap_move=1

fail() {
  echo "FAILED: $*"
  exit 1
}

# expect WHAT GIVEN WANTED
expect() {
  [ "$2" = "$3" ] || fail "$1 is '$2', expected '$3'"
}

# field FILE NAME: the value of a line `name : value` that nvme-cli has printed, without its unit.
field() {
  value=$(sed -n "s/^ *$2[ \t]*:[ \t]*\([^ \t%]*\).*/\1/Ip" "$1" | tr -d , | head -n 1)
  [ -n "$value" ] || fail "no '$2' in: $(cat "$1")"
  echo "$value"
}

# data NAME PAGES, to the standard output: the same for one seed, other data for each name, no two pages equal.
data() {
  digest=$(echo "$SEED $1" | sha256sum | cut -d ' ' -f 1)
  awk -v digest="$digest" -v lines=$(($2 * 32)) 'BEGIN { for (n = 0; n < lines; n++) printf "%s%063d\n", digest, n }'
}

# remap SOURCE TARGET PAGES [FLAGS]
remap() {
  nvme io-passthru $disk --opcode=$remap_opcode --namespace-id=1 --cdw10="$1" --cdw12="$2" --cdw14="$3" \
    --cdw15="${4:-0}"
}

put() { # FILE PAGE
  dd if="$1" of=$disk bs=$page seek="$2" oflag=direct conv=notrunc 2>/dev/null
}
get() { # PAGE PAGES, to the standard output
  dd if=$disk bs=$page skip="$1" count="$2" iflag=direct 2>/dev/null
}

# What the kernel says of a disk that misbehaves.
quiet_kernel() {
  if dmesg | grep -E 'nvme|blk_update|EXT4-fs|Buffer I/O|hung_task|BUG|WARNING' |
    grep -iE 'error|time.?out|abort|fail|warning|removing|not ready|blocked|corrupt|BUG'; then
    fail "the kernel complains"
  fi
}

# member NAME FILE: the first of that name of a JSON object
member() { tr ',{' '\n\n' <"$2" | sed -n "s/^ *\"$1\": *\([0-9.]*\).*/\1/p" | head -n 1; }

# A database of as many puts, each tenth synced.
database_puts=3000
database_cut=1700 # that many synced: the power may go
database() { # DEVICE MODE [OPTIONS]
  device=$1
  mode=$2
  shift 2
  db_bench --device="$device" --mode="$mode" --num=$database_puts --sync-every=10 --seed="$SEED" "$@"
}
# What db_bench says of synced puts goes on to the launcher, which keeps the last (SYNCED in settings.sh), and cuts the power when
# it is told to.
tell_synced() {
  while read -r word number; do
    [ "$word" = synced ] || continue
    echo "synced $number"
    [ "$number" -ne $database_cut ] || echo "openremap: cut now"
  done
}
