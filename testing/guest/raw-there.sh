# SPDX-License-Identifier: Apache-2.0
# raw-there.sh MODE: after a restart of the guest, every put of raw-fill.sh is there.
. /scripts/lib.sh
database /dev/ng0n1 "$1" --check=$database_puts 2>/tmp/progress || fail "db_bench: $(tail -n 3 /tmp/progress)"
quiet_kernel
