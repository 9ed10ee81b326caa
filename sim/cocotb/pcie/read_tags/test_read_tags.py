# SPDX-License-Identifier: Apache-2.0
"""Tests of ReadTags: reads are delivered in order, whole or failed, and each tag is one read's alone."""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.stream import Pulse, Sink, Watch

SLOTS = 8
TIMEOUT = 3000  # cycles; a third more at the latest


class TB:
    def __init__(self, dut: Any, stalls: float = 0.0) -> None:
        self.bench = Bench(dut)
        self._issue = Pulse(self.bench, "io_issue", apart=4)
        self._begins = Pulse(self.bench, "io_begins")
        self._judged = Pulse(self.bench, "io_judged")
        self._ends = Pulse(self.bench, "io_ends")
        self.deliver = Sink(self.bench, "io_deliver", stalls, stable=True)
        self.timeouts = Watch(self.bench, "io_timeout")

    async def issue(self, beats: int, low: int = 0, last: int = 1, failed: int = 0) -> int:
        """Begins a read and returns its tag."""
        await self.bench.until(lambda: self.bench.read("io_free") == 1, "a slot")
        await self.bench.clock(2)
        tag = self.bench.read("io_tag")
        self._issue.send(beats=beats, low=low, last=last, failed=failed)
        await self._issue.sent()
        await self.bench.clock(3)
        return tag

    async def look(self, tag: int) -> dict[str, int]:
        self.bench.write("io_look", tag)
        await self.bench.clock(2)
        return {name: self.bench.read(f"io_found_{name}") for name in ("waits", "left", "low", "at")}

    async def complete(self, tag: int, beats: int, good: bool = True, cut: bool = False) -> bool:
        """A completion. Returns whether a read waits for it."""
        found = await self.look(tag)
        verdict = {"slot": tag % SLOTS, "generation": tag // SLOTS}
        self._begins.send(bits=beats)
        await self._begins.sent()
        if found["waits"]:
            self._judged.send(**verdict, good=int(good))
            await self._judged.sent()
            if good and (cut or beats == found["left"]):
                self._ends.send(**verdict, good=int(not cut))
                await self._ends.sent()
        await self.bench.clock(4)
        return bool(found["waits"])

    async def delivered(self) -> tuple[int, int, int, int]:
        t = await self.deliver.get()
        return t["slot"], t["beats"], t["last"], t["failed"]


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.7])
async def reads_are_delivered_in_order(dut: Any, stalls: float) -> None:
    tb = TB(dut, stalls)
    await tb.bench.start()
    rng = tb.bench.rng
    used: list[int] = []
    for _ in range(12):
        reads = []
        for _ in range(rng.randrange(1, SLOTS + 1)):
            beats, low, last = rng.randrange(1, 33), rng.randrange(8), rng.getrandbits(1)
            tag = await tb.issue(beats, low, last)
            assert await tb.look(tag) == {"waits": 1, "left": beats, "low": low, "at": 0}
            reads.append([tag, beats, low, last, 0])
            used.append(tag)
        want = [(tag % SLOTS, beats, last, 0) for tag, beats, _, last, _ in reads]
        open_ = list(reads)
        while open_:
            read = rng.choice(open_)
            tag, beats, low, _, at = read
            part = rng.randrange(1, beats - at + 1)
            assert await tb.complete(tag, part)
            read[4] += part
            if read[4] == beats:
                open_.remove(read)
            else:
                now = await tb.look(tag)
                assert now == {"waits": 1, "left": beats - read[4], "low": (low + read[4]) % 8, "at": read[4]}
        assert [await tb.delivered() for _ in want] == want
    assert tb.deliver.count == len(used)
    for i, tag in enumerate(used):  # slots in turn, and another generation with each use
        assert tag == i % SLOTS + SLOTS * (i // SLOTS % 4)


@cocotb.test()
async def so_many_reads_as_slots(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tags = [await tb.issue(1) for _ in range(SLOTS)]
    await tb.bench.clock(3)
    assert not tb.bench.read("io_free")
    assert await tb.complete(tags[3], 1)
    await tb.bench.clock(10)
    assert not tb.bench.read("io_free") and not tb.deliver.taken
    assert await tb.complete(tags[0], 1)
    assert await tb.delivered() == (0, 1, 1, 0)
    await tb.bench.clock(3)
    assert tb.bench.read("io_free") and not tb.deliver.taken


@cocotb.test()
async def a_bad_completion_fails_its_read_alone(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tags = [await tb.issue(4) for _ in range(4)]
    assert await tb.complete(tags[1], 4, good=False)
    assert await tb.complete(tags[2], 2) and await tb.complete(tags[2], 2, cut=True)
    for tag in (tags[1], tags[2]):
        assert not await tb.complete(tag, 4), "a failed read waits for nothing"
    assert await tb.complete(tags[3], 4) and await tb.complete(tags[0], 4)
    assert [await tb.delivered() for _ in tags] == [(0, 4, 1, 0), (1, 4, 1, 1), (2, 4, 1, 1), (3, 4, 1, 0)]


@cocotb.test()
async def an_error_beside_the_last_data_counts(dut: Any) -> None:
    """In whichever cycle before, with or after the end of the data it comes."""
    tb = TB(dut)
    await tb.bench.start()
    for slot, delay in enumerate((-2, -1, 0, 1, 2)):
        tag = await tb.issue(2)
        assert tag == slot
        tb.bench.write("io_look", tag)
        await tb.bench.clock(2)
        tb._begins.send(bits=2)
        await tb._begins.sent()
        if delay < 0:
            tb._judged.send(slot=slot, good=0)
            await tb.bench.clock(-delay)
        tb._ends.send(slot=slot, good=1)
        if delay >= 0:
            await tb.bench.clock(delay)
            tb._judged.send(slot=slot, good=0)
        assert await tb.delivered() == (slot, 2, 1, int(delay <= 0))


@cocotb.test()
async def a_late_completion_finds_nobody(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    old = await tb.issue(2)
    assert await tb.complete(old, 2, good=False)
    assert await tb.delivered() == (0, 2, 1, 1)
    tags = [await tb.issue(2) for _ in range(SLOTS)]
    new = tags[-1]
    assert new % SLOTS == old % SLOTS and new != old
    assert not await tb.complete(old, 2)
    # Not even its data, where they end late.
    tb._ends.send(slot=old % SLOTS, generation=old // SLOTS, good=0)
    await tb._ends.sent()
    for tag in tags:
        assert await tb.complete(tag, 2)
    assert [(await tb.delivered())[3] for _ in tags] == [0] * SLOTS


@cocotb.test()
async def a_read_that_was_not_sent_has_failed(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    first = await tb.issue(1)
    await tb.issue(3, last=0, failed=1)
    assert await tb.complete(first, 1)
    assert [await tb.delivered() for _ in range(2)] == [(0, 1, 1, 0), (1, 3, 0, 1)]


@cocotb.test()
async def time_is_over(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    for pause in (0, 300, 700):
        await tb.bench.clock(pause)
        begin = tb.bench.cycle
        await tb.issue(2)
        other = await tb.issue(2)
        assert await tb.complete(other, 1)  # a part is not enough
        while len(tb.timeouts.seen) == 0:
            await tb.bench.clock()
        assert TIMEOUT <= tb.bench.cycle - begin <= TIMEOUT * 4 // 3 + 20
        assert [(await tb.delivered())[3] for _ in range(2)] == [1, 1]
        await tb.bench.clock(3)
        tb.timeouts.seen.clear()


@cocotb.test()
async def all_can_be_given_up(dut: Any) -> None:
    tb = TB(dut)
    tb.deliver.hold = True
    await tb.bench.start()
    tags = [await tb.issue(2) for _ in range(4)]
    assert await tb.complete(tags[0], 2) and await tb.complete(tags[2], 2)
    tb.bench.write("io_abort", 1)
    await tb.bench.clock(2)
    tb.bench.write("io_abort", 0)
    tb.deliver.hold = False
    assert [(await tb.delivered())[3] for _ in tags] == [0, 1, 0, 1], "what is there stays"
    assert not await tb.complete(tags[1], 2)
    tag = await tb.issue(2)
    assert await tb.complete(tag, 2)
    assert (await tb.delivered())[3] == 0


def test_read_tags(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("ReadTags")
