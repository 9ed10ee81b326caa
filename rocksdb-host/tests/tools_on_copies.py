#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools_on_copies.py ROCKSDB_BENCH PAGEFS LDB SST_DUMP: Debian's tools on files that rocksdb_bench left on a device.

A run leaves a database in images. `pagefs copy` copies its files into a folder, on which RocksDB's own programs run,
with RocksDB's own file system: they must find every key, and nothing wrong.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path


def output(*command: str | Path) -> str:
    """What the command prints. It must succeed."""
    done = subprocess.run(
        [str(part) for part in command],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",  # keys of linkbench are no text
        timeout=600,
    )
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}: code {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def what_is_wrong(bench: str, pagefs: str, ldb: str, sst_dump: str, folder: Path, options: list[str]) -> list[str]:
    """Runs the workload with these options, and everything on what it left."""
    images, copy, report = folder / "images", folder / "copy", folder / "report.json"
    output(bench, "--device=model", f"--image-dir={images}", f"--json={report}", *options)
    keys = json.loads(report.read_text())["keys_verified"]
    output(pagefs, "--image", images, "copy", copy)
    database = copy / "db"
    wrong: list[str] = []

    consistency = output(ldb, f"--db={database}", "checkconsistency")
    if "OK" not in consistency:
        wrong.append(f"ldb checkconsistency: {consistency}")
    # Keys in hexadecimal digits, one a line; the scan replays the log, so it sees what no table has yet.
    scanned = output(ldb, f"--db={database}", "scan", "--no_value", "--key_hex").split()
    if len(scanned) != keys or scanned != sorted(set(scanned)):
        wrong.append(f"ldb scan: {len(scanned)} keys, not {keys} in order")
    tables = list(database.glob("*.sst"))
    if len(tables) < 3:
        wrong.append(f"only {len(tables)} tables to look at")
    entries = 0
    for table in tables:
        # It reads all blocks, with their checksums.
        output(sst_dump, f"--file={table}", "--command=verify", "--verify_checksum")
        found = re.search(r"# entries: (\d+)", output(sst_dump, f"--file={table}", "--show_properties"))
        entries += int(found[1]) if found else 0
    if entries < keys // 2:
        wrong.append(f"sst_dump: {entries} entries in all tables, for {keys} keys")
    manifests = sorted(database.glob("MANIFEST-*"))
    if not manifests or "--- level 0 ---" not in output(ldb, "manifest_dump", f"--path={manifests[-1]}"):
        wrong.append("ldb manifest_dump: no levels")
    return [f"{' '.join(options)}: {line}" for line in wrong]


def main() -> int:
    bench, pagefs, ldb, sst_dump = sys.argv[1:]
    wrong: list[str] = []
    for options in (
        ["--workload=fillrandom", "--num=5000"],
        ["--workload=linkbench", "--num=2000"],
        ["--workload=ycsba", "--num=3000", "--compaction=universal"],
    ):
        with tempfile.TemporaryDirectory() as folder:
            wrong += what_is_wrong(bench, pagefs, ldb, sst_dump, Path(folder), options)
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
