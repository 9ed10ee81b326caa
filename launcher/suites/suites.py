# SPDX-License-Identifier: Apache-2.0
"""The test suites of `./openremap test`: their table, and the runner that counts their cases."""

from __future__ import annotations

import contextlib
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass

from launcher.env import build, paths, steps
from launcher.guest import guest_machine
from launcher.guest.guest import Device
from launcher.hw import formal as proofs
from launcher.hw import rtl
from launcher.suites import checks, guest_tests, hardware, native, running, verified
from launcher.suites.reports import Totals, read_junit
from launcher.suites.running import Selection


@dataclass(frozen=True)
class Suite:
    """A named set of tests."""

    name: str
    about: str
    run: Callable[[Selection], Totals]
    always: bool = True  # also runs when no suite is named
    builds: bool = False  # runs the cases of CTest in one of their builds


def _guests(name: str, scenarios: tuple[guest_tests.Scenario, ...], selection: Selection) -> Totals:
    build.verilog(any(scenario.options.device is Device.soc for scenario in scenarios))
    build.native(targets=guest_machine.PROGRAMS)
    report = paths.REPORTS / f"{name}.xml"
    report.unlink(missing_ok=True)
    guest_tests.run_all(scenarios, selection.expression, selection.seed, report)
    return read_junit(report)


def guest(selection: Selection) -> Totals:
    """A stock Linux in QEMU, with the fast model as its disk."""
    return _guests("guest", guest_tests.SHORT, selection)


def guest_long(selection: Selection) -> Totals:
    """Longer guest tests: full file systems, power cuts, the Verilated controller."""
    return _guests("guest-long", guest_tests.LONG, selection)


# Fast suites first, so that a typo is reported before the simulations run.
SUITES = [
    Suite("interfaces", "generated interface files match their descriptions", checks.interfaces),
    Suite("python", "launcher, generators and scripts (pytest)", checks.python),
    Suite("style", "formatting, lint, types: Scala, C, C++, Python, Verilog", checks.style),
    Suite("scala", "Chisel units (scalatest, ChiselSim)", checks.scala),
    Suite("formal", "proofs of hardware units that take seconds (Yosys, Z3)", hardware.formal),
    Suite("levels", "levels of logic of hardware units, mapped for an FPGA (Yosys)", hardware.levels),
    Suite("native", "whole devices, programs, LevelDB's own tests (CTest)", native.native, builds=True),
    Suite("soc", "the firmware on a CPU in RTL beside the controller (CTest)", native.soc, builds=True),
    Suite("cocotb", "hardware units and the whole controller (cocotb)", hardware.cocotb),
    Suite("sanitized", "unit tests in C and C++ under ASan and UBSan (CTest)", native.sanitized, builds=True),
    Suite("guest", "a stock Linux with the device as its disk (QEMU)", guest),
    Suite("guest-long", "only when named, or --guest: longer guest tests, also on the RTL", guest_long, always=False),
    Suite(
        "native-all",
        "only when named: all C and C++ tests, as in a release (CTest)",
        native.native_all,
        always=False,
        builds=True,
    ),
    Suite(
        "sanitized-all",
        "only when named: all C and C++ tests under ASan and UBSan (CTest)",
        native.sanitized_all,
        always=False,
        builds=True,
    ),
    Suite(
        "tsan",
        "only when named: databases and file layers under ThreadSanitizer (CTest)",
        native.tsan,
        always=False,
        builds=True,
    ),
    Suite(
        "long", "only when named: longer lockstep, fuzzing, power cuts; all proofs; coverage", native.long, always=False
    ),
]


