#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""collected_on_rtl.py DB_BENCH IOREPLAY FOLDER: a collected value log counts on the RTL what it counts on the model.

Overwrites with separated values are recorded on the model, once with each collector, and replayed onto the smallest
flash of both devices. Each recording must have collected in its collector's way.
"""

import shutil
import sys
import threading
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from launcher.bench import bench, ioreplay
from launcher.bench.bench_description import Mode
from launcher.bench.bench_options import KIB, BenchOptions, Device
from launcher.bench.ioreplay import Target
from launcher.bench.same_replay import complaints
from launcher.hw import facts

RECORDS, PUTS = 150, 1200  # of a page each
SUPERBLOCKS = 10  # on which so many puts are more than the flash holds, so that GC is at work, too


@dataclass(frozen=True)
class Collector:
    """What a collector does and what it never does: members of `value_log` in db_bench's results."""

    does: tuple[str, ...]
    never: tuple[str, ...]
    busy: tuple[str, ...]  # of the replay


COLLECTORS = {
    "copy": Collector(("inserted_again_bytes",), ("remapped_bytes", "punched_bytes"), ()),
    "remap": Collector(("remapped_bytes",), ("inserted_again_bytes", "punched_bytes"), ("remapped_pages",)),
    "punch": Collector(("punched_bytes",), ("inserted_again_bytes", "remapped_bytes"), ("deallocated_pages",)),
    "cost": Collector(("punched_bytes",), (), ("deallocated_pages",)),
}


def options_of(collector: str) -> BenchOptions:
    """Mode `off`, in which nothing but the collector remaps."""
    flash = "x".join(facts.geometry().split("x")[:4])  # of the RTL
    return replace(
        BenchOptions(),
        device=Device.model,
        modes=(Mode.off,),
        num=RECORDS,
        operations=PUTS,
        value_size=4096,
        write_buffer=64 * KIB,
        max_file_size=64 * KIB,
        separate="on",
        value_log_segment=64 * KIB,
        value_log_dead=10,
        value_log_collector=collector,
        firmware_cpu="none",
        superblocks=SUPERBLOCKS,
        geometry=flash,
        trace_verify="off",
    )


def not_as_it_collects(name: str, counters: dict[str, int]) -> list[str]:
    """What the recording's counters of the value log say against the collector that it is to have."""
    collector = COLLECTORS[name]
    wrong = [f"{member} is 0" for member in collector.does if not counters[member]]
    return wrong + [f"{member} is {counters[member]}" for member in collector.never if counters[member]]


def main(db_bench: str, replayer: str, folder: Path) -> int:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    stop = threading.Event()
    wrong: list[str] = []
    for name, collector in COLLECTORS.items():
        pages = folder / name
        recorded = replace(options_of(name), trace_pages=pages)
        run: dict[str, Any] = bench.run_one(recorded, Mode.off, [db_bench], folder, lambda *_: None, stop)
        slice_ = ioreplay.Options(traces=(pages / f"{Mode.off}.pages",), superblocks=SUPERBLOCKS)
        model, rtl = (
            ioreplay.measure(replace(slice_, device=device), [replayer], folder, stop)
            for device in (Target.model, Target.rtl)
        )
        found = not_as_it_collects(name, run["value_log"])
        found += complaints(model, rtl, ("pages_verified", "figures.gc_victims", *collector.busy), "rtl")
        counted = ", ".join(f"{member} {run['value_log'][member]}" for member in collector.does)
        print(f"{name}: {counted}; WA2 {model['figures']['wa2']}, {'; '.join(found) or 'equal'}", flush=True)
        wrong += found
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], Path(sys.argv[3])))
