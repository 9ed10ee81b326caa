# SPDX-License-Identifier: Apache-2.0
"""What the memories of the Acorn's CPU hold."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from launcher.boards.acorn import design, firmware, project
from launcher.boards.board import BoardFailed
from launcher.env.paths import ROOT
from launcher.tests.boards.acorn import controller
from sim.cocotb.support import orm_formats

PLACES = {"rom": 0, "board": 0x3FFC0, "rom_bytes": 0x40000}


def test_words_are_little_endian_and_memories_are_filled_up() -> None:
    assert firmware.contents(bytes(range(1, 7)), 12) == "04030201\n00000605\n00000000\n"
    with pytest.raises(BoardFailed, match="13 bytes do not fit into a memory of 12"):
        firmware.contents(bytes(13), 12)


def test_the_record_stands_at_the_end_of_the_rom() -> None:
    rom = firmware.rom(b"\x13\0\0\0", "A1B2C3", PLACES)
    assert rom[:8] == b"\x13" + bytes(7)
    record = orm_formats.SocBoard.unpack(rom[PLACES["board"] :])
    assert record.serial.rstrip(b"\0") == b"A1B2C3"
    assert record.flags & orm_formats.BOARD_UNVERIFIED == 0
    forced = firmware.rom(b"\x13\0\0\0", "A1B2C3", PLACES, unverified=True)[PLACES["board"] :]
    assert orm_formats.SocBoard.unpack(forced).flags & orm_formats.BOARD_UNVERIFIED
    assert len(rom) <= PLACES["rom_bytes"]
    with pytest.raises(BoardFailed, match="there is room for 262080"):
        firmware.rom(bytes(0x3FFC1), "A1B2C3", PLACES)


def test_the_start_is_compiled_for_its_soc(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the addresses that LiteX has given to registers; its first instruction is at its memory's beginning."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        controller.write(folder / "rtl")
        command = [sys.executable, "-m", "soc.boards.generate", design.CONFIG, "--rtl", str(folder / "rtl")]
        subprocess.run([*command, "--out", str(folder)], cwd=ROOT, check=True)
        monkeypatch.setattr(project, "WORK", folder)
        host = project.host()
        header = firmware.facts_header(host)
        assert f"#define START_CONTROL {host['registers']['boot_control']:#x}u" in header
        assert host["dram"] == {
            "phases": 4, "read": 2, "write": 3, "bytes": 2, "phase_bytes": 4, "delays": 32, "slips": 8
        }  # fmt: skip
        program = firmware.start_program(host, folder)
        assert 0 < len(program) <= host["places"]["start_bytes"]
        # csrw mie, zero
        assert int.from_bytes(program[:4], "little") == 0x30401073
