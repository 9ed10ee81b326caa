# SPDX-License-Identifier: Apache-2.0
"""./openremap board: its options, and what they become."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from launcher.boards import BOARDS, Board, BoardFailed, Options, baseline, sidecar
from launcher.boards.board import Reference
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
            configs=("small", "large"),
            baseline=lambda config: Reference(config, "model", 1, 2),
            bitstream="whole.bit",
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
        (["build", "whole", "--force"], "--force: is for `flash` and `start`"),
        (["check", "whole", "--force"], "--force: is for `flash` and `start`"),
        (["check", "whole", "--device", "/"], "--device: is for `check --baseline`"),
        (["check", "whole", "--erase"], "--erase: is for `check --baseline`"),
        (["check", "whole", "--program", "/x"], "--program: is for `check --baseline`"),
        (["build", "whole", "--baseline", "--device", "/"], "--baseline: is for `check`"),
        (["check", "broken", "--baseline", "--device", "/"], "--baseline: there is no other firmware for broken"),
        (["check", "whole", "--baseline"], "--baseline: needs --device, the board's disk (/dev/nvme0n1) or a folder"),
        (["check", "whole", "--baseline", "--device", "/dev/none"], "--device: there is no /dev/none"),
        (["check", "whole", "--baseline", "--device", "/", "--program", "none"], "--program: none is no program"),
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
    assert cli.main(["board", "flash", "whole", "--force", "--out", str(tmp_path)]) == 0
    assert asked == [
        ("check", Options()),
        ("flash", tmp_path, Options(dry_run=True)),
        ("flash", tmp_path, Options(force=True)),
    ]


def test_a_check_warns_of_what_was_forced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "whole.bit").write_text("bits")
    sidecar.mark_forced(tmp_path / "whole.bit", "whole", "small", "nobody knows it")
    assert cli.main(["board", "check", "whole", "--out", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert said.startswith("warning: whole.bit was loaded by --force on ") and said.endswith(": nobody knows it\n")


def test_the_baseline_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], asked: list[Any]
) -> None:
    monkeypatch.setattr(baseline, "run", lambda options, reference: asked.append((options, reference.firmware)))
    arguments = ["--baseline", "--device", str(tmp_path), "--out", str(tmp_path / "out")]
    assert cli.main(["board", "check", "whole", *arguments]) == 0
    assert (
        cli.main(["board", "check", "whole", *arguments, "--config", "large", "--erase", "--program", "/bin/sh"]) == 0
    )
    first = baseline.Options("whole", tmp_path, tmp_path / "out")
    assert asked == [(first, "small"), (replace(first, erase=True, program=Path("/bin/sh")), "large")]
    assert f"results: {tmp_path / 'out' / 'baseline.json'}" in capsys.readouterr().out


def test_a_board_is_started(tmp_path: Path, asked: list[Any]) -> None:
    assert cli.main(["board", "start", "remote", "--host", "10.0.0.9", "--serial", "A-1", "--out", str(tmp_path)]) == 0
    assert cli.main(["board", "start", "remote", "--force", "--out", str(tmp_path)]) == 0
    assert asked == [(tmp_path, "10.0.0.9", "A-1", False), (tmp_path, "192.168.1.50", "1", True)]


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
