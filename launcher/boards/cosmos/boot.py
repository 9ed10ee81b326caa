# SPDX-License-Identifier: Apache-2.0
"""What a Zynq boots from: the SocBoard record, the list of parts for bootgen, and the boot image's format.

A boot image is a header of 2240 bytes, tables, and parts. Header and table entries are little-endian words; an entry's
last word makes the sum of the entry all ones (UG585, chapter 6; UG821).
"""

from __future__ import annotations

import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path

from launcher.boards import board_packages, identity
from launcher.boards.board import BoardFailed
from launcher.boards.cosmos import memory_map, ps7_rules
from launcher.boards.cosmos.board_facts import Facts

_MAGIC = 0x584C4E58  # XLNX, its first letter in the upper bits
_WIDTH = 0xAA995566  # tells the boot ROM how wide the flash is
_STAMP_AT, _STAMP_BYTES = 0x4C, 76  # the header's field for its user, over which it has no sum
_ENTRY = 64  # bytes of a partition's entry
_ELF = b"\x7fELF"
_LOADABLE = 1
_TIMEOUT = 120  # seconds, for bootgen


@dataclass(frozen=True)
class Part:
    """A part of a boot image: where it is loaded, where execution begins (0: it is data), and its bytes."""

    load: int
    entry: int
    data: bytes


def board_record(facts: Facts, serial: str, unverified: bool = False) -> bytes:
    """The SocBoard record: what the firmware is told of its device. `unverified`: its sources have no green record."""
    hz = ps7_rules.cpu_hz(facts) // 2
    return identity.soc_board(serial, flash_volatile=False, unverified=unverified, timer_hz=hz)


def bif(parts: list[str]) -> str:
    """The list for bootgen. A part is a file, with attributes in brackets before it. The board's record comes behind
    the firmware: the first part that is no bitstream is what the boot stage starts."""
    return "\n".join(["the_ROM_image:", "{", *(f"  {part}" for part in parts), "}", ""])


def record_part(file: str) -> str:
    """The line of the SocBoard record."""
    return f"[load = {memory_map.region('board').address:#010x}] {file}"


def stamp_part(file: str) -> str:
    """The line of the stamp: a text file with the bytes of the header's user field in hexadecimal digits."""
    return f"[udf_bh] {file}"


def stamp_of(image: bytes) -> bytes:
    """The user field of a boot image's header."""
    return image[_STAMP_AT : _STAMP_AT + _STAMP_BYTES]


def stamp_problems(image: bytes, stamp: bytes) -> list[str]:
    """What is wrong with the stamp in a boot image."""
    return [] if stamp_of(image) == stamp else ["boot image: the stamp is not in its header"]


def make_image(bif_file: Path, image: Path) -> None:
    """Runs bootgen. Raises BoardFailed with what it says."""
    bootgen = board_packages.find("bootgen")
    command = [bootgen.path, "-arch", "zynq", "-image", str(bif_file), "-o", str(image), "-w", "on"]
    try:
        done = subprocess.run(
            command,
            cwd=bif_file.parent,
            env=bootgen.environment,
            capture_output=True,
            text=True,
            timeout=_TIMEOUT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise BoardFailed(f"bootgen: has not ended after {_TIMEOUT} s") from None
    if done.returncode != 0 or not image.is_file():
        said = [line.strip() for line in (done.stdout + done.stderr).splitlines() if "ERROR" in line.upper()]
        raise BoardFailed(f"bootgen: {'; '.join(said) or 'made no image'}")


def parts_of(image: bytes) -> list[Part]:
    """The parts of a boot image. Raises BoardFailed when it is none."""
    if len(image) < 0x8C0 or _word(image, 0x24) != _MAGIC or _word(image, 0x20) != _WIDTH:
        raise BoardFailed("boot image: its header is none of a Zynq-7000")
    if sum(struct.unpack_from("<11I", image, 0x20)) & 0xFFFFFFFF != 0xFFFFFFFF:
        raise BoardFailed("boot image: the sum over its header is wrong")
    at = _word(image, 0x9C)
    found: list[Part] = []
    while at + _ENTRY <= len(image):
        words = struct.unpack_from("<16I", image, at)
        if words[0] == 0 and words[1] == 0:
            return found
        if sum(words) & 0xFFFFFFFF != 0xFFFFFFFF:
            raise BoardFailed(f"boot image: the sum over the part's entry at {at:#x} is wrong")
        length, load, entry, offset = words[1] * 4, words[3], words[4], words[5] * 4
        if offset + length > len(image):
            raise BoardFailed(f"boot image: the part at {offset:#x} is beyond its end")
        found.append(Part(load, entry, image[offset : offset + length]))
        at += _ENTRY
    raise BoardFailed("boot image: its table of parts has no end")


def _word(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 4], "little")


def segments(elf: bytes) -> list[Part]:
    """What an ELF file of 32 bits loads: segments with bytes. Raises BoardFailed for another file."""
    if elf[:6] != _ELF + b"\x01\x01" or len(elf) < 52:
        raise BoardFailed("no ELF file of 32 bits, little endian")
    entry, table = struct.unpack_from("<II", elf, 24)
    size, count = struct.unpack_from("<HH", elf, 42)
    found = []
    for i in range(count):
        if table + (i + 1) * size > len(elf) or size < 32:
            raise BoardFailed("ELF file: its program headers are beyond its end")
        kind, offset, _, physical, in_file = struct.unpack_from("<5I", elf, table + i * size)
        if kind == _LOADABLE and in_file:
            if offset + in_file > len(elf):
                raise BoardFailed("ELF file: a segment is beyond its end")
            found.append(Part(physical, entry, elf[offset : offset + in_file]))
    return found


def image_problems(image: bytes, elf: bytes, record: bytes) -> list[str]:
    """What is wrong with the firmware and the record in a boot image, one line each."""
    parts = parts_of(image)
    found = []
    for segment in segments(elf):
        part = next((part for part in parts if part.load == segment.load), None)
        if part is None or part.data[: len(segment.data)] != segment.data:
            found.append(f"boot image: the firmware's {len(segment.data)} bytes at {segment.load:#x} are not in it")
    place = memory_map.region("board")
    part = next((part for part in parts if part.load == place.address), None)
    if part is None or part.data[: place.bytes] != record:
        found.append(f"boot image: the board's record is not at {place.address:#x}")
    starts = [part.entry for part in parts if part.entry]
    if starts[:1] != [segments(elf)[0].entry]:
        found.append("boot image: it does not start the firmware")
    return found
