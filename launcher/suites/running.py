# SPDX-License-Identifier: Apache-2.0
"""What the test suites share: which cases of them run, commands as cases, pytest, and how outcomes become totals."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from launcher.env import build, paths, steps
from launcher.suites import coverage, pytest_run, single_test
from launcher.suites.reports import Totals, read_junit

# Time-out of a suite, in seconds. It ends what hangs; a busy machine must not reach it. The target for the whole run
# is 30 minutes from empty caches on 2 idle cores; 40 minutes is the limit.
SUITE_SECONDS = 3 * 60 * 60
# Time-out of a CTest case, in seconds, likewise. CMakeLists.txt files set none that is shorter.
CASE_SECONDS = 30 * 60
THREADS_CASE_SECONDS = 2 * CASE_SECONDS  # under ThreadSanitizer, where some take minutes, and more in parallel
# Time-out of a case of the suites that run only when named.
LONG_SECONDS = 6 * 60 * 60
JOBS = build.JOBS
PYTESTS = min(2, JOBS)  # parallel pytest workers; Verilating takes much memory
DEFAULT_SEED = 1


@dataclass(frozen=True)
class Selection:
    """Which cases of a suite to run: those whose name contains `expression` (empty: all), with this seed."""

    expression: str = ""
    seed: int = DEFAULT_SEED
    code_coverage: bool = False  # the hardware's test benches collect code coverage

    def environment(self) -> dict[str, str]:
        """Environment of every suite's tests, with their seed."""
        counting = {coverage.VARIABLE: "1"} if self.code_coverage else {}
        return {"OPENREMAP_SEED": str(self.seed), "OPENREMAP_BUILD_DIR": str(paths.BUILD), **counting}

    @property
    def benches(self) -> Path:
        """The folder of the hardware test benches' results."""
        return paths.CODE_COVERAGE if self.code_coverage else paths.COCOTB


def log_file(name: str) -> Path:
    """Where the output of a suite, or of one of its checks, goes."""
    return paths.REPORTS / f"{name}.log"


def blame(totals: Totals, what: str, outcome: steps.Outcome, log: Path) -> Totals:
    """Adds a failure if the runner failed without a failed case: a crash, a time-out or a build error."""
    if outcome.timed_out:
        totals.failures.append(f"{what}: stopped after {outcome.seconds:.0f} s, see {log}")
        totals.output[totals.failures[-1]] = outcome.tail
    elif outcome.code != 0 and not totals.failures:
        totals.failures.append(f"{what}: {steps.exit_text(outcome.code)} without a failed case, see {log}")
        totals.output[totals.failures[-1]] = outcome.tail
    return totals


def run_checks(
    suite: str,
    commands: dict[str, list[str]],
    selection: Selection,
    seconds: float = SUITE_SECONDS,
    workers: int = 1,
) -> Totals:
    """Runs commands as cases, `workers` at a time. Exit code 0: passed; `single_test.SKIPPED`: skipped; else failed."""
    chosen = {name: command for name, command in commands.items() if selection.expression in f"{suite}.{name}"}

    def one(name: str) -> steps.Outcome:
        return steps.run(
            f"{suite}: {name}",
            chosen[name],
            log_file(f"{suite}-{name}"),
            env=selection.environment(),
            timeout=seconds,
            shown=workers == 1,
        )

    totals = Totals()
    outcomes: Iterator[steps.Outcome]
    if workers == 1:  # in this thread, where an interrupt ends the command
        outcomes = map(one, chosen)
    else:
        with steps.Ticker(f"{suite}: {', '.join(chosen)}"), ThreadPoolExecutor(workers) as pool:
            outcomes = iter(list(pool.map(one, chosen)))
    for name, outcome in zip(chosen, outcomes, strict=True):
        log = log_file(f"{suite}-{name}")
        if outcome.code == 0:
            totals.passed += 1
        elif outcome.code == single_test.SKIPPED:
            totals.skipped.append(f"{suite}.{name}")
        else:
            totals.failures.append(f"{suite}.{name}: {steps.exit_text(outcome.code)}, see {log}")
            totals.output[totals.failures[-1]] = outcome.tail
    return totals


_PYTEST_NOTHING = 5  # pytest's exit code for "no test collected"


def run_pytest(suite: str, targets: list[str], selection: Selection, workers: int) -> Totals:
    """Runs pytest on files and folders below the project's, in `workers` processes. Totals are those of its report."""
    report, log = paths.REPORTS / f"{suite}.xml", log_file(suite)
    report.unlink(missing_ok=True)
    command = [sys.executable, "-m", "pytest", "-ra", f"--junitxml={report}", *targets]
    command += ["-o", "junit_logging=out-err", "-o", "junit_log_passing_tests=false"]
    if workers > 1:
        command += ["-n", str(workers), "--maxschedchunk", "1"]  # a free worker takes the next test
    if selection.expression:
        command.append(f"{pytest_run.CONTAINS}={selection.expression}")  # the text may begin with a dash
    seconds = LONG_SECONDS if selection.code_coverage else SUITE_SECONDS
    outcome = steps.run(f"{suite}: pytest", command, log, env=selection.environment(), timeout=seconds)
    if outcome.code == _PYTEST_NOTHING and selection.expression:
        return Totals()
    totals = read_junit(report) if report.exists() else Totals()
    return blame(totals, f"{suite} (pytest)", outcome, log)
