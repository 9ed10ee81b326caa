# SPDX-License-Identifier: Apache-2.0
"""LinkBench's options: those of a run of rocksdb_bench, on RocksDB or on LevelDB."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import ClassVar

from launcher.bench.bench_description import Mode
from launcher.bench.bench_options import PASSED_ON, BenchOptions, flag_of

PROGRAM = "rocksdb_bench"  # also the CMake target
STREAM = "linkbench"  # the workload, as the program tells it


class Database(StrEnum):
    """What LinkBench runs on."""

    rocksdb = "rocksdb"
    leveldb = "leveldb"


# What the program has of db_bench's options, but for those with a value that is given anyway.
_NUMBERS = (
    "num",
    "operations",
    "seed",
    "level1_bytes",
    "level_ratio",
    "bloom_bits",
    "superblocks",
    "over_provisioning",
    "placement_handles",
    "mapping_unit",
    "block_size",
)
_CHOICES = ("placement", "deallocate", "mkfs_discard", "allocation", "align", "journal", "side", "trace_verify")
_SIZES = ("write_buffer", "max_file_size")  # RocksDB's with a reclaim unit for each table follow from that

_OF_LEVELDB = ("seek_compactions",)


@dataclass(frozen=True)
class LinkOptions(BenchOptions):
    """A run of LinkBench. The options of BenchOptions that the program does not have do nothing."""

    program: ClassVar[str] = PROGRAM
    database: Database = Database.rocksdb
    links: int = 5  # of a node, in the mean

    def arguments(self, mode: Mode, result: Path) -> list[str]:
        """The command line. The mode is `off`: neither database remaps."""
        is_level = self.database is Database.leveldb
        sizes = _SIZES if is_level or self.placement != "table" else ()
        names = (*_NUMBERS, *sizes, *_CHOICES, *(_OF_LEVELDB if is_level else ()))
        return [
            f"--workload={STREAM}",
            f"--database={self.database}",
            f"--links={self.links}",
            f"--device={self.device}",
            *(f"{flag_of(name)}={getattr(self, name)}" for name in names),
            f"--geometry={self.geometry}",
            f"--json={result}",
            f"--precondition={'on' if self.precondition else 'off'}",
            f"--image-dir={self.image_dir / mode if self.image_dir else ''}",
            *([f"--firmware-cpu={self.firmware_cpu}"] if self.firmware_cpu else []),
            *([f"--trace-pages={self.trace_pages / f'{mode}.pages'}"] if self.trace_pages else []),
        ]


assert set(_NUMBERS) <= set(PASSED_ON)  # check() holds these to their ranges
