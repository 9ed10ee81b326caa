# SPDX-License-Identifier: Apache-2.0
"""Who a device of a board is: its serial number, and the record SocBoard that its firmware reads."""

from __future__ import annotations

import hashlib
import secrets
from pathlib import Path

from launcher.boards.board import BoardFailed
from sim.cocotb.support import orm_formats


def serial_of(path: Path) -> str:
    """The serial number of a device, which is drawn once and kept in this file. Raises BoardFailed."""
    try:
        if not path.is_file():
            path.write_text(f"OR{secrets.token_hex(5).upper()}\n")
        serial = path.read_text().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise BoardFailed(f"{path}: {error}") from None
    if not serial.isascii() or not serial.isalnum() or not 3 <= len(serial) <= 20:
        raise BoardFailed(f"{path}: '{serial[:40]}' is no serial number: 3 to 20 letters and digits")
    return serial


def soc_board(serial: str, *, flash_volatile: bool = True, unverified: bool = False, timer_hz: int = 0) -> bytes:
    """The record SocBoard of a device with this serial number, whose EUI-64 is made from it. No board here has an
    NVRAM: DDR3 takes its place. `flash_volatile`: the flash is DDR3, too. `unverified`: what is loaded has no green
    record. `timer_hz`: of a Zynq."""
    unique = b"\x02" + hashlib.sha256(serial.encode()).digest()[:7]  # 02h: given locally
    return orm_formats.SocBoard(
        mark=orm_formats.SOC_BOARD_MARK,
        version=orm_formats.SOC_BOARD_VERSION,
        log_level=1,
        eui64=int.from_bytes(unique, "big"),
        serial=serial.encode("ascii"),
        timer_hz=timer_hz,
        flags=orm_formats.BOARD_NVRAM_VOLATILE
        | flash_volatile * orm_formats.BOARD_FLASH_VOLATILE
        | unverified * orm_formats.BOARD_UNVERIFIED,
    ).pack()
