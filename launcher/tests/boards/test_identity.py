# SPDX-License-Identifier: Apache-2.0
"""Serial numbers of devices, and the record that the firmware reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from launcher.boards.board import BoardFailed
from launcher.boards.identity import serial_of, soc_board
from sim.cocotb.support import orm_formats


def test_a_serial_number_is_drawn_once(tmp_path: Path) -> None:
    first = serial_of(tmp_path / "serial.txt")
    assert serial_of(tmp_path / "serial.txt") == first != serial_of(tmp_path / "other.txt")
    (tmp_path / "serial.txt").write_text("two words")
    with pytest.raises(BoardFailed, match="no serial number"):
        serial_of(tmp_path / "serial.txt")


@pytest.mark.parametrize(
    ("flash_volatile", "unverified", "flags"), [(False, False, 1), (True, False, 3), (False, True, 5), (True, True, 7)]
)
def test_a_device_is_told_what_its_owner_must_know(flash_volatile: bool, unverified: bool, flags: int) -> None:
    record = soc_board("A", flash_volatile=flash_volatile, unverified=unverified)
    assert orm_formats.SocBoard.unpack(record).flags == flags <= orm_formats.BOARD_FLAGS


def test_each_serial_number_has_its_own_eui64() -> None:
    one, two = (orm_formats.SocBoard.unpack(soc_board(serial)) for serial in ("A", "B"))
    assert one.eui64 != two.eui64
    assert one.eui64 >> 56 == two.eui64 >> 56 == 2
