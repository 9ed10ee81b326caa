# SPDX-License-Identifier: Apache-2.0
# The logs count the work done, and agree with each other.
. /scripts/lib.sh
bytes=$((pages * page / 4 < 16777216 ? pages * page / 4 : 16777216))
count=$((bytes / 65536))
bytes=$((count * 65536))
nvme smart-log $control >/tmp/before
dd if=/dev/zero of=$disk bs=64k count=$count oflag=direct conv=notrunc 2>/dev/null
dd if=$disk of=/dev/null bs=64k count=$count iflag=direct 2>/dev/null
nvme flush $disk
nvme smart-log $control >/tmp/smart
nvme endurance-log $control -g 1 >/tmp/endurance
nvme ocp smart-add-log $control >/tmp/ocp
nvme fdp stats $control -e 1 >/tmp/fdp
cat /tmp/smart /tmp/ocp /tmp/fdp
expect "write commands" $(($(field /tmp/smart host_write_commands) - $(field /tmp/before host_write_commands))) $count
expect "read commands" $(($(field /tmp/smart host_read_commands) - $(field /tmp/before host_read_commands))) $count
# Units of 512000 bytes, rounded up.
units=$(($(field /tmp/smart 'Data Units Written') - $(field /tmp/before 'Data Units Written')))
[ $((units * 512000 + 512000)) -ge $bytes ] && [ $((units * 512000)) -le $((bytes + 512000)) ] ||
  fail "$units data units for $bytes bytes"
expect "host writes of the endurance log" "$(field /tmp/endurance host_write_cmds)" \
  "$(field /tmp/smart host_write_commands)"
# The endurance log counts billions of bytes, rounded up.
expect "data units of the endurance log" "$(field /tmp/endurance data_units_written)" \
  $((($(field /tmp/smart 'Data Units Written') * 512000 + 999999999) / 1000000000))
# At least the host's bytes are written to flash. OCP and FDP count the same bytes.
media=$(sed -n 's/.*Physical media units written -[ \t]*[0-9]* \([0-9]*\).*/\1/p' /tmp/ocp)
[ "$media" -ge $bytes ] || fail "$media bytes were written to flash, fewer than the $bytes that the host wrote"
expect "media bytes of FDP" "$(sed -n 's/.*(MBMW): //p' /tmp/fdp)" "$media"
expect "spare" "$(field /tmp/smart available_spare)" 100
expect "critical warning" "$(field /tmp/smart critical_warning)" 0
expect "media errors" "$(field /tmp/smart media_errors)" 0
quiet_kernel
