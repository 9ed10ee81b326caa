# SPDX-License-Identifier: Apache-2.0
"""Host buffers described by PRPs, as a driver builds them (NVMe base specification, Physical Region Page)."""

from __future__ import annotations

import random
from dataclasses import dataclass

from sim.cocotb.support.axi import PAGE, Memory

ENTRIES_PER_PAGE = PAGE // 8


@dataclass
class PrpBuffer:
    """A scattered buffer: the PRPs for the command, and the addresses of its bytes."""

    prp1: int
    prp2: int
    pieces: list[tuple[int, int]]  # (address, bytes) in order
    lists: list[int]  # addresses of the list's pages, from the first entry used on

    @property
    def size(self) -> int:
        return sum(size for _, size in self.pieces)

    def gather(self, memory: Memory) -> bytes:
        """Returns the buffer's content."""
        return b"".join(memory.read(addr, size) for addr, size in self.pieces)

    def scatter(self, memory: Memory, data: bytes) -> None:
        """Writes `data` into the buffer."""
        at = 0
        for addr, size in self.pieces:
            memory.write(addr, data[at : at + size])
            at += size


class PageSource:
    """Source of distinct random host pages above 4 GiB."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._used: set[int] = set()

    def page(self) -> int:
        while True:
            number = self._rng.randrange(1 << 20, 1 << 40)
            # Neighbouring pages stay free, so that a write past its page never hits another buffer.
            if not {number - 1, number, number + 1} & self._used:
                self._used.add(number)
                return number * PAGE


def build(memory: Memory, pages: PageSource, size: int, offset: int = 0, list_offset: int = 0) -> PrpBuffer:
    """Builds a buffer of `size` bytes that starts `offset` bytes into its first page.

    A list starts `list_offset` bytes into its first page, which decides where it needs a chain pointer.
    """
    pieces: list[tuple[int, int]] = []
    left, at = size, offset
    while left:
        part = min(PAGE - at, left)
        pieces.append((pages.page() + at, part))
        left, at = left - part, 0
    rest = [addr for addr, _ in pieces[1:]]
    if not rest:
        return PrpBuffer(pieces[0][0], 0, pieces, [])
    if len(rest) == 1:
        return PrpBuffer(pieces[0][0], rest[0], pieces, [])
    here = first = pages.page() + list_offset
    lists = [first]
    for index, entry in enumerate(rest):
        if here % PAGE == PAGE - 8 and index < len(rest) - 1:
            chained = pages.page()
            memory.write_int(here, chained, 8)
            here = chained
            lists.append(chained)
        memory.write_int(here, entry, 8)
        here += 8
    return PrpBuffer(pieces[0][0], first, pieces, lists)
