# SPDX-License-Identifier: Apache-2.0
"""Runs the checks of testing/guest in a QEMU guest, as test cases: a stock Linux kernel and its tools on the device."""

from __future__ import annotations

import re
import shutil
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from launcher.bench.bench_description import Mode
from launcher.env import setup, steps
from launcher.env.paths import REPORTS
from launcher.guest import guest, guest_machine, guest_packages
from launcher.guest.guest_machine import GuestFailed, Machine

CASE_SECONDS = 30 * 60
LONGER = {"db-bench-64mb": 60 * 60}  # time-out on the Verilated controller and a busy machine
OUTPUT_LINES = 40


@dataclass(frozen=True)
class Scenario:
    """A guest and the steps that it runs in order.

    A step is the name of a script with an optional argument, or `boot` (the first step), `reboot`, `power-off` or
    `power-on`. `cut:SCRIPT` kills guest and device while the script runs, after it has printed CUT_TEXT. The next guest
    must find all data that the script reported as synced.
    """

    name: str
    options: guest.Options
    steps: tuple[str, ...]


CUT = "cut:"
CUT_TEXT = "openremap: cut now"

SHORT = (
    Scenario(
        "model",
        guest.Options(device=guest.Device.model),
        (
            *("boot", "identify", "driver", "shadows", "logs", "events", "commands", "remap", "node", "fdp", "fio"),
            *("ext4", "reset", "pagefs", "keep", "reboot", "kept", "power-off"),
        ),
    ),
    # One device in an image, the other in memory: each has an identity that it was not given by name.
    Scenario(
        "two-disks",
        guest.Options(device=guest.Device.model, devices=2, geometry="4x2x64x64"),
        ("boot", "two-disks", "power-off"),
    ),
)
LONG = (
    Scenario(
        "model-long",
        guest.Options(device=guest.Device.model, geometry="4x2x64x64"),  # 128 MiB: small enough to fill
        (
            *(
                "boot",
                "identify",
                "format",
                "fio-mixes",
                "random-reads",
                "precondition",
                "ext4-full",
                "db-bench",
                "board-commands",
                "keep",
                "power-off",
                "power-on",
                "kept",
            ),
            *("make-synced", "cut:write-synced", "power-on", "synced", "cut:write-synced", "power-on", "synced"),
            *("db-fill", "reboot", "db-there"),
            *(step for mode in Mode for step in (f"raw-fill {mode}", "reboot", f"raw-there {mode}")),
            *(
                step
                for place, mode in (("db", "skip"), ("db", "blend"), ("raw", "retain"), ("raw", "skip"))
                for step in (f"cut:{place}-write {mode}", "power-on", f"{place}-survives {mode}")
            ),
            "power-off",
        ),
    ),
    Scenario(
        "rtl",
        guest.Options(device=guest.Device.rtl),
        (
            *("boot", "identify", "driver", "shadows", "logs", "events", "commands", "remap", "node", "fdp", "ext4"),
            *("fio", "reset", "pagefs", "keep", "reboot", "kept", "db-bench-64mb", "power-off"),
        ),
    ),
    # The firmware takes its time there: what it answers, and what data take, once.
    Scenario(
        "soc",
        guest.Options(device=guest.Device.soc),
        ("boot", "identify", "commands", "remap", "ext4", "keep", "reboot", "kept", "power-off"),
    ),
)


@dataclass
class Case:
    """The result of a step."""

    name: str
    seconds: float
    failure: str = ""
    output: list[str] = field(default_factory=list)


def run(scenario: Scenario, seed: int, folder: Path) -> list[Case]:
    """Runs the steps. After a failure that ends the guest, the remaining steps are neither run nor reported."""
    cases: list[Case] = []
    packages = guest_packages.ensure()
    with tempfile.TemporaryDirectory(prefix="openremap-image-") as image:
        options = replace(scenario.options, seed=seed, image=Path(image) / "disk")
        with guest.scripts(sorted(guest.SCRIPTS.glob("*.sh")), options) as scripts:
            runner = _Runner(lambda: Machine(options.machine, packages, folder / scenario.name, scripts), scripts)
            try:
                for step in scenario.steps:
                    case = Case(f"guest.{scenario.name}.{step}", 0)
                    cases.append(case)
                    _one(runner, step, case)
                    if case.failure and not runner.alive:
                        break
            finally:
                runner.end()
    return cases


