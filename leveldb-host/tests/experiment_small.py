# SPDX-License-Identifier: Apache-2.0
"""Runs all of the experiment's small scale on the model: experiment_small.py DB_BENCH FOLDER. Prints the report's tables."""

import shutil
import sys
from pathlib import Path

from launcher import experiment, experiment_goals, experiment_report
from launcher.bench_options import Mode
from launcher.experiment import Scale


def main(program: str, folder: Path) -> int:
    shutil.rmtree(folder, ignore_errors=True)
    wanted = experiment.cases(Scale.small)
    # One after the other: CTest has a case on the other core.
    results = experiment.run(wanted, folder, 1, [program], lambda text: print(text, flush=True))
    print(experiment_report.markdown(results))
    page = experiment_report.page(results, Scale.small)
    wrong = [f"{case.figure} {case.name} is not in the report" for case in wanted if f">{case.name}<" not in page]
    # Whatever the sizes, a fill with unchanged blocks kept at all costs programs less than stock LevelDB.
    for name in ("fillrandom-1KB", "ranges-4-16KB"):
        if experiment_goals.saved(results[name], Mode.retain) <= 0:
            wrong.append(f"{name}: retain saves nothing")
        if experiment_goals.kept(results[name][Mode.off], 2) != 0:
            wrong.append(f"{name}: off kept blocks")
    for text in wrong:
        print(f"error: {text}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
