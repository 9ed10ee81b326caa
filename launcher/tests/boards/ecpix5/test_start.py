# SPDX-License-Identifier: Apache-2.0
"""launcher.boards.ecpix5.start: the order in which a board is started, and what is said when it is not one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from launcher.boards import sidecar
from launcher.boards.board import BoardFailed
from launcher.boards.ecpix5 import link
from launcher.boards.ecpix5 import start as starting
from launcher.firmware import images
from launcher.suites import verified
from launcher.tests.boards import green
from launcher.tests.boards.ecpix5.boards import Board, facts
from sim.cocotb.support import orm_formats

GOOD = [{(1, d) for d in range(8)}] * 2
IMAGE = bytes(range(250)) * 20


def run(board: Board, image: bytes = IMAGE, unverified: bool = False) -> list[str]:
    said: list[str] = []
    starting.start(board, facts(), image, "SN-1", said.append, unverified, sleep=lambda seconds: None)
    return said


@pytest.mark.parametrize("unverified", [False, True])
def test_starts_a_board(unverified: bool) -> None:
    board = Board(GOOD)
    said = run(board, unverified=unverified)
    volatile = orm_formats.BOARD_NVRAM_VOLATILE | orm_formats.BOARD_FLASH_VOLATILE
    volatile |= orm_formats.BOARD_UNVERIFIED if unverified else 0
    controls = [line for line in board.log if line.startswith("control")]
    assert controls == ["control 0", "control 5", "control 3"]
    kept = b"".join(board.memory[at].to_bytes(4, "little") for at in range(0, len(IMAGE), 4))
    assert kept == IMAGE
    record = b"".join(board.memory[0x3FFC0 + at].to_bytes(4, "little") for at in range(0, 64, 4))
    assert orm_formats.SocBoard.good(record)
    assert orm_formats.SocBoard.unpack(record).serial.rstrip(b"\0") == b"SN-1"
    assert orm_formats.SocBoard.unpack(record).flags == volatile
    assert said[0] == "DDR3, byte 0: shift 1, delay 3; 8 delays work"
    assert said[-1] == "the firmware runs"


def test_an_image_that_is_too_long_is_refused() -> None:
    board = Board(GOOD)
    with pytest.raises(BoardFailed, match="has 262144 bytes, and there is room for 262080"):
        run(board, bytes(0x40000))
    assert board.log == []


def test_memory_that_keeps_nothing_is_told_of() -> None:
    board = Board(GOOD)
    board.bad_words = {0x5000_0010}
    with pytest.raises(BoardFailed, match="1 of 4 blocks at 0x50000000 do not read as they were written"):
        run(board)


def test_ddr3_that_cannot_be_read_is_told_of() -> None:
    with pytest.raises(BoardFailed, match="byte 0 cannot be read"):
        run(Board([set(), set()]))


@pytest.mark.parametrize(("state", "said"), [(3, "failed"), (1, "starting"), (0, "none")])
def test_a_firmware_that_does_not_come_up_is_told_of(state: int, said: str) -> None:
    board = Board(GOOD)
    board.state = [state]
    with pytest.raises(BoardFailed, match=f"state is '{said}'; the serial console"):
        run(board)


def test_facts_of_no_build_are_asked_for(tmp_path: Path) -> None:
    with pytest.raises(BoardFailed, match=r"host.json.*board build ecpix5"):
        starting.read_facts(tmp_path / "host.json")


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A build's folder, and what is started: nothing but a name."""
    green.own_record(tmp_path, monkeypatch)
    started: list[str] = []

    class Link:
        def __init__(self, *_: object) -> None:
            pass

        def close(self) -> None:
            pass

    (tmp_path / "host.json").write_text(json.dumps({"link": {"port": 1, "words": 1}}))
    (tmp_path / "firmware.bin").write_bytes(IMAGE)
    (tmp_path / starting.BITSTREAM).write_text("bits")
    sidecar.write(tmp_path / starting.BITSTREAM, "ecpix5", "ecpix5", green.HERE)
    monkeypatch.setattr(link, "Link", Link)
    monkeypatch.setattr(images, "build", lambda ports: None)
    monkeypatch.setattr(images, "LITEX_IMAGE", tmp_path / "firmware.bin")

    def start(bus: object, facts: object, image: bytes, serial: str, say: object, unverified: bool) -> None:
        started.append(f"{serial}, unverified" if unverified else serial)

    monkeypatch.setattr(starting, "start", start)
    return started


def test_only_what_was_verified_is_started(tmp_path: Path, built: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    with pytest.raises(BoardFailed, match="not verified: no green record of scala, native, soc, cocotb"):
        starting.start_board(tmp_path, "host", "SN-1", said.append)
    assert (said, built) == ([], [])
    green.make()
    starting.start_board(tmp_path, "host", "SN-1", said.append)
    assert built == ["SN-1"] and said[0].startswith(f"{starting.BITSTREAM}: verified")
    # The firmware that is started is that of the tree, whatever the bitstream was built with.
    monkeypatch.setattr(verified, "digests", lambda: green.OLDER)
    with pytest.raises(BoardFailed, match="no green record"):
        starting.start_board(tmp_path, "host", "SN-1", said.append)


def test_a_firmware_that_changes_while_it_is_built_is_not_started(
    tmp_path: Path, built: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    green.make()
    monkeypatch.setattr(images, "build", lambda ports: monkeypatch.setattr(verified, "digests", lambda: green.OLDER))
    with pytest.raises(BoardFailed, match="the sources changed meanwhile"):
        starting.start_board(tmp_path, "host", "SN-1", print)
    assert built == []


def test_a_start_by_force_is_told_from_then_on(tmp_path: Path, built: list[str]) -> None:
    said: list[str] = []
    starting.start_board(tmp_path, "host", "SN-1", said.append, force=True)
    assert built == ["SN-1, unverified"] and said[0].startswith("warning: ")
    green.make()
    said.clear()
    starting.start_board(tmp_path, "host", "SN-2", said.append)
    assert said[0].startswith(f"warning: {starting.BITSTREAM} was loaded by --force on ")