def run_suites(suites: list[Suite], selection: Selection, record: bool = False) -> Totals:
    """Runs suites one after another, as each uses all cores. Prints a line for each, and what the totals consist of.

    `record`: notes which sources the suites of Verilated RTL were green on (verified.py)."""
    shutil.rmtree(paths.REPORTS, ignore_errors=True)
    paths.REPORTS.mkdir(parents=True)
    steps.console.print(f"seed {selection.seed}; logs and reports in {paths.REPORTS}")
    everything = Totals()
    lines: list[str] = []
    by_suite: dict[str, Totals] = {}
    built: set[str] = set()  # names of the cases of CTest that ran
    for suite in suites:
        begun = time.monotonic()
        recorded = record and suite.name in verified.VERILATED
        totals = _recorded(suite, selection) if recorded else run_suite(suite, selection)
        if suite.builds:
            ran = {*totals.passed_names, *totals.failures}
            totals.set_repeats_apart(built)
            built |= ran
        by_suite[suite.name] = totals
        everything.add(totals)
        for name in totals.skipped:
            steps.console.print(f"[yellow]-[/] {suite.name}: skipped {name}", markup=True)
        mark = "[red]✗[/]" if totals.failures else "[green]✓[/]"
        skipped = f", {len(totals.skipped)} skipped" if totals.skipped else ""
        apart = "".join(f", {count} {kind}" for kind, count in totals.apart.items())
        counts = f"{totals.passed:4d} passed, {totals.failed} failed{skipped}{apart}"
        lines.append(f"{mark} {suite.name:11} {counts}  [dim]{time.monotonic() - begun:.0f} s[/]")
        steps.console.print(lines[-1])
        _show(suite.name, totals)
        if slow := totals.slowest():
            named = ", ".join(f"{name} {seconds:.0f} s" for name, seconds in slow)
            steps.console.print(f"  slowest of {suite.name}: {named}", markup=False, soft_wrap=True)
    steps.console.rule()
    for line in lines:
        steps.console.print(line)
    if not everything.anything:
        everything.failures.append("no test case ran")
        steps.console.print("[red]✗[/] no test case ran")
    for line in made_of(by_suite):
        print(line, flush=True)
    return everything


def _recorded(suite: Suite, selection: Selection) -> Totals:
    before: verified.State | None = None
    with contextlib.suppress(OSError, ValueError):  # a file of the sources that cannot be read, or that has just gone
        before = verified.state()
    totals = run_suite(suite, selection)
    try:
        verified.note(suite.name, selection, totals, before)
    except (OSError, ValueError) as error:  # the cases have run all the same
        steps.say(f"{suite.name}: not recorded: {error}")
    return totals


def made_of(by_suite: dict[str, Totals]) -> list[str]:
    """What the totals are made of, in lines that go before them."""
    everything = Totals()
    for totals in by_suite.values():
        everything.add(totals)
    lines = {
        "passed, each case once": [f"{name} {totals.passed}" for name, totals in by_suite.items() if totals.passed],
        "failed, of any kind": [f"{name} {totals.failed}" for name, totals in by_suite.items() if totals.failed],
        "passed, and counted apart": [f"{count} {kind}" for kind, count in everything.apart.items()],
    }
    return [f"{what}: {', '.join(counts)}" for what, counts in lines.items() if counts]


# Failures of a suite shown with their output; if everything fails, the outputs are mostly the same.
SHOWN_IN_FULL = 10


def _show(suite: str, totals: Totals) -> None:
    """Prints each failed case; the first ones with the end of their output, as a CI shows only the console."""
    shown = 0
    for failure in totals.failures:
        steps.console.print("[red]✗[/] ", end="")
        steps.console.print(f"{suite}: {failure}", markup=False, soft_wrap=True)
        output = totals.output.get(failure, [])
        if not output:
            continue
        shown += 1
        if shown <= SHOWN_IN_FULL:
            for line in output:
                steps.console.print("      " + line, markup=False, soft_wrap=True)
        elif shown == SHOWN_IN_FULL + 1:
            note = f"      (output of the first {SHOWN_IN_FULL} failed cases only; all of it is in {paths.REPORTS})"
            steps.console.print(note, markup=False, soft_wrap=True)


def run_suite(suite: Suite, selection: Selection) -> Totals:
    """Runs one suite. An error of its runner counts as a failed case; so does a suite that ran no case."""
    try:
        totals = suite.run(selection)
    except (steps.StepFailed, rtl.EmitError, proofs.FormalFailed, ValueError, OSError) as error:
        return Totals(failures=[f"{suite.name}: {error}"])
    if not totals.anything and not selection.expression:
        totals.failures.append(f"{suite.name}: no test case ran, see {running.log_file(suite.name)}")
    return totals
