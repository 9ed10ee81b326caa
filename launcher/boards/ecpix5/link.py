# SPDX-License-Identifier: Apache-2.0
"""The PC's end of the link: words on the board's bus, by Etherbone over UDP.

Of Etherbone there is what LiteEth answers: packets of one record, 32-bit addresses and data. UDP loses packets. A read
that is not answered is asked again. A write has no answer: what must have arrived is read back (`store`).
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Sequence
from typing import Protocol

_HEADER = struct.pack(">HBBI", 0x4E6F, 0x10, 0x44, 0)  # magic; version 1; addresses and data of 32 bits; padding
_RECORD = struct.Struct(">BBBB")  # flags, byte enables, words to write, words to read
_WORD = struct.Struct(">I")
_BYTES = 0xF
PATIENCE = 0.5  # seconds for an answer
TRIES = 6


class LinkFailed(Exception):  # noqa: N818 - reads as what happened
    """The board does not answer, or answers something else."""


class Bus(Protocol):
    """What the programs that start the board need: words of 32 bits at addresses of bytes."""

    def read(self, address: int, count: int = 1) -> list[int]: ...

    def write(self, address: int, words: Sequence[int]) -> None: ...


class Link:
    """A bus behind `host` and UDP `port`. `words`: how many a record may have, its address included.

    The board answers to `port` of this machine, wherever a question comes from: one program at a time has the board.
    `here`: this machine's address, if it has several.
    """

    def __init__(self, host: str, port: int, words: int, here: str = "") -> None:
        self._most = words - 1
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.settimeout(PATIENCE)
        self._mark = 0  # comes back with the answer to a read
        self._host = host
        try:
            self._socket.bind((here, port))
        except OSError as error:
            self._socket.close()
            raise LinkFailed(
                f"UDP port {port}: {error.strerror or error}; another program may have the board"
            ) from error
        try:
            self._socket.connect((host, port))
        except OSError as error:
            self._socket.close()
            raise LinkFailed(f"{host}: {error.strerror or error}") from error

    def address(self) -> tuple[str, int]:
        """Of the board: host and UDP port."""
        host, port = self._socket.getpeername()
        return host, port

    def close(self) -> None:
        self._socket.close()

    def read(self, address: int, count: int = 1) -> list[int]:
        found: list[int] = []
        while len(found) < count:
            most = min(count - len(found), self._most)
            found += self._ask([address + 4 * (len(found) + i) for i in range(most)])
        return found

    def write(self, address: int, words: Sequence[int]) -> None:
        for begin in range(0, len(words), self._most):
            part = words[begin : begin + self._most]
            record = _RECORD.pack(0, _BYTES, len(part), 0) + _WORD.pack(address + 4 * begin)
            self._send(_HEADER + record + b"".join(map(_WORD.pack, part)))

    def _ask(self, addresses: list[int]) -> list[int]:
        self._mark = (self._mark + 1) & 0xFFFF_FFFF
        record = _RECORD.pack(0, _BYTES, 0, len(addresses)) + _WORD.pack(self._mark)
        packet = _HEADER + record + b"".join(map(_WORD.pack, addresses))
        for _ in range(TRIES):
            self._send(packet)
            try:
                while True:  # answers to earlier questions may still come
                    words = self._answer(self._socket.recv(2048), len(addresses))
                    if words is not None:
                        return words
            except TimeoutError:
                continue
            except OSError as error:
                raise LinkFailed(f"{self._host}: {error.strerror or error}") from error
        raise LinkFailed(f"{self._host}: no answer from the board within {TRIES * PATIENCE:.0f} s")

    def _answer(self, packet: bytes, count: int) -> list[int] | None:
        """The words of the answer to the last question; None if it is another packet."""
        head = len(_HEADER) + _RECORD.size + _WORD.size
        if len(packet) < head or packet[:2] != _HEADER[:2]:
            return None
        _, _, written, _ = _RECORD.unpack_from(packet, len(_HEADER))
        (mark,) = _WORD.unpack_from(packet, head - _WORD.size)
        if mark != self._mark or written != count or len(packet) < head + 4 * count:
            return None
        return [word for (word,) in _WORD.iter_unpack(packet[head : head + 4 * count])]

    def _send(self, packet: bytes) -> None:
        try:
            self._socket.send(packet)
        except OSError as error:
            raise LinkFailed(f"{self._host}: {error.strerror or error}") from error


def store(bus: Bus, address: int, words: Sequence[int]) -> None:
    """Writes to memory, reads back, and writes again what has not arrived. Raises LinkFailed."""
    wrong = list(range(0, len(words), 64))
    for _ in range(TRIES):
        for begin in wrong:
            bus.write(address + 4 * begin, words[begin : begin + 64])
        wrong = [b for b in wrong if bus.read(address + 4 * b, len(words[b : b + 64])) != list(words[b : b + 64])]
        if not wrong:
            return
    raise LinkFailed(f"{len(wrong)} of {-(-len(words) // 64)} blocks at {address:#x} do not read as they were written")
