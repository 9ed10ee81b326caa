#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""plugin_in_programs.py LIBRARY PAGEFS DB_BENCH LDB: Debian's RocksDB programs, unchanged, on a device.

They load the library, and find the file system by its URI. RocksDB's own db_bench runs its workloads there with its own
threads; ldb then reads the database where it is.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

KEYS = 4000
# Small, so that there are levels.
SIZES = (
    *("--value_size=400", "--write_buffer_size=131072", "--target_file_size_base=131072"),
    *("--max_bytes_for_level_base=524288", "--compression_type=none", "--stats_level=0"),
)


def run(library: str, *command: str | Path, options: str = "") -> subprocess.CompletedProcess[str]:
    """The program with the library."""
    return subprocess.run(
        [str(part) for part in command],
        env=os.environ | {"LD_PRELOAD": library, "OPENREMAP_PAGEFS": options},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=600,
    )


def what_is_wrong(library: str, pagefs: str, bench: str, ldb: str, folder: Path) -> list[str]:
    """Workloads of RocksDB's benchmark, one after the other on one database."""
    wrong: list[str] = []
    images = folder / "images"
    uri = f"--fs_uri=pagefs://model{images}"
    for workloads, extra in (
        ("fillseq", ()),
        ("overwrite,readrandom,seekrandom", ("--use_existing_db=1", "--threads=2")),
        ("mixgraph,compact,readseq", ("--use_existing_db=1", "--use_direct_reads=1")),
    ):
        command = [bench, uri, "--db=/db", f"--benchmarks={workloads}", f"--num={KEYS}", "--reads=2000", *SIZES, *extra]
        done = run(library, *command)
        missing = [name for name in workloads.split(",") if f"{name} " not in done.stdout]
        if done.returncode != 0 or missing or "error" in done.stdout.lower():
            wrong.append(f"{workloads}: code {done.returncode}, {missing}\n{done.stdout}\n{done.stderr}")
    keys = run(library, ldb, uri, "--db=/db", "scan", "--no_value", "--key_hex")
    if keys.returncode != 0 or len(keys.stdout.split()) != KEYS:
        wrong.append(f"ldb scan: {len(keys.stdout.split())} keys, {keys.stderr}")
    check = run("", pagefs, "--image", images, "check", "--read")
    if check.returncode != 0 or "0 findings" not in check.stdout:
        wrong.append(f"pagefs check: {check.stdout}")
    return wrong


def what_is_not_refused(library: str, ldb: str) -> list[str]:
    """What is wrong with a URI or an option is told."""
    wrong: list[str] = []
    for uri, options, said in (
        ("pagefs://disk", "", "expected pagefs://model"),
        ("pagefs://model", "placement=on", "expected off, level or table"),
        ("pagefs:///dev/null", "", "/dev/null"),
    ):
        done = run(library, ldb, f"--fs_uri={uri}", "--db=/db", "scan", options=options)
        if done.returncode == 0 or said not in done.stdout + done.stderr:
            wrong.append(f"{uri} {options}: code {done.returncode}, {done.stdout}{done.stderr}, not '{said}'")
    return wrong


def main() -> int:
    library, pagefs, bench, ldb = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        wrong = what_is_wrong(library, pagefs, bench, ldb, Path(folder))
    wrong += what_is_not_refused(library, ldb)
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
