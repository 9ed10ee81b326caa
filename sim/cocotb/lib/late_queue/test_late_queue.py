# SPDX-License-Identifier: Apache-2.0
"""Tests of LateQueue: each item once and in order, one a cycle, and none before the memory has had it for a cycle."""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.stream import Sink, Source

ENTRIES = 8  # of the emitted unit


def bits(sink: Sink) -> list[int]:
    return [t["bits"] for t in sink.taken]


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
    sink.hold = True
    await bench.start()
    for i in range(ENTRIES + 3):
        source.send(bits=i)
    await bench.clock(ENTRIES + 10)
    assert source.sent == ENTRIES and bench.read("io_count") == ENTRIES
    sink.hold = False
    start = bench.cycle
    await source.drained()
    await bench.until(lambda: len(sink.taken) == ENTRIES + 3, "all of them")
    assert bits(sink) == list(range(ENTRIES + 3))
    assert bench.cycle - start <= ENTRIES + 3 + 6, "about one a cycle"


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
    await bench.start()
    sent = [bench.rng.getrandbits(16) for _ in range(600)]
    for word in sent:
        source.send(bits=word)
    # From empty to full and back: the reader stops now and then, the writer goes on.
    while source.pending:
        sink.hold = bench.rng.random() < 0.3
        await bench.clock(bench.rng.randrange(1, 3 * ENTRIES))
        assert bench.read("io_count") <= ENTRIES
    sink.hold = False
    await bench.until(lambda: len(sink.taken) == len(sent), "all of them")
    assert bits(sink) == sent
    assert bench.read("io_count") == 0


def test_late_queue(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("LateQueue")
