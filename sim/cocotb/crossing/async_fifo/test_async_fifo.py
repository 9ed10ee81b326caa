# SPDX-License-Identifier: Apache-2.0
"""Tests of AsyncFifo, and of GrayFifo and JointReset in it: each item once and in order, with clocks that drift, stalls
and resets of either side. Bits that cross come late at random.
"""

from __future__ import annotations

import random
from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.clocks import RATIOS, Domain, Ratio, start
from sim.cocotb.support.stream import Sink, Source

DEPTH = 8  # of the emitted unit
SETTLED = 60  # cycles of the slower clock after a reset, when both sides are up again at the latest
LEAVES = 2  # beside the memory: the register at the output, and an item that is just being taken


def bits(sink: Sink) -> list[int]:
    return [t["bits"] for t in sink.taken]


@cocotb.test()
@cocotb.parametrize(ratio=RATIOS, gaps=[0.0, 0.6], stalls=[0.0, 0.6])
async def keeps_the_order(dut: Any, ratio: Ratio, gaps: float, stalls: float) -> None:
    a, b = ratio.domains(dut)
    source, sink = Source(a, "io_in", gaps=gaps), Sink(b, "io_out", stalls=stalls, stable=True)
    await start(a, b)
    sent = [a.rng.getrandbits(16) for _ in range(300)]
    for word in sent:
        source.send(bits=word)
    await b.until(lambda: len(sink.taken) >= len(sent), "all of them")
    await b.clock(20)
    assert bits(sink) == sent


@cocotb.test()
async def is_full_and_empty_again(dut: Any) -> None:
    """The reader stops now and then, the writer goes on."""
    a, b = RATIOS[0].domains(dut)
    source, sink = Source(a, "io_in"), Sink(b, "io_out", stable=True)
    sink.hold = True
    await start(a, b)
    sent = list(range(400))
    for word in sent:
        source.send(bits=word)
    await a.clock(60)
    assert source.sent == DEPTH + 1, "the memory, and the register at the output"
    while source.pending:
        sink.hold = b.rng.random() < 0.4
        await b.clock(b.rng.randrange(1, 40))
        assert source.sent - sink.count <= DEPTH + LEAVES
    sink.hold = False
    await b.until(lambda: len(sink.taken) == len(sent), "all of them")
    assert bits(sink) == sent


@cocotb.test()
@cocotb.parametrize(ratio=RATIOS)
async def passes_an_item_in_each_cycle_of_the_slower_clock(dut: Any, ratio: Ratio) -> None:
    a, b = ratio.domains(dut)
    slower = a if ratio.source > ratio.target else b
    source, sink = Source(a, "io_in"), Sink(b, "io_out")
    await start(a, b)
    for word in range(1000):
        source.send(bits=word)
    await b.until(lambda: len(sink.taken) >= 100, "the first ones")
    begin, before = slower.cycle, len(sink.taken)
    await b.until(lambda: len(sink.taken) == 1000, "all of them")
    assert slower.cycle - begin < 1.03 * (1000 - before) + 3


async def some_resets(first: Domain, second: Domain, rng: random.Random, count: int) -> None:
    """Of either side, or of both, for one cycle or for many, also while they come up again."""
    for _ in range(count):
        which = rng.choice((first, second, None))
        await rng.choice((first, second)).clock(rng.choice((1, 2, 3, 5, 30, 60)))
        if which is None:
            again = cocotb.start_soon(first.reset(rng.randint(1, 6)))
            await second.reset(rng.randint(1, 6))
            await again
        else:
            await which.reset(rng.choice((1, 1, 2, 9, 40)))


@cocotb.test()
@cocotb.parametrize(ratio=RATIOS, stalls=[0.0, 0.7])
async def a_reset_of_one_side_alone_makes_nothing_up(dut: Any, ratio: Ratio, stalls: float) -> None:
    """Items are numbered. What comes out ascends; after the last reset nothing is lost."""
    a, b = ratio.domains(dut)
    slower = a if ratio.source > ratio.target else b
    source, sink = Source(a, "io_in"), Sink(b, "io_out", stalls=stalls, stable=True)
    await start(a, b)
    number = 0
    for _ in range(6):
        resets = cocotb.start_soon(some_resets(a, b, a.rng, 4))
        while not resets.done():
            if source.pending < 5:
                source.send(bits=number)
                number += 1
            await a.clock(a.rng.randint(1, 3))
        source.clear()
        await slower.clock(SETTLED)
        # Nothing of what comes from here on may be lost.
        first = number
        for number in range(first, first + 30):
            source.send(bits=number)
        number += 1
        await b.until(lambda n=number: bits(sink)[-1:] == [n - 1], "the last one")  # type: ignore[misc]
        seen = bits(sink)
        assert seen == sorted(set(seen)), "in order, and none twice"
        assert seen[-30:] == list(range(first, number)), "all that came after the resets"


@cocotb.test()
async def is_empty_after_a_reset(dut: Any) -> None:
    """But for the item that is offered already: it stays."""
    a, b = RATIOS[0].domains(dut)
    source, sink = Source(a, "io_in"), Sink(b, "io_out", stable=True)
    sink.hold = True
    await start(a, b)
    for word in range(1, 6):
        source.send(bits=word)
    await source.drained()
    await b.clock(10)
    await a.reset(1)
    await a.clock(60)
    source.send(bits=100)
    await source.drained()
    sink.hold = False
    await b.until(lambda: len(sink.taken) == 2, "what is left")
    assert bits(sink) == [1, 100]


def test_async_fifo(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("AsyncFifo", skew=True)
