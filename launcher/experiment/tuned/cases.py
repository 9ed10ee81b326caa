# SPDX-License-Identifier: Apache-2.0
"""The cases of `tuned`: random puts, by law of keys and size of items."""

from __future__ import annotations

from dataclasses import dataclass, replace

from launcher.bench import bench_options
from launcher.bench.bench_description import Mode, Workload
from launcher.bench.bench_options import FLASH_OVER_DATA, KIB, MIB, BenchOptions, Device
from launcher.experiment.remapcom.cases import KV_SIZES
from launcher.experiment.runner.description import Case, Scale

SEED = 1
KEY = 16
SIZES = ("100 B", "256 B", "1 KB", "4 KB")
LAWS = {"uniform": Workload.fillrandom, "zipfian": Workload.fillzipfian}


@dataclass(frozen=True)
class Amounts:
    put: int  # bytes of keys and values
    write_buffer: int
    table: int
    level1: int
    flash: tuple[int, int, int]  # channels, dies of one, pages of a block


def _part(parts: int, flash: tuple[int, int, int]) -> Amounts:
    """Of everything in `full`, which has LevelDB's own sizes: as many memtables and levels."""
    # A table takes whole pages, of which its index is one: with fewer than 64 that would be what is measured.
    return Amounts(4096 * MIB // parts, 4 * MIB // parts, max(2 * MIB // parts, 256 * KIB), 10 * MIB // parts, flash)


# Superblocks shrink with the data, so that there are as many of them.
AMOUNTS = {
    # Memtables cannot be smaller, so there is a level less, and tables would be as large as level 1.
    Scale.small: Amounts(12 * MIB, 64 * KIB, 64 * KIB, 160 * KIB, (2, 2, 16)),
    Scale.quarter: _part(16, (4, 2, 64)),
    Scale.medium: _part(4, (8, 4, 64)),
    Scale.full: _part(1, (8, 4, 256)),
}


def key(law: str, size: str) -> str:
    """Of a case, by the law of its keys and the size of an item."""
    return f"{law}-{size.replace(' ', '')}"


def cases(scale: Scale) -> list[Case]:
    """Each law with each size."""
    amounts = AMOUNTS[scale]
    channels, dies, pages = amounts.flash
    superblock = channels * dies * pages * bench_options.PAGE_BYTES
    found = []
    for law, workload in LAWS.items():
        for size in SIZES:
            options = replace(
                BenchOptions(),
                device=Device.model,
                modes=(Mode.off,),
                seed=SEED,
                workload=workload,
                key_size=KEY,
                value_size=KV_SIZES[size],
                num=amounts.put // (KEY + KV_SIZES[size]),
                write_buffer=amounts.write_buffer,
                max_file_size=amounts.table,
                level1_bytes=amounts.level1,
                level_ratio=10,
                superblocks=0,
                geometry=f"{channels}x{dies}x{-int(-FLASH_OVER_DATA * amounts.put // superblock)}x{pages}",
                firmware_cpu="none",  # as in the paper's evaluation
            )
            found.append(Case(law, size.replace(" ", ""), options))
    return found
