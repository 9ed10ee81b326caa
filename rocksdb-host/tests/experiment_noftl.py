# SPDX-License-Identifier: Apache-2.0
"""experiment_noftl.py ROCKSDB_BENCH IOREPLAY FOLDER: runs a slice of noftl, and prints its tables.

The databases have fewer nodes and requests than those of scale small, on the least flash that makes GC work.
"""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from launcher.experiment.noftl.cases import cases
from launcher.experiment.noftl.measures import ERASES, MOVED, PER_BYTE, SYSTEM_SHARE
from launcher.experiment.noftl.noftl import NOFTL
from launcher.experiment.noftl.systems import ABOUT, FIRST, NATIVE, ON_CONTROLLER
from launcher.experiment.runner.description import Case, Scale
from launcher.experiment.runner.quantities import Quantity, Results
from launcher.tests.experiment import slices

NODES, REQUESTS = 9_000, 45_000
GEOMETRY = "2x2x20x32x1"
LEVEL1 = 655_360
SLICE = ("rocksdb", "leveldb")


def the_slice() -> list[Case]:
    changes: dict[str, Any] = {"num": NODES, "operations": REQUESTS, "geometry": GEOMETRY, "level1_bytes": LEVEL1}
    return [
        replace(case, options=replace(case.options, **changes)) for case in cases(Scale.small) if case.name in SLICE
    ]


def what_is_wrong(results: Results) -> list[str]:
    """What holds at any scale. All entries and pages were read back (running.run())."""
    wrong = []
    for case, runs in results.items():

        def value(quantity: Quantity, name: str, case: str = case) -> float:
            return quantity.value(results[case], name) or 0

        def expect(holds: bool, what: str, case: str = case) -> None:
            if not holds:
                told = (f"{name} {value(MOVED, name):.0f} moved, {value(ERASES, name):.0f} erases" for name in ABOUT)
                wrong.append(f"{case}: {what}: {', '.join(told)}")

        expect(value(MOVED, NATIVE) == 0, "GC moves pages of the native system")
        expect(value(SYSTEM_SHARE, NATIVE) == 0, "the native system writes more than tables to the flash")
        expect(value(MOVED, "ssd-data") > 0, "GC moves nothing where nothing is deallocated")
        expect(value(SYSTEM_SHARE, "ssd-data") > 1 > value(SYSTEM_SHARE, "ssd-metadata"), "journals")
        expect(value(PER_BYTE, FIRST) > value(PER_BYTE, "faster-off"), "a journal costs FASTer no erases")
        expect(value(PER_BYTE, "ssd-data") > 1.5 * value(PER_BYTE, NATIVE), "the native system spares no erases")
        for name in ON_CONTROLLER:  # what the replay began with is what the recording began with
            run = runs[name]
            pages = run["replay"]["figures"]["host_write_pages"] * 4096
            expect(pages >= run["recordings"][0]["host_bytes"], f"{name}: the replay writes less than the requests")
    return wrong


def main(program: str, replayer: str, folder: Path) -> int:
    wanted = the_slice()
    return slices.check(NOFTL, wanted, folder, what_is_wrong, program, replayer)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], Path(sys.argv[3])))
