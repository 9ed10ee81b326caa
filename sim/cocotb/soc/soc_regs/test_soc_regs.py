# SPDX-License-Identifier: Apache-2.0
"""Tests of SocRegs: time with its latch, state, and WAIT, whose read is answered by an interrupt, by the deadline or by
another temperature, and not before."""

from __future__ import annotations

from typing import Any

import cocotb
import pytest

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.orm_soc import Soc, SocFault, SocState, SocTrial
from sim.cocotb.support.wishbone import BusError, WishboneMaster

ROOM = 1 << 31


class Pulses:
    """Counts the cycles in which an output is high."""

    def __init__(self, bench: Bench, name: str) -> None:
        self.bench = bench
        self.name = name
        self.count = 0
        bench.add(self)

    def drive(self) -> None:
        pass

    def sample(self) -> None:
        self.count += self.bench.read(self.name)


class TB:
    def __init__(self, dut: Any) -> None:
        self.bench = Bench(dut)
        self.bus = WishboneMaster(self.bench, "io_bus")

    async def start(self) -> None:
        await self.bench.start()

    async def time(self) -> int:
        low = await self.bus.read(Soc.TIME_LO)
        return await self.bus.read(Soc.TIME_HI) << 32 | low

    async def wait(self, cycles: int, idle: int = 0) -> tuple[int, int]:
        """What WAIT said, and how many cycles its read took."""
        await self.bus.write(Soc.WAIT_CYCLES, Soc.WAIT_CYCLES_CYCLES.put(cycles) | Soc.WAIT_CYCLES_IDLE.put(idle))
        begin = self.bench.cycle
        return await self.bus.read(Soc.WAIT), self.bench.cycle - begin


@cocotb.test()
async def time_counts_cycles_and_what_was_skipped(dut: Any) -> None:
    tb = TB(dut)
    await tb.start()
    first, at = await tb.time(), tb.bench.cycle
    await tb.bench.clock(50)
    assert await tb.time() - first == tb.bench.cycle - at
    before, at = await tb.time(), tb.bench.cycle
    tb.bench.write("io_skipped", 0xFFFFFFF0)
    await tb.bench.clock()
    tb.bench.write("io_skipped", 0)
    assert await tb.time() - before == tb.bench.cycle - at + 0xFFFFFFF0


@cocotb.test()
async def the_high_half_is_that_of_the_low_one(dut: Any) -> None:
    tb = TB(dut)
    await tb.start()
    low = await tb.bus.read(Soc.TIME_LO)
    tb.bench.write("io_skipped", 0xFFFFFFFF)
    await tb.bench.clock()
    tb.bench.write("io_skipped", 0)
    assert low < 1000 and await tb.bus.read(Soc.TIME_HI) == 0
    await tb.bus.read(Soc.TIME_LO)
    assert await tb.bus.read(Soc.TIME_HI) == 1


@cocotb.test()
async def state_and_temperature(dut: Any) -> None:
    tb = TB(dut)
    await tb.start()
    assert await tb.bus.read(Soc.STATE) == SocState.NONE
    await tb.bus.write(Soc.STATE, SocState.RUNNING)
    assert tb.bench.read("io_state") == SocState.RUNNING == await tb.bus.read(Soc.STATE)
    await tb.bus.write(Soc.STATE, 0, sel=1)  # part of a word: no effect
    assert await tb.bus.read(Soc.STATE) == SocState.RUNNING
    tb.bench.write("io_temperature", 313)
    assert await tb.bus.read(Soc.TEMPERATURE) == 313


@cocotb.test()
async def what_does_not_exist_is_a_bus_error(dut: Any) -> None:
    tb = TB(dut)
    await tb.start()
    with pytest.raises(BusError):
        await tb.bus.read(Soc.TRIAL + 4)
    with pytest.raises(BusError):
        await tb.bus.write(Soc.TRIAL + 4, 0)
    assert await tb.bus.read(Soc.STATE) == SocState.NONE


@cocotb.test()
@cocotb.parametrize(cycles=[0, 1, 2, 3, 100])
async def a_wait_ends_at_its_deadline(dut: Any, cycles: int) -> None:
    tb = TB(dut)
    await tb.start()
    word, took = await tb.wait(cycles)
    assert Soc.WAIT_DEADLINE.get(word) and not Soc.WAIT_IRQ.get(word)
    assert max(cycles, 2) - 1 <= took <= cycles + 2
    assert not tb.bench.read("io_sim_waiting")


