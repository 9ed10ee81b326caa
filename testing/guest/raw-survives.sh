# SPDX-License-Identifier: Apache-2.0
# raw-survives.sh MODE: after a power cut the database holds every synced put, and no put without all puts before it.
. /scripts/lib.sh
database /dev/ng0n1 "$1" --check="$SYNCED" 2>/tmp/progress || fail "db_bench: $(tail -n 3 /tmp/progress)"
nvme format $control --namespace-id=1 --force >/dev/null
quiet_kernel
