# SPDX-License-Identifier: Apache-2.0
"""What Yosys's statistics say of the Acorn's area."""

from __future__ import annotations

import json

import pytest

from launcher.boards.acorn import area
from launcher.boards.board import BoardFailed


def statistics(**cells: int) -> str:
    return "Printing statistics.\n" + json.dumps({"design": {"num_cells_by_type": cells}})


def test_cells_are_counted_by_what_they_take() -> None:
    found = area.area(statistics(LUT6=10, LUT2=5, RAM32M=2, FDRE=7, FDPE=1, RAMB36E1=3, RAMB18E1=1, IDELAYE2=16))
    assert found == {"lut": 23, "ff": 8, "ram": 3.5}
    assert area.overfull(found) == []


def test_what_does_not_fit_is_named() -> None:
    assert area.overfull({"lut": 1, "ff": 1, "ram": 366.0}) == ["366 block RAMs of 36 Kbit of 365"]


@pytest.mark.parametrize("text", ["", "nothing", '{"design": {}}'])
def test_no_statistics_are_an_error(text: str) -> None:
    with pytest.raises(BoardFailed, match="no statistics"):
        area.area(text)


def test_the_script_has_the_pcie_core_as_a_black_box() -> None:
    lines = area.script("../soc").splitlines()
    assert "read_verilog ../soc/black_boxes.v ../soc/OpenRemapAcorn.v ../soc/VexRiscv.v" in lines
    assert lines[-1] == "tee -q -o ../soc/area.json stat -json"