@cocotb.test()
async def a_wait_ends_with_the_interrupt(dut: Any) -> None:
    tb = TB(dut)
    await tb.start()
    await tb.bus.write(Soc.WAIT_CYCLES, ROOM - 1)
    tb.bus.offer_read(Soc.WAIT)
    for _ in range(40):
        await tb.bench.clock()
        assert tb.bench.read("io_sim_waiting") and not tb.bus.answered() and not tb.bench.read("io_sim_idle")
    tb.bench.write("io_irq", 1)
    word = await tb.bus.read(Soc.WAIT)
    assert Soc.WAIT_IRQ.get(word) and not Soc.WAIT_DEADLINE.get(word)
    # The level is still high: the next wait is none.
    begin = tb.bench.cycle
    await tb.bus.read(Soc.WAIT)
    assert tb.bench.cycle - begin <= 3


@cocotb.test()
async def a_wait_ends_with_another_temperature_once(dut: Any) -> None:
    tb = TB(dut)
    await tb.start()
    tb.bench.write("io_temperature", 300)
    word, took = await tb.wait(1000)
    assert word == 0 and took <= 3
    word, took = await tb.wait(100)
    assert Soc.WAIT_DEADLINE.get(word) and took >= 99


@cocotb.test()
async def a_wait_ends_with_a_trial_once(dut: Any) -> None:
    tb = TB(dut)
    await tb.start()
    tb.bench.write("io_trial_poll", SocTrial.STACK)
    tb.bench.write("io_trial_log", SocTrial.HANG)
    word, took = await tb.wait(1000)
    assert word == Soc.WAIT_TRIAL.put(1) and took <= 3
    assert await tb.bus.read(Soc.TRIAL) == Soc.TRIAL_POLL.put(SocTrial.STACK) | Soc.TRIAL_LOG.put(SocTrial.HANG)
    word, took = await tb.wait(100)
    assert Soc.WAIT_DEADLINE.get(word) and took >= 99


@cocotb.test()
async def a_fault_is_shown_until_it_is_written(dut: Any) -> None:
    tb = TB(dut)
    await tb.start()
    assert await tb.bus.read(Soc.FAULT) == 0
    tb.bench.write("io_fault_cause", SocFault.LATE)
    tb.bench.write("io_fault_fetch", 1)
    tb.bench.write("io_fault_address", 0xABCD1234)
    assert await tb.bus.read(Soc.FAULT) == Soc.FAULT_CAUSE.put(SocFault.LATE) | Soc.FAULT_FETCH.put(1)
    assert await tb.bus.read(Soc.FAULT_ADDR) == 0xABCD1234
    tb.bench.write("io_fault_store", 1)
    assert Soc.FAULT_STORE.get(await tb.bus.read(Soc.FAULT))
    cleared = Pulses(tb.bench, "io_faultClear")
    await tb.bus.read(Soc.FAULT)
    await tb.bus.write(Soc.FAULT_ADDR, 0)
    assert cleared.count == 0
    await tb.bus.write(Soc.FAULT, 0)
    await tb.bench.clock(5)
    assert cleared.count == 1


@cocotb.test()
async def skipped_cycles_count_for_the_deadline(dut: Any) -> None:
    tb = TB(dut)
    await tb.start()
    await tb.bus.write(Soc.WAIT_CYCLES, 1_000_000 | Soc.WAIT_CYCLES_IDLE.put(1))
    tb.bus.offer_read(Soc.WAIT)
    await tb.bench.clock(10)
    assert tb.bench.read("io_sim_waiting") and tb.bench.read("io_sim_idle")
    left = tb.bench.read("io_sim_left")
    tb.bench.write("io_skipped", left - 5)
    await tb.bench.clock()
    tb.bench.write("io_skipped", 0)
    begin = tb.bench.cycle
    assert Soc.WAIT_DEADLINE.get(await tb.bus.read(Soc.WAIT))
    assert tb.bench.cycle - begin <= 7
    # More than is left: the deadline has passed, and does not wrap.
    await tb.bus.write(Soc.WAIT_CYCLES, 100)
    tb.bench.write("io_skipped", 0xFFFFFFFF)
    await tb.bench.clock()
    tb.bench.write("io_skipped", 0)
    assert await tb.bus.read(Soc.WAIT_CYCLES) == 0


def test_soc_regs(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("SocRegs")
