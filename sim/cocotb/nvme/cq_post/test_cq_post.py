# SPDX-License-Identifier: Apache-2.0
"""Tests of CqPost: entries with the right phase are written to the right place, and the interrupt follows the entry."""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.axi import AxiWriteMemory, Memory
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.geometry import QUEUES
from sim.cocotb.support.orm_nvme import CompletionEntry
from sim.cocotb.support.stream import Pulse, Source, Watch

ENTRY = CompletionEntry.BYTES
LANES = 3


class HostQueue:
    """The driver's side of a completion queue."""

    def __init__(self, tb: TB, qid: int, base: int, entries: int) -> None:
        self.tb, self.qid, self.base, self.entries = tb, qid, base, entries
        self.head, self.phase = 0, 1

    def poll(self) -> CompletionEntry | None:
        """The next entry if its phase bit says that it is new (no doorbell)."""
        entry = CompletionEntry.unpack(self.tb.memory.read(self.base + ENTRY * self.head, ENTRY))
        if entry.status & 1 != self.phase:
            return None
        self.head += 1
        if self.head == self.entries:
            self.head, self.phase = 0, self.phase ^ 1
        return entry

    async def wait(self) -> CompletionEntry:
        found: list[CompletionEntry] = []

        def here() -> bool:
            entry = self.poll()
            if entry is not None:
                found.append(entry)
            return bool(found)

        await self.tb.bench.until(here, f"an entry in completion queue {self.qid}")
        return found[0]

    def ring(self) -> None:
        self.tb.doorbell.send(qid=self.qid, isCq=1, value=self.head)


class TB:
    """sqHead, cqOf
                             |
    Source in, Pulse config -> CqPost -> AxiWriteMemory (queues)
    Pulse doorbell  ->          |-> Watch raise, badDoorbell, postError
    """

    def __init__(self, dut: Any, stalls: float = 0.0, latency: int = 4) -> None:
        self.bench = Bench(dut)
        self.memory = Memory()
        self.config = Pulse(self.bench, "io_config")
        self.doorbell = Pulse(self.bench, "io_doorbell", apart=2)
        self.lanes = [Source(self.bench, f"io_in_{i}", gaps=stalls) for i in range(LANES)]
        self.input = self.lanes[0]
        self.completed = Watch(self.bench, "io_completed")
        self.raised = Watch(self.bench, "io_raise")
        self.bad = Watch(self.bench, "io_badDoorbell_value")
        self.absent = Watch(self.bench, "io_badDoorbell_absent")
        self.error = Watch(self.bench, "io_postError")
        self.host = AxiWriteMemory(self.bench, "io_host", self.memory, stalls=stalls, gaps=stalls, latency=latency)
        self.bases = 0x2_0000_0000

    async def start(self) -> None:
        await self.bench.start()
        for sq in range(QUEUES):
            self.bench.write(f"io_cqOf_{sq}", sq)
        cocotb.start_soon(self._sq_heads())

    async def _sq_heads(self) -> None:
        """SqFetch's side: the head of the queue that `headOf` names, a cycle later."""
        while True:
            head = 100 + self.bench.read("io_headOf")
            await self.bench.clock()
            self.bench.write("io_sqHead", head)

    async def create(self, qid: int, entries: int, ien: int = 1, vector: int = 0) -> HostQueue:
        self.bases += 0x10_0000
        queue = HostQueue(self, qid, self.bases, entries)
        self.config.send(qid=qid, enable=1, base=queue.base, entries=entries, ien=ien, vector=vector)
        await self.config.sent()
        return queue

    async def check_idle(self) -> None:
        await self.bench.clock(40)
        assert self.bench.read("io_quiet")
        assert not self.host.outstanding and not self.input.pending
        assert not self.bad.seen and not self.absent.seen and not self.error.seen and not self.raised.seen


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.6], latency=[1, 30])
async def phase_flips_with_every_round(dut: Any, stalls: float, latency: int) -> None:
    tb = TB(dut, stalls, latency)
    await tb.start()
    queue = await tb.create(2, entries=3, vector=4)
    for i in range(14):
        status, cid, dw0 = (tb.bench.rng.getrandbits(n) for n in (15, 16, 32))
        tb.input.send(qid=2, cid=cid, status=status, dw0=dw0)
        entry = await queue.wait()
        assert (entry.dw0, entry.dw1, entry.cid, entry.status >> 1) == (dw0, 0, cid, status), i
        assert (entry.sqid, entry.sqhd) == (2, 102)
        assert (await tb.raised.get())["vector"] == 4
        queue.ring()
    await tb.check_idle()


