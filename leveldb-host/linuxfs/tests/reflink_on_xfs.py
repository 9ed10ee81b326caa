# SPDX-License-Identifier: Apache-2.0
"""The reflink layer on a real XFS: an image in a temporary folder, mounted in its own mount namespace.

In every mode the test fills a database, mounts the file system again and reads every key back. Then it shuts the file
system down in the middle of a fill, as a power cut would. All synced data must survive. The same follows on an XFS
without reflinks. The test is skipped on machines that do not allow mounts.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from mounted_databases import Databases, inside  # beside this file

from launcher.bench.bench_description import Mode
from launcher.env import leveldb_packages
from launcher.guest import xfs_image
from launcher.suites import single_test
from launcher.suites.single_test import require

IMAGE_BYTES = 512 << 20
PUTS = 4000
SYNC_EVERY = 100
CUT_AFTER = 2500  # puts that are synced


def everything(program: str, scratch: Path) -> None:
    packages = leveldb_packages.ensure()
    folder = scratch / "mounted"
    folder.mkdir()
    image = scratch / "xfs"

    def databases(mode: Mode) -> Databases:
        options = (f"--mode={mode}", f"--num={PUTS}", f"--sync-every={SYNC_EVERY}")
        return Databases(program, image, folder, "xfs", options, PUTS)

    xfs_image.make(packages, image, IMAGE_BYTES)
    runs = {mode: databases(mode).fill(mode) for mode in Mode}
    for mode, run in runs.items():
        print(f"{mode}: {run['host_bytes']} bytes written, {run['file_bytes']} of them into files; "
              f"{run['remapped_pages']} pages shared by {run['remap_commands']} calls")  # fmt: skip
        require((run["remapped_pages"] > 0) == (mode is not Mode.off), f"{mode}: {run['remapped_pages']} pages shared")
        require(run["remap_fallbacks"] == 0, f"{mode}: {run['remap_fallbacks']} pages refused")
        more = f"{mode}: more bytes into files than with off"
        require(mode is Mode.off or run["file_bytes"] < runs[Mode.off]["file_bytes"], more)
    for mode in Mode:
        databases(mode).cut(mode, CUT_AFTER)
    leveldb_packages.make_xfs(packages, image, "-f", "-m", "reflink=0")
    for mode in (Mode.off, Mode.retain, Mode.blend):
        run = databases(mode).fill(mode)
        require(run["remapped_pages"] == 0, f"{mode}: pages shared without reflinks")


def test(program: str) -> None:
    with tempfile.TemporaryDirectory(prefix="openremap-xfs-") as name:
        everything(program, Path(name))


def main() -> None:
    """Command line: db_bench."""
    inside(test)


if __name__ == "__main__":
    sys.exit(single_test.run("reflink_on_xfs", main))
