# SPDX-License-Identifier: Apache-2.0
"""Tests of SqFetch.

Each entry comes out once, in order, from the right address. Queue deletion and resets leave nothing behind.
"""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.axi import AxiReadMemory, Memory
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.geometry import QUEUES
from sim.cocotb.support.stream import Pulse, Sink, Watch

ENTRY = 64


class HostQueue:
    """The driver's side of a submission queue."""

    def __init__(self, tb: TB, qid: int, base: int, entries: int) -> None:
        self.tb, self.qid, self.base, self.entries, self.tail = tb, qid, base, entries, 0

    def put(self, count: int = 1) -> list[int]:
        """Writes `count` random entries (no doorbell)."""
        values = []
        for _ in range(count):
            value = self.tb.bench.rng.getrandbits(8 * ENTRY)
            self.tb.memory.write_int(self.base + ENTRY * self.tail, value, ENTRY)
            self.tail = (self.tail + 1) % self.entries
            values.append(value)
        return values

    def ring(self) -> None:
        self.tb.doorbell.send(qid=self.qid, isCq=0, value=self.tail)


class TB:
    """AxiReadMemory (queues)
                       |
    Pulse config ->  SqFetch -> Sink out
    Pulse doorbell ->   |-> Watch badDoorbell (value, absent), fetchError
    """

    def __init__(self, dut: Any, stalls: float = 0.0, latency: int = 4) -> None:
        self.bench = Bench(dut)
        self.memory = Memory()
        self.config = Pulse(self.bench, "io_config")
        self.doorbell = Pulse(self.bench, "io_doorbell", apart=2)
        self.out = Sink(self.bench, "io_out", stalls=stalls)
        self.bad = Watch(self.bench, "io_badDoorbell_value")
        self.absent = Watch(self.bench, "io_badDoorbell_absent")
        self.error = Watch(self.bench, "io_fetchError")
        self.host = AxiReadMemory(self.bench, "io_host", self.memory, stalls=stalls, gaps=stalls, latency=latency)
        self.completed = Pulse(self.bench, "io_completed")
        self.bases = 0x1_0000_0000

    async def start(self, room: int = 4095) -> None:
        """`room`: free entries of every completion queue."""
        await self.bench.start()
        for qid in range(QUEUES):
            self.bench.write(f"io_room_{qid}", room)

    async def create(self, qid: int, entries: int, cqid: int = 0) -> HostQueue:
        self.bases += 0x10_0000
        queue = HostQueue(self, qid, self.bases, entries)
        self.config.send(qid=qid, enable=1, base=queue.base, entries=entries, cqid=cqid)
        await self.config.sent()
        return queue

    async def delete(self, qid: int) -> None:
        self.config.send(qid=qid, enable=0)
        await self.config.sent()

    def inside(self, qid: int) -> int:
        return self.bench.read(f"io_inside_{qid}")

    async def empty(self, qid: int) -> None:
        """Waits until no command of the queue is inside, as firmware does before it defines the queue again."""
        await self.bench.until(lambda: self.inside(qid) == 0, f"queue {qid} to run empty")

    async def head(self, qid: int) -> int:
        """The head that a completion of the queue would carry: the answer takes a cycle."""
        self.bench.write("io_headOf", qid)
        await self.bench.clock()
        return self.bench.read("io_head")

    async def check_idle(self) -> None:
        await self.bench.clock(100)
        assert self.bench.read("io_quiet")
        assert not self.host.outstanding
        assert not self.out.taken, "nothing came that was not asked for"
        assert not self.bad.seen and not self.absent.seen and not self.error.seen


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.6], latency=[1, 30])
async def wraps_in_order(dut: Any, stalls: float, latency: int) -> None:
    tb = TB(dut, stalls, latency)
    await tb.start()
    queue = await tb.create(0, entries=5)
    for count in (1, 4, 3, 2, 4, 1):
        sent = queue.put(count)
        queue.ring()
        for value in sent:
            got = await tb.out.get()
            assert (got["qid"], got["sqe"]) == (0, value)
    await tb.bench.clock(2)
    assert await tb.head(0) == queue.tail
    await tb.check_idle()


