# SPDX-License-Identifier: Apache-2.0
"""launcher.suites.boards: what the suite `long` does with each board."""

from pathlib import Path

import pytest

from launcher.boards import BOARDS
from launcher.env import build
from launcher.hw import facts, rtl, synth
from launcher.suites import boards


def test_each_board_is_a_configuration_with_a_budget() -> None:
    assert set(boards.BOARDS) == set(synth.BUDGETS) <= facts.presets().keys()
    assert all(len(synth.BUDGETS[name]) == 1 and not facts.params(name)["timeSkip"] for name in boards.BOARDS)


def test_each_board_is_checked_and_the_large_one_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boards, "RTL_BOARDS", tmp_path)
    (tmp_path / "ecpix5").mkdir()
    (tmp_path / "ecpix5" / "filelist.f").write_text("a.sv\n")
    parts = boards.parts(Path("bin"))
    for name in boards.BOARDS:
        assert {f"board-{what}-{name}" for what in ("lint", "start", "area")} <= parts.keys()
        assert facts.geometry(name) in parts[f"board-start-{name}"]
    assert str(tmp_path / "ecpix5" / "a.sv") in parts["board-lint-ecpix5"]
    assert {"board-lockstep", "board-chain"} <= parts.keys()
    for name in boards.PROJECTS:
        assert name in parts[f"board-project-{name}"] and name in BOARDS["cosmos"].configs
    assert facts.geometry("cosmos2") in parts["board-lockstep"]
    assert facts.geometry(boards.DRAM_FLASH) in parts["dram-flash-lockstep"]
    assert f"geometry {facts.geometry('cosmos2')}" in boards.LONG_CHAIN.read_text()


def test_makes_their_controllers_and_the_library_that_has_them(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    monkeypatch.setattr(rtl, "emit_board", made.append)
    monkeypatch.setattr(rtl, "emit_dram_flash", lambda: made.append(boards.DRAM_FLASH))
    monkeypatch.setattr(build, "native", lambda targets: made.extend(targets))
    boards.make()
    assert made == [*boards.BOARDS, boards.DRAM_FLASH, boards.LIBRARY]
