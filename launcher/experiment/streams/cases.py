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
# Of each record; the poster updates each of its records 14 times. The namespace is written some twenty times over, and
# the second half of that is steady.
UPDATES = 3
OVER_PROVISIONING = 12  # percent
LITTLE = 7  # percent: what an SSD has at least that has as many GiB of flash as it offers GB
WRITERS = (1, 2, 4, 8)
HANDLES = 4  # that the model has at most; the last writers share the last one
WINDOWS = 40  # at least, of the writes of a replay
LEVEL1 = 64  # the part of a database that level 1 holds
LEAST_BUFFER = 64 * KIB  # of LevelDB

# "The average length of write chunks at the block trace layer was merely 1.6MB; about 20% of write chunks has 64M
# size": a table of 64 MB in pieces of a fortieth, but for a fifth of the tables.
PIECES, WHOLE = 40, 20


@dataclass(frozen=True)
class Amounts:
    """Sizes in bytes."""

    table: int
    records: int  # of all writers together
    row: str  # CHANNELSxDIES
    pages: int  # of a block, where a table is a superblock
    # Bytes of flash over those of records: so that files take up most of the file system. The smaller a database is,
    # the more it takes beside its records.
    flash: float

    @property
    def file(self) -> int:
        """LevelDB's size of a table: it exceeds this by a block, has an index, and a superblock has a summary."""
        return self.table - max(3 * PAGE_BYTES, self.table // 16)


# The poster has 140 GB of records, 2,240 tables of 64 MB. That many would take too long: there are 256, 512 and 1536.
# Level 1 is a share of a database, so that level 3 has most of its records however many writers there are. RocksDB's
# default, 256 MB, is 1/550 of the poster's, with one level more.
AMOUNTS = {
    Scale.small: Amounts(64 * KIB, 16 * MIB, "4x4", 1, 2.4),
    Scale.medium: Amounts(128 * KIB, 64 * MIB, "8x4", 1, 2.0),
    Scale.full: Amounts(8 * MIB, 12 * GIB, "8x4", 64, 2.0),
}


def device(recorded: BenchOptions, writers: int, tables: int = 16, pieces: int = PIECES, **changes: Any) -> Options:
    """A device that the databases fill, with superblocks of so many tables, which are written in so many pieces.

    All but tables lies elsewhere.
    """
    channels, dies, blocks, pages = map(int, recorded.geometry.split("x"))
    handles = min(writers, HANDLES) if changes.get("placement") == Placement.trace else 0
    table = channels * dies * pages
    usual: dict[str, Any] = {
        "chunk": 1,
        "split": max(1, table // pieces),
        "whole": WHOLE,
        "placement": Placement.none,
        "fill": 100,
        "over_provisioning": OVER_PROVISIONING,
    }
    return Options(
        # Twice what they were recorded on: enough for what handles and garbage collection need. Blocks of the smallest
        # flash are enough for few superblocks, too.
        geometry=f"{channels}x{dies}x{max(64, 2 * blocks * writers // tables)}x{pages * tables}",
        firmware_cpu=recorded.firmware_cpu,
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
    Step("long-pieces", "the same, pieces of a quarter of a table", _on(pieces=4, **_NO_DEALLOCATE), {}),
    Step("whole", "the same, tables written whole", _on(**_NO_DEALLOCATE, **_WHOLE), {}),
    Step("first-fit", "the poster's, first fit", _on(**_NO_DEALLOCATE), _FIRST),
    Step("spare", "the poster's, a fifth of the namespace never written", _on(fill=80, **_NO_DEALLOCATE), {}),
    Step("little", f"the poster's, {LITTLE} % over-provisioning", _on(over_provisioning=LITTLE, **_NO_DEALLOCATE), {}),
    Step("handles", "the poster's, a placement handle for each writer, up to 4", _on(**_NO_DEALLOCATE, **_HANDLES), {}),
    Step("deallocate", "Deallocate", _on(), {}),
    Step("deallocate-levels", "Deallocate, a handle for each level", _on(placement=Placement.recorded), {}),
    Step("deallocate-handles", "Deallocate, a handle for each writer, up to 4", _on(**_HANDLES), {}),
    Step("quarter", "the same, superblocks of 4 tables", _on(4, **_HANDLES), {}),
    Step("table", "the same, superblocks of 1 table", _on(1, **_HANDLES), {}),
    Step("table-is-unit", "the same, each table begins a superblock", _on(1, **_HANDLES), _OF_TABLES),
    Step("whole-units", "the same, tables written whole", _on(1, **_HANDLES, **_WHOLE), _OF_TABLES),
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
            write_buffer=max(LEAST_BUFFER, amounts.file),
            max_file_size=amounts.file,
            level1_bytes=max(amounts.table, num * (KEY + VALUE) // LEVEL1),
            level_ratio=10,
            allocation="next",
            over_provisioning=OVER_PROVISIONING,
            firmware_cpu="none",  # charging it doubles the wall time, and changed WAF by 0.7 % in a trial
            superblocks=0,
            geometry=f"{amounts.row}x{blocks}x{amounts.pages}",
        )
        found.append(Case(keys, str(writers), options, writers))
    return found