@cocotb.test()
@cocotb.parametrize(active=list(range(2, QUEUES + 1)), stalls=[0.0, 0.6])
async def serves_all_queues_in_turn(dut: Any, active: int, stalls: float) -> None:
    """`active` of the queues have entries: an even number of them, too, so that no visit of a turn is in vain."""
    tb = TB(dut, stalls)
    await tb.start()
    queues = [await tb.create(qid, entries=64, cqid=(qid * 3) % QUEUES) for qid in range(QUEUES)][QUEUES - active :]
    expected = {queue.qid: queue.put(20) for queue in queues}
    for queue in queues:
        queue.ring()
    order = []
    for _ in range(20 * active):
        got = await tb.out.get()
        assert got["sqe"] == expected[got["qid"]].pop(0)
        order.append(got["qid"])
    # After all doorbell writes, no queue is served twice while another waits.
    steady = order[10:-10]
    for at in range(len(steady) - active):
        assert len(set(steady[at : at + active])) == active, steady
    for queue in queues:
        assert tb.bench.read(f"io_cqOf_{queue.qid}") == (queue.qid * 3) % QUEUES
        assert await tb.head(queue.qid) == 20
    await tb.check_idle()


@cocotb.test()
async def head_counts_what_has_arrived(dut: Any) -> None:
    """SQHD may free an entry for the host only after it was read."""
    tb = TB(dut, latency=50)
    await tb.start()
    queue = await tb.create(0, entries=16)
    queue.put(3)
    queue.ring()
    tb.host.hold_data = True
    await tb.bench.clock(60)
    assert tb.host.bursts and await tb.head(0) == 0
    tb.host.hold_data = False
    for index in range(3):
        await tb.out.get()
        assert await tb.head(0) >= index + 1
    await tb.check_idle()


@cocotb.test()
async def busy_router_bounds_what_is_fetched(dut: Any) -> None:
    tb = TB(dut)
    await tb.start()
    queue = await tb.create(0, entries=64)
    sent = queue.put(20)
    tb.out.hold = True
    queue.ring()
    await tb.bench.clock(200)
    assert await tb.head(0) == 4 and not tb.host.outstanding
    assert tb.bench.read("io_quiet"), "only the router can move it"
    tb.out.hold = False
    assert [(await tb.out.get())["sqe"] for _ in sent] == sent
    await tb.check_idle()


@cocotb.test()
async def doorbell_garbage(dut: Any) -> None:
    tb = TB(dut)
    await tb.start()
    queue = await tb.create(1, entries=8)
    for value in (8, 0xFFFF):
        tb.doorbell.send(qid=1, isCq=0, value=value)
        await tb.bad.get()
    for qid, value in ((0, 1), (2, 0), (QUEUES, 1), (63, 0)):
        tb.doorbell.send(qid=qid, isCq=0, value=value)
        await tb.absent.get()
    tb.doorbell.send(qid=1, isCq=1, value=0xFFFF)  # a completion queue's doorbell: not for this unit
    await tb.check_idle()
    assert not tb.host.bursts
    sent = queue.put(7)
    queue.ring()
    assert [(await tb.out.get())["sqe"] for _ in sent] == sent
    await tb.check_idle()


@cocotb.test()
async def doorbell_that_adds_too_much(dut: Any) -> None:
    """The host may add only as many entries as are free. A refused write changes nothing."""
    tb = TB(dut)
    await tb.start(room=0)  # so that nothing is fetched until the doorbells are through
    queue = await tb.create(1, entries=8, cqid=1)
    sent = queue.put(5)
    queue.ring()
    await tb.doorbell.sent()
    for value in (4, 0, 1):
        tb.doorbell.send(qid=1, isCq=0, value=value)
        await tb.bad.get()
    tb.doorbell.send(qid=1, isCq=0, value=5)  # the same again does no harm
    sent += queue.put(2)
    queue.ring()
    await tb.doorbell.sent()
    tb.doorbell.send(qid=1, isCq=0, value=0)  # one more makes a full ring look empty
    await tb.bad.get()
    tb.bench.write("io_room_1", 4095)
    assert [(await tb.out.get())["sqe"] for _ in sent] == sent
    sent = queue.put(7)
    queue.ring()
    assert [(await tb.out.get())["sqe"] for _ in sent] == sent
    await tb.check_idle()


