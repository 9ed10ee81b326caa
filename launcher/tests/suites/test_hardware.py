# SPDX-License-Identifier: Apache-2.0
"""launcher.suites.hardware: covers and crossings as cases. test_formal.py has the proofs."""

import json
from pathlib import Path

import pytest

from launcher.env import paths
from launcher.env.paths import COVER_REPORT
from launcher.hw import crossings, levels, rtl
from launcher.hw.crossings import Verdict
from launcher.hw.netlist import NetlistError
from launcher.suites import hardware, running
from launcher.suites.reports import Totals
from launcher.suites.running import Selection

ALL = Selection()


@pytest.fixture(autouse=True)
def _own_reports(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(paths, "REPORTS", tmp_path / "reports")


@pytest.fixture
def reached(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A cocotb run that reaches cover `U: a` and not `U: b`; returns the path of the list of accepted covers."""
    listed, unit = tmp_path / "unhit.toml", tmp_path / "cocotb" / "unit"
    unit.mkdir(parents=True)
    (tmp_path / "reports").mkdir()
    monkeypatch.setattr(paths, "COCOTB", tmp_path / "cocotb")
    monkeypatch.setattr(hardware, "UNHIT_COVERS", listed)
    (unit / COVER_REPORT).write_text('{"U: old": 1}')

    def run(*_: object) -> Totals:
        assert not (unit / COVER_REPORT).exists(), "reports of an earlier run are gone"
        (unit / COVER_REPORT).write_text('{"U: a": 1, "U: b": 0}')
        return Totals(passed=5)

    monkeypatch.setattr(running, "run_pytest", run)
    monkeypatch.setattr(levels, "cases", list)
    monkeypatch.setattr(rtl, "emit_units", lambda units: None)
    return listed


def test_covers_are_a_case_of_the_whole_cocotb_suite(reached: Path, tmp_path: Path) -> None:
    reached.write_text('"U: b" = "cannot happen here"\n')
    assert hardware.cocotb(ALL) == Totals(passed=6)
    assert json.loads((tmp_path / "reports" / "covers.json").read_text()) == {"U: a": {"unit": 1}, "U: b": {}}
    reached.write_text("")
    assert hardware.cocotb(ALL).failures == ["cocotb.covers: never reached: U: b"]
    reached.write_text("no TOML")
    assert hardware.cocotb(ALL).failed == 1


def test_covers_are_not_judged_for_a_part_or_another_seed(reached: Path) -> None:
    reached.write_text("")
    assert hardware.cocotb(Selection(expression="word")) == Totals(passed=5)
    assert hardware.cocotb(Selection(seed=7)) == Totals(passed=5)


def test_the_crossings_of_each_unit_are_a_case(monkeypatch: pytest.MonkeyPatch) -> None:
    problems: dict[str, tuple[str, ...]] = {"Fifo": (), "Bare": ("b (to) depends on a (from), and is no crossing",)}
    monkeypatch.setattr(levels, "cases", list)
    monkeypatch.setattr(levels, "allowed", dict)
    monkeypatch.setattr(crossings, "units", lambda: list(problems))
    monkeypatch.setattr(crossings, "of_unit", lambda unit: Verdict(unit, (), {}, problems[unit]))
    totals = hardware.levels(ALL)
    assert totals.passed == 1
    assert totals.failures == ["levels.crossings.Bare: b (to) depends on a (from), and is no crossing"]
    assert hardware.levels(Selection(expression="Fifo")) == Totals(passed=1)

    def fails(unit: str) -> Verdict:
        raise NetlistError(f"{unit} is no netlist")

    monkeypatch.setattr(crossings, "of_unit", fails)
    assert hardware.levels(Selection(expression="Fifo")).failures == ["levels.crossings.Fifo: Fifo is no netlist"]
