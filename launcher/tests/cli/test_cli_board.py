# SPDX-License-Identifier: Apache-2.0
"""./openremap board: its options, and what they become."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from launcher.boards import BOARDS, Board, BoardFailed, Options
from launcher.cli import cli
from launcher.env import setup
from launcher.env.paths import BUILD


@pytest.fixture(autouse=True)
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the boards were asked. `plain` has no start; `broken` fails."""

    class Nothing:
        def activate(self) -> None:
            pass

    seen: list[Any] = []

    def fail(*_: object) -> None:
        raise BoardFailed("no luck")

    boards = {
        "plain": Board(
            "plain", "a board", lambda out, options: seen.append((out, options)), configs=("first", "second")
        ),
        "remote": Board(
            "remote",
            "another",
            fail,
            start=lambda out, host, serial, say, force: seen.append((out, host, serial, force)),
        ),
        "broken": Board("broken", "a third", fail, fail, fail, fail),
        "whole": Board(
            "whole",
            "a fourth",
            fail,
            check=lambda options: seen.append(("check", options)),
            flash=lambda out, options: seen.append(("flash", out, options)),
        ),
    }
    monkeypatch.setattr(setup, "ensure_tools", Nothing)
    for name in list(BOARDS):
        monkeypatch.delitem(BOARDS, name)
    for name, board in boards.items():
        monkeypatch.setitem(BOARDS, name, board)
    return seen


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["fly", "plain"], "fly"),
        (["build"], "no board named; the boards are plain, remote, broken, whole"),
        (["build", "other"], "unknown board 'other'"),
        (["build", "plain", "--seed", "-1"], "--seed"),
        (["build", "plain", "--minutes", "0"], "--minutes"),
        (["start", "plain"], "plain starts by itself"),
        (["check", "plain"], "plain: there is nothing to check"),
        (["flash", "plain"], "plain: is not loaded by this command"),
        (["build", "plain", "--config", "third"], "none of plain's configurations: first, second"),
        (["build", "plain", "--tiger4", "none"], "--tiger4: none is no folder"),
        (["flash", "whole", "--bitstream", "none"], "--bitstream: none is no file"),
        (["build", "plain", "--fsbl", "none"], "--fsbl: none is no file"),
        (["start", "remote", "--serial", "a b"], "--serial: takes 1 to 20 letters"),
    ],
)
def test_wrong_options_are_refused(
    arguments: list[str], words: str, asked: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["board", *arguments]) == 2
    assert words in capsys.readouterr().err
    assert asked == []


def test_options_reach_the_board(tmp_path: Path, asked: list[Any]) -> None:
    assert cli.main(["board", "build", "plain"]) == 0
    arguments = ["--dry-run", "--area-only", "--seed", "3", "--minutes", "5", "--out", str(tmp_path)]
    assert cli.main(["board", "build", "plain", *arguments]) == 0
    assert asked == [
        (BUILD / "boards" / "first", Options()),
        (tmp_path, Options(dry_run=True, area_only=True, seed=3, minutes=5)),
    ]


def test_a_configuration_has_a_folder_of_its_own(tmp_path: Path, asked: list[Any]) -> None:
    assert cli.main(["board", "build", "plain", "--config", "second", "--tiger4", str(tmp_path)]) == 0
    assert asked == [(BUILD / "boards" / "second", Options(config="second", tiger4=tmp_path))]


def test_a_board_is_checked_and_loaded(tmp_path: Path, asked: list[Any]) -> None:
    assert cli.main(["board", "check", "whole"]) == 0
    assert cli.main(["board", "flash", "whole", "--dry-run", "--out", str(tmp_path)]) == 0
    assert asked == [("check", Options()), ("flash", tmp_path, Options(dry_run=True))]


def test_a_board_is_started(tmp_path: Path, asked: list[Any]) -> None:
    assert cli.main(["board", "start", "remote", "--host", "10.0.0.9", "--serial", "A-1", "--out", str(tmp_path)]) == 0
    assert asked == [(tmp_path, "10.0.0.9", "A-1", False)]


@pytest.mark.parametrize("action", ["build", "check", "flash", "start"])
def test_a_failure_is_one_line(action: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["board", action, "broken"]) == 1
    assert capsys.readouterr().err == "openremap: no luck\n"


def test_boards_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["board", "list"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "plain    a board",
        "remote   another",
        "broken   a third",
        "whole    a fourth",
    ]