@cocotb.test()
@cocotb.parametrize(wait=[0, 1, 2, 3, 5, 8, 12, 20])
async def deleted_while_fetching(dut: Any, wait: int) -> None:
    """Entries of a deleted queue that are under way are dropped, and count until then."""
    tb = TB(dut, latency=6)
    await tb.start()
    old, other = await tb.create(1, entries=16), await tb.create(2, entries=16)
    tb.out.hold = True
    old.put(3)
    kept = other.put(3)
    old.ring()
    other.ring()
    await tb.bench.clock(wait)
    await tb.delete(1)
    tb.out.hold = False
    await tb.empty(1)
    new = await tb.create(1, entries=4)
    assert await tb.head(1) == 0
    sent = new.put(3)
    new.ring()
    seen: dict[int, list[int]] = {1: [], 2: []}
    for _ in range(6):
        got = await tb.out.get()
        seen[got["qid"]].append(got["sqe"])
    assert seen == {1: sent, 2: kept}
    await tb.check_idle()
    assert await tb.head(1) == 3 and await tb.head(2) == 3


@cocotb.test()
async def reset_forgets_every_queue(dut: Any) -> None:
    tb = TB(dut, latency=10)
    await tb.start()
    queues = [await tb.create(qid, entries=16) for qid in range(QUEUES)]
    tb.out.hold = True
    for queue in queues:
        queue.put(4)
        queue.ring()
    await tb.bench.clock(17)
    await tb.delete(0)
    tb.out.hold = False
    await tb.check_idle()
    assert [tb.inside(qid) for qid in range(QUEUES)] == [0] * QUEUES
    for queue in queues:
        queue.ring()
        await tb.absent.get()
    admin = await tb.create(0, entries=4)
    sent = admin.put(2)
    admin.ring()
    assert [(await tb.out.get())["sqe"] for _ in sent] == sent
    await tb.check_idle()


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.6])
async def completion_queue_without_room_stops_its_queues_only(dut: Any, stalls: float) -> None:
    tb = TB(dut, stalls)
    await tb.start(room=3)
    first, second, other = (
        await tb.create(1, 16, cqid=1),
        await tb.create(2, 16, cqid=1),
        await tb.create(3, 16, cqid=2),
    )
    for queue in (first, second, other):
        queue.put(5)
        queue.ring()
    await tb.bench.clock(150)
    seen = [t["qid"] for t in tb.out.taken]
    assert seen.count(1) + seen.count(2) == 3 and seen.count(3) == 3, "as many commands inside as the queue can answer"
    assert tb.bench.read("io_quiet")
    # An answered command whose entry the host has not read yet frees nothing.
    tb.bench.write("io_room_1", 2)
    tb.completed.send(bits=seen[0] if seen[0] != 3 else next(q for q in seen if q != 3))
    await tb.bench.clock(60)
    assert len(tb.out.taken) == 6
    tb.bench.write("io_room_1", 3)
    await tb.bench.clock(60)
    assert len(tb.out.taken) == 7
    for _ in range(3):
        tb.completed.send(bits=3)
    await tb.bench.clock(60)
    assert [t["qid"] for t in tb.out.taken].count(3) == 5


@cocotb.test()
async def held_admin_commands_hold_nothing_back(dut: Any) -> None:
    """Commands that stay inside (event requests) must not use up the admin completion queue."""
    tb = TB(dut)
    await tb.start(room=1)
    admin = await tb.create(0, entries=16)
    sent = admin.put(4)
    admin.ring()
    for held, value in enumerate(sent[:3]):
        assert (await tb.out.get())["sqe"] == value
        await tb.bench.clock(60)
        assert not tb.out.taken and tb.inside(0) == held + 1
        tb.bench.write("io_held", held + 1)
    assert (await tb.out.get())["sqe"] == sent[3]
    tb.bench.write("io_held", 2)
    await tb.bench.clock()
    assert not tb.bench.read("io_adminRoom"), "one entry, two commands that want it"
    tb.completed.send(bits=0)
    await tb.completed.sent()
    await tb.bench.clock(3)
    assert tb.bench.read("io_adminRoom")
    await tb.check_idle()


