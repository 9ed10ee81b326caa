# SPDX-License-Identifier: Apache-2.0
"""`./openremap fix` runs every formatter whose verdict the suite `style` asks for, and tells of those that fail."""

from pathlib import Path

import pytest

from launcher.env import steps
from launcher.hw import rtl
from launcher.suites import checks, fix


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[list[str]]:
    """What would have been run. A command with the word `fails` in it fails."""
    seen: list[list[str]] = []

    def run(title: str, command: list[str], log: Path, **_: object) -> steps.Outcome:
        seen.append(command)
        return steps.Outcome(1 if "fails" in command else 0, 0.1, ["a.py:1: its last line"])

    monkeypatch.setattr(steps, "run", run)
    monkeypatch.setattr(fix, "BUILD", tmp_path)
    monkeypatch.setattr(rtl, "mill", lambda: ["mill"])
    return seen


def test_all_formatters_run(ran: list[list[str]]) -> None:
    assert fix.run(fix.LANGUAGES) == []
    assert [command[0] for command in ran] == ["clang-format", "ruff", "ruff", "mill"]
    assert [command[1] for command in ran if command[0] == "ruff"] == ["check", "format"]
    assert ran[-1][1:] == ["hw.reformat", "+", "hw.test.reformat"]


def test_c_is_what_the_style_suite_checks(ran: list[list[str]]) -> None:
    fix.run(("c",))
    assert ran == [["clang-format", "-i", *checks.sources(*checks.NATIVE)]]
    assert "firmware/src/core/identity.h" in ran[0] and "sim/fast/top/params.cc" in ran[0]


def test_one_language_runs_only_its_own(ran: list[list[str]]) -> None:
    fix.run(("scala",))
    assert [command[0] for command in ran] == ["mill"]


def test_a_missing_tool_is_told_and_the_others_still_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fix, "BUILD", tmp_path)
    missing = {"c": [["no-such-formatter"]], "python": [["true", "format"]], "scala": []}
    monkeypatch.setattr(fix, "commands", lambda: missing)
    (failure,) = fix.run(fix.LANGUAGES)
    assert failure == "clang-format: cannot run no-such-formatter: No such file or directory"
    assert (tmp_path / "logs" / "fix-true-format.log").exists()


def test_a_failure_is_told_and_the_others_still_run(ran: list[list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    broken = {"c": [["clang-format", "fails"]], "python": [["ruff", "check"]], "scala": [["mill", "fails"]]}
    monkeypatch.setattr(fix, "commands", lambda: broken)
    failures = fix.run(fix.LANGUAGES)
    assert len(ran) == 3 and len(failures) == 2
    assert failures[0].startswith("clang-format: exit code 1") and "a.py:1: its last line" in failures[0]
    assert failures[1].startswith("scalafmt: exit code 1")
