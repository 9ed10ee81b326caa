dmesg | grep -i nvme; nvme list; cat /proc/interrupts | grep nvme; lspci 2>/dev/null; fio --version
