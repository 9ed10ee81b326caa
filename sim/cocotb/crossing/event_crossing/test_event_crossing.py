# SPDX-License-Identifier: Apache-2.0
"""Tests of EventCrossing: each event is seen, however short; none is made up."""

from __future__ import annotations

from typing import Any

import cocotb
from cocotb.utils import get_sim_time

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.clocks import RATIOS, Domain, Ratio, start

SETTLED = 40  # cycles of the slower clock in which an event is through


class Seen:
    """When the receiving side has seen the level high, and its pulses, in ps."""

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        self.levels: list[float] = []
        self.pulses: list[float] = []
        self._before = 0
        domain.add(self)

    def drive(self) -> None:
        pass

    def sample(self) -> None:
        now = get_sim_time("ps")
        if level := self.domain.read("io_level"):
            self.levels.append(now)
        if self.domain.read("io_pulse"):
            self.pulses.append(now)
            assert self._before, "a pulse without a level"
        self._before = level


async def pulse(a: Domain, cycles: int = 1) -> float:
    """An event of some cycles. Returns the time of its last edge, or one before it."""
    await a.clock()
    a.write("io_in", 1)
    await a.clock(cycles - 1)
    begin = get_sim_time("ps")
    await a.clock()
    a.write("io_in", 0)
    return begin


@cocotb.test()
@cocotb.parametrize(ratio=RATIOS)
async def each_event_is_seen_once(dut: Any, ratio: Ratio) -> None:
    """When they come one after the other."""
    a, b = ratio.domains(dut)
    seen = Seen(b)
    slower = a if ratio.source > ratio.target else b
    await start(a, b)
    for count in range(1, 30):
        await pulse(a)
        await slower.clock(SETTLED)
        assert len(seen.pulses) == count
        assert b.read("io_level") == 0


@cocotb.test()
@cocotb.parametrize(ratio=RATIOS)
async def events_that_come_fast_are_joined(dut: Any, ratio: Ratio) -> None:
    """After each event the level is high once, at least; there are no more pulses than events."""
    a, b = ratio.domains(dut)
    seen = Seen(b)
    slower = a if ratio.source > ratio.target else b
    await start(a, b)
    sent: list[float] = []
    for _ in range(150):
        sent.append(await pulse(a, a.rng.choice((1, 1, 1, 2, 5))))
        await a.clock(a.rng.choice((1, 1, 2, 3, 5, 8, 13, 40)))
        later = sent[-1]
        if a.rng.random() < 0.2:
            await slower.clock(SETTLED)
            assert seen.levels and seen.levels[-1] > later
    await slower.clock(SETTLED)
    assert 0 < len(seen.pulses) <= len(sent)
    at = 0
    for time in sent:
        while seen.levels[at] <= time:
            at += 1  # IndexError: this event has not been seen


@cocotb.test()
async def a_level_lasts(dut: Any) -> None:
    a, b = RATIOS[0].domains(dut)
    seen = Seen(b)
    await start(a, b)
    a.write("io_in", 1)
    await b.clock(10)
    for _ in range(100):
        await b.clock()
        assert b.read("io_level") == 1
    a.write("io_in", 0)
    await b.clock(20)
    assert b.read("io_level") == 0 and len(seen.pulses) == 1


@cocotb.test()
@cocotb.parametrize(ratio=RATIOS)
async def resets_make_no_event_up(dut: Any, ratio: Ratio) -> None:
    """Nor do they stop those that come later."""
    a, b = ratio.domains(dut)
    seen = Seen(b)
    slower = a if ratio.source > ratio.target else b
    await start(a, b)
    for _ in range(40):
        await a.rng.choice((a, b)).reset(a.rng.choice((1, 2, 7, 30)))
        await slower.clock(SETTLED)
        assert not seen.pulses and not seen.levels
    for _ in range(40):
        seen.pulses.clear()
        await pulse(a)
        await a.clock(a.rng.randint(1, 5))
        await a.rng.choice((a, b)).reset(a.rng.choice((1, 2, 7)))
        await slower.clock(SETTLED)
        assert len(seen.pulses) <= 1
        seen.pulses.clear()
        await pulse(a)
        await slower.clock(SETTLED)
        assert len(seen.pulses) == 1
        seen.levels.clear()


def test_event_crossing(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("EventCrossing", skew=True)