@cocotb.test()
async def deleted_queue_counts_until_its_last_completion(dut: Any) -> None:
    """Commands that were handed on keep their place, their completion queue and the head after the deletion."""
    tb = TB(dut)
    await tb.start(room=2)
    for _ in range(3):
        queue = await tb.create(1, entries=8, cqid=1)
        other = await tb.create(2, entries=8, cqid=1)
        sent = queue.put(3)
        queue.ring()
        assert [(await tb.out.get())["sqe"] for _ in range(2)] == sent[:2]
        await tb.delete(1)
        queue.ring()
        await tb.absent.get()
        assert (tb.inside(1), await tb.head(1), tb.bench.read("io_cqOf_1")) == (2, 2, 1)
        sent = other.put(2)
        other.ring()
        await tb.bench.clock(60)
        assert not tb.out.taken, "the deleted queue's commands still need their entries"
        for _ in range(2):
            tb.completed.send(bits=1)
        await tb.empty(1)
        assert [(await tb.out.get())["sqe"] for _ in sent] == sent
        for _ in sent:
            tb.completed.send(bits=2)
        await tb.empty(2)
        await tb.delete(2)
    await tb.check_idle()


@cocotb.test()
async def unreadable_entry_gives_its_place_back(dut: Any) -> None:
    tb = TB(dut)
    await tb.start(room=1)
    queue = await tb.create(1, entries=8, cqid=1)
    sent = queue.put(2)
    tb.host.fail(queue.base)
    queue.ring()
    assert (await tb.out.get())["sqe"] == sent[1]
    assert (await tb.error.get()) == {}
    await tb.check_idle()


@cocotb.test()
async def doorbells_right_after_each_other(dut: Any) -> None:
    """A doorbell write every other cycle, to one queue and to two: none is judged by an old tail."""
    tb = TB(dut)
    await tb.start()
    queues = [await tb.create(qid, entries=64) for qid in (1, 2)]
    for both in (False, True):
        sent: list[list[int]] = [[], []]
        for i in range(60):
            which = i % 2 if both else 0
            sent[which] += queues[which].put()
            queues[which].ring()
        got = [await tb.out.get() for _ in range(60)]
        assert [[t["sqe"] for t in got if t["qid"] == qid] for qid in (1, 2)] == sent
        await tb.check_idle()


@cocotb.test()
@cocotb.parametrize(wait=list(range(8)))
async def a_doorbell_at_any_time_of_a_turn(dut: Any, wait: int) -> None:
    """Two queues take turns, eight cycles for both. A doorbell of one comes at each time of them."""
    tb = TB(dut)
    await tb.start()
    queues = [await tb.create(qid, entries=64, cqid=qid) for qid in range(2)]
    expected = [queue.put(6) for queue in queues]
    for queue in queues:
        queue.ring()
    await tb.doorbell.sent()
    await tb.bench.clock(6 + wait)
    expected[1] += queues[1].put(2)
    queues[1].ring()
    for _ in range(14):
        got = await tb.out.get()
        assert got["sqe"] == expected[got["qid"]].pop(0)
    await tb.check_idle()


@cocotb.test()
async def an_entry_every_four_cycles(dut: Any) -> None:
    """As many as the bus takes for one. The first address is there three cycles after its doorbell."""
    tb = TB(dut, latency=1)
    await tb.start()
    queue = await tb.create(1, entries=64)
    sent = queue.put(60)
    queue.ring()
    await tb.bench.until(lambda: bool(tb.bench.read("io_doorbell_valid")), "the doorbell")
    rung = tb.bench.cycle
    await tb.bench.until(lambda: bool(tb.bench.read("io_host_ar_valid")), "the first address")
    assert tb.bench.cycle - rung <= 3
    assert (await tb.out.get())["sqe"] == sent[0]
    begun = tb.bench.cycle
    assert [(await tb.out.get())["sqe"] for _ in sent[1:]] == sent[1:]
    assert tb.bench.cycle - begun <= 4 * 59
    await tb.check_idle()


@cocotb.test()
@cocotb.parametrize(beat=[0, 1, 2, 3])
async def unreadable_entry(dut: Any, beat: int) -> None:
    """SLVERR on any beat: reported once. The entry does not come out, the others do."""
    tb = TB(dut)
    await tb.start()
    queue = await tb.create(0, entries=8)
    sent = queue.put(3)
    tb.host.fail(queue.base + ENTRY + 16 * beat)
    queue.ring()
    assert (await tb.out.get())["sqe"] == sent[0]
    assert (await tb.out.get())["sqe"] == sent[2]
    await tb.bench.clock(20)
    assert len(tb.error.seen) == 1
    tb.error.seen.clear()
    await tb.check_idle()


def test_sq_fetch(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("SqFetch")
