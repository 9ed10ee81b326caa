# SPDX-License-Identifier: Apache-2.0
"""Tests of IrqCoalescer: vectors are held back by entries and by time, and no interrupt is lost."""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.geometry import QUEUES
from sim.cocotb.support.stream import Pulse, Sink

TICK = 50  # cycles, as the unit is emitted


class TB:
    """Pulse raise, vector, changed, clear -> IrqCoalescer -> Sink msix"""

    def __init__(self, dut: Any, threshold: int = 0, time: int = 0, stalls: float = 0.0) -> None:
        self.bench = Bench(dut)
        self.raising = Pulse(self.bench, "io_raise")
        self.vector = Pulse(self.bench, "io_vector")
        self.changed = Pulse(self.bench, "io_changed")
        self.clear = Pulse(self.bench, "io_clear")
        self.msix = Sink(self.bench, "io_msix", stalls=stalls, stable=True)
        self.bench.write("io_settings_threshold", threshold)
        self.bench.write("io_settings_time", time)

    async def entries(self, vector: int, count: int, admin: int = 0) -> None:
        for _ in range(count):
            self.raising.send(vector=vector, admin=admin)
        await self.raising.sent()

    def taken(self) -> list[int]:
        seen = [t["bits"] for t in self.msix.taken]
        self.msix.taken.clear()
        return seen


@cocotb.test()
@cocotb.parametrize(settings=[(0, 0), (5, 0), (0, 5)])
async def off_every_entry_interrupts(dut: Any, settings: tuple[int, int]) -> None:
    tb = TB(dut, *settings)
    await tb.bench.start()
    await tb.entries(1, 3)
    await tb.entries(2, 1)
    await tb.bench.clock(2)
    assert tb.taken() == [1, 1, 1, 2]
    assert tb.bench.read("io_quiet")


@cocotb.test()
async def entries_are_counted_per_vector(dut: Any) -> None:
    """The threshold is 0's based: 3 means four entries an interrupt."""
    tb = TB(dut, threshold=3, time=200)
    await tb.bench.start()
    for _ in range(3):
        await tb.entries(1, 1)
        await tb.entries(2, 1)
    await tb.bench.clock(5)
    assert tb.taken() == []
    assert not tb.bench.read("io_quiet"), "time runs"
    await tb.entries(2, 1)
    await tb.bench.clock(3)
    assert tb.taken() == [2]
    await tb.entries(1, 1)
    await tb.bench.clock(3)
    assert tb.taken() == [1]
    assert tb.bench.read("io_quiet")
    await tb.entries(1, 8)
    await tb.bench.clock(3)
    assert tb.taken() == [1, 1], "it begins anew"
    await tb.entries(0, 4)  # an I/O queue may use vector 0, too
    await tb.bench.clock(3)
    assert tb.taken() == [0]


@cocotb.test()
async def time_ends_the_waiting(dut: Any) -> None:
    time = 4
    tb = TB(dut, threshold=100, time=time)
    await tb.bench.start()
    await tb.bench.clock(tb.bench.rng.randrange(3 * TICK))
    start = tb.bench.cycle
    await tb.entries(3, 2)
    await tb.bench.clock(TICK)
    await tb.entries(1, 1)
    await tb.bench.until(lambda: len(tb.msix.taken) == 2, "both interrupts", timeout=10 * TICK)
    assert tb.taken() == [3, 1]
    assert (time - 1) * TICK <= tb.bench.cycle - start <= (time + 2) * TICK
    await tb.bench.clock(time * TICK + 5)
    assert tb.taken() == [] and tb.bench.read("io_quiet")
    await tb.entries(0, 1)  # an I/O queue may use vector 0, too
    await tb.bench.until(lambda: bool(tb.msix.taken), "its interrupt", timeout=10 * TICK)
    assert tb.taken() == [0]


@cocotb.test()
async def several_at_once(dut: Any) -> None:
    """Vectors whose time ends in one cycle are signalled one by one. One that is not held back goes first."""
    tb = TB(dut, threshold=100, time=1)
    await tb.bench.start()
    for vector in range(1, QUEUES):
        await tb.entries(vector, 1)
    begun = tb.bench.cycle
    while not tb.msix.taken and tb.bench.cycle < begun + 2 * TICK:
        tb.raising.send(vector=0, admin=1)
        await tb.bench.clock()
        if [t["bits"] for t in tb.msix.taken] == [0] * len(tb.msix.taken) and tb.bench.cycle < begun + TICK + 5:
            tb.msix.taken.clear()
    await tb.bench.clock(QUEUES + 5)
    assert [v for v in tb.taken() if v != 0] == list(range(1, QUEUES))


