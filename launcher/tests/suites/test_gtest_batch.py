# SPDX-License-Identifier: Apache-2.0
"""launcher.suites.gtest_batch: cases of GoogleTest programs, many in one process."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from launcher.suites.gtest_batch import Case, batches, listed, run
from launcher.suites.reports import Totals

# Does what a GoogleTest program does with its options. The name of a case says how it ends.
PROGRAM = """
import os, sys, time
asked = next(word for word in sys.argv if word.startswith("--gtest_filter=")).split("=", 1)[1].split(":")
report = next(word for word in sys.argv if word.startswith("--gtest_output=xml:")).split(":", 1)[1]
with open(report + ".starts", "a") as starts:
    starts.write(f"{len(asked)}\\n")
lines, code = [], 0
for name in asked:
    suite, case = name.rsplit(".", 1)
    inside, result = "", "completed"
    if case == "Fails":
        inside, code = '<failure message="expected 1, got 2"/>', 1
    if case == "Skips":
        result, inside = "skipped", "<skipped/>"
    if case == "Dies" or (case == "DiesInCompany" and len(asked) > 1):
        print("==1== ERROR: AddressSanitizer")
        sys.exit(99)
    if case == "Leaks":
        code = 23
    if case == "Hangs":
        time.sleep(60)
    if case != "IsForgotten":
        lines.append(f'<testcase name="{case}" classname="{suite}" status="run" result="{result}">{inside}</testcase>')
with open(report, "w") as out:
    out.write("<testsuites><testsuite>" + "".join(lines) + "</testsuite></testsuites>")
print(os.environ.get("WORD", ""))
sys.exit(code)
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


def cases(program: Path, *names: str) -> list[Case]:
    command = (sys.executable, str(program))
    return [Case(f"part.{name}", name, command, program.parent) for name in names]


def ran(program: Path, *names: str, seconds: float = 60) -> Totals:
    return run("units", cases(program, *names), program.parent, {"WORD": "seed"}, seconds, 2)


def starts(program: Path) -> list[int]:
    """How many cases each process was asked for."""
    return [int(file.read_text()) for file in program.parent.glob("*.starts")]


def test_the_cases_of_a_program_share_a_process(program: Path) -> None:
    totals = ran(program, "A.One", "A.Two", "Kinds/B.Three/model")
    assert (totals.passed, totals.failed, totals.skipped) == (3, 0, [])
    assert totals.passed_names == ["part.A.One", "part.A.Two", "part.Kinds/B.Three/model"]
    assert starts(program) == [3]


def test_a_process_has_a_bounded_number_of_cases_of_one_program(tmp_path: Path) -> None:
    first = cases(tmp_path / "first", *[f"A.Case{number}" for number in range(5)])
    second = cases(tmp_path / "second", "A.One")
    assert [[case.filter for case in batch] for batch in batches([*first, *second], 2)] == [
        ["A.Case0", "A.Case1"],
        ["A.Case2", "A.Case3"],
        ["A.Case4"],
        ["A.One"],
    ]
    assert list(batches([])) == []


def test_a_failed_case_is_named_with_what_it_said(program: Path) -> None:
    totals = ran(program, "A.One", "A.Fails", "A.Two", "A.Skips")
    assert (totals.passed, totals.failures, totals.skipped) == (2, ["part.A.Fails"], ["part.A.Skips"])
    assert totals.output["part.A.Fails"] == ["expected 1, got 2"]
    assert starts(program) == [4]


@pytest.mark.parametrize("end", ["Dies", "Leaks", "IsForgotten"])
def test_after_a_process_that_ends_badly_each_case_runs_alone(program: Path, end: str) -> None:
    totals = ran(program, "A.One", f"A.{end}", "A.Two")
    assert totals.passed_names == ["part.A.One", "part.A.Two"]
    assert [failure.split(":")[0] for failure in totals.failures] == [f"part.A.{end}"]
    assert sorted(starts(program)) == [1, 1, 1, 3]
    if end == "Dies":
        assert totals.output[totals.failures[0]] == ["==1== ERROR: AddressSanitizer"]


def test_what_only_fails_in_company_is_a_failure(program: Path) -> None:
    totals = ran(program, "A.One", "A.DiesInCompany")
    assert totals.passed == 2
    assert [failure.split(":")[0] for failure in totals.failures] == [
        "part.A.One to part.A.DiesInCompany, in one process"
    ]


def test_a_process_that_hangs_is_ended(program: Path) -> None:
    totals = ran(program, "A.Hangs", seconds=0.5)
    assert totals.passed == 0
    assert totals.failures[0].startswith("part.A.Hangs: stopped after")


def test_a_program_that_is_not_there_is_a_failure(tmp_path: Path) -> None:
    """CTest lists what was built, but a program can vanish before it runs."""
    with pytest.raises(FileNotFoundError):
        run("units", [Case("a", "A.One", (str(tmp_path / "gone"),), tmp_path)], tmp_path, {}, 60, 1)


def _tests(folder: Path, *lines: str) -> Path:
    (folder / "CTestTestfile.cmake").write_text("\n".join(lines) + "\n")
    return folder


def test_cases_come_from_ctest(tmp_path: Path) -> None:
    program = tmp_path / "units"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    _tests(
        tmp_path,
        f'add_test("part.A.One/model" "{program}" "--gtest_filter=A.One/0" "--gtest_also_run_disabled_tests")',
        f'set_tests_properties("part.A.One/model" PROPERTIES LABELS unit WORKING_DIRECTORY "{os.sep}")',
        'add_test("whole" "true")',
        'set_tests_properties("whole" PROPERTIES LABELS device)',
    )
    assert listed(tmp_path, ("-L", "^unit")) == [
        Case("part.A.One/model", "A.One/0", (str(program), "--gtest_also_run_disabled_tests"), Path(os.sep))
    ]
    with pytest.raises(ValueError, match="whole: not the case of a GoogleTest program"):
        listed(tmp_path, ())
    with pytest.raises(ValueError, match="ctest lists no tests"):
        listed(tmp_path / "nowhere", ())


def test_a_property_that_a_shared_process_cannot_keep_is_refused(tmp_path: Path) -> None:
    _tests(
        tmp_path,
        'add_test("part.A.One" "true" "--gtest_filter=A.One")',
        f'set_tests_properties("part.A.One" PROPERTIES TIMEOUT 1800 ENVIRONMENT A=1 WORKING_DIRECTORY "{os.sep}")',
    )
    with pytest.raises(ValueError, match=r"part\.A\.One: ENVIRONMENT cannot be kept"):
        listed(tmp_path, ())


def test_a_program_that_was_not_built_is_said(tmp_path: Path) -> None:
    _tests(tmp_path, 'add_test("units_NOT_BUILT" "units_NOT_BUILT")')
    with pytest.raises(ValueError, match="units_NOT_BUILT: its program was not built"):
        listed(tmp_path, ())
