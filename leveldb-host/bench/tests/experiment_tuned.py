# SPDX-License-Identifier: Apache-2.0
"""experiment_tuned.py DB_BENCH FOLDER: runs a case of tuned at small scale on the model and prints tables."""

import sys
from pathlib import Path

from launcher.experiment.runner.description import Scale
from launcher.experiment.runner.quantities import Runs
from launcher.experiment.tuned.best import best, tightest
from launcher.experiment.tuned.measures import SAVED, SAVED_BEST
from launcher.experiment.tuned.settings import DEFAULT, PLAIN, REMAPPING, SETTINGS, STAYS, STOCK, WRITTEN
from launcher.experiment.tuned.tuned import TUNED
from launcher.tests.experiment import slices

CASE = "uniform-1KB"


def what_is_wrong(runs: Runs) -> list[str]:
    """Each database was read back whole (running.run()); here, that each variant is what its name says."""
    wrong = []

    def expect(holds: bool, what: str) -> None:
        if not holds:
            wrong.append(what)

    for setting in SETTINGS:
        run = runs[setting.name]
        expect(run["user_bytes"] == runs[PLAIN]["user_bytes"], f"{setting.name}: other bytes were put")
        expect(run["keys_verified"] == runs[PLAIN]["keys_verified"], f"{setting.name}: another database")
        remaps = setting.name in REMAPPING or setting.name == STAYS
        expect((run["remapped_pages"] > 0) == remaps, f"{setting.name}: {run['remapped_pages']} pages remapped")
    for name in STOCK[1:]:
        expect(runs[name]["nand_bytes"] != runs[PLAIN]["nand_bytes"], f"{name} writes what {PLAIN} writes")
    expect(runs["dynamic"]["used_bytes"] < runs[PLAIN]["used_bytes"], "levels that follow the data take more space")
    expect(runs[tightest(runs)]["used_bytes"] <= runs[best(runs, DEFAULT)]["used_bytes"], "the tightest is not that")
    # Tables are the same, so their writes differ by what is remapped alone.
    tiers = [runs[name] for name in (DEFAULT, STAYS, WRITTEN)]
    expect(len({run["used_bytes"] for run in tiers}) == 1, "what is remapped changes tables")
    written = [run["nand_bytes"] for run in tiers]
    expect(written == sorted(written) and len(set(written)) == 3, f"what is remapped does not save writes: {written}")
    for quantity in (SAVED, SAVED_BEST):
        expect((quantity.value(runs, DEFAULT) or 0) > 20, f"{quantity.name}: {quantity.value(runs, DEFAULT)}")
    return wrong


def main(program: str, folder: Path) -> int:
    wanted = [case for case in TUNED.cases(Scale.small) if case.key == CASE]
    return slices.check(TUNED, wanted, folder, lambda results: what_is_wrong(results[CASE]), program)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
