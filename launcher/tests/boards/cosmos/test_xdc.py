# SPDX-License-Identifier: Apache-2.0
"""The files of constraints/cosmos are what its data says."""

from __future__ import annotations

from dataclasses import replace

import pytest

from launcher.boards.cosmos import board_facts, xdc

FACTS = board_facts.load()


def test_files_are_as_the_data_says() -> None:
    assert xdc.differing(FACTS) == []
    assert {path.name for path in board_facts.FOLDER.glob("*.xdc")} == xdc.texts(FACTS).keys()


def test_other_data_is_other_files() -> None:
    first = next(pin for pin in FACTS.pins if pin.signal == "O_NAND_CH3_WE")
    moved = replace(FACTS, pins=tuple(replace(p, slew="FAST") if p is first else p for p in FACTS.pins))
    assert xdc.differing(moved) == ["nand_ch3.xdc"]


def test_a_project_reads_those_of_its_channels() -> None:
    assert xdc.files_of(2) == ["pcie.xdc", "nand_ch0.xdc", "nand_ch1.xdc", "clocks.xdc"]
    assert len(xdc.files_of(8)) == 10


def test_the_command_writes_what_is_stale(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.argv", ["xdc", "--check"])
    assert xdc.main() == 0
    monkeypatch.setattr(xdc, "differing", lambda facts: ["pcie.xdc"])
    assert xdc.main() == 1 and "pcie.xdc is out of date" in capsys.readouterr().err