@cocotb.test()
async def interrupt_only_after_the_response(dut: Any) -> None:
    """Before the write is answered the host may not see the entry, so an earlier interrupt would be in vain."""
    tb = TB(dut)
    await tb.start()
    queue = await tb.create(1, entries=8, vector=3)
    tb.host.hold_resp = True
    tb.input.send(qid=1, cid=7)
    await queue.wait()
    await tb.bench.clock(50)
    assert not tb.raised.seen and not tb.bench.read("io_quiet")
    tb.host.hold_resp = False
    assert (await tb.raised.get())["vector"] == 3
    await tb.check_idle()


@cocotb.test()
async def entries_wait_for_write_responses(dut: Any) -> None:
    """Host memory answers no write: some entries are on the way, the next ones wait in their lane, none is lost."""
    tb = TB(dut)
    await tb.start()
    queue = await tb.create(1, entries=32, vector=3)
    tb.host.hold_resp = True
    for cid in range(20):
        tb.input.send(qid=1, cid=cid)
    await tb.bench.clock(400)
    assert 0 < tb.input.pending < 20, "some are on the way, and some wait"
    assert not tb.raised.seen
    tb.host.hold_resp = False
    assert [(await queue.wait()).cid for _ in range(20)] == list(range(20))
    for _ in range(20):
        assert (await tb.raised.get())["vector"] == 3
    await tb.check_idle()


@cocotb.test()
async def no_interrupt_where_disabled(dut: Any) -> None:
    tb = TB(dut)
    await tb.start()
    queue = await tb.create(1, entries=8, ien=0, vector=3)
    tb.input.send(qid=1, cid=7)
    assert (await queue.wait()).cid == 7
    await tb.check_idle()


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.6])
async def full_queue_waits_for_the_host(dut: Any, stalls: float) -> None:
    tb = TB(dut, stalls)
    await tb.start()
    queue = await tb.create(1, entries=4, ien=0)
    for cid in range(12):
        tb.input.send(qid=1, cid=cid)
    await tb.bench.clock(200)
    assert len(tb.host.bursts) == 3, "a queue of four holds three"
    assert tb.bench.read("io_quiet"), "only the host can move it"
    for cid in range(12):
        assert (await queue.wait()).cid == cid
        queue.ring()
    await tb.check_idle()


@cocotb.test()
async def full_queue_holds_its_lane_only(dut: Any) -> None:
    """A host that never empties one queue still gets its other completions, admin completions in particular."""
    tb = TB(dut)
    await tb.start()
    live, stuck = await tb.create(0, entries=4, ien=0), await tb.create(1, entries=2, ien=0)
    for cid in range(3):
        tb.lanes[0].send(qid=1, cid=cid)
    tb.lanes[1].send(qid=0, cid=10)
    await tb.bench.clock(40)
    for cid in range(11, 20):
        tb.lanes[1].send(qid=0, cid=cid)
    for cid in range(10, 20):
        assert (await live.wait()).cid == cid
        live.ring()
    assert tb.lanes[0].pending == 2
    for cid in range(3):
        assert (await stuck.wait()).cid == cid
        stuck.ring()
    await tb.check_idle()