@cocotb.test()
async def admin_and_direct_vectors_are_not_held(dut: Any) -> None:
    tb = TB(dut, threshold=10, time=10)
    await tb.bench.start()
    await tb.entries(0, 2, admin=1)
    tb.vector.send(vector=2, direct=1)
    await tb.vector.sent()
    await tb.entries(2, 2)
    await tb.bench.clock(3)
    assert tb.taken() == [0, 0, 2, 2]
    tb.vector.send(vector=2, direct=0)
    await tb.vector.sent()
    await tb.entries(2, 2)
    await tb.bench.clock(3)
    assert tb.taken() == []


@cocotb.test()
async def an_interrupt_tells_of_all_that_wait(dut: Any) -> None:
    """An admin entry on a vector with waiting I/O entries: one interrupt, and none when their time is over."""
    tb = TB(dut, threshold=10, time=3)
    await tb.bench.start()
    await tb.entries(0, 2)
    await tb.entries(0, 1, admin=1)
    await tb.bench.clock(5 * TICK)
    assert tb.taken() == [0]


@cocotb.test()
async def a_change_ends_the_waiting(dut: Any) -> None:
    tb = TB(dut, threshold=10, time=200)
    await tb.bench.start()
    await tb.entries(1, 2)
    await tb.entries(4, 1)
    tb.bench.write("io_settings_threshold", 0)
    tb.changed.send()
    await tb.bench.clock(6)
    assert tb.taken() == [1, 4]
    assert tb.bench.read("io_quiet")


@cocotb.test()
@cocotb.parametrize(settings=[(0, 0), (2, 1)], stalls=[0.3, 0.9])
async def back_pressure_loses_no_interrupt(dut: Any, settings: tuple[int, int], stalls: float) -> None:
    """Whatever the bus takes and when: after the last entry of a vector there is an interrupt of it."""
    tb = TB(dut, *settings, stalls=stalls)
    await tb.bench.start()
    rng = tb.bench.rng
    for _ in range(30):
        tb.msix.hold = bool(rng.getrandbits(1))
        raised = [rng.randrange(QUEUES) for _ in range(rng.randrange(1, 30))]
        before = len(tb.msix.taken)
        last: dict[int, int] = {}  # by vector: interrupts that were taken when its last entry came
        for vector in raised:
            last[vector] = len(tb.msix.taken)
            tb.raising.send(vector=vector, admin=int(vector == 0))
            await tb.raising.sent()
            await tb.bench.clock(rng.randrange(3))
        await tb.bench.clock(2 * TICK)
        tb.msix.hold = False
        await tb.bench.clock(40 * QUEUES)
        told = [t["bits"] for t in tb.msix.taken]
        for vector, count in last.items():
            assert vector in told[count:], f"the last entry of vector {vector} has no interrupt"
        assert len(told) - before <= len(raised), "an entry has at most one interrupt"
        assert tb.bench.read("io_quiet")


@cocotb.test()
async def an_interrupt_that_is_not_taken_stays(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.msix.hold = True
    await tb.entries(3, 3)
    for vector in (5, 1, 3):
        await tb.entries(vector, 1)
    await tb.bench.clock(20)
    assert not tb.msix.taken and tb.bench.read("io_quiet"), "only the bus can move it"
    tb.msix.hold = False
    await tb.bench.clock(10)
    assert tb.taken() == [3, 1, 3, 5], "the one offered, and one for each vector with an entry since"
    assert tb.bench.read("io_quiet")


@cocotb.test()
async def a_reset_forgets(dut: Any) -> None:
    tb = TB(dut, threshold=10, time=3)
    await tb.bench.start()
    await tb.entries(1, 2)
    tb.clear.send()
    await tb.clear.sent()
    assert tb.bench.read("io_quiet")
    await tb.bench.clock(5 * TICK)
    assert tb.taken() == []


def test_irq_coalescer(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("IrqCoalescer")
