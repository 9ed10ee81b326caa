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


def flags(*, flash_volatile: bool, unverified: bool) -> int:
    """SocBoard.flags. No board here has an NVRAM: DDR3 takes its place."""
    return (
        orm_formats.BOARD_NVRAM_VOLATILE
        | flash_volatile * orm_formats.BOARD_FLASH_VOLATILE
        | unverified * orm_formats.BOARD_UNVERIFIED
    )


def soc_board(serial: str, unverified: bool = False) -> bytes:
    """The record SocBoard of a device in DDR3 with this serial number, whose EUI-64 is made from it. `unverified`: what
    is loaded has no green record."""
    unique = b"\x02" + hashlib.sha256(serial.encode()).digest()[:7]  # 02h: given locally
    return orm_formats.SocBoard(
        mark=orm_formats.SOC_BOARD_MARK,
        version=orm_formats.SOC_BOARD_VERSION,
        log_level=1,
        flags=flags(flash_volatile=True, unverified=unverified),
        eui64=int.from_bytes(unique, "big"),
        serial=serial.encode("ascii"),
    ).pack()
