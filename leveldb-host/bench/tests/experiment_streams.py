# SPDX-License-Identifier: Apache-2.0
"""experiment_streams.py DB_BENCH IOREPLAY FOLDER: runs streams' case of the poster at small scale, prints tables."""

import sys
from itertools import pairwise
from pathlib import Path

from launcher.experiment.runner.description import Scale
from launcher.experiment.runner.quantities import Runs
from launcher.experiment.streams.cases import STEPS
from launcher.experiment.streams.measures import LATE
from launcher.experiment.streams.paper import CASE
from launcher.experiment.streams.streams import STREAMS
from launcher.tests.experiment import slices

STEP = {step.name: step for step in STEPS}


def what_is_wrong(runs: Runs) -> list[str]:
    """The poster's set-up amplifies, and the steps end that. All pages were read back (running.run())."""
    wrong = []
    waf = {name: LATE.value(runs, name) or 0 for name in runs}

    def expect(holds: bool, what: str) -> None:
        if not holds:
            wrong.append(f"{what}: {', '.join(f'{name} {value:.2f}' for name, value in waf.items())}")

    expect(3.3 <= waf["pieces"] <= 4.8, "the poster's set-up amplifies otherwise than it did")
    expect(min(waf["whole"], waf["first-fit"], waf["handles"]) > 0.8 * waf["pieces"], "no Deallocate, yet a cure")
    steps = ("pieces", "deallocate", "quarter", "table")
    for before, after in pairwise(steps):
        expect(waf[after] < waf[before], f"{after} saves nothing")
    expect(waf["whole-units"] <= 1.2, "the cure does not cure")
    for name, run in runs.items():
        written = run["replay"]["figures"]["host_write_pages"]
        if STEP[name].changes == STEP["pieces"].changes:
            expect(written == runs["pieces"]["replay"]["figures"]["host_write_pages"], f"{name} writes other pages")
        if run["replay"]["pages_verified"] < run["replay"]["used_pages"] // 2:
            wrong.append(f"{name}: only {run['replay']['pages_verified']} pages were compared")
    return wrong


def main(program: str, replayer: str, folder: Path) -> int:
    wanted = [case for case in STREAMS.cases(Scale.small) if case.key == CASE]
    return slices.check(STREAMS, wanted, folder, lambda results: what_is_wrong(results[CASE]), program, replayer)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], Path(sys.argv[3])))
