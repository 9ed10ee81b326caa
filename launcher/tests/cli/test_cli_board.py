# SPDX-License-Identifier: Apache-2.0
"""The options of `./openremap board`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from launcher.boards import BOARDS, Options
from launcher.cli import cli
from launcher.env import setup
from launcher.env.paths import BUILD


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Path | None, Options]]:
    """What boards are asked to do, in place of doing it."""
    calls: list[tuple[str, Path | None, Options]] = []
    monkeypatch.setattr(setup, "ensure_tools", setup.environment)
    for name, board in list(BOARDS.items()):
        stand_in = replace(
            board,
            build=lambda out, options: calls.append(("build", out, options)),
            check=lambda options: calls.append(("check", None, options)),
            flash=lambda out, options: calls.append(("flash", out, options)),
        )
        monkeypatch.setitem(BOARDS, name, stand_in)
    return calls


def test_boards_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["board", "list"]) == 0
    out = capsys.readouterr().out
    assert all(f"{name:8} {board.about}" in out for name, board in BOARDS.items()) and "cosmos" in out


def test_actions_reach_the_board(called: list[tuple[str, Path | None, Options]], tmp_path: Path) -> None:
    assert cli.main(["board", "build", "cosmos", "--config", "cosmos8", "--tiger4", str(tmp_path)]) == 0
    assert cli.main(["board", "check", "cosmos"]) == 0
    assert cli.main(["board", "flash", "cosmos", "--dry-run", "--out", str(tmp_path)]) == 0
    assert [action for action, _, _ in called] == ["build", "check", "flash"]
    assert called[0][1] == BUILD / "boards" / "cosmos8" and called[0][2].tiger4 == tmp_path
    assert called[1][2] == Options() and called[2][1] == tmp_path and called[2][2].dry_run


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["build"], "no board named; the boards are"),
        (["build", "ecpix9"], "unknown board 'ecpix9'"),
        (["build", "cosmos", "--config", "ecpix5"], "none of cosmos's configurations: cosmos2, cosmos8"),
        (["build", "cosmos", "--tiger4", "none"], "--tiger4: none is no folder"),
        (["flash", "cosmos", "--bitstream", "none"], "--bitstream: none is no file"),
        (["build", "cosmos", "--fsbl", "none"], "--fsbl: none is no file"),
    ],
)
def test_a_wrong_option_is_told(
    called: list[tuple[str, Path | None, Options]], capsys: pytest.CaptureFixture[str], arguments: list[str], why: str
) -> None:
    assert cli.main(["board", *arguments]) == 2
    assert why in capsys.readouterr().err and called == []


def test_a_board_may_lack_an_action(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(setup, "ensure_tools", setup.environment)
    monkeypatch.setitem(BOARDS, "cosmos", replace(BOARDS["cosmos"], flash=None, check=None))
    assert cli.main(["board", "flash", "cosmos"]) == 2 and "is not loaded" in capsys.readouterr().err
    assert cli.main(["board", "check", "cosmos"]) == 2 and "nothing to check" in capsys.readouterr().err
