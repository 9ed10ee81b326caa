run() { echo "### $*"; "$@" 2>&1; echo "-> $?"; }
run nvme id-ctrl /dev/nvme0
run nvme id-ns /dev/nvme0n1
run nvme list-subsys
run nvme smart-log /dev/nvme0
run nvme error-log /dev/nvme0 -e 2
run nvme ocp smart-add-log /dev/nvme0
run nvme endurance-log /dev/nvme0 -g 1
run nvme fdp configs /dev/nvme0 -e 1
run nvme fdp stats /dev/nvme0 -e 1
run nvme fdp usage /dev/nvme0 -e 1
run nvme fdp status /dev/nvme0n1
for f in 1 2 3 4 5 6 7 8 9 0xa 0xb 0x1d 0x1e; do run nvme get-feature /dev/nvme0 -f $f -H; done
run nvme effects-log /dev/nvme0
run nvme fw-log /dev/nvme0
run nvme supported-log-pages /dev/nvme0
run nvme id-ns-lba-format /dev/nvme0 -i 0 -U 0
run nvme ns-descs /dev/nvme0n1
run nvme list-ns /dev/nvme0
run nvme list-ctrl /dev/nvme0
run nvme show-regs /dev/nvme0 -H
head -c 65536 /dev/urandom > /tmp/a
run nvme write /dev/nvme0n1 -s 16 -c 15 -z 65536 -d /tmp/a
run nvme copy /dev/nvme0n1 -d 64 -s 16 -b 15
run nvme read /dev/nvme0n1 -s 64 -c 15 -z 65536 -d /tmp/b
run cmp /tmp/a /tmp/b
run nvme dsm /dev/nvme0n1 -d -s 64 -b 4
run nvme write-zeroes /dev/nvme0n1 -s 16 -c 3 -d
run nvme flush /dev/nvme0n1
run nvme verify /dev/nvme0n1 -s 0 -c 1
run nvme compare /dev/nvme0n1 -s 64 -c 15 -z 65536 -d /tmp/a
run nvme device-self-test /dev/nvme0 -s 1
run nvme format /dev/nvme0n1 --force
run nvme reset /dev/nvme0
run nvme subsystem-reset /dev/nvme0
cat /sys/block/nvme0n1/queue/write_zeroes_unmap_max_bytes /sys/block/nvme0n1/queue/discard_max_bytes /sys/block/nvme0n1/queue/max_hw_sectors_kb  /sys/block/nvme0n1/queue/write_cache /sys/block/nvme0n1/queue/fua
dmesg | grep -i -E "nvme|hung|error|timeout"
