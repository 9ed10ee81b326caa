# SPDX-License-Identifier: Apache-2.0
"""Tests of CommandQueue.

Each command leaves once and in order: to its engine, or as gone if its submission queue was deleted.
"""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.geometry import QID_BITS, QUEUES
from sim.cocotb.support.stream import Sink, Source

ENTRIES = 8  # of the emitted unit


class TB:
    """Source in -> CommandQueue -> Sinks out, gone. The low bits of a command are its queue's number."""

    def __init__(self, dut: Any, gaps: float = 0.0, stalls: float = 0.0) -> None:
        self.bench = Bench(dut)
        self.source = Source(self.bench, "io_in", gaps=gaps)
        self.order: list[int] = []  # everything that has left
        self.begun: list[int] = []
        self.aborted: list[int] = []
        self.out = Sink(self.bench, "io_out", stalls=stalls, on_take=lambda t: self.left(t["bits"], self.begun))
        self.gone = Sink(self.bench, "io_gone", stalls=stalls, on_take=lambda t: self.left(t["bits"], self.aborted))
        self.alive = 0

    def left(self, command: int, by: list[int]) -> None:
        self.order.append(command)
        by.append(command)

    async def start(self) -> None:
        self.show((1 << QUEUES) - 1)
        await self.bench.start()

    def show(self, alive: int) -> None:
        """Sets which submission queues exist, as a bit mask."""
        self.alive = alive
        for i in range(QUEUES):
            self.bench.write(f"io_alive_{i}", alive >> i & 1)

    def command(self, qid: int | None = None) -> int:
        """A command of this queue, or of any."""
        rng = self.bench.rng
        return rng.getrandbits(8) << QID_BITS | (rng.randrange(QUEUES) if qid is None else qid)

    def send(self, count: int, qid: int | None = None) -> list[int]:
        sent = [self.command(qid) for _ in range(count)]
        for each in sent:
            self.source.send(bits=each)
        return sent


@cocotb.test()
async def empty_one_is_passed_in_a_cycle(dut: Any) -> None:
    tb = TB(dut)
    await tb.start()
    assert tb.bench.read("io_quiet") and tb.bench.read("io_count") == 0
    for i in range(5):
        tb.send(1)
        await tb.source.drained()
        await tb.bench.clock()
        assert len(tb.begun) == i + 1, "out in the cycle after it came"
        assert tb.bench.read("io_count") == 0


@cocotb.test()
async def holds_as_many_as_it_says(dut: Any) -> None:
    tb = TB(dut)
    tb.out.hold = True
    await tb.start()
    sent = tb.send(ENTRIES + 3)
    await tb.bench.clock(ENTRIES + 10)
    assert tb.source.sent == ENTRIES and tb.bench.read("io_count") == ENTRIES
    assert tb.bench.read("io_quiet"), "a full one that nobody takes from does not move"
    tb.out.hold = False
    start = tb.bench.cycle
    await tb.source.drained()
    await tb.bench.until(lambda: len(tb.begun) == len(sent), "all of them")
    assert tb.begun == sent
    assert tb.bench.cycle - start <= 2 * len(sent) + 6, "about one in two cycles"


@cocotb.test()
async def an_offered_command_is_withdrawn(dut: Any) -> None:
    """The first command and those behind it are of the queue that is deleted; one of another queue stays in order."""
    tb = TB(dut)
    tb.out.hold = tb.gone.hold = True
    await tb.start()
    sent = [*tb.send(3, qid=2), *tb.send(1, qid=1), *tb.send(2, qid=2)]
    await tb.source.drained()
    await tb.bench.clock(3)
    assert tb.bench.read("io_out_valid") and not tb.bench.read("io_gone_valid")
    tb.show(tb.alive & ~(1 << 2))
    await tb.bench.clock(2)
    assert not tb.bench.read("io_out_valid") and tb.bench.read("io_gone_valid")
    await tb.bench.clock(4)
    assert tb.bench.read("io_quiet")
    tb.out.hold = tb.gone.hold = False
    await tb.bench.until(lambda: len(tb.order) == len(sent), "all of them")
    assert tb.order == sent
    assert tb.begun == [sent[3]]


@cocotb.test()
async def a_gone_command_stays_gone(dut: Any) -> None:
    """A queue of the same number that is there before the command has left does not bring it back."""
    tb = TB(dut)
    tb.out.hold = tb.gone.hold = True
    await tb.start()
    sent = tb.send(1, qid=3)
    await tb.source.drained()
    tb.show(tb.alive & ~(1 << 3))
    await tb.bench.clock(3)
    tb.show(tb.alive | 1 << 3)
    await tb.bench.clock(3)
    tb.out.hold = tb.gone.hold = False
    await tb.bench.until(lambda: len(tb.order) == 1, "it")
    assert tb.aborted == sent


@cocotb.test()
@cocotb.parametrize(gaps=[0.0, 0.5, 0.9], stalls=[0.0, 0.5, 0.9])
async def keeps_the_order(dut: Any, gaps: float, stalls: float) -> None:
    tb = TB(dut, gaps, stalls)
    await tb.start()
    sent = tb.send(600)
    # From empty to full and back: the readers stop now and then, the writer goes on. Queues come and go.
    while tb.source.pending:
        tb.out.hold = tb.gone.hold = tb.bench.rng.random() < 0.3
        if tb.bench.rng.random() < 0.5:
            tb.show(tb.bench.rng.getrandbits(QUEUES))
        await tb.bench.clock(tb.bench.rng.randrange(1, 3 * ENTRIES))
        assert tb.bench.read("io_count") <= ENTRIES
    tb.out.hold = tb.gone.hold = False
    await tb.bench.until(lambda: len(tb.order) == len(sent), "all of them")
    assert tb.order == sent
    assert tb.begun and tb.aborted
    assert tb.bench.read("io_count") == 0 and tb.bench.read("io_quiet")


def test_command_queue(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("CommandQueue")
