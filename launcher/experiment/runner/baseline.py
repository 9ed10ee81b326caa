# SPDX-License-Identifier: Apache-2.0
"""The defaults of db_bench and of what lies below it, as they were when addresses of results began to leave them out.

An address has what differs from these values. So an entry is never changed: where a default changes, runs with the
new one get other addresses than results that are kept. A new option gets an entry with its first default, which leaves
the addresses of all runs without it as they are; without an entry every run would have another address.
"""

from __future__ import annotations

BASELINE = {
    "--workload": "fillrandom",
    "--device": "",
    "--mode": "blend",
    "--num": "6000",
    "--operations": "0",
    "--value-size": "984",
    "--value-size-max": "0",
    "--key-size": "16",
    "--seed": "1",
    "--write-buffer": "98304",
    "--max-file-size": "262144",
    "--level1-bytes": "524288",
    "--level-ratio": "5",
    "--fill-space": "3",
    "--last-level-ratio": "15",
    "--blend-runs": "12",
    "--blend-space": "30",
    "--blend-filter-bits": "10",
    "--bloom-bits": "0",
    "--mix-insert": "25",
    "--mix-update": "65",
    "--mix-read": "10",
    "--mix-delete": "0",
    "--mix-scan": "0",
    "--mix-keys": "zipfian",
    "--superblocks": "0",
    "--geometry": "",
    "--over-provisioning": "0",
    "--placement-handles": "0",
    "--mapping-unit": "1",
    "--placement": "level",
    "--deallocate": "on",
    "--allocation": "first",
    "--align": "on",
    "--precondition": "off",
    "--block-size": "4096",
    "--seek-compactions": "on",
    "--sync-every": "0",
    "--check": "",
    "--json": "-",
    "--trace": "",
    "--replay": "",
    "--image-dir": "",
    "--reserve-image": "off",
    "--trace-file": "",
    "--record-file": "",
    "--trace-pages": "",
    "remap.min_table_bytes": "1048576",
    "remap.min_manifest_bytes": "65536",
    "remap.max_info_log_bytes": "262144",
    "flash of the RTL": "2x2x64x32x1",
    "over-provisioning of the firmware": "12",
}
