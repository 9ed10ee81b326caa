# SPDX-License-Identifier: Apache-2.0
"""launcher.suites.running: how outcomes are counted. A crash is a failure, whatever the reports say."""

import sys
from pathlib import Path

import pytest

from launcher.env import paths, steps
from launcher.suites import running
from launcher.suites.reports import Totals
from launcher.suites.running import Selection

ALL = Selection()


@pytest.fixture(autouse=True)
def _own_reports(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(paths, "REPORTS", tmp_path / "reports")


def test_ctest_and_pytest_failures_carry_their_output(tmp_path: Path) -> None:
    test = tmp_path / "test_it.py"
    test.write_text("def test_bad():\n    print('said before')\n    assert 1 == 2, 'why it failed'\n")
    totals = running.run_pytest("mine", [str(test)], ALL, 1)
    assert totals.failed == 1
    shown = "\n".join(totals.output[totals.failures[0]])
    assert "said before" in shown
    assert "why it failed" in shown


@pytest.mark.parametrize("text", ["-x", "--collect-only", "a b", "=="])
def test_a_text_that_looks_like_an_option_is_a_text(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_PLUGINS", "launcher.suites.pytest_run")  # outside the project's folder none is loaded
    test = tmp_path / "test_it.py"
    test.write_text(
        f"import pytest\n@pytest.mark.parametrize('_', [{text!r}])\ndef test_one(_): pass\ndef test_two(): pass\n"
    )
    totals = running.run_pytest("mine", [str(test)], Selection(expression=text), 1)
    assert (totals.passed, totals.failures) == (1, [])


@pytest.mark.parametrize("workers", [1, 2])
def test_a_check_is_one_case(workers: int) -> None:
    commands = {"good": [sys.executable, "-c", "pass"], "bad": [sys.executable, "-c", "raise SystemExit(3)"]}
    totals = running.run_checks("style", commands, ALL, workers=workers)
    assert totals.passed == 1
    assert "style.bad: exit code 3" in totals.failures[0]
    assert running.run_checks("style", commands, Selection(expression="good")).failures == []


def outcome(code: int, timed_out: bool = False) -> steps.Outcome:
    return steps.Outcome(code, 1.0, ["last words"], timed_out)


def test_a_runner_that_dies_without_a_failed_case_is_a_failure(tmp_path: Path) -> None:
    totals = running.blame(Totals(passed=9), "native", outcome(8), tmp_path / "log")
    assert totals.failed == 1
    assert totals.output[totals.failures[0]] == ["last words"]
    totals = running.blame(Totals(passed=9), "native", outcome(-15, timed_out=True), tmp_path / "log")
    assert "stopped after" in totals.failures[0]
    assert totals.output[totals.failures[0]] == ["last words"]


def test_a_runner_that_names_its_failures_is_not_blamed_twice(tmp_path: Path) -> None:
    assert running.blame(Totals(failures=["case"]), "native", outcome(1), tmp_path / "log").failed == 1
    assert running.blame(Totals(passed=1), "native", outcome(0), tmp_path / "log").failed == 0
