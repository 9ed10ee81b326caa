# SPDX-License-Identifier: Apache-2.0
"""experiment_tight.py DB_BENCH FOLDER: runs points of tight's sweep at small scale on the model and prints tables."""

import sys
from pathlib import Path

from launcher.bench import bench
from launcher.bench.bench_description import Mode
from launcher.experiment.runner.description import Scale
from launcher.experiment.runner.quantities import Results
from launcher.experiment.tight.measures import COMPLETED, SHORT, full_before_stock
from launcher.experiment.tight.tight import TIGHT
from launcher.tests.experiment import slices

# Enough, short, and less than stock LevelDB takes.
ROOMY, SHORT_OF, FULL = POINTS = ("spare12-4", "spare12-1.7", "spare12-1.5")


def what_is_wrong(results: Results) -> list[str]:
    """Space feedback begins where space is short, and no mode is full much before stock LevelDB is."""
    wrong = [f"{name} is not finished" for name in POINTS if name not in results]
    if wrong:
        return wrong

    def expect(holds: bool, what: str) -> None:
        if not holds:
            wrong.append(what)

    found = full_before_stock(results)
    expect(not found, f"out of space although stock LevelDB is not: {found}")
    for mode in Mode:
        expect(not bench.is_full(results[SHORT_OF][mode]), f"{mode}: no space at {SHORT_OF}")
        expect(bench.is_full(results[FULL][mode]) or mode is not Mode.off, f"stock LevelDB has space at {FULL}")
        expect(SHORT.value(results[ROOMY], mode) == 0, f"{mode}: space is short at {ROOMY}")
        short = SHORT.value(results[SHORT_OF], mode) or 0
        expect((short > 0) == (mode is not Mode.off), f"{mode}: {short} compactions when space was short")
        made, stock = (COMPLETED.value(results[FULL], one) or 0 for one in (mode, Mode.off))
        expect(made >= 0.96 * stock, f"{mode}: {made:.1f} % of the puts at {FULL}, stock LevelDB {stock:.1f} %")
    return wrong


def main(program: str, folder: Path) -> int:
    wanted = [case for case in TIGHT.cases(Scale.small) if case.key in POINTS]
    return slices.check(TIGHT, wanted, folder, what_is_wrong, program)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
