# SPDX-License-Identifier: Apache-2.0
"""Tests of Tiger4Streams: words of a slot go out in order, those of a page come into one of two buffers."""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.geometry import OOB_WORDS, SLOTS_PER_PAGE, WORD_BYTES, WORDS_PER_SLOT
from sim.cocotb.support.stream import Pulse, Sink, Source, Transaction, Watch

SLOT_WORDS = WORDS_PER_SLOT + OOB_WORDS
LOAD_CYCLES = 3


class TB:
    """wdata, rdata <-> Tiger4Streams <-> this: a memory whose words are what `word_of` says of their place."""

    def __init__(self, dut: Any, gaps: float = 0.0, stalls: float = 0.0) -> None:
        self.bench = Bench(dut)
        self.transfer = Source(self.bench, "io_transfer")
        self.program = Source(self.bench, "io_program")
        self.wdata = Source(self.bench, "io_wdata", gaps)
        self.rdata = Sink(self.bench, "io_rdata", stalls, stable=True)
        self.freed = Pulse(self.bench, "io_freed")
        self.filled = Watch(self.bench, "io_filled")
        Watch(self.bench, "io_store", on_seen=self._store)
        self.stored: dict[int, dict[int, int]] = {}  # by buffer: word of the page -> data
        self._asked: list[int] = [0] * LOAD_CYCLES
        self.bench.add(self)

    @staticmethod
    def word_of(way: int, word: int) -> int:
        return ((way << 64) * 0x9E3779B97F4A7C15 ^ word * 0xBF58476D1CE4E5B9 ^ way) % (1 << 128)

    def _store(self, t: Transaction) -> None:
        word = t["word"] + (WORDS_PER_SLOT if t["spare"] else 0)
        page = self.stored.setdefault(t["buf"], {})
        at = t["sub"] * SLOT_WORDS + word
        assert at not in page, "a word is stored twice"
        page[at] = t["data"]

    def drive(self) -> None:
        self.bench.write("io_loaded", self._asked[0])

    def sample(self) -> None:
        word = self.bench.read("io_load_bits_word") + WORDS_PER_SLOT * self.bench.read("io_load_bits_spare")
        asked = self.word_of(self.bench.read("io_load_bits_way"), word) if self.bench.read("io_load_valid") else 0
        self._asked = [*self._asked[1:], asked]

    def send_page(self) -> list[int]:
        words = [self.bench.rng.getrandbits(8 * WORD_BYTES) for _ in range(SLOTS_PER_PAGE * SLOT_WORDS)]
        for i, word in enumerate(words):
            self.wdata.send(data=word, last=int(i == len(words) - 1))
        return words


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.5])
async def a_slot_goes_out(dut: Any, stalls: float) -> None:
    """A word a cycle; after a probe the spare words only; of a bad block zeroes."""
    tb = TB(dut, stalls=stalls)
    await tb.bench.start()
    for way, short, blank in [(3, 0, 0), (7, 1, 0), (0, 1, 1), (6, 0, 0)]:
        tb.transfer.send(way=way, short=short, blank=blank)
        first = WORDS_PER_SLOT if short else 0
        began = tb.bench.cycle
        for word in range(first, SLOT_WORDS):
            t = await tb.rdata.get()
            assert t == {"data": 0 if blank else tb.word_of(way, word), "last": int(word == SLOT_WORDS - 1)}
        if not stalls:
            assert tb.bench.cycle - began < SLOT_WORDS - first + 12


@cocotb.test()
@cocotb.parametrize(gaps=[0.0, 0.4])
async def pages_come_into_two_buffers(dut: Any, gaps: float) -> None:
    """The third one waits until a buffer is free, in front of the unit."""
    tb = TB(dut, gaps=gaps)
    await tb.bench.start()
    pages = {}
    for way in (2, 5):
        tb.program.send(bits=way)
        await tb.program.drained()
        words = tb.send_page()
        got = await tb.filled.get()
        assert got["way"] == way and got["buf"] not in pages
        pages[got["buf"]] = words
        assert tb.stored[got["buf"]] == dict(enumerate(words))
    tb.program.send(bits=1)
    words = tb.send_page()
    await tb.bench.clock(3000)
    assert not tb.filled.seen and tb.wdata.pending > len(words) - 4
    tb.stored.pop(1)
    tb.freed.send(bits=1)
    got = await tb.filled.get()
    assert (got["way"], got["buf"]) == (1, 1) and tb.stored[1] == dict(enumerate(words))
    assert tb.stored[0] == dict(enumerate(pages[0]))


def test_tiger4_streams(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("Tiger4Streams", config="cosmos2")
