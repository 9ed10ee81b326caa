#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# First process of the guest. With `openremap.shell` on the kernel's command line it gives a shell on the serial line;
# without, it does what it reads there, a word at a time (launcher/guest/guest_machine.py):
#   run NAME [ARGUMENT]   runs the script /scripts/NAME, then prints `openremap: end CODE`
#   reboot, poweroff
export PATH=/usr/sbin:/usr/bin HOME=/root TERM=linux
/usr/bin/busybox mkdir -p /proc /sys /dev /tmp /root /mnt /run
/usr/bin/busybox --install -s /usr/bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev 2>/dev/null
mount -t tmpfs tmpfs /tmp
mount -t tmpfs tmpfs /run
ln -sf /proc/self/fd /dev/fd
# The driver probes beside the boot: one disk for each NVMe function of the machine, or a line that says why not.
wanted=$(cat /sys/bus/pci/devices/*/class | grep -c 0x010802)
tries=0
while :; do
  set -- /dev/nvme*n1
  [ -b "$1" ] || set -- # none yet
  refused=$(dmesg | grep -c 'probe with driver nvme failed')
  [ $(($# + refused)) -lt "$wanted" ] && [ $tries -lt 6000 ] || break
  usleep 20000
  tries=$((tries + 1))
done
read -r up rest </proc/uptime
found=$*
echo "openremap: up $up s, ${found:-no disk}"

if grep -q openremap.shell /proc/cmdline; then
  cd /root
  # Nobody here hears the signals by which they would ask an init.
  echo 'alias poweroff="poweroff -f" reboot="reboot -f"' >.profile
  setsid cttyhack sh -l
  poweroff -f
fi

# What is typed is not shown, and lines end as on a terminal that nobody looks at.
stty -echo -onlcr
echo "openremap: ready"
while read -r word name argument; do
  case "$word" in
    run)
      cd /root
      sh "/scripts/$name" "$argument" </dev/null 2>&1
      echo "openremap: end $?"
      ;;
    reboot) reboot -f ;;
    poweroff) poweroff -f ;;
    *) echo "openremap: what is '$word'?" ;;
  esac
done
poweroff -f
