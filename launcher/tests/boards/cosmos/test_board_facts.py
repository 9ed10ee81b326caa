# SPDX-License-Identifier: Apache-2.0
"""The board's data is read, and data that is not as it should be is refused."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from launcher.boards.board import BoardFailed
from launcher.boards.cosmos import board_facts


def test_it_has_all_of_the_board() -> None:
    facts = board_facts.load()
    assert facts.part == "xc7z045ffg900-3" and facts.memory == 1 << 30
    assert len(facts.pins) == 323 and len({pin.pin for pin in facts.pins}) == 323
    first = facts.pins[0]
    assert (first.signal, first.port, first.index) == ("pcie_perst_n", "pcie_perst_n", None)
    data = next(pin for pin in facts.pins if pin.signal == "IO_NAND_CH3_DQ[5]")
    assert (data.port, data.index, data.pin) == ("IO_NAND_CH3_DQ", 5, "T30")
    assert facts.places["T30"].function == "IO_L2P_T0_13"
    assert [facts.idelay(channel) for channel in range(8)] == [13, 13, 13, 13, 12, 13, 12, 13]
    assert [tap.name for tap in facts.jtag] == ["dap", "fpga"]


@pytest.mark.parametrize(
    ("name", "old", "new", "why"),
    [
        ("board.toml", "[clocks]", "[clocks", "board.toml"),
        ("board.toml", "lanes = 8\n", "", "KeyError: 'lanes'"),
        ("pins.csv", "signal,pin", "signal,pins", "KeyError: 'pin'"),
        ("package.csv", "A2,33,", "A2,x,", "ValueError"),
    ],
)
def test_bad_data_is_refused(tmp_path: Path, name: str, old: str, new: str, why: str) -> None:
    for file in ("board.toml", "pins.csv", "package.csv"):
        shutil.copyfile(board_facts.FOLDER / file, tmp_path / file)
    text = (tmp_path / name).read_text()
    assert old in text
    (tmp_path / name).write_text(text.replace(old, new, 1))
    with pytest.raises(BoardFailed, match=why):
        board_facts.load(tmp_path)


def test_a_file_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(BoardFailed, match=r"board\.toml"):
        board_facts.load(tmp_path)
