# SPDX-License-Identifier: Apache-2.0
"""Tests of BusFaults: the first access that goes wrong is kept with its cause and address, and one that nobody answers
ends in time; but a read of WAIT has no limit."""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.orm_soc import CSR_BASE, DRAM_BASE, NVRAM_BASE, Soc, SocFault

LIMIT = 65_536  # cycles, as register WAIT says
FETCH, DATA = "io_fetch", "io_data"
EXPIRED = {FETCH: "io_expired_0", DATA: "io_expired_1"}
Fault = tuple[int, int, int, int]  # cause, store, fetch, address
NONE = SocFault.NONE


class TB:
    def __init__(self, dut: Any) -> None:
        self.bench = Bench(dut)

    def offer(self, bus: str, addr: int, we: int = 0) -> None:
        for name, value in (("cyc", 1), ("stb", 1), ("we", we), ("adr", addr // 4), ("ack", 0), ("err", 0)):
            if self.bench.has(f"{bus}_{name}"):
                self.bench.write(f"{bus}_{name}", value)

    def end(self, bus: str) -> None:
        for name in ("cyc", "stb", "ack", "err"):
            self.bench.write(f"{bus}_{name}", 0)

    async def answered(self, bus: str, addr: int, we: int = 0, after: int = 2, err: int = 0) -> None:
        """An access with its answer."""
        self.offer(bus, addr, we)
        await self.bench.clock(after)
        self.bench.write(f"{bus}_{'err' if err else 'ack'}", 1)
        await self.bench.clock()
        self.end(bus)
        await self.bench.clock(3)

    def fault(self) -> Fault:
        cause, store, fetch, address = (
            self.bench.read(f"io_fault_{name}") for name in ("cause", "store", "fetch", "address")
        )
        return cause, store, fetch, address

    async def clear(self) -> None:
        self.bench.write("io_clear", 1)
        await self.bench.clock()
        self.bench.write("io_clear", 0)
        await self.bench.clock()
        assert self.fault()[0] == NONE

    async def expires(self, bus: str, most: int) -> int:
        """The cycles until the access that is offered ends, and after that it is over."""
        begun = self.bench.cycle
        name = EXPIRED[bus]
        await self.bench.until(lambda: bool(self.bench.read(name)), "the end of an access", most)
        took = self.bench.cycle - begun
        self.end(bus)
        await self.bench.clock()
        assert not self.bench.read(name)
        return took


@cocotb.test()
async def errors_are_kept_with_their_address(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    for bus, we in ((DATA, 0), (DATA, 1), (FETCH, 0)):
        for after in (1, 5):
            addr = 4 * tb.bench.rng.getrandbits(30)
            await tb.answered(bus, addr ^ 4, we, after)
            assert tb.fault()[0] == NONE, "an answer is no fault"
            await tb.answered(bus, addr, we, after, err=1)
            assert tb.fault() == (SocFault.REFUSED, we, int(bus == FETCH), addr)
            await tb.answered(bus, addr ^ 4, we, after, err=1)
            assert tb.fault()[3] == addr, "the first is kept"
            await tb.clear()


@cocotb.test()
async def an_error_without_an_access_is_nothing(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    for bus in (DATA, FETCH):
        tb.bench.write(f"{bus}_err", 1)
        await tb.bench.clock(4)
        tb.bench.write(f"{bus}_err", 0)
    await tb.bench.clock(4)
    assert tb.fault()[0] == NONE


@cocotb.test()
async def a_lost_store_is_kept_before_an_error_of_the_same_moment(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.offer(DATA, NVRAM_BASE)
    tb.bench.write(f"{DATA}_err", 1)
    await tb.bench.clock()
    tb.end(DATA)
    tb.bench.write("io_lost_valid", 1)
    tb.bench.write("io_lost_bits", DRAM_BASE + 0x1230)
    await tb.bench.clock()
    tb.bench.write("io_lost_valid", 0)
    await tb.bench.clock(3)
    assert tb.fault() == (SocFault.LOST, 1, 0, DRAM_BASE + 0x1230)


@cocotb.test()
async def an_access_ends_in_time(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.offer(DATA, NVRAM_BASE + 8, we=1)
    await tb.bench.clock(100)
    tb.offer(FETCH, 0x40)  # another one, later: each has its own time
    took = 100 + await tb.expires(DATA, LIMIT)
    assert LIMIT - 100 <= took <= LIMIT
    await tb.bench.clock(3)
    assert tb.fault() == (SocFault.LATE, 1, 0, NVRAM_BASE + 8)
    await tb.clear()
    assert 80 <= await tb.expires(FETCH, 100) <= 100
    await tb.bench.clock(3)
    assert tb.fault() == (SocFault.LATE, 0, 1, 0x40)


@cocotb.test()
async def an_answer_at_the_last_moment_counts(dut: Any) -> None:
    """And the access after it has all of its time."""
    tb = TB(dut)
    await tb.bench.start()
    tb.offer(DATA, NVRAM_BASE)
    tb.offer(FETCH, 0x40)
    took = await tb.expires(DATA, LIMIT)
    tb.end(FETCH)
    await tb.bench.clock(3)
    await tb.clear()
    tb.offer(DATA, NVRAM_BASE)
    await tb.bench.clock(took - 1)
    tb.bench.write(f"{DATA}_ack", 1)
    await tb.bench.clock()
    tb.offer(DATA, NVRAM_BASE + 4)  # at once, as in a burst
    for _ in range(50):
        await tb.bench.clock()
        assert not tb.bench.read(EXPIRED[DATA])
    assert tb.fault()[0] == NONE


@cocotb.test()
async def a_read_of_wait_has_no_limit(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.offer(DATA, CSR_BASE + Soc.WAIT)
    for _ in range(0, LIMIT + 100, 10):
        assert not tb.bench.read(EXPIRED[DATA])
        await tb.bench.clock(10)
    assert tb.fault()[0] == NONE


def test_bus_faults(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("BusFaults")
