# SPDX-License-Identifier: Apache-2.0
# LevelDB in every mode, on ext4 and on the raw namespace. Every key is read back from the device.
# Remaps save writes.
. /scripts/lib.sh
# bench DEVICE MODE: runs db_bench; its figures go to /tmp/bench-MODE.
bench() {
  db_bench --device="$1" --mode="$2" --num=4000 --seed="$SEED" --json=/tmp/bench-"$2" 2>/tmp/progress ||
    fail "db_bench $1 $2: $(tail -n 3 /tmp/progress)"
  [ "$(member keys_expected /tmp/bench-"$2")" -gt 2000 ] || fail "no keys: $(cat /tmp/bench-"$2")"
  expect "keys read back" "$(member keys_verified /tmp/bench-"$2")" "$(member keys_expected /tmp/bench-"$2")"
  echo "$1 $2: WA $(member wa /tmp/bench-"$2"), WA1 $(member wa1 /tmp/bench-"$2")," \
    "$(member remapped_pages /tmp/bench-"$2") pages remapped, $(member remap_fallbacks /tmp/bench-"$2") copied," \
    "$(member wall_seconds /tmp/bench-"$2") s"
}
# saves MODE: the mode must have written less than `off`.
saves() {
  [ "$(member remapped_pages /tmp/bench-"$1")" -gt 100 ] || fail "$1 remapped hardly any page"
  [ "$(member host_bytes /tmp/bench-"$1")" -lt "$(member host_bytes /tmp/bench-off)" ] || fail "$1 does not save writes"
}

mkfs.ext4 -q -F -b 4096 $disk || fail "mkfs.ext4"
mount -t ext4 $disk /mnt
for mode in $MODES; do
  rm -rf /mnt/db
  sync
  bench /mnt $mode
  if [ $mode != off ]; then saves $mode; fi
  expect "pages copied instead" "$(member remap_fallbacks /tmp/bench-$mode)" 0
done
if db_bench --device=/mnt --num=100 2>/tmp/error; then fail "db_bench accepted a folder that holds a database"; fi
grep -q 'holds a database' /tmp/error || fail "refused for another reason: $(cat /tmp/error)"
umount /mnt
e2fsck -f -n $disk || fail "e2fsck finds errors"

for mode in $MODES; do
  nvme format $control --namespace-id=1 --force >/dev/null
  bench /dev/ng0n1 $mode
  if [ $mode != off ]; then saves $mode; fi
  expect "pages copied instead" "$(member remap_fallbacks /tmp/bench-$mode)" 0
done
nvme format $control --namespace-id=1 --force >/dev/null
quiet_kernel
