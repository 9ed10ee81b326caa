# SPDX-License-Identifier: Apache-2.0
"""The provenance of an experiment's figures: seed, scale, command; commits, days, programs and machines of its runs."""

from __future__ import annotations

import datetime
import hashlib
import json
import os
import platform
import re
import subprocess
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any

from launcher.bench import bench
from launcher.env import programs
from launcher.env.paths import ROOT
from launcher.experiment.runner.description import Told
from launcher.experiment.runner.parts import Table
from launcher.experiment.runner.quantities import Results

_UNKNOWN = "unknown"  # runs of db_bench that were started by hand
# Members of a result that the machine decides, or the day: all others are the same in each run.
MEASURED = (
    "host_cpu_seconds",
    "background_cpu_seconds",
    "sim_cpu_seconds",
    "wall_seconds",
    "latency_us",  # has CPU time
    "commit",
    "date",
    "machine",
    "program",
    "replayer",
)


def commit() -> str:
    """The commit of this tree. `-dirty`: with changes; `unknown`: not a clone, or git is missing."""
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--exclude=*"]
    try:
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        said = ""
    return said or _UNKNOWN


@cache
def machine() -> str:
    """The processor, the number of its cores, and memory. No name: results may be published."""
    try:
        found = re.search(r"^model name\s*: (.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        found = None
    model = found[1].strip() if found else platform.machine()
    return f"{model}, {os.cpu_count()} cores, {bench.memory('MemTotal') / 2**30:.0f} GiB"


def stamp(command: list[str]) -> dict[str, str]:
    """What a result says of where it comes from, but for its day and machine."""
    return {"commit": commit(), "program": programs.digest(Path(command[-1]))}


def stamp_of_replays(replayer: list[str]) -> dict[str, str]:
    """What the result of a replay says beside that."""
    return {"replayer": programs.digest(Path(replayer[-1]))}


def stamped(run: dict[str, Any], stamp: dict[str, str]) -> dict[str, Any]:
    """Adds the day, too, to a result, because an experiment may take days."""
    return run | stamp | {"date": datetime.date.today().isoformat()}


def _said(run: dict[str, Any], name: str) -> str:
    return str(run.get(name) or _UNKNOWN)


def counted(results: Results) -> str:
    """A digest of all that neither machine nor day decide: equal results, equal digests."""

    def of(run: dict[str, Any]) -> dict[str, Any]:
        counted = {key: value for key, value in run.items() if key not in MEASURED}
        if "recordings" in run:
            counted["recordings"] = [of(recorded) for recorded in run["recordings"]]
        return counted

    kept = {case: {name: of(run) for name, run in runs.items()} for case, runs in results.items()}
    return hashlib.sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()


def sentences(told: Told) -> list[str]:
    """Facts that hold for all runs. Backticks mark code."""
    every = [run for results in told.all_results for runs in results.values() for run in runs.values()]
    commits = {_said(run, "commit") for run in every}
    said = [
        f"Scale {told.scale.value}, seed {told.seed}, by `{told.command}`.",
        "The runs are of one commit."
        if len(commits) == 1
        else f"The runs are of {len(commits)} commits, because an experiment goes on where it ended.",
    ]
    mixed = mixed_cases(told.results)
    if mixed:
        many = "1 case" if len(mixed) == 1 else f"{len(mixed)} cases"
        said.append(f"Modes of different commits are compared in {many}: {', '.join(mixed)}.")
    return said


def mixed_cases(results: Results) -> list[str]:
    """Cases whose variants ran at different commits."""
    return [name for name, runs in results.items() if len({_said(run, "commit") for run in runs.values()}) > 1]


def table(told: Told) -> Table:
    """One row for each commit, ordered by its first day; how many of its runs are of each further place."""
    runs: dict[str, list[tuple[str, str]]] = defaultdict(list)
    over: dict[str, list[int]] = defaultdict(lambda: [0] * len(told.all_results))
    for place, found in enumerate(told.all_results):
        for case in found.values():
            for variant, run in case.items():
                runs[_said(run, "commit")].append((variant, _said(run, "date")))
                over[_said(run, "commit")][place] += 1
    rows = []
    for commit, of in runs.items():
        days = sorted(day for _, day in of)
        ran = {variant for variant, _ in of}
        variants = [str(variant) for variant in told.variants if variant in ran]
        rows.append(
            [
                commit,
                days[0] if days[0] == days[-1] else f"{days[0]} to {days[-1]}",
                str(len(of)),
                *map(str, over[commit][1:]),
                "all" if len(variants) == len(told.variants) else ", ".join(variants),
            ]
        )
    head = ["commit", "days", "runs", *(f"of these over {name}" for name in told.elsewhere), "modes"]
    return head, sorted(rows, key=lambda row: (row[1], row[0]))


def machines(told: Told) -> Table:
    """One row for each program and machine. Runs that do not say theirs are left out."""
    runs: dict[tuple[str, str], int] = defaultdict(int)
    for results in told.all_results:
        for case in results.values():
            for run in case.values():
                if "program" in run:
                    runs[_said(run, "program"), _said(run, "machine")] += 1
                if "replayer" in run:
                    runs[f"ioreplay: {run['replayer']}", _said(run, "machine")] += 1
    rows = [[program, machine, str(many)] for (program, machine), many in sorted(runs.items())]
    return ["SHA-256 of the program and its library", "machine", "runs"], rows


def document(told: Told) -> dict[str, Any]:
    """The same for machines."""
    return {
        "command": told.command,
        "seed": told.seed,
        "counted": counted(told.results),
        **{name: [dict(zip(head, row, strict=True)) for row in rows]
           for name, (head, rows) in (("commits", table(told)), ("programs", machines(told)))},
    }  # fmt: skip
