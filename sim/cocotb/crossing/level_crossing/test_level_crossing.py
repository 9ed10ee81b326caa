# SPDX-License-Identifier: Apache-2.0
"""Tests of LevelCrossing: levels that last come through, and nothing else does."""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.clocks import RATIOS, Domain, Ratio, start

WIDTH = 2  # of the emitted unit
LATEST = (
    5  # edges of the receiving clock after the sender's register: two stages, one late, one of phase, one of reading
)


class Edges:
    """Notes each change of a bit at the receiving side."""

    def __init__(self, domain: Domain, bit: int) -> None:
        self.domain = domain
        self.bit = bit
        self.seen = [0]
        domain.add(self)

    def drive(self) -> None:
        pass

    def sample(self) -> None:
        level = self.domain.read("io_out") >> self.bit & 1
        if level != self.seen[-1]:
            self.seen.append(level)


@cocotb.test()
@cocotb.parametrize(ratio=RATIOS)
async def each_bit_follows_by_itself(dut: Any, ratio: Ratio) -> None:
    a, b = ratio.domains(dut)
    edges = [Edges(b, bit) for bit in range(WIDTH)]
    slower = a if ratio.source > ratio.target else b
    await start(a, b)
    level, changes = 0, [0] * WIDTH
    for _ in range(80):
        bit = a.rng.randrange(WIDTH)
        level ^= 1 << bit
        changes[bit] += 1
        a.write("io_in", level)
        await a.clock(2)
        await b.clock(LATEST)
        await slower.clock(a.rng.randint(0, 3))
        assert b.read("io_out") == level
    assert [len(edge.seen) - 1 for edge in edges] == changes, "no glitch"


@cocotb.test()
async def is_low_in_a_reset_of_the_sender(dut: Any) -> None:
    a, b = RATIOS[0].domains(dut)
    await start(a, b)
    a.write("io_in", 3)
    await b.clock(10)
    assert b.read("io_out") == 3
    resets = cocotb.start_soon(a.reset(20))
    await b.clock(10)
    assert b.read("io_out") == 0
    await resets
    await b.clock(10)
    assert b.read("io_out") == 3


def test_level_crossing(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("LevelCrossing", skew=True)
