# SPDX-License-Identifier: Apache-2.0
"""launcher.suites.reports: counting cases in the reports of the test runners."""

from pathlib import Path

import pytest

from launcher.suites.reports import OUTPUT_LINES, QUESTIONS, REPEATS, Totals, read_folder, read_junit, tail


def report(folder: Path, cases: str, name: str = "r.xml") -> Path:
    path = folder / name
    path.write_text(f'<?xml version="1.0"?><testsuites><testsuite name="s">{cases}</testsuite></testsuites>')
    return path


def test_each_outcome_is_counted_once(tmp_path: Path) -> None:
    totals = read_junit(
        report(
            tmp_path,
            '<testcase classname="a" name="good"/>'
            '<testcase classname="a" name="bad"><failure message="no"/></testcase>'
            '<testcase classname="a" name="broken"><error message="no"/></testcase>'
            '<testcase classname="a" name="later"><skipped/></testcase>',
        )
    )
    assert (totals.passed, totals.failed) == (1, 2)
    assert totals.failures == ["a.bad", "a.broken"]
    assert totals.skipped == ["a.later"]


def test_ctest_says_it_by_status(tmp_path: Path) -> None:
    totals = read_junit(
        report(
            tmp_path,
            '<testcase name="good" status="run"/><testcase name="bad" status="fail"/>'
            '<testcase name="gone" status="notrun"/><testcase name="off" status="disabled"/>',
        )
    )
    assert (totals.passed, totals.failures, totals.skipped) == (1, ["bad"], ["gone", "off"])


def test_a_failed_case_keeps_the_end_of_its_output(tmp_path: Path) -> None:
    printed = "\n".join(f"line {number}" for number in range(100))
    totals = read_junit(
        report(
            tmp_path,
            '<testcase name="bad" status="fail"><failure message="Failed"/>'
            f"<system-out>{printed}</system-out></testcase>"
            "<testcase name='said'><error message='oops'>oops\nat line 3</error></testcase>"
            "<testcase name='silent'><failure/></testcase>"
            "<testcase name='good'><system-out>fine</system-out></testcase>",
        )
    )
    assert totals.output["bad"] == [f"line {number}" for number in range(100 - OUTPUT_LINES, 100)] + ["Failed"]
    assert totals.output["said"] == ["oops", "at line 3"]
    assert totals.output["silent"] == []
    assert "good" not in totals.output


def test_long_lines_are_cut() -> None:
    assert tail("a" * 10_000 + "\n\n") == ["a" * 400]


def test_output_is_kept_when_totals_are_added() -> None:
    totals = Totals(output={"a": ["1"]})
    totals.add(Totals(output={"b": ["2"]}))
    assert totals.output == {"a": ["1"], "b": ["2"]}


def properties(passed: int, failed: int) -> str:
    return (
        f'<properties><property name="cocotb_passed" value="{passed}"/>'
        f'<property name="cocotb_failed" value="{failed}"/></properties>'
    )


def test_a_cocotb_unit_counts_as_its_cases(tmp_path: Path) -> None:
    totals = read_junit(
        report(
            tmp_path,
            f'<testcase name="unit">{properties(5, 0)}</testcase>'
            f'<testcase name="other">{properties(3, 2)}<failure message="two"/></testcase>',
        )
    )
    assert (totals.passed, totals.failed) == (8, 2)


def test_a_cocotb_unit_that_fails_beside_its_cases_still_fails(tmp_path: Path) -> None:
    totals = read_junit(report(tmp_path, f'<testcase name="unit">{properties(0, 0)}<failure/></testcase>'))
    assert totals.failures == ["unit"]


def test_reports_of_a_folder_are_added_up(tmp_path: Path) -> None:
    report(tmp_path, '<testcase name="one"/>', "a.xml")
    report(tmp_path, '<testcase name="two"/><testcase name="three"><failure/></testcase>', "b.xml")
    totals = read_folder(tmp_path)
    assert (totals.passed, totals.failed) == (2, 1)


def test_a_torn_report_is_an_error_and_not_a_pass(tmp_path: Path) -> None:
    path = tmp_path / "r.xml"
    path.write_text("<testsuites><testcase")
    with pytest.raises(ValueError, match=r"r\.xml"):
        read_junit(path)


def test_a_name_that_is_also_the_class_is_said_once(tmp_path: Path) -> None:
    path = report(tmp_path, '<testcase name="a.b" classname="a.b"/><testcase name="c" classname="a.b"/>')
    assert read_junit(path).passed_names == ["a.b", "a.b.c"]


def test_parts_make_one_case() -> None:
    totals = Totals(passed=3)
    totals.make_one_case(QUESTIONS)
    assert (totals.passed, totals.failed, totals.apart) == (1, 0, {QUESTIONS: 3})
    totals = Totals(passed=3, failures=["one"])
    totals.make_one_case(QUESTIONS)
    assert (totals.passed, totals.failed, totals.apart) == (0, 1, {QUESTIONS: 3})
    totals = Totals()
    totals.make_one_case(QUESTIONS)
    assert totals == Totals()


def test_repeats_are_counted_apart() -> None:
    totals = Totals(passed=3, passed_names=["a", "b", "c"], failures=["d"])
    totals.set_repeats_apart({"a", "c", "d", "e"})
    assert (totals.passed, totals.failures, totals.apart) == (1, ["d"], {REPEATS: 2})
    totals.add(totals)
    assert totals.apart == {REPEATS: 4}


def test_the_slowest_cases_are_named_first(tmp_path: Path) -> None:
    cases = "".join(f'<testcase name="c{seconds}" time="{seconds}.5"/>' for seconds in range(5, 30))
    totals = Totals()
    totals.add(read_junit(report(tmp_path, cases)))
    assert totals.slowest()[:2] == [("c29", 29.5), ("c28", 28.5)]
    assert len(totals.slowest()) == 8
    assert read_junit(report(tmp_path, '<testcase name="quick" time="9.9"/><testcase name="untold"/>')).slowest() == []
