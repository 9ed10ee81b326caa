# SPDX-License-Identifier: Apache-2.0
"""launcher.suites.checks: the steps of `style`, with and without Verilog."""

import threading

import pytest

from launcher.env import build
from launcher.hw import rtl
from launcher.suites import checks, running
from launcher.suites.reports import Totals
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
    monkeypatch.setattr(rtl, "mill", lambda: ["mill"])
    monkeypatch.setattr(rtl, "verilog_sources", lambda folder: [folder / "Top.sv"])
    monkeypatch.setattr(build, "verilog", lambda: did.append("emitted"))
    return did


def test_style_emits_beside_what_needs_no_verilog(checked: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    begun = threading.Event()
    monkeypatch.setattr(rtl, "emit_controller", begun.set)
    assert checks.style(ALL).passed == len(checked) - 1
    assert begun.is_set()
    assert (
        checked.index("mypy") < checked.index("emitted") < checked.index("scalafmt") < checked.index("verilator-lint")
    )


def test_style_emits_nothing_for_a_check_that_needs_none(checked: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rtl, "emit_controller", lambda: checked.append("emitted early"))
    assert checks.style(Selection(expression="ruff-lint")).passed == 1
    assert checked == ["ruff-lint"]


def test_style_goes_on_without_verilog(checked: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def fails() -> None:
        raise rtl.EmitError("no Verilog")

    monkeypatch.setattr(rtl, "emit_controller", fails)
    monkeypatch.setattr(build, "verilog", fails)
    assert checks.style(ALL).failures == ["style.verilator-lint: no Verilog"]
    assert "mypy" in checked and "scalafmt" in checked and "verilator-lint" not in checked
