# SPDX-License-Identifier: Apache-2.0
"""Tests of ReadReturner: the bus gets each slot's data once, in the order of delivery."""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.axi import OKAY, SLVERR
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.stream import Pulse, Sink, Source

SLOTS = 8
SLOT_BEATS = 32


class TB:
    def __init__(self, dut: Any, stalls: float = 0.0, gaps: float = 0.0) -> None:
        self.bench = Bench(dut)
        self.write = Pulse(self.bench, "io_write")
        self.deliver = Source(self.bench, "io_deliver", gaps)
        self.r = Sink(self.bench, "io_r", stalls, stable=True)

    async def fill(self, slot: int, beats: int) -> list[int]:
        data = [self.bench.rng.getrandbits(128) for _ in range(beats)]
        for i, word in enumerate(data):
            self.write.send(place=slot * SLOT_BEATS + i, data=word)
        await self.write.sent()
        return data

    async def beats(self, count: int) -> list[tuple[int, int, int]]:
        got = [await self.r.get() for _ in range(count)]
        return [(t["data"], t["resp"], t["last"]) for t in got]


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.6], gaps=[0.0, 0.6])
async def data_come_in_order(dut: Any, stalls: float, gaps: float) -> None:
    tb = TB(dut, stalls, gaps)
    await tb.bench.start()
    rng = tb.bench.rng
    for _ in range(5):
        want = []
        for slot in range(SLOTS):
            beats, last, failed = rng.choice([1, 2, 3, 8, 32]), rng.getrandbits(1), int(rng.random() < 0.3)
            data = await tb.fill(slot, beats)
            tb.deliver.send(slot=slot, beats=beats, last=last, failed=failed)
            want += [(0 if failed else word, SLVERR if failed else OKAY, int(last and i == beats - 1))
                     for i, word in enumerate(data)]  # fmt: skip
        assert await tb.beats(len(want)) == want
    await tb.bench.clock(20)
    assert not tb.r.taken


@cocotb.test()
async def a_slot_is_given_back_when_it_has_been_read(dut: Any) -> None:
    """It may be written at once, although its beats are still on their way."""
    tb = TB(dut)
    tb.r.hold = True
    await tb.bench.start()
    data = await tb.fill(2, 5)
    tb.deliver.send(slot=2, beats=5, last=1, failed=0)
    await tb.deliver.drained()
    await tb.fill(2, 5)
    tb.r.hold = False
    assert [word for word, _, _ in await tb.beats(5)] == data
    # With more beats than it reads ahead it keeps the slot.
    await tb.fill(3, 32)
    tb.r.hold = True
    tb.deliver.send(slot=3, beats=32, last=1, failed=0)
    await tb.bench.clock(60)
    assert tb.deliver.pending == 1
    tb.r.hold = False
    await tb.beats(32)
    assert tb.deliver.pending == 0


@cocotb.test()
async def a_beat_a_cycle(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    for slot in range(4):
        await tb.fill(slot, 32)
    begin = tb.bench.cycle
    for slot in range(4):
        tb.deliver.send(slot=slot, beats=32, last=1, failed=0)
    await tb.beats(4 * 32)
    assert tb.bench.cycle - begin <= 4 * (32 + 4) + 6


def test_read_returner(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("ReadReturner")
