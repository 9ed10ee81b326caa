# SPDX-License-Identifier: Apache-2.0
"""Tests of HeadQueue: each item once and in order, one a cycle, with its first one in a register."""

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
    sink.hold = True
    await bench.start()
    for i in range(ENTRIES + 3):
        source.send(bits=i)
    await bench.clock(ENTRIES + 10)
    assert source.sent == ENTRIES and bench.read("io_count") == ENTRIES
    assert bench.read("io_quiet"), "a full one that nobody takes from does not move"
    sink.hold = False
    start = bench.cycle
    await source.drained()
    await bench.until(lambda: len(sink.taken) == ENTRIES + 3, "all of them")
    assert bits(sink) == list(range(ENTRIES + 3))
    assert bench.cycle - start <= ENTRIES + 3 + 6, "about one a cycle"


@cocotb.test()
@cocotb.parametrize(gaps=[0.0, 0.5, 0.9], stalls=[0.0, 0.5, 0.9])
async def keeps_the_order(dut: Any, gaps: float, stalls: float) -> None:
    bench = Bench(dut)
    source, sink = Source(bench, "io_in", gaps=gaps), Sink(bench, "io_out", stalls=stalls, stable=True)
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
    assert bench.read("io_count") == 0 and bench.read("io_quiet")


def test_head_queue(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("HeadQueue")
