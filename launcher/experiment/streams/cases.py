# SPDX-License-Identifier: Apache-2.0
"""The cases of `streams`: databases that write side by side, and the devices and habits that they write with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from launcher.bench.bench_description import Mode, Workload
from launcher.bench.bench_options import GIB, KIB, MIB, PAGE_BYTES, BenchOptions, Device
from launcher.bench.ioreplay import Options, Placement, Side, Switch
from launcher.experiment.runner.description import Case, Scale, Variant

SEED = 1
KEY, VALUE = 16, 984
UPDATES = 6  # of each record; the poster updates each of its records 14 times
OVER_PROVISIONING = 12  # percent
WRITERS = (1, 2, 4, 8)
HANDLES = 4  # that the model has at most; the last writers share the last one
WINDOWS = 40  # at least, of the writes of a replay

# "The average length of write chunks at the block trace layer was merely 1.6MB; about 20% of write chunks has 64M
# size": a table of 64 MB in pieces of a fortieth, but for a fifth of the tables.
PIECES, WHOLE = 40, 20


@dataclass(frozen=True)
class Amounts:
    """Sizes in bytes."""

    table: int
    records: int  # of all writers together
    level1: int
    row: str  # CHANNELSxDIES
    pages: int  # of a block, where a table is a superblock
    # Bytes of flash over those of records: so that files take up most of the file system. The smaller a database is,
    # the more it takes beside its records.
    flash: float


AMOUNTS = {
    Scale.small: Amounts(64 * KIB, 48 * MIB, 256 * KIB, "4x4", 1, 2.2),
    Scale.medium: Amounts(2 * MIB, 2 * GIB, 10 * MIB, "8x4", 16, 2.0),
    Scale.full: Amounts(8 * MIB, 12 * GIB, 40 * MIB, "8x4", 64, 2.0),
}


def device(recorded: BenchOptions, writers: int, tables: int = 16, **changes: Any) -> Options:
    """A device that the databases fill, with superblocks of so many tables. All but tables lies elsewhere."""
    channels, dies, blocks, pages = map(int, recorded.geometry.split("x"))
    handles = min(writers, HANDLES) if changes.get("placement") == Placement.trace else 0
    table = channels * dies * pages
    usual: dict[str, Any] = {"chunk": 1, "split": max(1, table // PIECES), "whole": WHOLE, "placement": Placement.none}
    return Options(
        # Twice what they were recorded on: enough for what handles and garbage collection need. Blocks of the smallest
        # flash are enough for few superblocks, too.
        geometry=f"{channels}x{dies}x{max(64, 2 * blocks * writers // tables)}x{pages * tables}",
        fill=100,
        over_provisioning=OVER_PROVISIONING,
        placement_handles=handles,
        side=(Side.log, Side.other),
        window=max(1, _writes(recorded) * writers // WINDOWS),
        **(usual | changes),
    )


def _writes(recorded: BenchOptions) -> int:
    """Pages that a database writes at least."""
    return (recorded.num + recorded.operations) * (KEY + VALUE) // PAGE_BYTES


def _on(tables: int = 16, **changes: Any) -> Callable[[BenchOptions, int], Options]:
    return lambda recorded, writers: device(recorded, writers, tables, **changes)


_NO_DEALLOCATE: dict[str, Any] = {"deallocate": Switch.off}
_HANDLES: dict[str, Any] = {"placement": Placement.trace}
_WHOLE: dict[str, Any] = {"whole": 100}
_FIRST = {"allocation": "first"}
_OF_TABLES = {"placement": "table"}


@dataclass(frozen=True)
class Step:
    """A variant, what it is, and how the replay differs from the poster's set-up."""

    name: str
    about: str
    replay: Callable[[BenchOptions, int], Options]
    changes: dict[str, Any]

    def variant(self) -> Variant:
        return Variant(self.name, Mode.off, changes=self.changes, replay=self.replay)


# From the poster's set-up to one without write amplification, step by step.
STEPS = (
    Step("pieces", "as the poster's: no Deallocate, next fit, tables in pieces", _on(**_NO_DEALLOCATE), {}),
    Step("whole", "the same, tables written whole", _on(**_NO_DEALLOCATE, **_WHOLE), {}),
    Step("first-fit", "the poster's, first fit", _on(**_NO_DEALLOCATE), _FIRST),
    Step("handles", "the poster's, a placement handle for each writer, up to 4", _on(**_NO_DEALLOCATE, **_HANDLES), {}),
    Step("deallocate", "Deallocate", _on(), {}),
    Step("deallocate-levels", "Deallocate, a handle for each level", _on(placement=Placement.recorded), {}),
    Step("deallocate-handles", "Deallocate, a handle for each writer, up to 4", _on(**_HANDLES), {}),
    Step("quarter", "the same, superblocks of 4 tables", _on(4, **_HANDLES), {}),
    Step("table", "the same, superblocks of 1 table", _on(1, **_HANDLES), {}),
    Step("table-is-unit", "the same, each table begins a superblock", _on(1, **_HANDLES), _OF_TABLES),
)
VARIANTS = tuple(step.variant() for step in STEPS)
ABOUT = {step.name: step.about for step in STEPS}


def cases(scale: Scale) -> list[Case]:
    """Uniform updates by 1 to 8 writers of the same data together, and zipfian ones by 8."""
    amounts = AMOUNTS[scale]
    found = []
    for keys, writers in [*(("uniform", n) for n in WRITERS), ("zipfian", WRITERS[-1])]:
        num = amounts.records // writers // (KEY + VALUE)
        unit = int(amounts.row[0]) * int(amounts.row[2]) * amounts.pages * PAGE_BYTES
        blocks = -(-int(amounts.flash * num * (KEY + VALUE)) // unit)
        options = replace(
            BenchOptions(),
            device=Device.model,
            modes=(Mode.off,),
            seed=SEED,
            workload=Workload.mix,
            mix_insert=0,
            mix_update=100,
            mix_read=0,
            mix_keys=keys,
            key_size=KEY,
            value_size=VALUE,
            num=num,
            operations=UPDATES * num,
            write_buffer=amounts.table,
            max_file_size=amounts.table - amounts.table // 16,  # a table exceeds it by a block, and has an index
            level1_bytes=amounts.level1,
            level_ratio=10,
            allocation="next",
            over_provisioning=OVER_PROVISIONING,
            superblocks=0,
            geometry=f"{amounts.row}x{blocks}x{amounts.pages}",
        )
        found.append(Case(keys, str(writers), options, writers))
    return found
