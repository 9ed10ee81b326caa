# SPDX-License-Identifier: Apache-2.0
# raw-fill.sh MODE: fills a database on the raw namespace, for raw-there.sh.
. /scripts/lib.sh
nvme format $control --namespace-id=1 --force >/dev/null
database /dev/ng0n1 "$1" --json=/tmp/filled 2>/tmp/progress || fail "db_bench: $(tail -n 3 /tmp/progress)"
