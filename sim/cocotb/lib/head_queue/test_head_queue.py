# SPDX-License-Identifier: Apache-2.0
"""Tests of HeadQueue: each item once and in order, one a cycle, with its first one in a register."""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support import fifo
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.fifo import bits
from sim.cocotb.support.stream import Sink, Source

ENTRIES = 8  # of the emitted unit


@cocotb.test()
async def empty_one_is_passed_in_a_cycle(dut: Any) -> None:
    bench = Bench(dut)
    source, sink = Source(bench, "io_in"), Sink(bench, "io_out")
    await bench.start()
    assert bench.read("io_quiet") and bench.read("io_count") == 0
    for i in range(5):
        source.send(bits=i)
        await source.drained()
        await bench.clock()
        assert bits(sink) == list(range(i + 1)), "out in the cycle after it came"
        assert bench.read("io_count") == 0


@cocotb.test()
async def holds_as_many_as_it_says(dut: Any) -> None:
    bench = Bench(dut)
    source, sink = Source(bench, "io_in"), Sink(bench, "io_out", stable=True)
    await fifo.takes_as_many_as_it_says(bench, source, sink, ENTRIES)
    assert bench.read("io_quiet"), "a full one that nobody takes from does not move"
    await fifo.gives_one_a_cycle(bench, source, sink, ENTRIES)


@cocotb.test()
@cocotb.parametrize(gaps=[0.0, 0.5, 0.9], stalls=[0.0, 0.5, 0.9])
async def keeps_the_order(dut: Any, gaps: float, stalls: float) -> None:
    bench = Bench(dut)
    source, sink = Source(bench, "io_in", gaps=gaps), Sink(bench, "io_out", stalls=stalls, stable=True)
    await fifo.keeps_the_order(bench, source, sink, ENTRIES)
    assert bench.read("io_quiet")


def test_head_queue(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("HeadQueue")
