# SPDX-License-Identifier: Apache-2.0
"""The cases of `noftl`: LinkBench on RocksDB, and on LevelDB with and without the compactions that its lists cause."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from launcher.bench.bench_description import Mode
from launcher.bench.bench_options import KIB, MIB, PAGE_BYTES, Device
from launcher.bench.rocks_options import Database, LinkOptions
from launcher.experiment.noftl.systems import LOG
from launcher.experiment.runner.description import Case, Scale

SEED = 1
FIGURE = "linkbench"
LINKS = LinkOptions.links  # of a node
OPERATIONS = 6  # for each node that is loaded; the paper's requests are a million a thread, of how many it does not say
LEAST_BUFFER = 64 * KIB  # of the program


@dataclass(frozen=True)
class Amounts:
    """Sizes of a scale. The paper's flash has 24,576 blocks of 256 pages of 4 KiB, its tables 64 MB."""

    nodes: int
    dies: str  # CHANNELSxDIES
    blocks: int  # of a die
    pages: int  # of a block: a superblock is as large as a table
    level1: int  # bytes

    @property
    def superblock(self) -> int:
        channels, dies = map(int, self.dies.split("x"))
        return channels * dies * self.pages * PAGE_BYTES

    @property
    def table(self) -> int:
        """What leaves room in a superblock for a table's index, which neither database counts."""
        return self.superblock - self.superblock // 16


# `full` has the paper's flash; LinkBench's nodes are smaller here. A superblock of fewer than 128 slots would do for
# `small`, but the model keeps more than a sixteenth of such a flash for chains of remap entries.
AMOUNTS = {
    Scale.small: Amounts(34_000, "2x2", 48, 32, 768 * KIB),
    Scale.medium: Amounts(2_300_000, "8x4", 384, 32, 16 * MIB),
    Scale.full: Amounts(36_000_000, "8x8", 384, 256, 256 * MIB),
}


# LevelDB on PageFS keeps more space free for compactions, so it has three quarters of RocksDB's nodes. It compacts
# tables that reads look into in vain too often: half of LinkBench's operations are lists, which do.
DATABASES: dict[str, dict[str, Any]] = {
    "rocksdb": {"database": Database.rocksdb},
    "leveldb": {"database": Database.leveldb, "seek_compactions": "off"},
    "leveldb-seeks": {"database": Database.leveldb},
}


def cases(scale: Scale) -> list[Case]:
    """One for each database."""
    amounts = AMOUNTS[scale]
    options = LinkOptions(
        links=LINKS,
        device=Device.model,
        modes=(Mode.off,),
        seed=SEED,
        level1_bytes=amounts.level1,
        level_ratio=10,
        over_provisioning=LOG,
        firmware_cpu="none",  # as in the paper's simulator
        superblocks=0,
        geometry=f"{amounts.dies}x{amounts.blocks}x{amounts.pages}",
        trace_verify="off",
    )
    found = []
    for name, changes in DATABASES.items():
        nodes = amounts.nodes if changes["database"] is Database.rocksdb else amounts.nodes * 3 // 4
        sized = replace(
            options,
            num=nodes,
            operations=OPERATIONS * nodes,
            write_buffer=max(LEAST_BUFFER, amounts.table),
            max_file_size=amounts.table,
        )
        found.append(Case(FIGURE, name, replace(sized, **changes)))
    return found
