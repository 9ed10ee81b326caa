# SPDX-License-Identifier: Apache-2.0
"""launcher.suites.checks: the steps of `style`, with and without Verilog."""

import threading

import pytest

from launcher.env import build
from launcher.env.paths import ROOT
from launcher.hw import rtl
from launcher.suites import checks, running
from launcher.suites.reports import COMMANDS, Totals
from launcher.suites.running import Selection

ALL = Selection()


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The steps of `style`, in order. The checks themselves are stubs that pass."""
    did: list[str] = []

    def run_checks(_: str, commands: dict[str, list[str]], selection: Selection, workers: int) -> Totals:
        chosen = [name for name in commands if selection.expression in f"style.{name}"]
        did.extend(chosen)
        return Totals(passed=len(chosen))

    monkeypatch.setattr(running, "run_checks", run_checks)
    monkeypatch.setattr(rtl, "emit_controller", lambda: None)
    monkeypatch.setattr(rtl, "emit_soc_controller", lambda: None)
    monkeypatch.setattr(rtl, "emit_unit", lambda top: ROOT / top)
    monkeypatch.setattr(rtl, "mill", lambda: ["mill"])
    monkeypatch.setattr(rtl, "verilog_sources", lambda folder: [folder / "Top.sv"])
    monkeypatch.setattr(build, "verilog", lambda: did.append("emitted"))
    return did


def test_style_emits_beside_what_needs_no_verilog(checked: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    begun = threading.Event()
    monkeypatch.setattr(rtl, "emit_controller", begun.set)
    totals = checks.style(ALL)
    assert (totals.passed, totals.apart) == (1, {COMMANDS: len(checked) - 1})
    assert begun.is_set()
    order = ("mypy", "emitted", "scalafmt", "verilator-lint", "verilator-lint-soc", "verilator-lint-PcieTlp")
    assert [checked.index(name) for name in order] == sorted(checked.index(name) for name in order)


def test_style_emits_nothing_for_a_check_that_needs_none(checked: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rtl, "emit_controller", lambda: checked.append("emitted early"))
    totals = checks.style(Selection(expression="ruff-lint"))
    assert (totals.passed, totals.apart) == (1, {COMMANDS: 1})
    assert checked == ["ruff-lint"]


def test_style_goes_on_without_verilog(checked: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def fails() -> None:
        raise rtl.EmitError("no Verilog")

    monkeypatch.setattr(rtl, "emit_controller", fails)
    monkeypatch.setattr(build, "verilog", fails)
    totals = checks.style(ALL)
    assert totals.failures == ["style.verilator-lint: no Verilog"]
    assert (totals.passed, totals.apart) == (0, {COMMANDS: len(checked)})
    assert "mypy" in checked and "scalafmt" in checked and "verilator-lint" not in checked


def test_scala_cases_are_chosen_by_a_text() -> None:
    names = ["openremap.CrcSpec", "openremap.ParamsSpec"]
    assert checks.chosen_specs(names, "") == []
    assert checks.chosen_specs(names, "Crc") == ["-s", names[0], *("-s", names[1], "-z", "Crc")]
    assert checks.chosen_specs(names, "openremap.") == ["-s", names[0], "-s", names[1]]
    # A name as failures show it: the spec's, then the test's.
    given = checks.chosen_specs(names, "ParamsSpec.refuses")
    assert given == [
        "-s",
        names[0],
        "-z",
        "ParamsSpec.refuses",
        "-s",
        names[1],
        "-z",
        "ParamsSpec.refuses",
        "-z",
        "refuses",
    ]


def test_all_specs_are_known() -> None:
    assert {"openremap.ParamsSpec", "openremap.CrcSpec"} <= set(checks.specs())
    assert len(checks.specs()) == len(list((ROOT / "hw" / "test").rglob("*Spec.scala")))
