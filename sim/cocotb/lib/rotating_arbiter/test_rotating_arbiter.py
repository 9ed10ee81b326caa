# SPDX-License-Identifier: Apache-2.0
"""Tests of RotatingArbiter: it is fair, loses nothing, and a request that is not taken does not block the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.stream import Source

INPUTS = 3
TARGETS = 4  # a request's low bits name its receiver


class TB:
    """Source in[3] -> RotatingArbiter -> this agent, which accepts by what is offered, as a scheduler with busy dies
    does.
    """

    def __init__(self, dut: Any, gaps: float = 0.0) -> None:
        self.bench = Bench(dut)
        self.sources = [Source(self.bench, f"io_in_{i}", gaps) for i in range(INPUTS)]
        self.accepts: Callable[[int], bool] = lambda bits: True
        self.taken: list[tuple[int, int]] = []  # input, bits
        self.offers: list[int] = []  # the input offered in each cycle that had one
        self._turn = 0  # reference model: who is first in line
        self.bench.add(self)

    def drive(self) -> None:
        # The sources have driven before this agent: the model knows what the unit is about to offer.
        waiting = {i: s._offered for i, s in enumerate(self.sources) if s._offered is not None}
        self._waiting = set(waiting)
        order = [(self._turn + i) % INPUTS for i in range(INPUTS)]
        self._chosen = next((i for i in order if i in waiting), None)
        self._bits = None if self._chosen is None else waiting[self._chosen]["bits"]
        self._ready = self._bits is not None and self.accepts(self._bits)
        self.bench.write("io_out_ready", int(self._ready))

    def sample(self) -> None:
        read = self.bench.read
        assert read("io_out_valid") == (self._chosen is not None)
        granted = [i for i in range(INPUTS) if read(f"io_in_{i}_ready") and i in self._waiting]
        if self._chosen is None:
            return
        assert self._bits is not None
        assert (read("io_chosen"), read("io_out_bits")) == (self._chosen, self._bits)
        assert granted == ([self._chosen] if self._ready else [])
        self.offers.append(self._chosen)
        if self._ready:
            self.taken.append((self._chosen, self._bits))
        self._turn = (self._chosen + 1) % INPUTS

    async def start(self) -> None:
        await self.bench.start()
        self.offers.clear()

    def send(self, source: int, *bits: int) -> None:
        for word in bits:
            self.sources[source].send(bits=word)

    def taken_of(self, source: int) -> list[int]:
        return [bits for i, bits in self.taken if i == source]


@cocotb.test()
async def everybody_gets_every_third_cycle(dut: Any) -> None:
    tb = TB(dut)
    await tb.start()
    for i in range(INPUTS):
        tb.send(i, *range(20))
    await tb.bench.until(lambda: len(tb.taken) == 20 * INPUTS, "all")
    order = [i for i, _ in tb.taken]
    assert all(order[at + INPUTS] == order[at] for at in range(len(order) - INPUTS))
    assert len(tb.offers) == len(tb.taken), "no cycle is lost"


@cocotb.test()
@cocotb.parametrize(source=list(range(INPUTS)))
async def who_is_alone_gets_every_cycle(dut: Any, source: int) -> None:
    tb = TB(dut)
    await tb.start()
    begin = tb.bench.cycle
    tb.send(source, *range(50))
    await tb.sources[source].drained()
    assert tb.bench.cycle - begin <= 51
    assert tb.taken_of(source) == list(range(50))


@cocotb.test()
async def the_offer_rotates_while_nobody_takes_it(dut: Any) -> None:
    tb = TB(dut)
    await tb.start()
    tb.accepts = lambda bits: False
    for i in range(INPUTS):
        tb.send(i, 10 * i)
    await tb.bench.clock(30)
    assert not tb.taken and len(tb.offers) >= 29
    assert all(len(set(tb.offers[at : at + INPUTS])) == INPUTS for at in range(len(tb.offers) - INPUTS))
    tb.accepts = lambda bits: True
    await tb.bench.until(lambda: len(tb.taken) == INPUTS, "all of them")


@cocotb.test()
@cocotb.parametrize(blocked=list(range(INPUTS)))
async def a_busy_target_does_not_hold_up_the_others(dut: Any, blocked: int) -> None:
    tb = TB(dut)
    await tb.start()
    busy = 3
    tb.accepts = lambda bits: bits % TARGETS != busy
    others = [i for i in range(INPUTS) if i != blocked]
    tb.send(blocked, busy, 0)
    for i in others:
        tb.send(i, *(TARGETS * n for n in range(30)))
    begin = tb.bench.cycle
    for i in others:
        await tb.sources[i].drained()
    assert tb.bench.cycle - begin <= 30 * INPUTS + 2, "only the blocked one's turns are lost"
    assert not tb.taken_of(blocked)
    tb.accepts = lambda bits: True
    await tb.sources[blocked].drained()
    assert tb.taken_of(blocked) == [busy, 0]


@cocotb.test()
@cocotb.parametrize(gaps=[0.0, 0.3, 0.8], busy=[0.0, 0.5])
async def random_requests(dut: Any, gaps: float, busy: float) -> None:
    """Compares with the reference model of `TB` each cycle. Nothing is lost, doubled or overtaken within its input."""
    tb = TB(dut, gaps)
    await tb.start()
    rng = tb.bench.rng
    tb.accepts = lambda bits: rng.random() >= busy
    sent = [[rng.randrange(256) for _ in range(150)] for _ in range(INPUTS)]
    for i, words in enumerate(sent):
        tb.send(i, *words)
    for source in tb.sources:
        await source.drained()
    assert [tb.taken_of(i) for i in range(INPUTS)] == sent


def test_rotating_arbiter(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("RotatingArbiter")
