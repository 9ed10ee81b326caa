# SPDX-License-Identifier: Apache-2.0
# raw-write.sh MODE: fills a database on the raw namespace, with some puts synced, until the power is cut.
. /scripts/lib.sh
nvme format $control --namespace-id=1 --force >/dev/null
database /dev/ng0n1 "$1" 2>&1 | tell_synced
