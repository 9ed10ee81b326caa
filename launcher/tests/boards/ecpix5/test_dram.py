# SPDX-License-Identifier: Apache-2.0
"""launcher.boards.ecpix5.dram: the settings of DDR3's bytes, on a model of the pins."""

from __future__ import annotations

import pytest

from launcher.boards.ecpix5 import dram
from launcher.boards.ecpix5.dram import DramFailed, Setting
from launcher.boards.ecpix5.start import dram_facts
from launcher.tests.boards.ecpix5.boards import Board, facts


def run(board: Board) -> list[Setting]:
    return dram.start(board, dram_facts(facts()), sleep=lambda seconds: None)


def test_takes_the_middle_of_the_longest_row() -> None:
    first = {(1, d) for d in range(2, 7)} | {(2, 0)}
    second = {(3, d) for d in (0, 1, 5, 6, 7)}
    board = Board([first, second])
    assert run(board) == [Setting(1, 4, 5), Setting(3, 6, 3)]
    assert board.setting == [(1, 4), (3, 6)]


def test_data_without_a_strobe_do_not_count() -> None:
    good = {(2, 3), (2, 4)}
    deaf = {(0, d) for d in range(8)}
    board = Board([good, good], deaf)
    assert run(board) == [Setting(2, 3, 2)] * 2


def test_a_byte_that_never_reads_is_named() -> None:
    with pytest.raises(DramFailed, match="byte 1 cannot be read with any of 4 shifts and 8 delays"):
        run(Board([{(0, 0)}, set()]))


def test_the_start_comes_first_and_the_controller_last() -> None:
    board = Board([{(0, 3)}, {(0, 3)}])
    run(board)
    assert board.log[:2] == ["dfii 12", "mode 0"]
    assert board.log[-1] == "dfii 1"
    assert board.log[2:6] == ["activate 0", "write 1", "read 0", "precharge 0"]


@pytest.mark.parametrize(
    ("good", "row"),
    [("", (0, 0)), ("...", (0, 0)), ("x", (0, 1)), (".xx.x", (1, 2)), ("x.xx", (2, 2)), ("xx.xx", (0, 2))],
)
def test_longest(good: str, row: tuple[int, int]) -> None:
    assert dram.longest([letter == "x" for letter in good]) == row
