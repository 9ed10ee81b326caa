# SPDX-License-Identifier: Apache-2.0
"""Tests of NandScheduler.

Requests reach the right channel in the order of each client, answers reach the right client, and no client blocks
another. The host precedes GC, which gets its share, and at most its places of a die's queue.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.geometry import (
    CHANNELS,
    DIE_QUEUE_DEPTH,
    DIES,
    DIES_PER_CHANNEL,
    GC_DIE_PLACES,
    GC_ONE_IN,
    SLOTS,
    SlotAddress,
)
from sim.cocotb.support.nand import NandClient, RequestOp
from sim.cocotb.support.stream import Sink, Source, Transaction, Watch

CLIENTS = len(NandClient)


class Dies:
    """The dies behind the channels. Each answers its oldest request when `free(die, cycle)` says so.

    Numbers of dies are channel + CHANNELS * die.
    """

    def __init__(self, bench: Bench, answer: Callable[[Transaction], None]) -> None:
        self.bench = bench
        self.answer = answer
        self.free: Callable[[int, int], bool] = lambda die, cycle: True
        self.places = [0] * DIES  # in use: not answered, or the scheduler has not taken the answer
        self._waiting: list[deque[Transaction]] = [deque() for _ in range(DIES)]
        bench.add(self)

    @staticmethod
    def of(t: Transaction) -> int:
        at = SlotAddress.of(t["slot"])
        return at.channel + CHANNELS * at.die

    def take(self, t: Transaction) -> None:
        die = self.of(t)
        self.places[die] += 1
        assert self.places[die] <= DIE_QUEUE_DEPTH, f"die {die} has no place"
        self._waiting[die].append(t)

    def drive(self) -> None:
        for die, waiting in enumerate(self._waiting):
            if waiting and self.free(die, self.bench.cycle):
                self.answer(waiting.popleft())

    def sample(self) -> None:
        for channel in range(CHANNELS):
            if all(self.bench.read(f"io_channelDone_{channel}_{name}") for name in ("valid", "ready")):
                self.places[self.of({"slot": self.bench.read(f"io_channelDone_{channel}_bits_slot")})] -= 1


class TB:
    """`answers`: requests are answered as soon as they are accepted, or when `dies.free` says so."""

    def __init__(self, dut: Any, stalls: float = 0.0, answers: bool = True) -> None:
        self.bench = Bench(dut)
        self.dies = Dies(self.bench, self.answer)
        if not answers:
            self.dies.free = lambda die, cycle: False
        self.req = [Source(self.bench, f"io_req_{i}", gaps=stalls) for i in range(CLIENTS)]
        self.done = [Sink(self.bench, f"io_done_{i}", stalls=stalls) for i in range(CLIENTS)]
        self.taken: list[list[Transaction]] = [[] for _ in range(CHANNELS)]
        self.channel_done = [Source(self.bench, f"io_channelDone_{i}", gaps=stalls) for i in range(CHANNELS)]
        self.channel = [Watch(self.bench, f"io_channel_{i}", on_seen=self._taker(i)) for i in range(CHANNELS)]

    def _taker(self, channel: int) -> Callable[[Transaction], None]:
        def take(t: Transaction) -> None:
            assert self.bench.read(f"io_req_{t['client']}_ready"), "the channel gets a request as it is accepted"
            self.taken[channel].append(t)
            self.dies.take(t)

        return take

    def answer(self, t: Transaction) -> None:
        fields = {name: t[name] for name in ("op", "client", "slot", "buf", "oob")}
        self.channel_done[SlotAddress.of(t["slot"]).channel].send(**fields)

    def ask(self, client: int, slot: int, tag: int = 0) -> None:
        self.req[client].send(op=RequestOp.READ, client=client, slot=slot, buf=tag % 28, oob=tag)

    def clients(self, channel: int = 0) -> list[int]:
        """The clients that a channel accepted, in order."""
        return [t["client"] for t in self.taken[channel]]


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.5])
async def routes_both_ways_and_keeps_the_order(dut: Any, stalls: float) -> None:
    tb = TB(dut, stalls)
    await tb.bench.start()
    asked: dict[tuple[int, int], list[int]] = {}
    count = 40
    for client in range(CLIENTS):
        for i in range(count):
            slot = tb.bench.rng.randrange(SLOTS)
            tag = client * 1000 + i
            tb.ask(client, slot, tag)
            asked.setdefault((client, slot % CHANNELS), []).append(tag)
    total = CLIENTS * count
    # In the order of a channel, so that the answers of a client come in the order of its requests.
    tb.dies.free = lambda die, cycle: False
    answered = [0] * CHANNELS

    class InOrder:
        def drive(self) -> None:
            for channel, taken in enumerate(tb.taken):
                if answered[channel] < len(taken) and tb.bench.rng.random() >= stalls:
                    tb.answer(taken[answered[channel]])
                    answered[channel] += 1

        def sample(self) -> None:
            pass

    tb.bench.add(InOrder())
    await tb.bench.until(lambda: sum(d.count for d in tb.done) == total, "all answers")
    for channel, taken in enumerate(tb.taken):
        got: dict[tuple[int, int], list[int]] = {}
        for t in taken:
            assert t["slot"] % CHANNELS == channel
            got.setdefault((t["client"], channel), []).append(t["oob"])
        assert got == {key: tags for key, tags in asked.items() if key[1] == channel}
    for client, sink in enumerate(tb.done):
        for channel in range(CHANNELS):
            tags = [t["oob"] for t in sink.taken if t["slot"] % CHANNELS == channel]
            assert tags == asked.get((client, channel), [])


@cocotb.test()
async def full_die_holds_nobody_else(dut: Any) -> None:
    """A request for a full die, even the first in line, blocks no other request."""
    assert DIES_PER_CHANNEL > 1
    tb = TB(dut)
    full = SlotAddress(0, 0, die=0, channel=0).slot
    tb.dies.free = lambda die, cycle: die != 0
    await tb.bench.start()
    for _ in range(DIE_QUEUE_DEPTH):
        tb.ask(NandClient.HOST_READ, full)
    await tb.req[NandClient.HOST_READ].drained()
    tb.ask(NandClient.HOST_WRITE, full)
    tb.ask(NandClient.FIRMWARE, full)
    tb.ask(NandClient.GC, SlotAddress(0, 0, die=1, channel=0).slot)
    tb.ask(NandClient.HOST_READ, SlotAddress(0, 0, die=0, channel=1).slot)

    def others() -> tuple[list[int], list[int]]:
        return tb.clients(0)[DIE_QUEUE_DEPTH:], tb.clients(1)

    await tb.bench.until(lambda: all(others()), "the other dies' requests", timeout=10)
    await tb.bench.clock(20)
    assert others() == ([NandClient.GC], [NandClient.HOST_READ])
    assert tb.bench.read("io_quiet")


@cocotb.test()
@cocotb.parametrize(every=[1, 7])
async def host_before_gc_which_has_its_share(dut: Any, every: int) -> None:
    """The host never stops, and the die ends a request every N cycles: GC waits, but not for ever."""
    tb = TB(dut)
    tb.dies.free = lambda die, cycle: cycle % every == 0
    await tb.bench.start()
    rounds = 12
    for _ in range(rounds):
        tb.ask(NandClient.GC, 0)
    for i in range(rounds * GC_ONE_IN):
        tb.ask((NandClient.HOST_READ, NandClient.HOST_WRITE)[i % 2], 0)
    await tb.bench.until(lambda: len(tb.taken[0]) >= rounds * GC_ONE_IN, "all of GC's")
    order = tb.clients(0)[: rounds * GC_ONE_IN]
    gaps = [i for i, client in enumerate(order) if client == NandClient.GC]
    assert gaps == list(range(GC_ONE_IN - 1, rounds * GC_ONE_IN, GC_ONE_IN)), "one in GC_ONE_IN, neither more nor less"


@cocotb.test()
async def gc_alone_goes_at_once(dut: Any) -> None:
    """A request of one client is accepted every second cycle."""
    tb = TB(dut)
    await tb.bench.start()
    for i in range(30):
        tb.ask(NandClient.GC, i * CHANNELS)
    await tb.bench.until(lambda: len(tb.taken[0]) == 30, "all of them", timeout=2 * 30 + 10)


@cocotb.test()
async def gc_leaves_places_to_the_host(dut: Any) -> None:
    """GC never has more than its maximum of unanswered requests on a die. Other dies are independent."""
    tb = TB(dut, answers=False)
    await tb.bench.start()
    other = SlotAddress(0, 0, die=1, channel=0).slot
    for slot in [other] + [0] * (GC_DIE_PLACES + 2):
        tb.ask(NandClient.GC, slot)
    await tb.bench.clock(30)
    assert tb.clients(0) == [NandClient.GC] * (1 + GC_DIE_PLACES)
    tb.ask(NandClient.HOST_READ, 0)
    await tb.bench.until(lambda: tb.clients(0)[-1] == NandClient.HOST_READ, "the host's", timeout=10)
    for answer in (tb.taken[0][-1], tb.taken[0][0]):  # neither the host's nor the other die's makes room for GC
        tb.answer(answer)
    await tb.bench.clock(20)
    assert len(tb.taken[0]) == 2 + GC_DIE_PLACES
    tb.answer(tb.taken[0][1])
    await tb.bench.clock(20)
    assert len(tb.taken[0]) == 3 + GC_DIE_PLACES and tb.clients(0)[-1] == NandClient.GC


@cocotb.test()
async def none_starves_at_a_die_that_is_seldom_free(dut: Any) -> None:
    """Two clients want a die that rarely has a place. In between a third one is always granted for another die."""
    tb = TB(dut)
    tb.dies.free = lambda die, cycle: die != 0 or cycle % 5 == 0
    await tb.bench.start()
    for _ in range(200):
        tb.ask(NandClient.HOST_WRITE, 0)
        tb.ask(NandClient.HOST_READ, 0)
        tb.ask(NandClient.FIRMWARE, SlotAddress(0, 0, die=1, channel=0).slot)
    await tb.bench.clock(180)
    counts = [tb.clients(0).count(c) for c in (NandClient.HOST_WRITE, NandClient.HOST_READ)]
    assert min(counts) >= 10 and max(counts) - min(counts) <= 1


@cocotb.test()
async def client_that_takes_no_answer_holds_nobody_else(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.done[NandClient.FIRMWARE].hold = True
    tb.ask(NandClient.FIRMWARE, 0)
    tb.ask(NandClient.HOST_READ, 1)
    await tb.bench.until(lambda: bool(tb.done[NandClient.HOST_READ].taken), "the other answer", timeout=10)


def test_nand_scheduler(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("NandScheduler")
