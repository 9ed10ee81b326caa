# SPDX-License-Identifier: Apache-2.0
"""What the CTest of an experiment does: it runs a slice of it, prints the tables, and holds the results to claims."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from launcher.experiment.runner import parts, report, running
from launcher.experiment.runner.description import Case, Experiment, Scale
from launcher.experiment.runner.quantities import Results
from launcher.spread.cluster import Where


def check(
    experiment: Experiment,
    wanted: list[Case],
    folder: Path,
    what_is_wrong: Callable[[Results], list[str]],
    program: str,
    replayer: str | None = None,
) -> int:
    """The exit code. `wanted`: cases at scale small, which run in `folder`, anew. `program` runs databases, `replayer`
    is ioreplay. `what_is_wrong` is asked if all cases are finished.
    """
    shutil.rmtree(folder, ignore_errors=True)

    def say(text: str) -> None:
        print(text, flush=True)

    command = [replayer] if replayer is not None else None
    results, wrong = running.run(wanted, experiment.variants, folder, Where(1), [program], say, replayer=command)
    print(parts.markdown(experiment.tables(report.told(experiment, Scale.small, results, {}))))
    missing = [case.key for case in wanted if case.key not in results]
    wrong += what_is_wrong(results) if not missing else [f"not finished: {', '.join(missing)}"]
    for text in wrong:
        print(f"error: {text}")
    return 1 if wrong else 0
