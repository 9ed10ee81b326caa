# SPDX-License-Identifier: Apache-2.0
"""launcher.suites.suites: totals over suites, and what is printed. An empty suite is a failure."""

from pathlib import Path

import pytest

from launcher.cli import cli
from launcher.env import paths, setup, steps
from launcher.hw import rtl
from launcher.suites import suites, verified
from launcher.suites.reports import COMMANDS, REPEATS, Totals
from launcher.suites.running import Selection
from launcher.suites.suites import Suite, run_suite, run_suites

ALL = Selection()


@pytest.fixture(autouse=True)
def _own_reports(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(paths, "REPORTS", tmp_path / "reports")
    monkeypatch.setattr(verified, "FILE", tmp_path / "verified.json")  # no record of suites that did not run


def test_totals_are_added_over_suites() -> None:
    totals = run_suites(
        [
            Suite("one", "", lambda _: Totals(passed=3)),
            Suite("two", "", lambda _: Totals(passed=1, failures=["bad"])),
        ],
        ALL,
    )
    assert (totals.passed, totals.failed) == (4, 1)


def ctest(*passed: str, failed: tuple[str, ...] = ()) -> Totals:
    return Totals(passed=len(passed), passed_names=list(passed), failures=list(failed))


def test_the_total_counts_a_case_once(capsys: pytest.CaptureFixture[str]) -> None:
    totals = run_suites(
        [
            Suite("python", "", lambda _: ctest("a", "x")),  # names are those of another runner
            Suite("style", "", lambda _: Totals(passed=1, apart={COMMANDS: 9})),
            Suite("native", "", lambda _: ctest("a", "b", "c", failed=("d",)), builds=True),
            Suite("sanitized", "", lambda _: ctest("a", "b", "d", "new", failed=("c",)), builds=True),
            Suite("tsan", "", lambda _: ctest("a", "c"), builds=True),
        ],
        ALL,
    )
    assert (totals.passed, totals.failed) == (7, 2)
    assert capsys.readouterr().out.splitlines() == [
        "passed, each case once: python 2, style 1, native 3, sanitized 1",
        "failed, of any kind: native 1, sanitized 1",
        f"passed, and counted apart: 9 {COMMANDS}, 5 {REPEATS}",
    ]


def test_a_suite_of_repeats_alone_runs_cases() -> None:
    totals = run_suites([Suite("sanitized", "", lambda _: ctest("a", "b"), builds=True)], ALL)
    assert (totals.passed, totals.failed, totals.apart) == (2, 0, {})
    suite = Suite("sanitized", "", lambda _: ctest("a", "b"), builds=True)
    totals = run_suites([Suite("native", "", lambda _: ctest("a", "b"), builds=True), suite], ALL)
    assert (totals.passed, totals.failed, totals.apart) == (2, 0, {REPEATS: 2})


@pytest.mark.parametrize("failing", ["style", "formal", "sanitized"])
def test_whatever_fails_makes_the_command_fail(
    failing: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Ready:
        def activate(self) -> None:
            pass

    broken = [Suite(entry.name, "", lambda _: Totals(failures=["bad"])) for entry in suites.SUITES]
    monkeypatch.setattr(suites, "SUITES", broken)
    monkeypatch.setattr(setup, "ensure_tools", Ready)
    assert cli.main(["test", failing]) == 1
    assert capsys.readouterr().out.splitlines() == [f"failed, of any kind: {failing} 1", "0 passed, 1 failed"]


def test_a_failed_case_is_shown_with_the_end_of_its_output(capsys: pytest.CaptureFixture[str]) -> None:
    failed = Totals(passed=1, failures=["bad", "quiet"], output={"bad": ["expected [4]", "got [red]5[/]"]})
    run_suites([Suite("two", "", lambda _: failed)], ALL)
    lines = capsys.readouterr().err.splitlines()
    head = next(number for number, line in enumerate(lines) if "1 passed, 2 failed" in line)
    assert lines[head + 1 : head + 5] == [
        "✗ two: bad",
        "      expected [4]",
        "      got [red]5[/]",
        "✗ two: quiet",
    ]


def test_the_output_shown_is_bounded(capsys: pytest.CaptureFixture[str]) -> None:
    names = [f"case{number}" for number in range(suites.SHOWN_IN_FULL + 5)]
    failed = Totals(failures=names, output={name: ["why " + name] for name in names})
    run_suites([Suite("many", "", lambda _: failed)], ALL)
    text = capsys.readouterr().err
    assert text.count("why case") == suites.SHOWN_IN_FULL
    assert all(name in text for name in names)
    assert text.count("all of it is in") == 1


def test_the_slowest_cases_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    run_suites([Suite("slow", "", lambda _: Totals(passed=2, seconds={"short": 1, "[long]": 70.4}))], ALL)
    run_suites([Suite("fast", "", lambda _: Totals(passed=1, seconds={"short": 1}))], ALL)
    lines = capsys.readouterr().err.splitlines()
    assert [line for line in lines if line.startswith("  slowest")] == ["  slowest of slow: [long] 70 s"]


def test_an_empty_suite_fails() -> None:
    assert run_suite(Suite("none", "", lambda _: Totals()), ALL).failed == 1


def test_a_suite_may_be_empty_under_a_filter_but_not_all_of_them() -> None:
    some = Selection(expression="word")
    assert run_suite(Suite("none", "", lambda _: Totals()), some).failed == 0
    assert run_suites([Suite("none", "", lambda _: Totals())], some).failures == ["no test case ran"]


@pytest.mark.parametrize("error", [steps.StepFailed("no"), rtl.EmitError("no"), ValueError("no"), OSError("no")])
def test_a_suite_that_breaks_fails_and_the_next_one_runs(error: Exception) -> None:
    def breaks(_: Selection) -> Totals:
        raise error

    totals = run_suites([Suite("breaks", "", breaks), Suite("fine", "", lambda _: Totals(passed=1))], ALL)
    assert (totals.passed, totals.failed) == (1, 1)


def test_suite_names_are_unique() -> None:
    names = [suite.name for suite in suites.SUITES]
    assert len(set(names)) == len(names)


def test_what_takes_long_runs_only_when_named() -> None:
    named = [suite.name for suite in suites.SUITES if not suite.always]
    assert named == ["guest-long", "native-all", "sanitized-all", "tsan", "long"]
