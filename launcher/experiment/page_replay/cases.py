# SPDX-License-Identifier: Apache-2.0
"""The cases of `page-replay`, and the devices that their traces are replayed onto."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from launcher.bench import bench_options, ioreplay
from launcher.bench.bench_description import Mode, Workload
from launcher.bench.bench_options import MIB, BenchOptions, Device
from launcher.bench.ioreplay import Options, Placement, Side, Switch, Target
from launcher.experiment.runner.description import Case, Scale, Variant
from launcher.hw import facts

SEED = 1
VALUE = 984  # with keys of 16 bytes: 1 KB
DATA = {Scale.small: 8 * MIB, Scale.medium: 512 * MIB, Scale.full: 4096 * MIB}  # of puts
CHUNK, SPLIT, WHOLE = 4, 16, 20  # of two writers: records of a turn, pages of a record, percent of tables left whole


def same(recorded: BenchOptions, **changes: Any) -> ioreplay.Options:
    """A device like the one that the trace was recorded on."""
    return Options(geometry=recorded.geometry or facts.geometry(), superblocks=recorded.superblocks, **changes)


def larger(recorded: BenchOptions, writers: int, **changes: Any) -> ioreplay.Options:
    """One of as many times the size as it has writers."""
    channels, dies, blocks, *rest = map(int, (recorded.geometry or facts.geometry()).split("x"))
    blocks = writers * (recorded.superblocks or blocks)
    geometry = "x".join(map(str, (channels, dies, blocks, *rest)))
    return Options(geometry=geometry, chunk=CHUNK, split=SPLIT, whole=WHOLE, **changes)


# The first is measured as it is recorded; the others are replays. Two writers are two databases, each with its seed.
RECORDED = Variant("recorded", Mode.off)
VARIANTS = (
    RECORDED,
    Variant("model", Mode.off, replay=lambda recorded, _: same(recorded)),
    Variant("no-deallocate", Mode.off, replay=lambda recorded, _: same(recorded, deallocate=Switch.off)),
    Variant("side", Mode.off, replay=lambda recorded, _: same(recorded, side=(Side.log, Side.other))),
    Variant(
        "steady",
        Mode.off,
        changes={"mkfs_discard": "off"},  # else the trace would begin with the end of the steady state
        replay=lambda recorded, _: same(recorded, precondition=True, seed=recorded.seed),
    ),
    Variant("hdd", Mode.off, replay=lambda *_: Options(device=Target.hdd)),
    Variant("hybrid", Mode.off, replay=lambda *_: Options(device=Target.hybrid)),
    Variant("writers", Mode.off, replay=larger, writers=2),
    Variant("writers-handles", Mode.off, replay=lambda *of: larger(*of, placement=Placement.trace), writers=2),
)
ABOUT = {
    "recorded": "as db_bench measured it",
    "model": "a device of the same kind and size",
    "no-deallocate": "such a device without Deallocate",
    "side": "such a device, and a side device for log and manifest",
    "steady": "such a device in a steady state",
    "hdd": "a disk, as a cost model",
    "hybrid": "an FTL with a hybrid mapping, as a model that counts",
    "writers": f"two databases on a device of twice the size, {CHUNK} records of at most {SPLIT} pages in turn, "
    f"{WHOLE} % of the tables whole",
    "writers-handles": "the same with a placement handle for each database",
}


def cases(scale: Scale) -> list[Case]:
    """Uniform and zipfian puts."""
    found = []
    for workload in (Workload.fillrandom, Workload.fillzipfian):
        options = replace(
            BenchOptions(),
            device=Device.model,
            modes=(Mode.off,),
            seed=SEED,
            workload=workload,
            value_size=VALUE,
            num=DATA[scale] // (16 + VALUE),
        )
        usual = bench_options.sizes(options.device, options.num, options.key_size, VALUE)
        found.append(Case("fill", workload.value, replace(options, **vars(usual))))
    return found
