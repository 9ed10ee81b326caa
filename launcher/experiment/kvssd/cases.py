# SPDX-License-Identifier: Apache-2.0
"""The cases of `kvssd`: the paper's systems as modes of LevelDB and set-ups of the device, and its workloads."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from launcher.bench.bench_description import Mode, Workload
from launcher.bench.bench_options import KIB, MIB, PAGE_BYTES, BenchOptions, Device
from launcher.experiment.runner.description import Case, Scale, Variant

SEED = 1
KEY, VALUE = 24, 1000
INSERT, UPDATE, READ = 25, 65, 10  # percent of the measured operations
KEYS = ("uniform", "zipfian", "latest")
OVER_PROVISIONING = 5  # percent, where nothing else is said
FLASH_PAGE = 32 * KIB  # of the paper's flash, and a unit of its mapping
UNIT = FLASH_PAGE // PAGE_BYTES
HANDLES = 3  # for the log, level 0 and what is deeper
KEYS_FIGURE, SPACE_FIGURE = "keys", "over-provisioning"
# The paper does not say how many operations follow its ten million inserts. With half as many the file system is 80 to
# 90 % full in the end.
OPERATIONS = 0.5  # of the records


@dataclass(frozen=True)
class Amounts:
    """What a scale divides the paper's sizes by, so that a database has as many levels; bytes."""

    records: int
    level1: int
    dies: str  # of the flash, CHANNELSxDIES of a channel
    blocks: int  # of a die
    pages: str  # of a block, and slots of a page: a superblock is as large as a table
    spaces: tuple[int, ...]  # percent of over-provisioning

    @property
    def table(self) -> int:
        """That of the paper is a superblock."""
        slots = 1
        for part in f"{self.dies}x{self.pages}".split("x"):
            slots *= int(part)
        return slots * PAGE_BYTES


# The paper's superblock has 128 pages of 32 KB. With fewer than 128 slots of 4 KB in a superblock the model keeps more
# than a sixteenth of the flash for chains of remap entries, whatever over-provisioning it is asked for. So medium is an
# eighth of the paper's, with superblocks of 128 slots in pages of one slot. Small has the same device with fewer
# superblocks, and two levels fewer.
AMOUNTS = {
    Scale.small: Amounts(24_000, 1280 * KIB, "2x2", 96, "32x1", (5, 25)),
    Scale.medium: Amounts(1_250_000, 1280 * KIB, "2x2", 3840, "32x1", (5, 10, 15, 20, 25)),
    Scale.full: Amounts(10_000_000, 10 * MIB, "2x2", 3840, "32x8", (5, 10, 15, 20, 25)),
}

_BLOCK_SSD: dict[str, Any] = {"mapping_unit": UNIT, "placement": "off"}
_TABLE_UNITS: dict[str, Any] = {"placement": "table", "placement_handles": HANDLES}
_REMAPPING: dict[str, Any] = {**_TABLE_UNITS, "last_level_ratio": 0, "block_size": FLASH_PAGE}


@dataclass(frozen=True)
class System:
    """A variant, what it is, and how it differs from LevelDB and the device as they are by default."""

    name: str
    about: str
    mode: Mode
    changes: dict[str, Any]

    def variant(self) -> Variant:
        return Variant(self.name, self.mode, changes=self.changes)


def _rlsm(most: int) -> System:
    rule = {"blend_rule": "runs", "blend_runs": most, "blend_filter_bits": 0}
    about = f"rLSM(-): nLSM with remapping compaction by the paper's rule, TH = {most}"
    return System(f"rlsm-{most}", about, Mode.blend, {**_REMAPPING, **rule})


def _blend(most: int) -> System:
    about = f"nLSM with remapping compaction by the rule of `blend`, up to {most} runs, with its filters"
    return System(f"blend-{most}", about, Mode.blend, {**_REMAPPING, "blend_runs": most})


SYSTEMS = (
    System(
        "lsm",
        "LSM: LevelDB on a block SSD that maps 32 KB and gets no Deallocate; next fit, files begin anywhere",
        Mode.off,
        {**_BLOCK_SSD, "deallocate": "off", "allocation": "next", "align": "off"},
    ),
    System(
        "lsm+", "the same with Deallocate, first fit, files that begin at units of the mapping", Mode.off, _BLOCK_SSD
    ),
    System("nlsm", "nLSM: each table begins an erase unit, pages of 4 KB are mapped", Mode.off, _TABLE_UNITS),
    *map(_rlsm, (1, 2, 3, 4)),
    *map(_blend, (2, 3, 4)),
)
VARIANTS = tuple(system.variant() for system in SYSTEMS)
ABOUT = {system.name: system.about for system in SYSTEMS}
FIRST = SYSTEMS[0].name  # the reference


def _blocks(amounts: Amounts, space: int) -> int:
    """Flash with more over-provisioning is larger: the database fills as much of the namespace."""
    return round(amounts.blocks * (100 - OVER_PROVISIONING) / (100 - space))


def options_of(amounts: Amounts, keys: str, space: int) -> BenchOptions:
    """The workload on a device with `space` percent of over-provisioning and a namespace that does not depend on it."""
    # A table exceeds its size by a block, and has an index; a memtable's is smaller than that.
    table = amounts.table - amounts.table // 16
    return replace(
        BenchOptions(),
        device=Device.model,
        modes=(Mode.off,),
        seed=SEED,
        workload=Workload.mix,
        mix_insert=INSERT,
        mix_update=UPDATE,
        mix_read=READ,
        mix_keys=keys,
        key_size=KEY,
        value_size=VALUE,
        num=amounts.records,
        operations=int(OPERATIONS * amounts.records),
        write_buffer=max(64 * KIB, table),
        max_file_size=table,
        level1_bytes=amounts.level1,
        level_ratio=10,
        over_provisioning=space,
        firmware_cpu="none",  # as in the paper's simulator
        superblocks=0,
        geometry=f"{amounts.dies}x{_blocks(amounts, space)}x{amounts.pages}",
    )


def cases(scale: Scale) -> list[Case]:
    """Each distribution of keys with the least over-provisioning, and uniform keys with more."""
    amounts = AMOUNTS[scale]
    found = [Case(KEYS_FIGURE, keys, options_of(amounts, keys, OVER_PROVISIONING)) for keys in KEYS]
    found += [Case(SPACE_FIGURE, f"{space}%", options_of(amounts, "uniform", space)) for space in amounts.spaces]
    return found
