# SPDX-License-Identifier: Apache-2.0
"""Tests of MsixCrossing: each interrupt once and in order, and none made up by a reset."""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.clocks import RATIOS, Ratio, start
from sim.cocotb.support.stream import Sink, Source

VECTORS = 9  # of the emitted unit
SETTLED = 80  # cycles of the slower clock


@cocotb.test()
@cocotb.parametrize(ratio=RATIOS, gaps=[0.0, 0.8], stalls=[0.0, 0.8])
async def interrupts_come_once(dut: Any, ratio: Ratio, gaps: float, stalls: float) -> None:
    a, b = ratio.domains(dut)
    source, sink = Source(a, "io_in", gaps), Sink(b, "io_out", stalls, stable=True)
    await start(a, b)
    sent = [a.rng.randrange(VECTORS) for _ in range(100)]
    for vector in sent:
        source.send(bits=vector)
    await b.until(lambda: len(sink.taken) == len(sent), "all of them")
    await b.clock(20)
    assert [t["bits"] for t in sink.taken] == sent


@cocotb.test()
@cocotb.parametrize(ratio=RATIOS)
async def a_reset_makes_none_up(dut: Any, ratio: Ratio) -> None:
    """The vector tells the round: none is of an earlier one, and those after the reset come all."""
    a, b = ratio.domains(dut)
    slower = a if ratio.source > ratio.target else b
    source, sink = Source(a, "io_in"), Sink(b, "io_out", 0.5, stable=True)
    await start(a, b)
    for turn in range(VECTORS):
        for _ in range(6):
            source.send(bits=turn)
        await slower.clock(a.rng.randint(1, 8))
        await (a, b)[turn % 2].reset(a.rng.choice((1, 2, 30)))
        source.clear()
        await slower.clock(SETTLED)
        assert {t["bits"] for t in sink.taken} <= {turn}
        sink.taken.clear()
        for _ in range(3):
            source.send(bits=turn)
        await slower.clock(SETTLED)
        assert [t["bits"] for t in sink.taken] == [turn] * 3
        sink.taken.clear()


def test_msix_crossing(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("MsixCrossing", skew=True)
