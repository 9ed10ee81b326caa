#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""streams_on_rtl.py DB_BENCH IOREPLAY FOLDER: a slice of `streams` counts on the RTL what it counts on the model.

Databases are recorded on the model, and their traces merged as the experiment merges them, onto the smallest flash of
both devices: in the poster's set-up, and with Deallocate and a placement handle for each of the first writers.
"""

import shutil
import sys
import threading
from dataclasses import replace
from pathlib import Path

from launcher.bench import bench, ioreplay
from launcher.bench.ioreplay import Target
from launcher.bench.same_replay import complaints
from launcher.experiment.runner.description import Scale
from launcher.experiment.runner.steps import Replay
from launcher.experiment.streams.cases import STEPS, cases
from launcher.hw import facts

WRITERS, RECORDS = 2, 150
SET_UPS = ("pieces", "deallocate-handles")
SUPERBLOCKS = 14  # which the databases fill, but for two where there is a handle more
BUSY = (
    "figures.gc_pages",
    "figures.gc_victims",
    "pages_verified",
    "side_pages",
)  # a slice without these would show little


def main(db_bench: str, replayer: str, folder: Path) -> int:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    stop = threading.Event()
    (case,) = [case for case in cases(Scale.small) if case.key == f"uniform-{WRITERS}"]
    flash = "x".join(facts.geometry().split("x")[:4])  # of the RTL
    case = replace(
        case, options=replace(case.options, num=RECORDS, operations=8 * RECORDS, superblocks=8, geometry=flash)
    )
    traces: list[Path] = []
    wrong: list[str] = []
    for step in STEPS:
        if step.name not in SET_UPS:
            continue
        run = step.variant().run(case)
        assert isinstance(run, Replay)
        for number, one in enumerate(run.recorded if not traces else ()):
            options = replace(one.options, trace_pages=folder / str(number))
            bench.run_one(options, one.mode, [db_bench], folder, lambda *_: None, stop)
            traces.append(folder / str(number) / f"{one.mode}.pages")
        slice_ = replace(run.options, traces=tuple(traces), geometry="", fill=0, window=0, superblocks=SUPERBLOCKS)
        model, rtl = (
            ioreplay.measure(replace(slice_, device=device), [replayer], folder, stop)
            for device in (Target.model, Target.rtl)
        )
        found = complaints(model, rtl, BUSY, "rtl")
        print(f"{step.about}: WAF {model['figures']['wa2']}, {'; '.join(found) or 'equal'}", flush=True)
        wrong += found
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], Path(sys.argv[3])))
