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


@dataclass
class Totals:
    """Case counts of a suite. Skipped cases are neither passed nor failed; they are listed by name."""

    passed: int = 0
    failures: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    output: dict[str, list[str]] = field(default_factory=dict)  # by failure: the last lines of the case's output

    @property
    def failed(self) -> int:
        return len(self.failures)

    def add(self, other: Totals) -> None:
        self.passed += other.passed
        self.failures += other.failures
        self.skipped += other.skipped
        self.output |= other.output


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
        name = ".".join(part for part in (case.get("classname"), case.get("name")) if part)
        bad = case.find("failure") is not None or case.find("error") is not None
        # CTest's status of a failed case.
        bad = bad or case.get("status") == "fail"
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