def _one(runner: _Runner, step: str, case: Case) -> None:
    begun = time.monotonic()
    try:
        with steps.Ticker(case.name):
            case.output = runner.step(step)
    except GuestFailed as error:
        case.failure = str(error)
        case.output = runner.recent()
    except _ScriptFailed as error:
        case.failure = f"exit code {error.ended.code}"
        case.output = error.ended.output
    case.seconds = time.monotonic() - begun
    if not case.failure:
        steps.done(case.name, case.seconds)


class _ScriptFailed(Exception):  # noqa: N818 - reads as what happened
    def __init__(self, ended: guest_machine.Ended) -> None:
        super().__init__()
        self.ended = ended


class _Runner:
    """Holds the guest of a scenario. A power cut replaces it."""

    def __init__(self, make: Callable[[], Machine], scripts: Path) -> None:
        self._make = make
        self._scripts = scripts
        self._machine: Machine | None = None
        self._lines: list[str] = []

    @property
    def alive(self) -> bool:
        return self._machine is not None

    def recent(self) -> list[str]:
        return self._lines[-OUTPUT_LINES:]

    def _note(self, line: str) -> None:
        self._lines.append(line)

    def end(self) -> None:
        if self._machine is not None:
            self._machine.kill()
        self._machine = None

    def step(self, step: str) -> list[str]:
        """Runs a step and returns its output. Raises GuestFailed if the guest cannot continue."""
        self._lines = []
        try:
            return self._do(step)
        except GuestFailed:
            self.end()
            raise

    def _do(self, step: str) -> list[str]:
        if step in ("boot", "power-on"):
            self._machine = self._make()
            self._machine.on_line = self._note
            self._machine.start()
            return [f"boot in {self._machine.boot_seconds:.1f} s, the disk after {self._machine.disk_seconds:.1f} s"]
        if self._machine is None:
            raise GuestFailed("no guest is running")
        if step == "reboot":
            self._machine.reboot()
            return []
        if step == "power-off":
            self._machine.power_off()
            self.end()
            return []
        if step.startswith(CUT):
            self._machine.run_until(_script(step.removeprefix(CUT)), CUT_TEXT, CASE_SECONDS)
            self._machine.kill()
            self._machine.drain()
            self.end()
            synced = last_synced(self._lines)
            with open(self._scripts / "settings.sh", "a", encoding="utf-8") as settings:
                settings.write(f"SYNCED={synced}\n")
            return [f"synced {synced}"]
        ended = self._machine.run(_script(step), LONGER.get(step, CASE_SECONDS))
        if ended.code != 0:
            raise _ScriptFailed(ended)
        return ended.output


def _script(step: str) -> str:
    name, _, argument = step.partition(" ")
    return f"{name}.sh {argument}".rstrip()


def last_synced(lines: list[str]) -> int:
    """The number of the last complete line `synced NUMBER`. The power cut may have cut off a line.

    Raises GuestFailed if there is no such line: the next check would have nothing to find.
    """
    numbers = [line.split()[1] for line in lines if re.fullmatch(r"synced \d+", line)]
    if not numbers:
        raise GuestFailed("nothing was synced before the power cut")
    return int(numbers[-1])


def write_junit(cases: list[Case], path: Path) -> None:
    """Writes the cases as a JUnit report."""
    suite = ElementTree.Element("testsuite", name="guest", tests=str(len(cases)))
    for case in cases:
        classname, _, name = case.name.rpartition(".")
        entry = ElementTree.SubElement(suite, "testcase", classname=classname, name=name, time=f"{case.seconds:.3f}")
        if case.failure:
            ElementTree.SubElement(entry, "failure", message=case.failure)
        printable = "".join(c if c.isprintable() or c in "\n\t" else "?" for c in "\n".join(case.output))
        ElementTree.SubElement(entry, "system-out").text = printable
    ElementTree.ElementTree(suite).write(path, encoding="utf-8", xml_declaration=True)


def run_all(scenarios: tuple[Scenario, ...], expression: str, seed: int, report: Path) -> None:
    """Runs the scenarios with a step that matches the expression, and writes the report."""
    cases: list[Case] = []
    for scenario in scenarios:
        if expression and not any(expression in f"guest.{scenario.name}.{step}" for step in scenario.steps):
            continue
        folder = REPORTS / "guest"
        shutil.rmtree(folder / scenario.name, ignore_errors=True)
        try:
            cases += run(scenario, seed, folder)
        except (setup.SetupError, steps.StepFailed) as error:
            cases.append(Case(f"guest.{scenario.name}.set-up", 0, str(error)))
    write_junit(cases, report)
