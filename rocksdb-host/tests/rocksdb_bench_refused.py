#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rocksdb_bench_refused.py ROCKSDB_BENCH: what the program refuses before it runs, in one line, with exit code 2."""

from __future__ import annotations

import subprocess
import sys

REFUSED = (
    ("--mode: an option of db_bench", "--mode=blend"),
    ("--check: an option of db_bench", "--check=1"),
    ("--value-size=-1: expected 0..", "--value-size=-1"),
    ("--compaction=fifo: expected level|universal", "--compaction=fifo"),
    ("--links=0: expected 1..", "--workload=linkbench", "--links=0"),
    ("--links: applies to linkbench only", "--links=4"),
    ("--value-size: does not apply to linkbench", "--workload=linkbench", "--value-size=100"),
    ("--write-buffer: with --placement=table", "--placement=table", "--write-buffer=65536"),
    ("--cold-level=on: applies to --compaction=level only", "--cold-level=on", "--compaction=universal"),
    ("--database=leveldb: with linkbench only", "--database=leveldb"),
    ("--direct: applies to RocksDB only", "--workload=linkbench", "--database=leveldb", "--direct=on"),
    ("--seek-compactions: applies to LevelDB only", "--seek-compactions=off"),
    ("--journal=on: expected off|metadata|data", "--journal=on"),
    ("--side=log: expected off|files|all", "--side=log"),
    ("--device=mem: has no PageFS", "--device=mem"),
    ("--device=none: expected ", "--device=none"),
    ("--mix-insert=90: ", "--workload=mix", "--mix-insert=90"),
    ("--json=nowhere/a.json: ", "--json=nowhere/a.json"),
    ("do not fit the device", "--num=10000000"),
    ("do not fit the device", "--workload=linkbench", "--num=10000000"),
    ("unknown option --foo", "--foo=1"),
    ("foo: not an option", "foo"),
)


def main() -> int:
    wrong = 0
    for said, *arguments in REFUSED:
        command = [sys.argv[1], *([] if "--device" in " ".join(arguments) else ["--device=model"]), *arguments]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
        if done.returncode != 2 or said not in done.stderr or done.stderr.count("\n") != 1 or done.stdout:
            print(f"{' '.join(arguments)}: code {done.returncode}, {done.stderr!r}; expected 2, {said!r}")
            wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
