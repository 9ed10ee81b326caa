#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cascaded_on_rtl.py DB_BENCH IOREPLAY FOLDER: a slice of `cascaded` counts on the RTL what it counts on the model.

LevelDB and WiscKey are recorded as on the two SSDs, with fewer records, and replayed onto the smallest flash of both
devices.
"""

import shutil
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

from launcher.bench import bench, ioreplay
from launcher.bench.ioreplay import Switch, Target
from launcher.bench.same_replay import complaints
from launcher.experiment.cascaded.cases import cases
from launcher.experiment.cascaded.systems import VARIANTS
from launcher.experiment.runner.description import Scale
from launcher.experiment.runner.steps import recordings
from launcher.hw import facts

RECORDS = {"leveldb": 4000, "wisckey": 2000}
PUTS = {"leveldb": 9000, "wisckey": 8000}  # which write the flash more than once
SUPERBLOCKS = 8
BUSY = (
    "figures.gc_pages",
    "figures.gc_victims",
    "pages_verified",
)  # without these of LevelDB on SSD-S the slice would show little


def main(db_bench: str, replayer: str, folder: Path) -> int:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    stop = threading.Event()
    (case,) = [case for case in cases(Scale.small) if case.key == "fig7-4MB"]
    flash = "x".join(facts.geometry().split("x")[:4])  # of the RTL
    wrong: list[str] = []
    for variant in VARIANTS:
        system, _, ssd = variant.name.partition("-")
        if system not in RECORDS:
            continue
        changes: dict[str, Any] = {
            "num": RECORDS[system],
            "operations": PUTS[system],
            "superblocks": SUPERBLOCKS,
            "geometry": flash,
        }
        (one,) = recordings(variant.run(replace(case, options=replace(case.options, **changes))))
        pages = folder / variant.name
        recorded = replace(one.options, trace_verify="off", trace_pages=pages)
        bench.run_one(recorded, one.mode, [db_bench], folder, lambda *_: None, stop)
        slice_ = ioreplay.Options(
            traces=(pages / f"{one.mode}.pages",),
            deallocate=Switch.off if ssd else Switch.on,
            over_provisioning=recorded.over_provisioning,
            superblocks=SUPERBLOCKS,
        )
        model, rtl = (
            ioreplay.measure(replace(slice_, device=device), [replayer], folder, stop)
            for device in (Target.model, Target.rtl)
        )
        found = complaints(model, rtl, BUSY if variant.name == "leveldb-s" else ("pages_verified",), "rtl")
        print(f"{variant.name}: WA2 {model['figures']['wa2']}, {'; '.join(found) or 'equal'}", flush=True)
        wrong += found
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], Path(sys.argv[3])))
