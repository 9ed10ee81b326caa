# SPDX-License-Identifier: Apache-2.0
# Shared by the guest's tests; each begins with `. /scripts/lib.sh`. The launcher writes settings.sh: SEED, CPUS,
# DEVICE, and MODES (LevelDB's). After a power cut it also has SYNCED, the last number that was reported as synced.
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

# expect WHAT GIVEN WANTED: fails unless GIVEN equals WANTED.
expect() {
  [ "$2" = "$3" ] || fail "$1 is '$2', expected '$3'"
}

# field FILE NAME: prints the value of a line `name : value` of nvme-cli's output, without its unit.
field() {
  value=$(sed -n "s/^ *$2[ \t]*:[ \t]*\([^ \t%]*\).*/\1/Ip" "$1" | tr -d , | head -n 1)
  [ -n "$value" ] || fail "no '$2' in: $(cat "$1")"
  echo "$value"
}

# data NAME PAGES: prints data that depends on the seed and on NAME. No two pages are equal.
data() {
  digest=$(echo "$SEED $1" | sha256sum | cut -d ' ' -f 1)
  awk -v digest="$digest" -v lines=$(($2 * 32)) 'BEGIN { for (n = 0; n < lines; n++) printf "%s%063d\n", digest, n }'
}

# remap SOURCE TARGET PAGES [FLAGS]: sends REMAP through the kernel's passthrough.
remap() {
  nvme io-passthru $disk --opcode=$remap_opcode --namespace-id=1 --cdw10="$1" --cdw12="$2" --cdw14="$3" \
    --cdw15="${4:-0}"
}

put() { # FILE PAGE: writes the file from that page on
  dd if="$1" of=$disk bs=$page seek="$2" oflag=direct conv=notrunc 2>/dev/null
}
get() { # PAGE PAGES: prints pages
  dd if=$disk bs=$page skip="$1" count="$2" iflag=direct 2>/dev/null
}

# Fails when the kernel has reported a problem of the disk.
quiet_kernel() {
  if dmesg | grep -E 'nvme|blk_update|EXT4-fs|Buffer I/O|hung_task|BUG|WARNING' |
    grep -iE 'error|time.?out|abort|fail|warning|removing|not ready|blocked|corrupt|BUG'; then
    fail "the kernel reports a problem"
  fi
}

# member NAME FILE: prints the first number of that name in a JSON object.
member() { tr ',{' '\n\n' <"$2" | sed -n "s/^ *\"$1\": *\([0-9.]*\).*/\1/p" | head -n 1; }

# A database of that many puts, of which every tenth is synced.
database_puts=3000
database_cut=1700 # once that many puts are synced, the power may be cut
database() { # DEVICE MODE [OPTIONS]
  device=$1
  mode=$2
  shift 2
  db_bench --device="$device" --mode="$mode" --num=$database_puts --sync-every=10 --seed="$SEED" "$@"
}
# Forwards db_bench's reports of synced puts to the launcher. The launcher keeps the last one (SYNCED in settings.sh),
# and cuts the power when it is told to.
tell_synced() {
  while read -r word number; do
    [ "$word" = synced ] || continue
    echo "synced $number"
    [ "$number" -ne $database_cut ] || echo "openremap: cut now"
  done
}
