# SPDX-License-Identifier: Apache-2.0
"""launcher.suites.suites: how outcomes are counted. Crashes and empty suites are failures, whatever the reports say."""

import json
import os
import sys
import threading
from pathlib import Path

import pytest

from launcher.env import build, steps
from launcher.env.paths import COVER_REPORT, RELEASE, SANITIZED, THREADS
from launcher.hw import rtl
from launcher.suites import single_test, suites
from launcher.suites.reports import Totals
from launcher.suites.suites import Selection, Suite, run_suite, run_suites

ALL = Selection()


@pytest.fixture(autouse=True)
def _own_reports(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(suites, "REPORTS", tmp_path / "reports")


def test_totals_are_added_over_suites() -> None:
    totals = run_suites(
        [
            Suite("one", "", lambda _: Totals(passed=3)),
            Suite("two", "", lambda _: Totals(passed=1, failures=["bad"])),
        ],
        ALL,
    )
    assert (totals.passed, totals.failed) == (4, 1)


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


def test_ctest_and_pytest_failures_carry_their_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suites, "ROOT", tmp_path)
    test = tmp_path / "test_it.py"
    test.write_text("def test_bad():\n    print('said before')\n    assert 1 == 2, 'why it failed'\n")
    totals = suites._pytest("mine", [str(test)], ALL, 1)
    assert totals.failed == 1
    shown = "\n".join(totals.output[totals.failures[0]])
    assert "said before" in shown
    assert "why it failed" in shown


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


@pytest.mark.parametrize("workers", [1, 2])
def test_a_check_is_one_case(workers: int) -> None:
    commands = {"good": [sys.executable, "-c", "pass"], "bad": [sys.executable, "-c", "raise SystemExit(3)"]}
    totals = suites._checks("style", commands, ALL, workers=workers)
    assert totals.passed == 1
    assert "style.bad: exit code 3" in totals.failures[0]
    assert suites._checks("style", commands, Selection(expression="good")).failures == []


def outcome(code: int, timed_out: bool = False) -> steps.Outcome:
    return steps.Outcome(code, 1.0, ["last words"], timed_out)


def test_a_runner_that_dies_without_a_failed_case_is_a_failure(tmp_path: Path) -> None:
    totals = suites._blame(Totals(passed=9), "native", outcome(8), tmp_path / "log")
    assert totals.failed == 1
    assert totals.output[totals.failures[0]] == ["last words"]
    totals = suites._blame(Totals(passed=9), "native", outcome(-15, timed_out=True), tmp_path / "log")
    assert "stopped after" in totals.failures[0]
    assert totals.output[totals.failures[0]] == ["last words"]


def test_a_runner_that_names_its_failures_is_not_blamed_twice(tmp_path: Path) -> None:
    assert suites._blame(Totals(failures=["case"]), "native", outcome(1), tmp_path / "log").failed == 1
    assert suites._blame(Totals(passed=1), "native", outcome(0), tmp_path / "log").failed == 0


def test_the_long_suite_builds_its_programs_and_runs_each(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    built: list[tuple[str, ...]] = []
    monkeypatch.setattr(build, "verilog", lambda: None)
    monkeypatch.setattr(build, "native", lambda targets: built.append(targets))
    monkeypatch.setattr(suites, "RELEASE", tmp_path)
    monkeypatch.setattr(suites, "ROOT", tmp_path)  # the folder of the script `openremap`
    (tmp_path / "bin").mkdir()
    programs = {
        "bin/lockstep": 0,
        "bin/fuzz": 1,
        "bin/fulldevice": 0,
        "bin/crash": 0,
        "bin/crash-leveldb": 0,
        "bin/ctest": 0,
        "openremap": 0,
    }
    programs[f"bin/{suites.RACES}"] = 0
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)
    for name, code in programs.items():
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\nexit {code}\n")
        program.chmod(0o755)
    monkeypatch.setattr(suites, "_BOUNDS", ("true",))
    monkeypatch.setattr(suites, "_PLYVEL", ("true",))
    monkeypatch.setattr(suites, "_XFS", ("sh", "-c", f"exit {single_test.SKIPPED}"))
    totals = suites.long(ALL)
    leveldb = ("crash-leveldb", "upstream_tests", "leveldb_dropin", "db_bench")
    assert built == [("lockstep", "fuzz", "hwbench", "fulldevice", suites.RACES, "crash", *leveldb)]
    assert totals.passed == 23
    assert totals.skipped == ["long.reflink-xfs"]
    failed = [failure.split(":")[0] for failure in totals.failures]
    assert failed == ["long.fuzz-model", "long.fuzz-rtl", "long.fuzz-rtl-stalls", "long.fuzz-rtl-wide"]
    assert [suite.name for suite in suites.SUITES if not suite.always] == ["guest-long", "tsan", "long"]


