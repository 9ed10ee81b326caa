# SPDX-License-Identifier: Apache-2.0
"""Value logs on real file systems: an XFS, an XFS without reflinks and an ext4, each in an image that is mounted.

With each collector the test overwrites a database with separated values, and reads every key back, also after the file
system was mounted anew. The log must be collected in the collector's way, and take less space than one that is never
collected. Then fills are cut by shutting the file system down, as a power cut would, after puts that are drawn from
OPENREMAP_SEED. All synced data must survive. The test is skipped on machines that do not allow mounts.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mounted_databases import Databases, inside, make_ext4  # beside this file

from launcher.bench.bench_description import Mode
from launcher.env import leveldb_packages
from launcher.guest import xfs_image
from launcher.suites import single_test
from launcher.suites.single_test import require

IMAGE_BYTES = 512 << 20
RECORDS, PUTS, VALUE = 400, 2400, 16384
SYNC_EVERY = 50
CUTS = 3  # with each collector
MODE = Mode.blend  # of tables; the collectors are the same in all


@dataclass(frozen=True)
class FileSystem:
    """A file system, and what collectors can do on it."""

    name: str
    kind: str  # as mount calls it
    make: Callable[[Path], None]
    shares: bool  # a moved segment shares its pages with the old one


def _xfs(*options: str) -> Callable[[Path], None]:
    def make(image: Path) -> None:
        packages = leveldb_packages.ensure()
        xfs_image.make(packages, image, IMAGE_BYTES)
        if options:
            leveldb_packages.make_xfs(packages, image, "-f", *options)

    return make


FILE_SYSTEMS = (
    FileSystem("xfs", "xfs", _xfs(), shares=True),
    FileSystem("xfs without reflinks", "xfs", _xfs("-m", "reflink=0"), shares=False),
    FileSystem("ext4", "ext4", lambda image: make_ext4(image, IMAGE_BYTES), shares=False),
)
# What a collector does, by the counters of the property leveldb.value-log. `cost` punches where holes can be made.
DOES = {"copy": "inserted_again_bytes", "remap": "moved_segments", "punch": "punched_bytes", "cost": "punched_bytes"}
ONLY = ("inserted_again_bytes", "moved_segments", "punched_bytes")


@dataclass
class Segments:
    """Sizes of the files of a value log, and the space that they take."""

    size: int = 0
    taken: int = 0
    names: list[str] = field(default_factory=list)

    def look(self, folder: Path) -> None:
        for path in folder.glob("*.vlog"):
            found = path.stat()
            self.size += found.st_size
            self.taken += 512 * found.st_blocks
            self.names.append(path.name)


def log_of(run: Any) -> dict[str, int]:
    counters: dict[str, int] = run["value_log"]
    return counters


def checked(system: FileSystem, collector: str, run: Any, never: Any, segments: Segments) -> None:
    what = f"{system.name}, {collector}"
    counters = log_of(run)
    done = {name: counters[name] for name in ONLY}
    require(counters[DOES[collector]] > 0, f"{what}: nothing is collected: {done}")
    if collector != "cost":
        others = {name: count for name, count in done.items() if name != DOES[collector] and count}
        require(not others, f"{what}: collected otherwise: {others}")
    if collector == "remap":
        shared, copied = counters["remapped_bytes"], counters["moved_copied_bytes"]
        right = shared > copied if system.shares else run["remapped_pages"] == 0 < copied
        require(right, f"{what}: {shared} bytes remapped, {copied} copied, {run['remapped_pages']} pages shared")
    require(segments.names != [], f"{what}: no segment")
    if collector in ("punch", "cost"):
        require(
            segments.taken < segments.size, f"{what}: no holes: {segments.size} bytes of files take {segments.taken}"
        )
    # A log of which 30 % may be dead needs less than twice the live values, and six times these were put.
    require(run["used_bytes"] < 0.6 * never["used_bytes"], f"{what}: {run['used_bytes']} bytes in use")


def on(system: FileSystem, program: str, scratch: Path, draw: random.Random) -> None:
    folder, image = scratch / "mounted", scratch / "image"
    folder.mkdir(exist_ok=True)
    system.make(image)

    def databases(collector: str, *more: str) -> Databases:
        options = (
            *(f"--mode={MODE}", f"--num={RECORDS}", f"--operations={PUTS}", f"--value-size={VALUE}"),
            *(f"--sync-every={SYNC_EVERY}", "--separate=on", f"--value-log-collector={collector}"),
        )
        return Databases(program, image, folder, system.kind, (*options, *more), PUTS)

    never = databases("copy", "--value-log-dead=0").fill(f"{system.name}, never")
    print(f"{system.name}: never collected: {never['used_bytes']} bytes in use, {never['host_bytes']} written")
    for collector in DOES:
        segments = Segments()
        run = databases(collector).fill(f"{system.name}, {collector}", segments.look)
        print(f"{system.name}: {collector}: {run['used_bytes']} bytes in use, {run['host_bytes']} written; "
              f"files of segments have {segments.size} bytes and take {segments.taken}; {log_of(run)}")  # fmt: skip
        checked(system, collector, run, never, segments)
        for _ in range(CUTS):
            after = draw.randrange(RECORDS, PUTS - 4 * SYNC_EVERY)
            synced = databases(collector).cut(f"{system.name}, {collector}, cut after {after}", after)
            print(f"{system.name}: {collector}: cut after {synced} synced puts: nothing is lost", flush=True)


def test(program: str) -> None:
    seed = int(os.environ.get("OPENREMAP_SEED", "1"))
    print(f"seed {seed}")
    with tempfile.TemporaryDirectory(prefix="openremap-value-log-") as name:
        for system in FILE_SYSTEMS:
            on(system, program, Path(name), random.Random(f"{seed} {system.name}"))


def main() -> None:
    """Command line: db_bench."""
    inside(test)


if __name__ == "__main__":
    sys.exit(single_test.run("value_log_on_file_systems", main))
