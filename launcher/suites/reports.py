# SPDX-License-Identifier: Apache-2.0
"""Counts test cases in the JUnit reports of scalatest, CTest, pytest and cocotb, for launcher/suites."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from pathlib import Path

from launcher.suites.cocotb_names import FAILED_PROPERTY, PASSED_PROPERTY

# Lines shown of a failed case: enough to see the reason in a CI, where the logs are out of reach.
OUTPUT_LINES = 40
_MESSAGE_LINES = 20
_LINE_CHARACTERS = 400
# Cases that are named with their time: they are the first to look at when the tests take too long.
_SLOW_CASES = 8
_SLOW_SECONDS = 10


# What passed and is no case of its own.
REPEATS = "repeats of cases in another build"
COMMANDS = "lint commands"
QUESTIONS = "questions to the solver"


@dataclass
class Totals:
    """Case counts of a suite. Skipped cases are neither passed nor failed; they are listed by name.

    A case counts once. `apart` counts what passed and is no case of its own, by kind: a repeat of a case, or a part of
    one. Whatever fails is a failure, also a repeat or a part.
    """

    passed: int = 0
    passed_names: list[str] = field(default_factory=list)  # of the cases that a JUnit report names
    apart: dict[str, int] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    output: dict[str, list[str]] = field(default_factory=dict)  # by failure: the last lines of the case's output
    seconds: dict[str, float] = field(default_factory=dict)  # by case that a report names: wall time

    @property
    def failed(self) -> int:
        return len(self.failures)

    @property
    def anything(self) -> bool:
        """Whether anything ran that is not skipped."""
        return bool(self.passed or self.failures or self.apart)

    def add(self, other: Totals) -> None:
        self.passed += other.passed
        self.passed_names += other.passed_names
        self._count_apart(other.apart)
        self.failures += other.failures
        self.skipped += other.skipped
        self.output |= other.output
        self.seconds |= other.seconds

    def slowest(self) -> list[tuple[str, float]]:
        """Names and seconds of the cases that took longest, the longest first."""
        slow = [(name, seconds) for name, seconds in self.seconds.items() if seconds >= _SLOW_SECONDS]
        return sorted(slow, key=lambda case: -case[1])[:_SLOW_CASES]

    def make_one_case(self, kind: str) -> None:
        """Makes what was counted as cases the parts of one case, which passes if all of them do."""
        self._count_apart({kind: self.passed})
        self.passed = 1 if self.passed and not self.failures else 0

    def set_repeats_apart(self, ran: set[str]) -> None:
        """Counts the cases that ran before as repeats; `ran` has their names."""
        repeats = sum(name in ran for name in self.passed_names)
        self.passed -= repeats
        self._count_apart({REPEATS: repeats})

    def _count_apart(self, counts: dict[str, int]) -> None:
        for kind, count in counts.items():
            if count:
                self.apart[kind] = self.apart.get(kind, 0) + count


def tail(text: str, lines: int = OUTPUT_LINES) -> list[str]:
    """The last lines of a text, each cut to a maximum length: some tools print very long lines."""
    return [line.rstrip()[:_LINE_CHARACTERS] for line in text.strip("\n").splitlines()[-lines:]]


def read_junit(path: Path) -> Totals:
    """Totals of one report. A pytest case that ran cocotb cases counts as these. ValueError if the file is broken."""
    try:
        root = ElementTree.parse(path).getroot()
    except (OSError, ElementTree.ParseError) as error:
        raise ValueError(f"{path.name}: {error}") from error
    totals = Totals()
    for case in root.iter("testcase"):
        # CTest gives each case its name as its class, too.
        parts = dict.fromkeys((case.get("classname"), case.get("name")))
        name = ".".join(part for part in parts if part)
        bad = case.find("failure") is not None or case.find("error") is not None
        # CTest's status of a failed case.
        bad = bad or case.get("status") == "fail"
        totals.seconds[name] = float(case.get("time") or 0)
        cocotb = {entry.get("name"): int(entry.get("value") or 0) for entry in _counts(case)}
        if cocotb:
            totals.passed += cocotb.get(PASSED_PROPERTY, 0)
            broken = cocotb.get(FAILED_PROPERTY, 0)
            names = [f"{name} [{number + 1} of {broken}]" for number in range(broken)]
            if bad and not broken:
                names = [name]
            totals.failures += names
            if names:  # the cases share one output, which is shown below the last one
                totals.output[names[-1]] = _output(case)
        elif bad:
            totals.failures.append(name)
            totals.output[name] = _output(case)
        elif case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
            totals.skipped.append(name)
        else:
            totals.passed += 1
            totals.passed_names.append(name)
    return totals


def read_folder(folder: Path) -> Totals:
    """Totals of all reports in a folder (scalatest writes one per Spec)."""
    totals = Totals()
    for path in sorted(folder.glob("*.xml")):
        totals.add(read_junit(path))
    return totals


def _output(case: ElementTree.Element) -> list[str]:
    """The end of a failed case's output, then of its runner's message."""
    printed = "\n".join(text for tag in ("system-out", "system-err") for text in _texts(case, tag))
    said = "\n".join(text for tag in ("failure", "error") for text in _texts(case, tag))
    return tail(printed) + tail(said, _MESSAGE_LINES)


def _texts(case: ElementTree.Element, tag: str) -> list[str]:
    found = [part for entry in case.findall(tag) for part in (entry.get("message"), entry.text) if part]
    # Some runners repeat the message at the start of the text.
    return [text for number, text in enumerate(found) if not any(text in other for other in found[number + 1 :])]


def _counts(case: ElementTree.Element) -> list[ElementTree.Element]:
    return [entry for entry in case.iter("property") if entry.get("name") in (PASSED_PROPERTY, FAILED_PROPERTY)]
