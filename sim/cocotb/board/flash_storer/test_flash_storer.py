# SPDX-License-Identifier: Apache-2.0
"""Tests of FlashStorer: the words of a program come to where their page is in DRAM, and nothing else does."""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.axi import AxiWriteMemory, Memory
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.flash import DATA_BYTES, SPARE_BYTES, random_page
from sim.cocotb.support.geometry import (
    DIES_PER_CHANNEL,
    OOB_WORDS,
    PAGES_PER_BLOCK,
    SLOTS_PER_PAGE,
    SUPERBLOCKS,
    WORD_BYTES,
    WORDS_PER_SLOT,
)
from sim.cocotb.support.nand import Page
from sim.cocotb.support.params import flash
from sim.cocotb.support.stream import Source, Watch

PAGES = SUPERBLOCKS * DIES_PER_CHANNEL * PAGES_PER_BLOCK
WORDS = SLOTS_PER_PAGE * (WORDS_PER_SLOT + OOB_WORDS)


class TB:
    """Source stream, words -> FlashStorer -> AxiWriteMemory; Watch stored."""

    def __init__(self, dut: Any, stalls: float = 0.0, gaps: float = 0.0, word: int = 0, latency: int = 10) -> None:
        self.bench = Bench(dut)
        self.memory = Memory()
        self.stream = Source(self.bench, "io_stream")
        self.words = Source(self.bench, "io_words", gaps)
        self.wr = AxiWriteMemory(self.bench, "io_wr", self.memory, stalls, stalls, latency)
        self.stored = Watch(self.bench, "io_stored")
        self.bench.write("io_word", word)

    def send(self, page: int, slots: Page, dropped: bool = False) -> None:
        self.stream.send(page=page, dropped=int(dropped))
        words = b"".join(data + spare for data, spare in slots)
        for i in range(WORDS):
            word = int.from_bytes(words[i * WORD_BYTES : (i + 1) * WORD_BYTES], "little")
            self.words.send(data=word, last=int(i + 1 == WORDS))

    def page(self, number: int) -> Page:
        slots = range(number * SLOTS_PER_PAGE, (number + 1) * SLOTS_PER_PAGE)
        return [
            (
                self.memory.read(flash("dataBase") + slot * DATA_BYTES, DATA_BYTES),
                self.memory.read(flash("spareBase") + slot * SPARE_BYTES, SPARE_BYTES),
            )
            for slot in slots
        ]


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.4], word=[0, 2])
async def words_become_a_page(dut: Any, stalls: float, word: int) -> None:
    tb = TB(dut, stalls, gaps=stalls / 2, word=word)
    await tb.bench.start()
    for number in [0, PAGES - 1, *tb.bench.rng.sample(range(PAGES), 3)]:
        slots = random_page(tb.bench.rng)
        began = tb.bench.cycle
        tb.send(number, slots)
        assert (await tb.stored.get())["bits"] == 0
        assert tb.bench.cycle - began >= (WORDS - 1) * (word + 1)
        assert tb.wr.outstanding == 0, "it was told before DRAM had answered"
        assert tb.page(number) == slots
        if stalls == 0 == word:
            assert tb.bench.cycle - began < WORDS + 60
    assert sum(beats for _, beats in tb.wr.bursts) == 5 * WORDS


@cocotb.test()
async def dropped_words_go_nowhere(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.send(3, random_page(tb.bench.rng), dropped=True)
    await tb.stored.get()
    assert not tb.wr.bursts
    slots = random_page(tb.bench.rng)
    tb.send(3, slots)
    await tb.stored.get()
    assert tb.page(3) == slots


@cocotb.test()
async def an_error_is_told(dut: Any) -> None:
    """Whichever word it is; and of the next page it is forgotten."""
    tb = TB(dut)
    await tb.bench.start()
    number = 7
    data, spare = (
        flash(f"{what}Base") + number * SLOTS_PER_PAGE * size for what, size in (("data", 4096), ("spare", 32))
    )
    for addr in (data, data + SLOTS_PER_PAGE * DATA_BYTES - 16, spare + SLOTS_PER_PAGE * SPARE_BYTES - 16):
        for fails in (True, False):
            if fails:
                tb.wr.fail(addr)
            tb.send(number, random_page(tb.bench.rng))
            assert (await tb.stored.get())["bits"] == fails
            tb.wr.heal()


@cocotb.test()
async def answers_are_waited_for(dut: Any) -> None:
    """DRAM that takes no words, and DRAM that does not answer."""
    tb = TB(dut)
    await tb.bench.start()
    tb.wr.aw.hold = tb.wr.w.hold = True
    tb.send(1, random_page(tb.bench.rng))
    await tb.bench.clock(100)
    assert 16 <= tb.words.sent < 64
    tb.wr.aw.hold = tb.wr.w.hold = False
    tb.wr.hold_resp = True
    await tb.words.drained()
    await tb.bench.clock(200)
    assert not tb.stored.seen
    tb.wr.hold_resp = False
    assert (await tb.stored.get())["bits"] == 0


def test_flash_storer(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("FlashStorer")


def test_flash_storer_wide(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("FlashStorer", config="wide")
