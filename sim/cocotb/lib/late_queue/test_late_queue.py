# SPDX-License-Identifier: Apache-2.0
"""Tests of LateQueue: each item once and in order, one a cycle, and none before the memory has had it for a cycle."""

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
async def an_item_is_out_two_cycles_after_it_came(dut: Any) -> None:
    bench = Bench(dut)
    source, sink = Source(bench, "io_enq"), Sink(bench, "io_deq")
    await bench.start()
    for i in range(2 * ENTRIES + 1):
        source.send(bits=i)
        await source.drained()
        assert bench.read("io_count") == 1
        await bench.clock()
        assert bits(sink) == list(range(i)) and bench.read("io_count") == 1, "not yet"
        await bench.clock()
        assert bits(sink) == list(range(i + 1)) and bench.read("io_count") == 0


@cocotb.test()
async def holds_as_many_as_it_says(dut: Any) -> None:
    bench = Bench(dut)
    source, sink = Source(bench, "io_enq"), Sink(bench, "io_deq", stable=True)
    await fifo.takes_as_many_as_it_says(bench, source, sink, ENTRIES)
    await fifo.gives_one_a_cycle(bench, source, sink, ENTRIES)


@cocotb.test()
async def passes_one_a_cycle(dut: Any) -> None:
    bench = Bench(dut)
    source, sink = Source(bench, "io_enq"), Sink(bench, "io_deq")
    await bench.start()
    start = bench.cycle
    for i in range(100):
        source.send(bits=i)
    await bench.until(lambda: len(sink.taken) == 100, "all of them")
    assert bits(sink) == list(range(100))
    assert bench.cycle - start <= 100 + 6


@cocotb.test()
@cocotb.parametrize(gaps=[0.0, 0.5, 0.9], stalls=[0.0, 0.5, 0.9])
async def keeps_the_order(dut: Any, gaps: float, stalls: float) -> None:
    bench = Bench(dut)
    source, sink = Source(bench, "io_enq", gaps=gaps), Sink(bench, "io_deq", stalls=stalls, stable=True)
    await fifo.keeps_the_order(bench, source, sink, ENTRIES)


def test_late_queue(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("LateQueue")
