# SPDX-License-Identifier: Apache-2.0
"""Tests of NvramBridge: a unit of 8 bytes reaches NVRAM whole, with its high word, and is answered when it is durable.

What is not such a unit is refused and changes nothing.
"""

from __future__ import annotations

from typing import Any

import cocotb
import pytest

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.axi import AxiMemory, Memory
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.orm_soc import NVRAM_BASE
from sim.cocotb.support.wishbone import BusError, WishboneMaster

SPAN = 256


class TB:
    def __init__(self, dut: Any, stalls: float = 0.0, gaps: float = 0.0, latency: int = 4) -> None:
        self.bench = Bench(dut)
        self.memory = Memory()
        self.bus = WishboneMaster(self.bench, "io_bus", gaps)
        self.axi = AxiMemory(self.bench, "io_axi", self.memory, stalls, gaps, latency)
        self.bench.write("io_drained", 1)

    async def store(self, addr: int, unit: int) -> None:
        await self.bus.write(NVRAM_BASE + addr, unit & 0xFFFFFFFF)
        await self.bus.write(NVRAM_BASE + addr + 4, unit >> 32)


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.6], gaps=[0.0, 0.6])
async def units_and_words(dut: Any, stalls: float, gaps: float) -> None:
    tb = TB(dut, stalls, gaps)
    await tb.bench.start()
    model = bytearray(SPAN)
    for _ in range(150):
        if tb.bench.rng.random() < 0.5:
            addr, unit = 8 * tb.bench.rng.randrange(SPAN // 8), tb.bench.rng.getrandbits(64)
            await tb.store(addr, unit)
            model[addr : addr + 8] = unit.to_bytes(8, "little")
            assert tb.memory.read(0, SPAN) == model, "durable when it is answered"
        else:
            addr = 4 * tb.bench.rng.randrange(SPAN // 4)
            assert await tb.bus.read(NVRAM_BASE + addr) == int.from_bytes(model[addr : addr + 4], "little")
    assert all(addr % 8 == 0 and beats == 1 for addr, beats in tb.axi.wr.bursts)


@cocotb.test()
async def the_low_word_alone_changes_nothing(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    await tb.store(16, 0x1111111122222222)
    await tb.bus.write(NVRAM_BASE + 16, 0x33333333)
    await tb.bench.clock(50)
    assert tb.memory.read_int(16, 8) == 0x1111111122222222
    # Not even for a load between the two, which does not disturb them either.
    assert await tb.bus.read(NVRAM_BASE + 16) == 0x22222222
    await tb.bus.write(NVRAM_BASE + 20, 0x44444444)
    assert tb.memory.read_int(16, 8) == 0x4444444433333333
    assert len(tb.axi.wr.bursts) == 2


@cocotb.test()
async def is_answered_when_it_is_durable(dut: Any) -> None:
    tb = TB(dut, latency=60)
    await tb.bench.start()
    await tb.bus.write(NVRAM_BASE, 1)
    begin = tb.bench.cycle
    await tb.bus.write(NVRAM_BASE + 4, 2)
    assert tb.bench.cycle - begin >= 60


@cocotb.test()
async def refuses_what_is_no_unit(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    with pytest.raises(BusError):  # a high word without its low one
        await tb.bus.write(NVRAM_BASE + 4, 1)
    await tb.bus.write(NVRAM_BASE + 8, 1)
    with pytest.raises(BusError):  # with that of another unit
        await tb.bus.write(NVRAM_BASE + 20, 1)
    for sel in (0x1, 0x3, 0x7, 0xE):
        with pytest.raises(BusError):
            await tb.bus.write(NVRAM_BASE + 8, 1, sel=sel)
    await tb.store(8, 0x500000006)
    with pytest.raises(BusError):  # its low word is used up
        await tb.bus.write(NVRAM_BASE + 12, 1)
    assert tb.memory.read(0, SPAN) == bytes(8) + (0x500000006).to_bytes(8, "little") + bytes(SPAN - 16)


@cocotb.test()
async def errors_of_the_memory_are_bus_errors(dut: Any) -> None:
    tb = TB(dut)
    tb.axi.rd.fail(0x1000)
    tb.axi.wr.fail(0x1000)
    await tb.bench.start()
    with pytest.raises(BusError):
        await tb.bus.read(NVRAM_BASE + 0x1000)
    await tb.bus.write(NVRAM_BASE + 0x1000, 1)
    with pytest.raises(BusError):
        await tb.bus.write(NVRAM_BASE + 0x1004, 1)
    await tb.store(0x20, 7)
    assert await tb.bus.read(NVRAM_BASE + 0x20) == 7


@cocotb.test()
async def waits_for_stores_to_dram(dut: Any) -> None:
    """platform.h: DRAM accesses before a barrier come before accesses of NVRAM after it."""
    tb = TB(dut)
    await tb.bench.start()
    tb.bench.write("io_drained", 0)
    await tb.bus.write(NVRAM_BASE + 8, 1)  # a low word alone goes nowhere
    for write in (True, False):
        tb.bench.write("io_drained", 0)
        if write:
            tb.bus.offer_write(NVRAM_BASE + 12, 2)
        else:
            tb.bus.offer_read(NVRAM_BASE + 8)
        before = len(tb.axi.wr.bursts) + len(tb.axi.rd.bursts)
        for _ in range(30):
            await tb.bench.clock()
            assert not tb.bus.answered()
        assert tb.bench.read("io_waits")
        assert len(tb.axi.wr.bursts) + len(tb.axi.rd.bursts) == before
        tb.bench.write("io_drained", 1)
        await tb.bench.until(tb.bus.answered, "an answer")
        tb.bus.give_up()
        await tb.bench.clock()
    assert tb.memory.read_int(8, 8) == 0x200000001


@cocotb.test()
async def what_is_given_up_gets_no_answer(dut: Any) -> None:
    tb = TB(dut, latency=20)
    await tb.bench.start()
    # Before it has started: it never does.
    await tb.bus.write(NVRAM_BASE, 1)
    tb.bench.write("io_drained", 0)
    tb.bus.offer_write(NVRAM_BASE + 4, 2)
    await tb.bench.clock(5)
    tb.bus.give_up()
    await tb.bench.clock(2)
    tb.bench.write("io_drained", 1)
    await tb.bench.clock(10)
    assert not tb.axi.wr.bursts
    await tb.bus.write(NVRAM_BASE + 4, 7)  # the low word is still there
    assert tb.memory.read_int(0, 8) == 0x700000001
    # Afterwards: it ends there, and the next access waits for that and has its own answer.
    await tb.store(16, 0x300000004)
    await tb.bus.write(NVRAM_BASE, 5)
    tb.bus.offer_write(NVRAM_BASE + 4, 6)
    await tb.bench.clock(5)
    tb.bus.give_up()
    await tb.bench.clock()
    assert await tb.bus.read(NVRAM_BASE + 20) == 3
    assert tb.memory.read_int(0, 8) == 0x600000005
    tb.bus.offer_read(NVRAM_BASE)
    await tb.bench.clock(5)
    tb.bus.give_up()
    await tb.bench.clock()
    assert await tb.bus.read(NVRAM_BASE + 16) == 4


def test_nvram_bridge(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("NvramBridge")
