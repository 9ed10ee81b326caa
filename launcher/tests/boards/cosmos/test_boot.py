# SPDX-License-Identifier: Apache-2.0
"""Boot images: bootgen makes one, and our reader finds in it what went in, or what is wrong."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest

from launcher.boards.board import BoardFailed
from launcher.boards.cosmos import board_facts, boot, memory_map
from launcher.tests.firmware.test_remote import generated

FACTS = board_facts.load()
formats: Any = generated("orm_formats")
CODE = 0x0010_0000
DATA = 0x0020_4000


def elf(segments: list[tuple[int, bytes]], entry: int = CODE) -> bytes:
    """An ELF file for ARM with these segments (address, bytes)."""
    head = 52 + 32 * len(segments)
    table, content = b"", b""
    for address, data in segments:
        at = head + len(content)
        table += struct.pack("<8I", 1, at, address, address, len(data), len(data), 7, 4)
        content += data
    start = b"\x7fELF\x01\x01\x01" + bytes(9)
    return (
        start
        + struct.pack("<HHIIIIIHHHHHH", 2, 40, 1, entry, 52, 0, 0x5000200, 52, 32, len(segments), 0, 0, 0)
        + table
        + content
    )


@pytest.fixture
def made(tmp_path: Path) -> tuple[bytes, bytes, bytes]:
    """A boot image by bootgen, its ELF file and its record."""
    folder = tmp_path
    file, record = elf([(CODE, bytes(range(64))), (DATA, b"variables...")]), boot.board_record(FACTS, "OR0123456789")
    (folder / "firmware.elf").write_bytes(file)
    (folder / "board.bin").write_bytes(record)
    bif = folder / "boot.bif"
    bif.write_text(boot.bif(["firmware.elf", boot.record_part("board.bin")]))
    boot.make_image(bif, folder / "boot.bin")
    return (folder / "boot.bin").read_bytes(), file, record


def test_the_record_is_one_that_firmware_takes() -> None:
    packed = boot.board_record(FACTS, "OR0123456789")
    record = formats.SocBoard.unpack(packed)
    assert record.good(packed) and record.mark == formats.SOC_BOARD_MARK and record.version == formats.SOC_BOARD_VERSION
    assert record.serial.rstrip(b"\0") == b"OR0123456789" and record.timer_hz == 500_000_000
    assert record.flags == formats.BOARD_NVRAM_VOLATILE  # its flash is flash
    forced = formats.SocBoard.unpack(boot.board_record(FACTS, "OR0123456789", unverified=True))
    assert forced.flags == formats.BOARD_NVRAM_VOLATILE | formats.BOARD_UNVERIFIED
    first = record.eui64 >> 56
    assert first & 0x0F == 0x02  # administered locally, and no group
    assert record.eui64 != formats.SocBoard.unpack(boot.board_record(FACTS, "OR0123456780")).eui64


def test_what_went_in_is_found(made: tuple[bytes, bytes, bytes]) -> None:
    image, file, record = made
    parts = boot.parts_of(image)
    place = memory_map.region("board").address
    assert [(part.load, part.entry) for part in parts] == [(CODE, CODE), (DATA, 0), (place, 0)]
    assert boot.image_problems(image, file, record) == []


@pytest.mark.parametrize(
    ("at", "why"),
    [(0x20, "its header"), (0x24, "its header"), (0x48, "sum over its header"), (0xC8C, "sum over the part")],
)
def test_a_flipped_bit_is_found(made: tuple[bytes, bytes, bytes], at: int, why: str) -> None:
    image = bytearray(made[0])
    image[at] ^= 1
    with pytest.raises(BoardFailed, match=why):
        boot.parts_of(bytes(image))


def test_another_firmware_is_found(made: tuple[bytes, bytes, bytes]) -> None:
    image, _, record = made
    other = elf([(CODE, bytes(range(1, 65))), (DATA, b"variables...")])
    assert boot.image_problems(image, other, record) == [
        "boot image: the firmware's 64 bytes at 0x100000 are not in it"
    ]
    moved = elf([(CODE, bytes(range(64))), (DATA, b"variables...")], entry=CODE + 4)
    assert boot.image_problems(image, moved, record) == ["boot image: it does not start the firmware"]


def test_another_record_is_found(made: tuple[bytes, bytes, bytes]) -> None:
    image, file, _ = made
    wrong = boot.image_problems(image, file, boot.board_record(FACTS, "OTHER"))
    assert wrong == [f"boot image: the board's record is not at {memory_map.region('board').address:#x}"]


def test_an_image_that_is_cut_is_refused(made: tuple[bytes, bytes, bytes]) -> None:
    for size, why in ((100, "header"), (0xC80, "no end"), (0xD80, "beyond its end")):
        with pytest.raises(BoardFailed, match=why):
            boot.parts_of(made[0][:size])


@pytest.mark.parametrize(
    ("file", "why"),
    [
        (b"", "no ELF file"),
        (b"\x7fELF\x02\x01" + bytes(60), "no ELF file"),
        (elf([(CODE, b"abcd")])[:60], "program headers"),
        (elf([(CODE, b"abcd")])[:-1], "segment"),
    ],
)
def test_what_is_no_elf_file_is_refused(file: bytes, why: str) -> None:
    with pytest.raises(BoardFailed, match=why):
        boot.segments(file)


def test_bootgen_says_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / "boot.bif").write_text(boot.bif(["none.elf"]))
    with pytest.raises(BoardFailed, match=r"none\.elf"):
        boot.make_image(tmp_path / "boot.bif", tmp_path / "boot.bin")


def test_the_header_takes_a_stamp(made: tuple[bytes, bytes, bytes], tmp_path: Path) -> None:
    stamp = bytes(range(100, 176))
    (tmp_path / "stamp.txt").write_text(stamp.hex())
    (tmp_path / "boot.bif").write_text(
        boot.bif([boot.stamp_part("stamp.txt"), "firmware.elf", boot.record_part("board.bin")])
    )
    boot.make_image(tmp_path / "boot.bif", tmp_path / "stamped.bin")
    image = (tmp_path / "stamped.bin").read_bytes()
    assert boot.stamp_of(image) == stamp and boot.stamp_problems(image, stamp) == []
    assert boot.stamp_problems(image, bytes(76)) == ["boot image: the stamp is not in its header"]
    assert boot.stamp_of(made[0]) == bytes(76)
    assert boot.image_problems(image, made[1], made[2]) == []
