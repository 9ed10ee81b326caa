# SPDX-License-Identifier: Apache-2.0
"""The Acorn as `./openremap board` sees it."""

from __future__ import annotations

from pathlib import Path

import pytest

from launcher.boards import BOARDS, BoardFailed, Options
from launcher.boards.acorn import area, checks, command, project


def test_it_is_a_board() -> None:
    assert BOARDS["acorn"] is command.BOARD
    assert "128 MiB" in command.BOARD.about


def test_what_was_checked_is_printed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(checks, "check", lambda: checks.Report(("pins", "clocks"), ()))
    command.check(Options())
    assert capsys.readouterr().out == "pins\nclocks\nnothing is wrong\n"


def test_what_is_wrong_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "check", lambda: checks.Report(("pins",), ("leds: no pin", "ddr: no pin")))
    with pytest.raises(BoardFailed, match="2 things are wrong:\n  leds: no pin\n  ddr: no pin"):
        command.check(Options())


def test_the_area_needs_no_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    measured: list[bool] = []
    monkeypatch.setattr(area, "measure", lambda: measured.append(True))
    command.build(tmp_path / "out", Options(area_only=True))
    assert measured == [True] and not (tmp_path / "out").exists()


def test_a_folder_of_something_else_stays(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(BoardFailed, match="is not empty, and no project of this command"):
        project.build(tmp_path)
    assert (tmp_path / "thesis.txt").read_text() == "mine"
