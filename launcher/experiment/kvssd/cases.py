# SPDX-License-Identifier: Apache-2.0
"""The cases of `kvssd`: the paper's systems as modes of LevelDB and set-ups of the device, and its workloads."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from launcher.bench.bench_description import Mode, Workload
from launcher.bench.bench_options import KIB, MIB, BenchOptions, Device
from launcher.experiment.runner.description import Case, Scale, Variant

SEED = 1
KEY, VALUE = 24, 1000
INSERT, UPDATE, READ = 25, 65, 10  # percent of the measured operations
KEYS = ("uniform", "zipfian", "latest")
OVER_PROVISIONING = 5  # percent, where nothing else is said
PAGE = 32 * KIB  # of the paper's flash: slots of a page, and pages of a mapping unit
DIES, SLOTS = 4, 8
HANDLES = 3  # for the log, level 0 and what is deeper
KEYS_FIGURE, SPACE_FIGURE = "keys", "over-provisioning"
# The paper measures 20 million operations or fewer; it does not say how many follow the ten million inserts. With half
# as many the namespace is 80 to 90 % full in the end.
OPERATIONS = 0.5  # of the records


@dataclass(frozen=True)
class Amounts:
    """A scale divides all sizes of the paper's by the same number, so that a database has as many levels."""

    records: int
    pages: int  # of a flash block: a superblock is as large as a table
    blocks: int  # of a die
    level1: int  # bytes
    spaces: tuple[int, ...]  # percent of over-provisioning

    @property
    def table(self) -> int:
        """Bytes of a superblock, which is a table of the paper's."""
        return DIES * self.pages * PAGE


AMOUNTS = {
    # A sixteenth again of the records: one level less.
    Scale.small: Amounts(19_531, 1, 240, 320 * KIB, (5, 25)),
    Scale.medium: Amounts(625_000, 2, 3840, 640 * KIB, (5, 10, 15, 20, 25)),
    Scale.full: Amounts(10_000_000, 32, 3840, 10 * MIB, (5, 10, 15, 20, 25)),
}

_BLOCK_SSD: dict[str, Any] = {"mapping_unit": SLOTS, "placement": "off"}
_TABLE_UNITS: dict[str, Any] = {"placement": "table", "placement_handles": HANDLES}
_REMAPPING: dict[str, Any] = {**_TABLE_UNITS, "last_level_ratio": 0, "block_size": PAGE}


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
    System("lsm+", "the same with Deallocate, first fit, files that begin at units of the mapping", Mode.off, _BLOCK_SSD),
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


def cases(scale: Scale) -> list[Case]:
    """Each distribution of keys with the least over-provisioning, and uniform keys with more."""
    amounts = AMOUNTS[scale]
    found = []
    wanted = [(KEYS_FIGURE, keys, keys, OVER_PROVISIONING) for keys in KEYS]
    wanted += [(SPACE_FIGURE, f"{space}%", "uniform", space) for space in amounts.spaces]
    # A table exceeds its size by a block, and has an index; a memtable's is smaller than that.
    table = amounts.table - amounts.table // 16
    for figure, name, keys, space in wanted:
        options = replace(
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
            superblocks=0,
            geometry=f"2x2x{_blocks(amounts, space)}x{amounts.pages}x{SLOTS}",
        )
        found.append(Case(figure, name, options))
    return found
