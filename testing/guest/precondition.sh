# SPDX-License-Identifier: Apache-2.0
# Brings the disk to a steady state with fio, as `openremap-cli precondition` does (openremap_precondition.h): all of it
# is written twice in order, then in rounds of as many 4 KiB writes at random, until `openremap-cli steady` says that
# write amplification stays the same. All data on the disk is lost.
. /scripts/lib.sh
most_rounds=25

write() { # NAME OPTIONS: fio over the whole disk
  name=$1
  shift
  fio --name="$name" --filename=$disk --direct=1 --ioengine=libaio --thread --output-format=terse --terse-version=3 \
    "$@" >/tmp/fio || fail "$(cat /tmp/fio)"
  awk -F ';' '$5 != 0 { exit 1 }' /tmp/fio || fail "fio reports errors"
}

pages_written() { # prints host pages and NAND pages so far
  openremap-cli --device /dev/ng0n1 flush >/tmp/flush
  openremap-cli --device /dev/ng0n1 --json stats >/tmp/stats
  nand=0
  for kind in host gc pad meta; do nand=$((nand + $(member nand_program_$kind /tmp/stats))); done
  echo "$(member host_write_pages /tmp/stats) $nand"
}

steady() { # the figures of a file with one in each line
  # shellcheck disable=SC2046 # one argument each
  [ -s "$1" ] && openremap-cli steady $(cat "$1") >/tmp/steady
}

write fill --rw=write --bs=128k --iodepth=8 --loops=2
set -- $(pages_written)
: >/tmp/rounds
round=0
until steady /tmp/rounds; do
  round=$((round + 1))
  [ $round -le $most_rounds ] || fail "no steady state in $most_rounds rounds"
  write random --rw=randwrite --bs=4k --iodepth=32 --io_size=$((pages * page)) --norandommap \
    --randseed=$((SEED + round))
  host=$1 nand=$2
  set -- $(pages_written)
  echo "$host $nand $1 $2" | awk '{ printf "%.3f\n", ($4 - $2) / ($3 - $1) }' >>/tmp/rounds
  echo "round $round: write amplification $(tail -n 1 /tmp/rounds)"
done
awk '$1 < 1 { exit 1 }' /tmp/rounds || fail "the device writes less than the host: $(cat /tmp/rounds)"
quiet_kernel