def test_each_ctest_suite_builds_and_runs_what_is_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[tuple[Path, tuple[str, ...]]] = []
    ran: list[tuple[list[str], dict[str, str]]] = []

    def run(title: str, command: list[str], log: Path, *, env: dict[str, str], timeout: float) -> steps.Outcome:
        ran.append((command, env))
        return outcome(1)

    monkeypatch.setattr(build, "verilog", lambda: None)
    monkeypatch.setattr(build, "native", lambda folder, targets: built.append((folder, targets)))
    monkeypatch.setattr(steps, "run", run)
    for suite in (suites.native, suites.sanitized, suites.tsan):
        assert suite(Selection(expression="word")).failed == 1
    assert built == [(RELEASE, ()), (SANITIZED, ()), (THREADS, ("thread_tests",))]
    (native, _), (sanitized, asan), (threads, tsan) = ran
    assert all(command[command.index("-R") + 1] == "word" for command, _ in ran)
    assert "-L" not in native + sanitized
    assert "-E" not in native + threads
    assert threads[threads.index("-L") + 1] == "^threads$"
    assert "ASAN_OPTIONS" in asan
    assert "halt_on_error=1" in tsan["TSAN_OPTIONS"]


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The steps of `style`, in order. The checks themselves are stubs that pass."""
    did: list[str] = []

    def checks(_: str, commands: dict[str, list[str]], selection: Selection, workers: int) -> Totals:
        chosen = [name for name in commands if selection.expression in f"style.{name}"]
        did.extend(chosen)
        return Totals(passed=len(chosen))

    monkeypatch.setattr(suites, "_checks", checks)
    monkeypatch.setattr(rtl, "emit_controller", lambda: None)
    monkeypatch.setattr(rtl, "mill", lambda: ["mill"])
    monkeypatch.setattr(rtl, "verilog_sources", lambda folder: [folder / "Top.sv"])
    monkeypatch.setattr(build, "verilog", lambda: did.append("emitted"))
    return did


def test_style_emits_beside_what_needs_no_verilog(checked: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    begun = threading.Event()
    monkeypatch.setattr(rtl, "emit_controller", begun.set)
    assert suites.style(ALL).passed == len(checked) - 1
    assert begun.is_set()
    assert (
        checked.index("mypy") < checked.index("emitted") < checked.index("scalafmt") < checked.index("verilator-lint")
    )


def test_style_emits_nothing_for_a_check_that_needs_none(checked: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rtl, "emit_controller", lambda: checked.append("emitted early"))
    assert suites.style(Selection(expression="ruff-lint")).passed == 1
    assert checked == ["ruff-lint"]


def test_style_goes_on_without_verilog(checked: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def fails() -> None:
        raise rtl.EmitError("no Verilog")

    monkeypatch.setattr(rtl, "emit_controller", fails)
    monkeypatch.setattr(build, "verilog", fails)
    assert suites.style(ALL).failures == ["style.verilator-lint: no Verilog"]
    assert "mypy" in checked and "scalafmt" in checked and "verilator-lint" not in checked


def test_suite_names_are_unique() -> None:
    names = [suite.name for suite in suites.SUITES]
    assert len(set(names)) == len(names)


@pytest.fixture
def reached(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A cocotb run that reaches cover `U: a` and not `U: b`; returns the path of the list of accepted covers."""
    listed, unit = tmp_path / "unhit.toml", tmp_path / "cocotb" / "unit"
    unit.mkdir(parents=True)
    (tmp_path / "reports").mkdir()
    monkeypatch.setattr(suites, "COCOTB", tmp_path / "cocotb")
    monkeypatch.setattr(suites, "UNHIT_COVERS", listed)
    (unit / COVER_REPORT).write_text('{"U: old": 1}')

    def run(*_: object) -> Totals:
        assert not (unit / COVER_REPORT).exists(), "reports of an earlier run are gone"
        (unit / COVER_REPORT).write_text('{"U: a": 1, "U: b": 0}')
        return Totals(passed=5)

    monkeypatch.setattr(suites, "_pytest", run)
    return listed


def test_covers_are_a_case_of_the_whole_cocotb_suite(reached: Path, tmp_path: Path) -> None:
    reached.write_text('"U: b" = "cannot happen here"\n')
    assert suites.cocotb(ALL) == Totals(passed=6)
    assert json.loads((tmp_path / "reports" / "covers.json").read_text()) == {"U: a": {"unit": 1}, "U: b": {}}
    reached.write_text("")
    assert suites.cocotb(ALL).failures == ["cocotb.covers: never reached: U: b"]
    reached.write_text("no TOML")
    assert suites.cocotb(ALL).failed == 1


def test_covers_are_not_judged_for_a_part_or_another_seed(reached: Path) -> None:
    reached.write_text("")
    assert suites.cocotb(Selection(expression="word")) == Totals(passed=5)
    assert suites.cocotb(Selection(seed=7)) == Totals(passed=5)
