# SPDX-License-Identifier: Apache-2.0
# Writes files beside fio until the power is cut. Each file is synced before the count includes it.
. /scripts/lib.sh
mount -t ext4 $disk /mnt
fio --name=noise --filename=/mnt/noise --rw=randwrite --bs=4k --iodepth=8 --ioengine=libaio --direct=1 --size=16m \
  --time_based --runtime=1000 --thread >/tmp/fio 2>&1 &
n=$(cat /mnt/count)
last=$((n + 25))
while true; do
  n=$((n + 1))
  data "synced $n" 2 >/mnt/$n
  sync
  echo $n >/mnt/count.new
  sync
  mv /mnt/count.new /mnt/count
  sync
  echo "synced $n"
  [ $n -ne $last ] || echo "openremap: cut now"
done
