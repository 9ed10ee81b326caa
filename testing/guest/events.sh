# SPDX-License-Identifier: Apache-2.0
# Asynchronous events of the temperature, as the kernel's driver receives them: once for each time that a threshold is
# passed, and the next one only after the log page was read.
. /scripts/lib.sh
trace=/sys/kernel/tracing
[ -d $trace/events ] || mount -t tracefs tracefs $trace
echo 1 >$trace/events/nvme/nvme_async_event/enable
echo >$trace/trace

enable=0xb    # feature Asynchronous Event Configuration
threshold=0x4 # feature Temperature Threshold; the device shows 313 K
under=0x100000
hot="NVME_AEN=0x020101 "

# told WHAT COUNT: fails unless the kernel has that many events, of which it may still hear.
told() {
  for _ in 1 2 3 4 5; do
    count=$(grep -c "$hot" $trace/trace) || true
    [ "$count" -ge "$2" ] && break
    sleep 1
  done
  expect "events, $1" "$count" "$2"
}
warning() { # WANTED: reads the log page, which clears the event
  nvme smart-log $control >/tmp/smart
  expect "critical warning" "$(field /tmp/smart critical_warning)" "$1"
}
set_feature() { nvme set-feature $control -f "$1" -V "$2" >/dev/null; }

notices=$(nvme get-feature $control -f $enable | sed -n 's/.*value: *//p')
[ $((notices & 0x100)) -ne 0 ] || fail "the kernel did not enable the notices of namespaces: $notices"
set_feature $threshold 300
told "before one is enabled" 0
set_feature $enable 0x11f
told "enabled while the temperature is past its threshold" 1
set_feature $threshold 343
set_feature $threshold 313
sleep 1
told "while the first was not read" 1
warning 0x2
told "after it was read, while the warning goes on" 1
set_feature $threshold 343
warning 0
set_feature $threshold $((under | 313))
told "under" 2
warning 0x2
set_feature $threshold $under
set_feature $threshold 313
told "over, again" 3
set_feature $threshold 343
warning 0
set_feature $enable "$notices"
grep -v "$hot" $trace/trace | grep nvme_async_event: && fail "events that nobody caused"
echo 0 >$trace/events/nvme/nvme_async_event/enable
quiet_kernel
