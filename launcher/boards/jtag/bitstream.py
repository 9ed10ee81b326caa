# SPDX-License-Identifier: Apache-2.0
"""Files with a bitstream of Xilinx's 7 series: .bit, which has a header, and .bin, which has none."""

from __future__ import annotations

import random
import re

from launcher.boards.board import BoardFailed

SYNC = bytes.fromhex("AA995566")
# A .bit file begins with a field of nine bytes and the number 1; then fields with a letter, a length and a text follow,
# and last the letter e, a length of four bytes, and the bitstream.
_BEGIN = bytes.fromhex("00090FF00FF00FF00FF0000001")
_FIELDS = b"abcd"
_USER_ID = re.compile(rb"UserID=0[xX]([0-9a-fA-F]{1,8})")  # in the first text of the header
NO_USER_ID = 0xFFFF_FFFF  # what a project has that sets none
_WIDTH = bytes.fromhex("000000BB11220044")  # for parallel loading: it tells how wide the port is
_PREAMBLE = 4096  # bytes in which the synchronisation word comes


def configuration(file: bytes) -> bytes:
    """What a file configures an FPGA with, from the synchronisation word on. Raises BoardFailed."""
    data = _payload(file) if file.startswith(_BEGIN) else file
    at = data[:_PREAMBLE].find(SYNC)
    if at < 0:
        raise BoardFailed("no bitstream: the synchronisation word AA995566 does not come")
    return data[at:]


def _payload(file: bytes) -> bytes:
    at = len(_BEGIN)
    for letter in _FIELDS:
        length = int.from_bytes(file[at + 1 : at + 3], "big")
        if file[at : at + 1] != bytes([letter]) or at + 3 + length > len(file):
            raise BoardFailed(f"no bitstream: the header has no field '{chr(letter)}'")
        at += 3 + length
    length = int.from_bytes(file[at + 1 : at + 5], "big")
    if file[at : at + 1] != b"e" or at + 5 + length != len(file):
        raise BoardFailed("no bitstream: the header's length is not that of the file")
    return file[at + 5 :]


def user_id(file: bytes) -> int | None:
    """The user ID in the header of a .bit file; None where there is none, or no header."""
    if not file.startswith(_BEGIN):
        return None
    length = int.from_bytes(file[len(_BEGIN) + 1 : len(_BEGIN) + 3], "big")
    found = _USER_ID.search(file[len(_BEGIN) + 3 : len(_BEGIN) + 3 + length])
    told = int(found[1], 16) if found else NO_USER_ID
    return None if told == NO_USER_ID else told


def stand_in(part: str, size: int, seed: int = 1, user_id: int = NO_USER_ID) -> bytes:
    """A .bit file with as many bytes of configuration as the part's bitstreams have, and random content. It is for
    models only: a real FPGA would refuse it, because its commands mean nothing."""
    words = [b"\xff" * 32, _WIDTH, b"\xff" * 8, SYNC]
    words.append(random.Random(seed).randbytes(size - sum(map(len, words))))
    name = f"stand_in;UserID=0X{user_id:08X}"
    texts = {b"a": name.encode(), b"b": part.encode(), b"c": b"2000/01/01", b"d": b"00:00:00"}
    fields = [letter + _field(text) for letter, text in texts.items()]
    return _BEGIN + b"".join(fields) + b"e" + size.to_bytes(4, "big") + b"".join(words)


def _field(text: bytes) -> bytes:
    return (len(text) + 1).to_bytes(2, "big") + text + b"\0"