@cocotb.test()
async def lanes_take_turns(dut: Any) -> None:
    tb = TB(dut)
    await tb.start()
    queue = await tb.create(1, entries=64, ien=0)
    for i in range(12):
        for lane, source in enumerate(tb.lanes):
            source.send(qid=1, cid=lane * 100 + i)
    order = [(await queue.wait()).cid // 100 for _ in range(12 * LANES)]
    for at in range(len(order) - LANES):
        assert len(set(order[at : at + LANES])) == LANES, order
    await tb.check_idle()


@cocotb.test()
async def room_counts_free_entries(dut: Any) -> None:
    tb = TB(dut)
    await tb.start()
    assert tb.bench.read("io_room_1") == 0, "no queue, no room"
    queue = await tb.create(1, entries=4, ien=0)
    for i in range(10):
        assert tb.bench.read("io_room_1") == 3
        tb.input.send(qid=1, cid=2 * i)
        tb.input.send(qid=1, cid=2 * i + 1)
        await queue.wait()
        await queue.wait()
        assert tb.bench.read("io_room_1") == 1
        queue.ring()
        await tb.doorbell.sent()
        await tb.bench.clock(2)
    assert [t["bits"] for t in tb.completed.seen] == [1] * 20
    await tb.check_idle()


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.6], pairs=[True, False])
async def many_queues_share_the_bus(dut: Any, stalls: float, pairs: bool) -> None:
    """Each submission queue has a separate completion queue, or they share three of them."""
    tb = TB(dut, stalls, latency=20)
    await tb.start()
    queues = [await tb.create(qid, entries=64, vector=qid) for qid in range(QUEUES if pairs else 3)]
    cq_of = [sq if pairs else min((sq + 1) // 2, 2) for sq in range(QUEUES)]
    for sq, cq in enumerate(cq_of):
        tb.bench.write(f"io_cqOf_{sq}", cq)
    expected: list[list[tuple[int, int]]] = [[] for _ in queues]
    for i in range(60):
        sq = tb.bench.rng.randrange(QUEUES)
        tb.input.send(qid=sq, cid=i)
        expected[cq_of[sq]].append((sq, i))
    await tb.input.drained()
    await tb.bench.until(lambda: not tb.host.outstanding)
    await tb.bench.clock(40)
    for queue, wanted in zip(queues, expected, strict=True):
        got = [queue.poll() for _ in wanted]
        assert [(e.sqid, e.cid) for e in got if e] == wanted
        assert queue.poll() is None
    assert sorted(t["vector"] for t in tb.raised.seen) == sorted(q for q, e in enumerate(expected) for _ in e)
    tb.raised.seen.clear()
    await tb.check_idle()


@cocotb.test()
async def absent_queue_drops(dut: Any) -> None:
    tb = TB(dut)
    await tb.start()
    queue = await tb.create(1, entries=8)
    tb.input.send(qid=3, cid=1)
    tb.input.send(qid=1, cid=2)
    assert (await queue.wait()).cid == 2
    await tb.raised.get()
    tb.config.send(qid=1, enable=0)
    await tb.config.sent()
    tb.input.send(qid=1, cid=3)
    await tb.check_idle()
    assert len(tb.host.bursts) == 1


@cocotb.test()
async def reset_frees_what_waits_at_a_full_queue(dut: Any) -> None:
    tb = TB(dut)
    await tb.start()
    await tb.create(0, entries=4)
    queue = await tb.create(1, entries=2)
    for cid in range(5):
        tb.input.send(qid=1, cid=cid)
    assert (await queue.wait()).cid == 0
    await tb.raised.get()
    await tb.bench.clock(20)
    assert tb.input.pending
    tb.config.send(qid=0, enable=0)
    await tb.check_idle()
    assert len(tb.host.bursts) == 1
    admin = await tb.create(0, entries=4)
    tb.input.send(qid=0, cid=9)
    assert (await admin.wait()).cid == 9
    await tb.raised.get()
    tb.doorbell.send(qid=1, isCq=1, value=0)
    await tb.absent.get()
    await tb.check_idle()


@cocotb.test()
async def doorbell_garbage(dut: Any) -> None:
    tb = TB(dut)
    await tb.start()
    queue = await tb.create(1, entries=4, ien=0)
    for value in (4, 0xFFFF):
        tb.doorbell.send(qid=1, isCq=1, value=value)
        await tb.bad.get()
    for qid, value in ((0, 0), (QUEUES, 0), (63, 3)):
        tb.doorbell.send(qid=qid, isCq=1, value=value)
        await tb.absent.get()
    tb.doorbell.send(qid=1, isCq=0, value=0xFFFF)  # a submission queue's doorbell: not for this unit
    tb.input.send(qid=1, cid=5)
    assert (await queue.wait()).cid == 5
    await tb.check_idle()


@cocotb.test()
async def doorbell_past_what_was_posted(dut: Any) -> None:
    """The head moves to any posted entry and not beyond. A refused write leaves the room unchanged."""
    tb = TB(dut)
    await tb.start()
    queue = await tb.create(1, entries=8, ien=0)
    head = tail = 0
    for cid in range(60):
        posts = tb.bench.rng.randrange(0, 7 - (tail - head) % 8 + 1)
        for _ in range(posts):
            tb.input.send(qid=1, cid=cid)
            await queue.wait()
        tail = (tail + posts) % 8
        used = (tail - head) % 8
        assert tb.bench.read("io_room_1") == 7 - used
        value = tb.bench.rng.randrange(8)
        tb.doorbell.send(qid=1, isCq=1, value=value)
        await tb.doorbell.sent()
        await tb.bench.clock(2)
        if (value - head) % 8 <= used:
            head = value
            assert not tb.bad.seen, "the same value again does no harm"
        else:
            await tb.bad.get()
        assert tb.bench.read("io_room_1") == 7 - (tail - head) % 8
    await tb.check_idle()


@cocotb.test()
async def refused_entry_is_fatal_and_silent(dut: Any) -> None:
    tb = TB(dut)
    await tb.start()
    queue = await tb.create(1, entries=4, vector=2)
    tb.host.fail(queue.base)
    tb.input.send(qid=1, cid=5)
    await tb.error.get()
    await tb.check_idle()
    assert queue.poll() is None


def test_cq_post(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("CqPost")
