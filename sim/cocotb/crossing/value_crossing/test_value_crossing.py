# SPDX-License-Identifier: Apache-2.0
"""Tests of ValueCrossing: what comes out has been in as a whole, in order, and not long ago."""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.clocks import RATIOS, Domain, Ratio, start

BITS = 24  # of the emitted unit
ROUND_TRIPS = 24  # cycles of the slower clock that two round trips take at most, with bits that come late


class Changes:
    """The values that come out, each time another one does."""

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        self.values = [0]
        domain.add(self)

    def drive(self) -> None:
        pass

    def sample(self) -> None:
        value = self.domain.read("io_out")
        if value != self.values[-1]:
            self.values.append(value)


def is_part(part: list[int], whole: list[int]) -> bool:
    """Whether `part` is in `whole`, in order, with others between."""
    rest = iter(whole)
    return all(value in rest for value in part)


@cocotb.test()
@cocotb.parametrize(ratio=RATIOS)
async def values_come_whole_and_in_order(dut: Any, ratio: Ratio) -> None:
    a, b = ratio.domains(dut)
    changes = Changes(b)
    slower = a if ratio.source > ratio.target else b
    await start(a, b)
    sent = [0]
    for _ in range(200):
        sent.append(a.rng.getrandbits(BITS))
        a.write("io_in", sent[-1])
        await a.clock(a.rng.choice((1, 1, 2, 5, 20)))
        if a.rng.random() < 0.1:
            await slower.clock(ROUND_TRIPS)
            assert b.read("io_out") == sent[-1]
    assert is_part(changes.values, sent)
    assert len(changes.values) > 10


@cocotb.test()
@cocotb.parametrize(ratio=RATIOS)
async def the_value_comes_back_after_a_reset(dut: Any, ratio: Ratio) -> None:
    a, b = ratio.domains(dut)
    slower = a if ratio.source > ratio.target else b
    changes = Changes(b)
    await start(a, b)
    for _ in range(20):
        value = a.rng.getrandbits(BITS) | 1
        a.write("io_in", value)
        await slower.clock(ROUND_TRIPS)
        assert b.read("io_out") == value
        changes.values = [value]
        which = a.rng.choice((a, b))
        await which.reset(a.rng.choice((1, 3, 40)))
        await slower.clock(ROUND_TRIPS)
        assert changes.values == ([value] if which is a else [value, 0, value])


def test_value_crossing(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("ValueCrossing", skew=True)
