# SPDX-License-Identifier: Apache-2.0
"""Tests of FlashRegisters: a transfer delivers what was written to the page register, at the pace of the bus."""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.geometry import DIES_PER_CHANNEL, OOB_WORDS, WORDS_PER_SLOT
from sim.cocotb.support.stream import Pulse, Sink, Source


class TB:
    """Pulse write, Source send -> FlashRegisters -> Sink rdata."""

    def __init__(self, dut: Any, stalls: float = 0.0, word: int = 0) -> None:
        self.bench = Bench(dut)
        self.word = word
        self.write = Pulse(self.bench, "io_write")
        self.send = Source(self.bench, "io_send")
        self.rdata = Sink(self.bench, "io_rdata", stalls, stable=True)
        self.registers: dict[int, list[int]] = {}
        self.bench.write("io_word", word)

    async def fill(self, die: int) -> None:
        words = [self.bench.rng.getrandbits(128) for _ in range(WORDS_PER_SLOT + OOB_WORDS)]
        for n, data in enumerate(words):
            spare = n >= WORDS_PER_SLOT
            self.write.send(die=die, at_spare=int(spare), at_word=n - WORDS_PER_SLOT * spare, data=data)
        await self.write.sent()
        self.registers[die] = words

    def transfer(self, die: int, spare_only: bool, blank: bool = False) -> list[int]:
        """Begins one. Returns what is to come."""
        self.send.send(die=die, content_spareOnly=int(spare_only), content_blank=int(blank))
        words = self.registers[die][WORDS_PER_SLOT if spare_only else 0 :]
        return [0] * len(words) if blank else words

    async def words(self, count: int) -> list[int]:
        words = [await self.rdata.get() for _ in range(count)]
        assert [w["last"] for w in words] == [0] * (count - 1) + [1]
        return [w["data"] for w in words]


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.5], word=[0, 1, 5])
async def transfers_deliver_the_register(dut: Any, stalls: float, word: int) -> None:
    tb = TB(dut, stalls, word)
    await tb.bench.start()
    for die in range(DIES_PER_CHANNEL):
        await tb.fill(die)
    for _ in range(6):
        die = tb.bench.rng.randrange(DIES_PER_CHANNEL)
        spare_only = tb.bench.rng.random() < 0.5
        wanted = tb.transfer(die, spare_only, blank=spare_only and tb.bench.rng.random() < 0.3)
        began = tb.bench.cycle
        assert await tb.words(len(wanted)) == wanted
        took = tb.bench.cycle - began
        assert took >= (len(wanted) - 1) * (word + 1)
        if not stalls:
            assert took <= len(wanted) * (word + 1) + 8


@cocotb.test()
async def transfers_follow_each_other(dut: Any) -> None:
    """The second one is accepted while the words of the first are on their way. Other registers may change."""
    tb = TB(dut)
    await tb.bench.start()
    for die in range(DIES_PER_CHANNEL):
        await tb.fill(die)
    tb.rdata.hold = True
    first = tb.transfer(0, spare_only=False)
    second = tb.transfer(DIES_PER_CHANNEL - 1, spare_only=True)
    await tb.bench.clock(50)
    assert tb.send.pending == 1
    tb.rdata.hold = False
    assert await tb.words(len(first)) == first
    assert await tb.words(len(second)) == second
    third = tb.transfer(0, spare_only=False)
    await tb.bench.clock(4)
    await tb.fill(DIES_PER_CHANNEL - 1)
    assert await tb.words(len(third)) == third


def test_flash_registers(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("FlashRegisters")
