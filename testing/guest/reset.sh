# SPDX-License-Identifier: Apache-2.0
# Resets while fio runs, by the controller's registers and by the function: the kernel sends again what was cut short, and
# no data is wrong.
. /scripts/lib.sh
size=$((pages * page / 2 < 4194304 ? pages * page / 2 : 4194304))
fio --name=under-reset --filename=$disk --direct=1 --ioengine=libaio --rw=randrw --bs=4k --iodepth=8 --size=$size \
  --verify=crc32c --verify_fatal=1 --do_verify=1 --randseed="$SEED" --thread --loops=3 >/tmp/fio 2>&1 &
job=$!
resets=0
while [ $resets -lt 3 ]; do
  usleep 300000
  echo 1 >/sys/class/nvme/nvme0/reset_controller
  resets=$((resets + 1))
done
grep -q flr /sys/class/nvme/nvme0/device/reset_method || fail "no function reset"
echo 1 >/sys/class/nvme/nvme0/device/reset
wait $job || fail "fio: $(tail -n 20 /tmp/fio)"
expect "the controller's state" "$(cat /sys/class/nvme/nvme0/state)" live
if dmesg | grep -E 'I/O error|time.?out|Abort'; then fail "the kernel complains"; fi
