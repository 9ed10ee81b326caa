# SPDX-License-Identifier: Apache-2.0
# Controller resets and a function reset while fio runs. The kernel resends interrupted commands, and no data is wrong.
. /scripts/lib.sh
size=$((pages * page / 2 < 4194304 ? pages * page / 2 : 4194304))
under_load() {
  while [ ! -e /tmp/enough ]; do
    fio --name=under-reset --filename=$disk --direct=1 --ioengine=libaio --rw=randrw --bs=4k --iodepth=8 --size=$size \
      --verify=crc32c --verify_fatal=1 --do_verify=1 --randseed="$SEED" --thread --loops=3 >/tmp/fio 2>&1 || return 1
  done
}
under_load &
job=$!
# running: waits until I/O has advanced since the last call
moved=$(awk "{ print \$1 + \$5 }" /sys/block/nvme0n1/stat)
running() {
  tries=0
  while now=$(awk '{ print $1 + $5 }' /sys/block/nvme0n1/stat); [ "$now" -lt $((moved + 50)) ]; do
    [ $tries -lt 3000 ] && kill -0 $job || fail "fio has ended: $(tail -n 20 /tmp/fio)"
    usleep 20000
    tries=$((tries + 1))
  done
  moved=$now
}
resets=0
while [ $resets -lt 3 ]; do
  running
  echo 1 >/sys/class/nvme/nvme0/reset_controller
  resets=$((resets + 1))
done
grep -q flr /sys/class/nvme/nvme0/device/reset_method || fail "the kernel offers no function level reset"
running
echo 1 >/sys/class/nvme/nvme0/device/reset
running
touch /tmp/enough
wait $job || fail "fio: $(tail -n 20 /tmp/fio)"
expect "the controller's state" "$(cat /sys/class/nvme/nvme0/state)" live
if dmesg | grep -E 'I/O error|time.?out|Abort'; then fail "the kernel reports a problem"; fi
