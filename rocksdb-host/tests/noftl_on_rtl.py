#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""noftl_on_rtl.py ROCKSDB_BENCH IOREPLAY FOLDER: a slice of `noftl` counts on the RTL what it counts on the model.

LinkBench on RocksDB is recorded with a journal of all pages and natively, with fewer nodes, and replayed onto the
smallest flash of both devices.
"""

import shutil
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

from launcher.bench import bench, ioreplay
from launcher.bench.ioreplay import Target
from launcher.bench.same_replay import complaints
from launcher.experiment.noftl.cases import cases
from launcher.experiment.noftl.systems import NATIVE, VARIANTS, controller
from launcher.experiment.runner.description import Scale
from launcher.experiment.runner.steps import recordings
from launcher.hw import facts

NODES = 5_000
REQUESTS = {"ssd-data": 25_000, NATIVE: 45_000}  # which write the flash more than once
SUPERBLOCKS = 12
# Without these the slice would show little. So few superblocks leave GC little choice, so it may move native tables.
BUSY = {
    "ssd-data": ("figures.gc_pages", "figures.gc_victims", "pages_verified"),
    NATIVE: ("figures.gc_victims", "pages_verified"),
}

# GC runs beside writes that are sent side by side. Whether it moves a page, or the host overwrites it before, is a
# matter of cycles, which the model has about right: a few pages, of which other counters follow.
OF_TIMES = ("figures.gc_pages", "figures.nand_program_pages", "figures.wa2")
MOST_APART = 0.05


def gc_pages(figures: dict[str, Any]) -> int:
    """Pages that GC moved."""
    return int(figures["gc_pages"])


def other_pages(figures: dict[str, Any]) -> int:
    """Pages that were programmed for all other reasons."""
    return int(figures["nand_program_pages"]) - gc_pages(figures)


def main(rocksdb_bench: str, replayer: str, folder: Path) -> int:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    stop = threading.Event()
    case = cases(Scale.small)[0]
    flash = "x".join(facts.geometry().split("x")[:4])  # of the RTL
    channels, dies, _, pages = map(int, flash.split("x"))
    table = channels * dies * pages * 4096 * 15 // 16
    wrong: list[str] = []
    for variant in (variant for variant in VARIANTS if variant.name in REQUESTS):
        changes: dict[str, Any] = {
            "num": NODES,
            "operations": REQUESTS[variant.name],
            "superblocks": SUPERBLOCKS,
            "geometry": flash,
            "write_buffer": table,
            "max_file_size": table,
        }
        (one,) = recordings(variant.run(replace(case, options=replace(case.options, **changes))))
        trace = folder / variant.name
        bench.run_one(replace(one.options, trace_pages=trace), one.mode, [rocksdb_bench], folder, lambda *_: None, stop)
        slice_ = replace(
            controller(one.options, 1),
            traces=(trace / f"{one.mode}.pages",),
            geometry="",
            superblocks=SUPERBLOCKS,
        )
        model, rtl = (
            ioreplay.measure(replace(slice_, device=device), [replayer], folder, stop)
            for device in (Target.model, Target.rtl)
        )
        found = [said for said in complaints(model, rtl, BUSY[variant.name], "rtl") if not said.startswith(OF_TIMES)]
        moved, others = ([of(run["figures"]) for run in (model, rtl)] for of in (gc_pages, other_pages))
        if abs(moved[0] - moved[1]) > MOST_APART * max(moved) or others[0] != others[1]:
            found.append(f"GC programs {moved} pages on model and rtl, all else {others}")
        figures = {name: model["figures"][name] for name in ("wa2", "gc_victims", "gc_pages", "erases")}
        print(f"{variant.name}: {figures}, {'; '.join(found) or 'equal'}", flush=True)
        wrong += found
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], Path(sys.argv[3])))
