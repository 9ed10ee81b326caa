# SPDX-License-Identifier: Apache-2.0
"""Tests of DramBridge: loads see every earlier store and what others write, stores are joined, `drained` tells the
truth, and errors reach the CPU."""

from __future__ import annotations

from typing import Any

import cocotb
import pytest

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.axi import AxiMemory, Memory
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.orm_soc import DRAM_BASE
from sim.cocotb.support.wishbone import BusError, WishboneMaster

SPAN = 256
LINE = 32


def word(data: bytes | bytearray, addr: int) -> int:
    return int.from_bytes(data[addr : addr + 4], "little")


class TB:
    def __init__(self, dut: Any, stalls: float = 0.0, gaps: float = 0.0, latency: int = 4) -> None:
        self.bench = Bench(dut)
        self.memory = Memory()
        self.bus = WishboneMaster(self.bench, "io_bus", gaps)
        self.axi = AxiMemory(self.bench, "io_axi", self.memory, stalls, gaps, latency)

    async def drained(self) -> None:
        await self.bench.until(lambda: bool(self.bench.read("io_drained")), "the stores to be in DRAM")


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.6], gaps=[0.0, 0.6], latency=[1, 20])
async def loads_see_stores(dut: Any, stalls: float, gaps: float, latency: int) -> None:
    tb = TB(dut, stalls, gaps, latency)
    await tb.bench.start()
    rng = tb.bench.rng
    model = bytearray(SPAN)
    for _ in range(250):
        what = rng.random()
        if what < 0.6:
            addr, value, sel = 4 * rng.randrange(SPAN // 4), rng.getrandbits(32), rng.choice([0xF, 0xF, 0x3, 0x8, 0x6])
            await tb.bus.write(DRAM_BASE + addr, value, sel)
            for byte in range(4):
                if sel >> byte & 1:
                    model[addr + byte] = value >> 8 * byte & 0xFF
        elif what < 0.75:
            addr = 4 * rng.randrange(SPAN // 4)
            assert await tb.bus.read(DRAM_BASE + addr) == word(model, addr)
        elif what < 0.9:
            addr = LINE * rng.randrange(SPAN // LINE)
            assert await tb.bus.read_line(DRAM_BASE + addr) == [word(model, addr + 4 * i) for i in range(8)]
        elif what < 0.95:  # the controller writes, and a load sees it
            await tb.drained()
            assert tb.memory.read(0, SPAN) == model
            addr = 4 * rng.randrange(SPAN // 4)
            model[addr : addr + 4] = rng.randbytes(4)
            tb.memory.write(addr, bytes(model[addr : addr + 4]))
        else:
            await tb.bench.clock(rng.randrange(30))
    await tb.drained()
    assert tb.memory.read(0, SPAN) == model


@cocotb.test()
async def stores_of_a_beat_are_one_write(dut: Any) -> None:
    tb = TB(dut, latency=20)
    await tb.bench.start()
    begin = tb.bench.cycle
    for i in range(64):
        await tb.bus.write(DRAM_BASE + 4 * i, i)
    assert tb.bench.cycle - begin <= 64 * 3, "a store does not wait for the memory"
    await tb.drained()
    assert tb.axi.wr.bursts == [(16 * i, 1) for i in range(16)]


@cocotb.test()
async def a_line_is_one_burst(dut: Any) -> None:
    tb = TB(dut, latency=20)
    await tb.bench.start()
    tb.memory.write(0, bytes(range(64)))
    begin = tb.bench.cycle
    await tb.bus.read_line(DRAM_BASE + 32)
    assert tb.bench.cycle - begin <= 20 + 16
    assert tb.axi.rd.bursts == [(32, 2)]
    # Nothing of it is kept.
    tb.memory.write_int(32, 7, 4)
    assert (await tb.bus.read_line(DRAM_BASE + 32))[0] == 7
    assert await tb.bus.read(DRAM_BASE + 32) == 7
    assert len(tb.axi.rd.bursts) == 3


@cocotb.test()
async def a_burst_may_be_given_up(dut: Any) -> None:
    tb = TB(dut, latency=8)
    await tb.bench.start()
    tb.memory.write(0, bytes(range(128)))
    for words in (1, 2, 3, 4, 5, 7):
        for pause in (0, 1, 5, 20):
            assert await tb.bus.read_line(DRAM_BASE + 64, words) == [word(bytes(range(128)), 64 + 4 * i)
                                                                     for i in range(words)]  # fmt: skip
            await tb.bench.clock(pause)
            tb.memory.write_int(0, words * 100 + pause, 4)
            assert await tb.bus.read(DRAM_BASE) == words * 100 + pause


@cocotb.test()
async def hurries(dut: Any) -> None:
    took = []
    for hurry in (0, 1):
        tb = TB(dut, latency=4)
        tb.bench.write("io_hurry", hurry)
        await tb.bench.start()
        await tb.bus.write(DRAM_BASE, 5)
        begin = tb.bench.cycle
        await tb.drained()
        took.append(tb.bench.cycle - begin)
    assert took[1] + 10 <= took[0], took


@cocotb.test()
async def is_drained_when_the_memory_has_answered(dut: Any) -> None:
    tb = TB(dut, latency=4)
    tb.axi.wr.hold_resp = True
    await tb.bench.start()
    assert tb.bench.read("io_drained")
    await tb.bus.write(DRAM_BASE, 5)
    for _ in range(40):
        await tb.bench.clock()
        assert not tb.bench.read("io_drained")
    tb.axi.wr.hold_resp = False
    await tb.drained()


@cocotb.test()
async def follows_so_many_writes(dut: Any) -> None:
    tb = TB(dut, latency=4)
    tb.axi.wr.hold_resp = True
    await tb.bench.start()
    for i in range(8):
        await tb.bus.write(DRAM_BASE + 16 * i, i)
    await tb.bench.clock(20)
    assert len(tb.axi.wr.bursts) == 8
    await tb.bus.write(DRAM_BASE + 16 * 8, 8)
    await tb.bench.clock(20)
    assert len(tb.axi.wr.bursts) == 8
    tb.axi.wr.hold_resp = False
    await tb.drained()
    assert [tb.memory.read_int(16 * i, 4) for i in range(9)] == list(range(9))


@cocotb.test()
async def errors_of_loads_are_bus_errors(dut: Any) -> None:
    tb = TB(dut)
    tb.axi.rd.fail(0x1010)
    await tb.bench.start()
    with pytest.raises(BusError):
        await tb.bus.read(DRAM_BASE + 0x1010)
    with pytest.raises(BusError):  # the first half of the line is good
        await tb.bus.read_line(DRAM_BASE + 0x1000)
    await tb.bench.clock()  # a burst is given up by a cycle without one
    assert len(await tb.bus.read_line(DRAM_BASE + 0x1000, 4)) == 4
    assert await tb.bus.read(DRAM_BASE) == 0


class Lost:
    """What the bridge tells of stores that have failed."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.places: list[int] = []
        bench.add(self)

    def drive(self) -> None:
        pass

    def sample(self) -> None:
        if self.bench.read("io_lost_valid"):
            self.places.append(self.bench.read("io_lost_bits"))


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.6])
async def a_store_that_fails_is_told_with_its_address(dut: Any, stalls: float) -> None:
    """The access after it has nothing to do with it."""
    tb = TB(dut, stalls, latency=20)
    tb.axi.wr.fail(0x1000)
    tb.axi.wr.fail(0x1030)
    lost = Lost(tb.bench)
    await tb.bench.start()
    for addr in (0x0FFC, 0x1004, 0x1010, 0x1020, 0x103C, 0x1040):
        await tb.bus.write(DRAM_BASE + addr, addr)
    assert await tb.bus.read(DRAM_BASE + 0x1040) == 0x1040
    assert lost.places == [0x1000, 0x1030]
    await tb.bus.write(DRAM_BASE + 0x1000, 1)
    await tb.bus.write(DRAM_BASE + 0x1044, 2)
    await tb.drained()
    await tb.bench.clock(2)
    assert lost.places == [0x1000, 0x1030, 0x1000]
    assert tb.memory.read_int(0x1044, 4) == 2


@cocotb.test()
async def a_load_may_be_given_up(dut: Any) -> None:
    tb = TB(dut, latency=20)
    await tb.bench.start()
    tb.memory.write(0, bytes(range(64)))
    for after in range(1, 30):  # until it is answered, and later
        tb.bus.offer_read(DRAM_BASE)
        await tb.bench.clock(after)
        assert after >= 20 or not tb.bus.answered()
        tb.bus.give_up()
        await tb.bench.clock()
        assert await tb.bus.read(DRAM_BASE + 32) == word(bytes(range(64)), 32)


def test_dram_bridge(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("DramBridge")
