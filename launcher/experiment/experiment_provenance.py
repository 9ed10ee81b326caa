# SPDX-License-Identifier: Apache-2.0
"""The provenance of an experiment's figures: seed, scale, command, and the commits and dates of its runs."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from launcher.bench.bench_description import Mode
from launcher.experiment.experiment import MODES, SEED, Scale
from launcher.experiment.experiment_measures import Results
from launcher.experiment.experiment_tables import Table

_UNKNOWN = "unknown"  # runs of db_bench that were started by hand


def _stamp(run: dict[str, Any], name: str) -> str:
    return str(run.get(name) or _UNKNOWN)


def _command(scale: Scale) -> str:
    return f"`./openremap experiment remapcom --scale {scale.value} --out DIR`"


def sentences(results: Results, reflinks: Results, scale: Scale) -> list[str]:
    """Facts that hold for all runs. Backticks mark code."""
    commits = {_stamp(run, "commit") for runs in [*results.values(), *reflinks.values()] for run in runs.values()}
    said = [
        f"Scale {scale.value}, seed {SEED}, by {_command(scale)}.",
        "The runs are of one commit."
        if len(commits) == 1
        else f"The runs are of {len(commits)} commits, because an experiment goes on where it ended.",
    ]
    mixed = mixed_cases(results)
    if mixed:
        many = "1 case" if len(mixed) == 1 else f"{len(mixed)} cases"
        said.append(f"Modes of different commits are compared in {many}: {', '.join(mixed)}.")
    return said


def mixed_cases(results: Results) -> list[str]:
    """Cases whose modes ran at different commits."""
    return [name for name, runs in results.items() if len({_stamp(run, "commit") for run in runs.values()}) > 1]


def table(results: Results, reflinks: Results) -> Table:
    """One row for each commit, ordered by its first day."""
    runs: dict[str, list[tuple[Mode, str]]] = defaultdict(list)
    over: dict[str, int] = defaultdict(int)
    for place, found in enumerate((results, reflinks)):
        for case in found.values():
            for mode, run in case.items():
                commit = _stamp(run, "commit")
                runs[commit].append((mode, _stamp(run, "date")))
                over[commit] += place
    rows = []
    for commit, of in runs.items():
        days = sorted(day for _, day in of)
        modes = [mode.value for mode in MODES if any(mode is other for other, _ in of)]
        rows.append(
            [
                commit,
                days[0] if days[0] == days[-1] else f"{days[0]} to {days[-1]}",
                str(len(of)),
                str(over[commit]),
                "all" if len(modes) == len(MODES) else ", ".join(modes),
            ]
        )
    return ["commit", "days", "runs", "of these over reflinks", "modes"], sorted(rows, key=lambda row: (row[1], row[0]))
