# SPDX-License-Identifier: Apache-2.0
"""launcher.suites.covers: names from the source, counts from Verilator's file, merging, and the verdict."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from launcher.suites import covers

SOURCE = """class Unit extends Module {
  cover(a && !b, "Unit: a (big) thing waits")
  cover(
    MuxLookup(x, f(y))(Seq("no" -> z)) === c,
    "its text is the last one"
  )
  for (i <- 0 until 2) cover(e(i), s"client $i waits")
  cover(d)
}
"""


def firrtl(tmp_path: Path, *covers_at: tuple[str, str, int]) -> Path:
    source = tmp_path / "Unit.scala"
    source.write_text(SOURCE)
    lines = []
    for module, label, number in covers_at:
        lines += [f"  public module {module} : @[x.scala 1:2]"]
        lines += [f'    cover(clock, _T_1, UInt<1>(0h1), "") : {label} @[{source} {number}:8]']
    path = tmp_path / "Unit.fir"
    path.write_text("\n".join(lines))
    return path


def point(module: str, label: str, instance: str, count: int, kind: str = "v_user") -> str:
    keys = {"f": "Unit.sv", "l": "3", "page": f"{kind}/{module}", "o": label, "h": f"TOP.{instance}"}
    text = "".join(f"\x01{key}\x02{value}" for key, value in keys.items())
    return f"C '{text}' {count}\n"


def test_covers_are_named_by_file_and_text(tmp_path: Path) -> None:
    path = firrtl(tmp_path, ("Unit", "cover", 2), ("Unit_1", "cover_3", 3))
    assert covers.declared(path) == {
        "Unit.cover__cover": "Unit: a (big) thing waits",
        "Unit_1.cover__cover_3": "Unit: its text is the last one",
    }


def test_covers_of_a_loop_are_numbered(tmp_path: Path) -> None:
    path = firrtl(tmp_path, *((module, label, 7) for module in ("Unit", "Unit_1") for label in ("cover", "cover_1")))
    assert covers.declared(path) == {
        f"{module}.cover__{label}": f"Unit: client $i waits #{number}"
        for module in ("Unit", "Unit_1")
        for number, label in enumerate(("cover", "cover_1"))
    }


def test_transitions_are_named_by_unit_and_label(tmp_path: Path) -> None:
    path = firrtl(tmp_path, *((module, "idle_becomes_run", 8) for module in ("Unit", "Unit_1", "Other")))
    assert covers.declared(path) == {
        "Unit.cover__idle_becomes_run": "Unit: idle -> run",
        "Unit_1.cover__idle_becomes_run": "Unit: idle -> run",
        "Other.cover__idle_becomes_run": "Other: idle -> run",
    }


def test_a_cover_needs_a_text(tmp_path: Path) -> None:
    with pytest.raises(covers.CoverError, match=r"Unit\.scala:8"):
        covers.declared(firrtl(tmp_path, ("Unit", "cover", 8)))


def test_counts_are_over_all_instances(tmp_path: Path) -> None:
    path = tmp_path / "coverage.dat"
    text = point("Unit", "cover___05Fcover_1", "a", 3) + point("Unit", "cover___05Fcover_1", "b", 4)
    path.write_text("# SystemC::Coverage-3\n" + text + point("Unit", "block", "a", 9, kind="v_line"))
    assert covers.counts(path) == {"Unit.cover__cover_1": 7}


def test_a_report_has_covers_that_were_not_reached(tmp_path: Path) -> None:
    names, data, report = tmp_path / "names.json", tmp_path / "coverage.dat", tmp_path / "report.json"
    names.write_text(json.dumps({"Unit.c": "Unit: a", "Unit_1.c": "Unit: a", "Unit.d": "Unit: b"}))
    data.write_text(point("Unit", "c", "x", 1) + point("Unit_1", "c", "y", 2))
    covers.write_report(names, data, report)
    assert json.loads(report.read_text()) == {"Unit: a": 3, "Unit: b": 0}
    data.write_text(point("Unit", "e", "x", 1))
    with pytest.raises(covers.CoverError, match=r"Unit\.e"):
        covers.write_report(names, data, report)


def test_reports_of_units_are_merged(tmp_path: Path) -> None:
    for unit, text in {"one": {"a": 0, "b": 2}, "two": {"a": 0, "b": 1, "c": 1}}.items():
        (tmp_path / unit).mkdir()
        (tmp_path / unit / "covers.json").write_text(json.dumps(text))
    merged = covers.merge(tmp_path.glob("*/covers.json"))
    assert merged == {"a": {}, "b": {"one": 2, "two": 1}, "c": {"two": 1}}


def test_what_is_not_reached_must_be_listed_and_nothing_else(tmp_path: Path) -> None:
    merged = {"U: hit": {"one": 1}, "U: listed": {}, "U: forgotten": {}, "U: reached": {"two": 4}}
    verdict = covers.judge(merged, {"U: listed": "why", "U: reached": "why", "U: gone": "why"})
    assert (verdict.hit, verdict.total, verdict.unhit) == (2, 4, ["U: forgotten", "U: listed"])
    assert len(verdict.failures) == 3
    for name in ("U: forgotten", "U: reached", "U: gone"):
        assert sum(name in failure for failure in verdict.failures) == 1
    assert not covers.judge(merged, {"U: listed": "why", "U: forgotten": "why"}).failures


def test_a_listed_cover_has_a_reason(tmp_path: Path) -> None:
    path = tmp_path / "list.toml"
    path.write_text('"U: a" = "cannot happen"\n')
    assert covers.accepted(path) == {"U: a": "cannot happen"}
    path.write_text('"U: a" = " "\n')
    with pytest.raises(covers.CoverError, match="U: a"):
        covers.accepted(path)
