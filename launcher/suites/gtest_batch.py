# SPDX-License-Identifier: Apache-2.0
"""Runs the cases of GoogleTest programs that CTest lists, many of a program in one process.

CTest starts a process for each case. A small unit test under AddressSanitizer takes less time than its process does.
Here a process runs up to CASES cases of its program. If it does not end in order (it crashes, hangs, or leaks), each of
its cases runs once more in a process of its own, so that the report names the case.
"""

from __future__ import annotations

import json
import subprocess
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from launcher.env import steps
from launcher.suites.reports import Totals, tail

CASES = 40  # of one process: few enough that all cores have work until the end
_FILTER = "--gtest_filter="
# What CTest may do with a case. Cases of one process cannot have another environment each, a lock or the like.
_PROPERTIES = {"LABELS", "WORKING_DIRECTORY", "SKIP_REGULAR_EXPRESSION", "TIMEOUT", "COST"}


@dataclass(frozen=True)
class Case:
    """A case of a GoogleTest program, as CTest knows it."""

    name: str  # of CTest: a prefix, then GoogleTest's
    filter: str  # GoogleTest's own name
    command: tuple[str, ...]  # without the filter
    folder: Path  # where it runs

    @property
    def program(self) -> tuple[tuple[str, ...], Path]:
        """What cases of one process have in common."""
        return self.command, self.folder


def listed(build: Path, selects: tuple[str, ...]) -> list[Case]:
    """The cases that CTest selects in a build folder. ValueError if one is no case of a GoogleTest program."""
    command = ["ctest", "--test-dir", str(build), "--show-only=json-v1", *selects]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ValueError(f"ctest lists no tests: {done.stderr.strip() or steps.exit_text(done.returncode)}")
    return [_case(entry) for entry in json.loads(done.stdout)["tests"]]


def _case(entry: Mapping[str, object]) -> Case:
    name, command = entry.get("name"), entry.get("command")
    if not isinstance(command, list):
        raise ValueError(f"{name}: its program was not built")
    filters = [word.removeprefix(_FILTER) for word in command if word.startswith(_FILTER)]
    if len(filters) != 1:
        raise ValueError(f"{name}: not the case of a GoogleTest program")
    listed = entry.get("properties")
    assert isinstance(listed, list)
    properties = {value["name"]: value["value"] for value in listed}
    if others := sorted(properties.keys() - _PROPERTIES):
        raise ValueError(f"{name}: {', '.join(others)} cannot be kept where cases share a process")
    rest = tuple(word for word in command if not word.startswith(_FILTER))
    return Case(str(name), filters[0], rest, Path(properties["WORKING_DIRECTORY"]))


def batches(cases: list[Case], most: int = CASES) -> Iterator[list[Case]]:
    """The cases in groups of one program, `most` of them at the most, in their order."""
    for _, group in groupby(cases, key=lambda case: case.program):
        of_program = list(group)
        for begin in range(0, len(of_program), most):
            yield of_program[begin : begin + most]


def run(
    suite: str, cases: list[Case], reports: Path, environment: Mapping[str, str], seconds: float, jobs: int
) -> Totals:
    """Runs the cases, `jobs` processes at a time. `seconds`: the time-out of a process. Logs go into `reports`."""
    totals = Totals()

    def one(numbered: tuple[int, list[Case]]) -> Totals:
        number, batch = numbered
        return _batch(f"{suite}-{number}", batch, reports, environment, seconds)

    note = f"{suite}: {len(cases)} unit tests"
    with steps.Ticker(note), ThreadPoolExecutor(jobs) as pool:
        for of_batch in pool.map(one, enumerate(batches(cases))):
            totals.add(of_batch)
    return totals


def _batch(name: str, batch: list[Case], reports: Path, environment: Mapping[str, str], seconds: float) -> Totals:
    report = reports / f"{name}.xml"
    report.unlink(missing_ok=True)
    command = [*batch[0].command, f"{_FILTER}{':'.join(case.filter for case in batch)}", f"--gtest_output=xml:{report}"]
    log = reports / f"{name}.log"
    outcome = steps.run(name, command, log, cwd=batch[0].folder, env=environment, timeout=seconds, shown=False)
    totals = _read(report, batch) if report.exists() else None
    if totals is not None and (outcome.code != 0) == bool(totals.failures):
        log.unlink()
        return totals
    if len(batch) > 1:
        totals = Totals()
        for number, case in enumerate(batch):
            totals.add(_batch(f"{name}-{number}", [case], reports, environment, seconds))
        if totals.failures:
            return totals
        where = f"{batch[0].name} to {batch[-1].name}, in one process"
    else:
        totals, where = Totals(), batch[0].name
    how = "stopped after" if outcome.timed_out else f"{steps.exit_text(outcome.code)} after"
    totals.failures.append(f"{where}: {how} {outcome.seconds:.0f} s, see {log}")
    totals.output[totals.failures[-1]] = tail("\n".join(outcome.tail))
    return totals


def _read(report: Path, batch: list[Case]) -> Totals | None:
    """What the report says of the batch's cases. None: it is broken, or lacks one."""
    try:
        found = {
            f"{entry.get('classname')}.{entry.get('name')}": entry
            for entry in ElementTree.parse(report).getroot().iter("testcase")
        }
    except ElementTree.ParseError:
        return None
    totals = Totals()
    for case in batch:
        entry = found.get(case.filter)
        if entry is None or entry.get("status") != "run":
            return None
        totals.seconds[case.name] = float(entry.get("time") or 0)
        said = [part.get("message") or part.text or "" for part in entry.iter("failure")]
        if said:
            totals.failures.append(case.name)
            totals.output[case.name] = tail("\n".join(said))
        elif entry.get("result") == "skipped" or entry.find("skipped") is not None:
            totals.skipped.append(case.name)
        else:
            totals.passed += 1
            totals.passed_names.append(case.name)
    return totals
