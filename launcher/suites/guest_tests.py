# SPDX-License-Identifier: Apache-2.0
"""The checks that run in a guest (testing/guest), as test cases: what a stock kernel and its tools demand of the device."""

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

CASE_SECONDS = 10 * 60
LONGER = {"db-bench-64mb": 60 * 60}  # on the Verilated controller; a busy machine
OUTPUT_LINES = 40


@dataclass(frozen=True)
class Scenario:
    """A guest, and what happens to it in turn.

    A step is the name of a script, with an argument or without, or `boot` (first), `reboot`, `power-off`, `power-on`;
    `cut:SCRIPT` kills guest and device while that script runs, once it has said so. What it has said to be synced until then
    the next guest has to find.
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
            *("boot", "identify", "driver", "logs", "commands", "remap", "node", "fdp", "fio", "ext4", "reset"),
            *("pagefs", "keep", "reboot", "kept", "power-off"),
        ),
    ),
)
LONG = (
    Scenario(
        "model-long",
        guest.Options(device=guest.Device.model, geometry="4x2x64x64"),  # 128 MiB: it can be filled
        (
            *(
                "boot",
                "identify",
                "format",
                "fio-mixes",
                "ext4-full",
                "db-bench",
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
            *("boot", "identify", "driver", "logs", "commands", "remap", "node", "fdp", "ext4", "fio", "reset"),
            *("pagefs", "keep", "reboot", "kept", "db-bench-64mb", "power-off"),
        ),
    ),
)


@dataclass
class Case:
    """How a step went."""

    name: str
    seconds: float
    failure: str = ""
    output: list[str] = field(default_factory=list)


def run(scenario: Scenario, seed: int, folder: Path) -> list[Case]:
    """All steps; after one that leaves no guest to go on with, the rest are not run, and are not cases."""
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
    """The guest of a scenario, which may be another one after a power cut."""

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
        """What it printed. GuestFailed when the guest is lost with it."""
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
            raise GuestFailed("there is no guest")
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
    """The number of the last line `synced NUMBER` of a guest that was cut off, which may have been in the middle of a line.

    Raises GuestFailed when there is none: the next check would have nothing to find."""
    numbers = [line.split()[1] for line in lines if re.fullmatch(r"synced \d+", line)]
    if not numbers:
        raise GuestFailed("nothing was synced before the power went")
    return int(numbers[-1])


def write_junit(cases: list[Case], path: Path) -> None:
    """As the other suites' runners do."""
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
    """Runs the scenarios whose steps the expression names, and writes the report."""
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
