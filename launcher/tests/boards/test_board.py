# SPDX-License-Identifier: Apache-2.0
"""launcher.boards: the table of boards."""

from __future__ import annotations

import pytest

from launcher.boards import BOARDS, Board
from launcher.env.paths import ROOT


@pytest.mark.parametrize(("name", "board"), BOARDS.items())
def test_each_board_has_its_place(name: str, board: Board) -> None:
    assert board.name == name
    assert board.about and "\n" not in board.about
    assert any((ROOT / "constraints" / name).glob("*.toml"))
    assert (ROOT / "docs" / "boards" / f"{name}.md").is_file()
