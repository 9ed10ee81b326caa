# SPDX-License-Identifier: Apache-2.0
"""Tests of Skid: each item once and in order, one a cycle, a cycle after it came."""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.stream import Sink, Source


def bits(sink: Sink) -> list[int]:
    return [t["bits"] for t in sink.taken]


@cocotb.test()
async def passes_one_a_cycle(dut: Any) -> None:
    bench = Bench(dut)
    source, sink = Source(bench, "io_in"), Sink(bench, "io_out", stable=True)
    await bench.start()
    assert bench.read("io_quiet")
    start = bench.cycle
    for i in range(100):
        source.send(bits=i)
    await bench.until(lambda: len(sink.taken) == 100, "all of them")
    assert bits(sink) == list(range(100))
    assert bench.cycle - start <= 103


@cocotb.test()
async def holds_two(dut: Any) -> None:
    bench = Bench(dut)
    source, sink = Source(bench, "io_in"), Sink(bench, "io_out", stable=True)
    sink.hold = True
    await bench.start()
    for i in range(4):
        source.send(bits=i)
    await bench.clock(6)
    assert source.sent == 2 and not bench.read("io_in_ready")
    assert bench.read("io_quiet"), "a full one that nobody takes from does not move"
    sink.hold = False
    start = bench.cycle
    await bench.until(lambda: len(sink.taken) == 4, "all of them")
    assert bits(sink) == [0, 1, 2, 3]
    assert bench.cycle - start <= 5, "no cycle is lost after a stall"


@cocotb.test()
@cocotb.parametrize(gaps=[0.0, 0.5, 0.9], stalls=[0.0, 0.5, 0.9])
async def keeps_the_order(dut: Any, gaps: float, stalls: float) -> None:
    bench = Bench(dut)
    source, sink = Source(bench, "io_in", gaps=gaps), Sink(bench, "io_out", stalls=stalls, stable=True)
    await bench.start()
    sent = [bench.rng.getrandbits(16) for _ in range(400)]
    for word in sent:
        source.send(bits=word)
    await bench.until(lambda: len(sink.taken) == len(sent), "all of them")
    assert bits(sink) == sent
    await bench.clock(2)
    assert bench.read("io_quiet")


def test_skid(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("Skid")
