# SPDX-License-Identifier: Apache-2.0
"""Tests of Allocator.

They cover slots in programming order, the FIFO of free superblocks, a stream for each placement handle, GC's reserve,
and restart.
"""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.geometry import (
    DATA_SLOTS,
    PLACEMENT_HANDLES,
    SLOTS_PER_PAGE,
    SLOTS_PER_SB,
    SUMMARY_SLOTS,
    SUPERBLOCKS,
    WRITE_BUFFERS,
)
from sim.cocotb.support.stream import Pulse, Sink, Source, Transaction, Watch
from sim.cocotb.support.superblock_peers import SbReadPeer

HOST, GC = 0, -1  # streams: the host's placement handles, and GC
KEPT = min(WRITE_BUFFERS * SLOTS_PER_PAGE, SLOTS_PER_SB // 4)  # slots at the end of a superblock, before its summary


class TB:
    """Sinks host, gc <- Allocator <- Source freed. The superblock table is a function: gen = 100 + sb."""

    def __init__(self, dut: Any, reserve: int = 2, stalls: float = 0.0) -> None:
        self.bench = Bench(dut)
        self.host = Sink(self.bench, "io_host", stalls=stalls)
        self.gc = Sink(self.bench, "io_gc", stalls=stalls)
        self.handle = 0  # that the host's requests name
        for sink in (self.host, self.gc):
            sink.hold = True
        self.freed = Source(self.bench, "io_freed", gaps=stalls)
        self.restore = Pulse(self.bench, "io_restore")
        self.close = Pulse(self.bench, "io_close")
        self.opened = Watch(self.bench, "io_opened")
        self.closed = Watch(self.bench, "io_closed")
        self.whole: dict[int, int] = {}  # by superblock: whether it was, as it was closed last
        self.reserve = reserve
        self.urgent = False
        self.wished = (-1, False)  # what the host asked for in the cycle before
        self.busy = False
        SbReadPeer(self.bench, "io_sb", lambda sb: {"gen": 100 + sb}, stalls)
        self.bench.add(self)

    def drive(self) -> None:
        self.bench.write("io_reserve", self.reserve)
        self.bench.write("io_hostHandle", self.handle)
        self.bench.write("io_hostUrgent", int(self.urgent))
        self.bench.write("io_hostBusy", int(self.busy))
        wish = (self.handle, self.urgent)
        if wish != self.wished:  # it is known a cycle before a slot is asked for
            self.host.pause()
        self.wished = wish

    def sample(self) -> None:
        if self.bench.read("io_closed_valid"):
            self.whole[self.bench.read("io_closed_bits")] = self.bench.read("io_whole")

    async def start(self, free: list[int]) -> None:
        await self.bench.start()
        for sb in free:
            self.freed.send(bits=sb)
        await self.freed.drained()

    async def take(self, stream: int, count: int, timeout: int = 2000) -> list[tuple[int, int]]:
        """The next `count` slots of a stream: (superblock, offset)."""
        sink = self.gc if stream == GC else self.host
        if stream != GC:
            self.handle = stream
        have = sink.count
        sink.hold = False
        # Held again from within the cycle, so that exactly `count` are taken.
        await self.bench.until(lambda: sink.count >= have + count, f"{count} slots", timeout)
        sink.hold = True
        got = []
        while sink.taken:
            t = sink.taken.popleft()
            sb, offset = divmod(t["slot"], SLOTS_PER_SB)
            assert t["gen"] == 100 + sb
            got.append((sb, offset))
        assert len(got) == count
        return got

    async def look(self, stream: int) -> tuple[int, int, int, int]:
        """(open, full, superblock, next)"""
        self.bench.write("io_look_stream_gc", int(stream == GC))
        self.bench.write("io_look_stream_handle", 0 if stream == GC else stream)
        await self.bench.clock()
        return tuple(self.bench.read(f"io_look_{name}") for name in ("open", "full", "sb", "next"))  # type: ignore[return-value]

    def free(self) -> int:
        return self.bench.read("io_free")


def whole(sb: int) -> list[tuple[int, int]]:
    return [(sb, offset) for offset in range(DATA_SLOTS)]


@cocotb.test()
async def fills_superblocks_in_the_order_they_became_free(dut: Any) -> None:
    tb = TB(dut, reserve=0)
    await tb.start([9, 4, 30])
    assert tb.free() == 3
    assert not tb.opened.seen, "nothing is opened before somebody wants a slot"
    assert await tb.take(HOST, 2 * DATA_SLOTS) == whole(9) + whole(4)
    assert [t["bits"] for t in tb.opened.seen] == [9, 4]
    assert [t["bits"] for t in tb.closed.seen] == [9]


@cocotb.test()
async def full_superblock_is_closed_with_the_next_wish(dut: Any) -> None:
    """The last slot may not be mapped yet; with the next request it is."""
    tb = TB(dut, reserve=0)
    await tb.start([1])
    await tb.take(HOST, DATA_SLOTS)
    await tb.bench.clock(20)
    assert not tb.closed.seen
    tb.host.hold = False
    assert (await tb.closed.get(timeout=5))["bits"] == 1
    assert not tb.opened.seen or tb.opened.seen[-1]["bits"] == 1
    await tb.bench.until(lambda: bool(tb.bench.read("io_hostStalled")), "the host to be stalled", timeout=5)


@cocotb.test()
async def host_leaves_the_reserve_to_gc(dut: Any) -> None:
    tb = TB(dut, reserve=2)
    await tb.start([1, 2, 3])
    await tb.take(HOST, DATA_SLOTS)
    tb.host.hold = False
    await tb.bench.clock(30)
    assert tb.bench.read("io_hostStalled") and tb.free() == 2 and not tb.host.taken
    assert await tb.take(GC, 2 * DATA_SLOTS) == whole(2) + whole(3)
    assert tb.free() == 0
    for sb in (7, 8, 9):
        tb.freed.send(bits=sb)
    await tb.bench.until(lambda: bool(tb.host.taken), "the host to go on", timeout=20)
    assert tb.host.taken[0]["slot"] == 7 * SLOTS_PER_SB


@cocotb.test()
async def firmware_makes_a_new_list(dut: Any) -> None:
    tb = TB(dut, reserve=0)
    await tb.start([1, 2, 3])
    await tb.take(HOST, 1)
    tb.bench.write("io_forget", 1)
    await tb.bench.clock(1)
    tb.bench.write("io_forget", 0)
    await tb.bench.clock(1)
    assert tb.free() == 0
    for sb in (9, 4):
        tb.freed.send(bits=sb)
    await tb.freed.drained()
    assert await tb.take(HOST, DATA_SLOTS - 1) == whole(1)[1:], "what is open stays so"
    assert await tb.take(HOST, 2 * DATA_SLOTS) == whole(9) + whole(4)


@cocotb.test()
async def streams_never_share_a_superblock(dut: Any) -> None:
    tb = TB(dut, reserve=1, stalls=0.3)
    await tb.start([10, 11, 12, 13, 14])
    for sink in (tb.host, tb.gc):
        sink.hold = False
    await tb.bench.until(lambda: tb.bench.read("io_free") == 0, "the free list to run out", timeout=5000)
    await tb.bench.clock(2 * SLOTS_PER_SB)
    owners: dict[int, int] = {}
    for stream, sink in ((HOST, tb.host), (GC, tb.gc)):
        offsets: dict[int, int] = {}
        for t in sink.taken:
            sb, offset = divmod(t["slot"], SLOTS_PER_SB)
            assert owners.setdefault(sb, stream) == stream
            assert offset == offsets.get(sb, 0), "slots of a superblock in order"
            offsets[sb] = offset + 1
    assert set(owners.values()) == {HOST, GC}


@cocotb.test()
async def goes_on_in_a_half_filled_superblock(dut: Any) -> None:
    tb = TB(dut, reserve=0)
    await tb.start([1])
    page = SLOTS_PER_PAGE  # frontiers that are resumed lie between two pages
    tb.restore.send(stream_gc=1, sb=40, next=DATA_SLOTS - 3 * page)
    tb.restore.send(sb=41, next=5 * page)
    tb.restore.send(stream_handle=2, sb=42, next=7 * page)
    await tb.restore.sent()
    assert await tb.take(GC, 3 * page + 1) == [*whole(40)[-3 * page :], (1, 0)]
    assert await tb.take(HOST, 2) == [(41, 5 * page), (41, 5 * page + 1)]
    assert await tb.take(2, 2) == [(42, 7 * page), (42, 7 * page + 1)]
    assert [t["bits"] for t in tb.opened.seen] == [1], "a restored superblock is open already"


@cocotb.test()
async def free_list_holds_every_superblock(dut: Any) -> None:
    tb = TB(dut, reserve=0)
    order = tb.bench.rng.sample(range(SUPERBLOCKS), SUPERBLOCKS)
    await tb.start(order)
    assert tb.free() == SUPERBLOCKS
    for sb in order[:3]:
        assert await tb.take(HOST, DATA_SLOTS) == whole(sb)
        tb.freed.send(bits=sb)
        await tb.freed.drained()
    assert tb.free() == SUPERBLOCKS


@cocotb.test()
async def both_streams_may_need_a_superblock_at_once(dut: Any) -> None:
    """One change a cycle; GC goes first."""
    tb = TB(dut, reserve=0)
    await tb.start([3, 4, 5, 6])
    assert await tb.take(HOST, DATA_SLOTS) == whole(3)
    assert await tb.take(GC, DATA_SLOTS) == whole(4)
    for sink in (tb.host, tb.gc):
        sink.hold = False
    await tb.bench.until(lambda: bool(tb.host.taken and tb.gc.taken), "a slot for each")
    assert [t["bits"] for t in tb.closed.seen] == [4, 3]
    firsts = [divmod(sink.taken[0]["slot"], SLOTS_PER_SB) for sink in (tb.gc, tb.host)]
    assert firsts == [(5, 0), (6, 0)]


@cocotb.test()
async def each_placement_handle_fills_a_superblock_of_its_own(dut: Any) -> None:
    """In any order of the handles, with GC beside them."""
    tb = TB(dut, reserve=0)
    rng = tb.bench.rng
    await tb.start(list(range(3 * PLACEMENT_HANDLES + 3)))
    filled: dict[int, list[tuple[int, int]]] = {stream: [] for stream in (GC, *range(PLACEMENT_HANDLES))}
    while min(len(slots) for slots in filled.values()) < DATA_SLOTS + 2:
        stream = rng.choice([s for s, slots in filled.items() if len(slots) < 2 * DATA_SLOTS - 8])
        filled[stream] += await tb.take(stream, rng.randrange(1, 8))
    owners: dict[int, int] = {}
    for stream, slots in filled.items():
        firsts = list(dict.fromkeys(sb for sb, _ in slots))
        assert all(owners.setdefault(sb, stream) == stream for sb in firsts)
        assert slots == [slot for sb in firsts for slot in whole(sb)][: len(slots)]
    for stream, slots in filled.items():
        sb, offset = slots[-1]
        full = offset == DATA_SLOTS - 1
        assert await tb.look(stream) == (1, int(full), sb, DATA_SLOTS % SLOTS_PER_SB if full else offset + 1)


@cocotb.test()
async def handles_share_the_reserve_rule(dut: Any) -> None:
    """A handle that has a superblock continues while another one waits for its first."""
    tb = TB(dut, reserve=2)
    await tb.start([1, 2, 3])
    assert await tb.take(1, 1) == [(1, 0)]
    tb.handle = 0
    tb.host.hold = False
    await tb.bench.clock(20)
    assert tb.bench.read("io_hostStalled") and not tb.host.taken
    tb.host.hold = True
    assert await tb.take(1, 2) == [(1, 1), (1, 2)]
    assert await tb.look(0) == (0, 0, 0, 0)


@cocotb.test()
async def ended_superblock_is_closed_by_any_wish_of_the_host(dut: Any) -> None:
    """By then all allocated host pages are mapped, whatever their handles."""
    tb = TB(dut, reserve=0)
    await tb.start([1, 2, 3, 4])
    assert await tb.take(1, 3) == [(1, offset) for offset in range(3)]
    assert await tb.take(0, 1) == [(2, 0)]
    tb.close.send(bits=1)
    tb.close.send(bits=2)  # which has none open
    await tb.close.sent()
    assert await tb.look(1) == (1, 1, 1, 3)
    assert (await tb.look(2))[:2] == (0, 0)
    await tb.take(GC, 1)
    assert not tb.closed.seen, "GC's wishes say nothing about the host's pages"
    assert await tb.take(0, 1) == [(2, 1)]
    await tb.bench.clock()  # in which it is told
    assert [t["bits"] for t in tb.closed.seen] == [1]
    assert await tb.take(1, 1) == [(4, 0)]


@cocotb.test()
async def a_closed_superblock_is_whole_up_to_its_summary(dut: Any) -> None:
    """Slots of the summary are never allocated.

    A superblock that firmware ended early gets no summary, nor does any where summaries do not exist.
    """
    tb = TB(dut, reserve=0)
    await tb.start([1, 2, 3, 4, 5])
    await tb.take(0, DATA_SLOTS)
    await tb.take(1, DATA_SLOTS - 1)
    await tb.take(2, DATA_SLOTS)
    await tb.take(GC, DATA_SLOTS + 1)
    for handle in (1, 2):  # the other one had no slot left to lose
        tb.close.send(bits=handle)
    await tb.close.sent()
    tb.host.hold = False
    await tb.bench.clock(10)
    assert [t["bits"] for t in tb.closed.seen] == [1, 4, 2, 3]
    full = int(SUMMARY_SLOTS > 0)
    assert tb.whole == {1: full, 2: 0, 3: full, 4: full}


@cocotb.test()
async def ended_while_it_hands_out_a_slot(dut: Any) -> None:
    """The slot counts. The next one is of another superblock."""
    tb = TB(dut, reserve=0)
    await tb.start([1, 2])
    await tb.take(3, 1)
    tb.handle = 3
    tb.host.hold = False
    tb.close.send(bits=3)
    await tb.bench.until(lambda: len(tb.host.taken) >= 4, "slots of both")
    tb.host.hold = True
    slots = [divmod(t["slot"], SLOTS_PER_SB) for t in tb.host.taken]
    first = sum(sb == 1 for sb, _ in slots)
    assert slots[:first] == [(1, 1 + i) for i in range(first)] and first >= 1
    assert slots[first:] == [(2, i) for i in range(len(slots) - first)] and len(slots) > first
    assert [t["bits"] for t in tb.closed.seen] == [1]


@cocotb.test()
async def the_end_of_a_superblock_is_kept_while_the_reserve_is_not_whole(dut: Any) -> None:
    """It is reserved for pages whose program failed, until GC has given a superblock back."""
    tb = TB(dut, reserve=2)
    await tb.start([1, 2, 3])
    assert await tb.take(HOST, DATA_SLOTS - KEPT) == whole(1)[: DATA_SLOTS - KEPT]
    await tb.take(GC, 1)
    tb.host.hold = False
    await tb.bench.clock(30)
    assert tb.bench.read("io_hostStalled") and not tb.host.taken
    tb.host.hold = True
    tb.urgent = True
    assert await tb.take(HOST, 2) == whole(1)[-KEPT : 2 - KEPT]
    tb.urgent = False
    tb.freed.send(bits=9)
    await tb.freed.drained()
    assert await tb.take(HOST, KEPT - 2) == whole(1)[2 - KEPT :]


@cocotb.test()
async def a_page_to_save_has_a_slot_of_gcs_reserve(dut: Any) -> None:
    """Once. Later ones go to the same superblock, whatever their handles, and other host pages wait."""
    tb = TB(dut, reserve=2)
    await tb.start([1, 2, 3])
    await tb.take(1, DATA_SLOTS)
    tb.urgent = True
    assert await tb.take(1, 1) == [(2, 0)]
    assert [t["bits"] for t in tb.closed.seen] == [1], "all of its pages are mapped by then"
    assert tb.free() == 1 and tb.bench.read("io_hostStream") == 1
    assert await tb.take(0, 2) == [(2, 1), (2, 2)]
    assert tb.bench.read("io_hostStream") == 1
    await tb.take(GC, 1)
    assert tb.free() == 0
    assert await tb.take(3, DATA_SLOTS - 3) == whole(2)[3:]
    assert not tb.bench.read("io_hostNone")
    tb.handle = 3
    tb.host.hold = False
    await tb.bench.until(lambda: bool(tb.bench.read("io_hostNone")), "there to be no slot", timeout=20)
    await tb.bench.clock(20)
    assert tb.bench.read("io_hostNone") and not tb.host.taken
    tb.host.hold = True
    tb.urgent = False
    tb.host.hold = False
    await tb.bench.clock(20)
    assert not tb.bench.read("io_hostNone") and not tb.host.taken


@cocotb.test()
async def gc_leaves_the_last_superblock_to_programs_under_way(dut: Any) -> None:
    """Unless the host streams have room for those that fail."""
    tb = TB(dut, reserve=2)
    await tb.start([1, 2, 3])
    await tb.take(HOST, DATA_SLOTS)
    tb.busy = True
    await tb.take(GC, DATA_SLOTS)
    tb.gc.hold = False
    await tb.bench.clock(30)
    assert tb.bench.read("io_gcHeld") and not tb.gc.taken and tb.free() == 1
    tb.busy = False
    await tb.bench.until(lambda: bool(tb.gc.taken), "GC to go on", timeout=20)
    tb.gc.hold = True
    await tb.bench.clock(2)
    assert tb.free() == 0
    for sb in (7, 8, 9):
        tb.freed.send(bits=sb)
    await tb.freed.drained()
    await tb.take(HOST, 1)
    tb.busy = True
    given = len(tb.opened.seen)
    tb.gc.hold = False
    await tb.bench.until(lambda: tb.free() == 0, "GC to take the last", timeout=5 * SLOTS_PER_SB)
    await tb.bench.clock()  # in which it is told
    assert len(tb.opened.seen) == given + 2


class Closings:
    """Closes pages at random, mostly those that streams are in, and tracks what each stream must give next."""

    def __init__(self, tb: TB, often: float) -> None:
        self.tb, self.often = tb, often
        self.next: dict[int, tuple[int, int]] = {}  # by stream: superblock, offset; none: another superblock's first
        self.closing: list[int | None] = [None, None]  # page of this cycle, of the host's streams and GC's
        self.ending: list[int] = []  # streams that are inside one of them
        self.ended = self.filled = self.spared = 0
        tb.host.on_take = lambda t: self._taken(tb.handle, t)
        tb.gc.on_take = lambda t: self._taken(GC, t)
        tb.bench.add(self)

    def _ends(self, stream: int) -> bool:
        sb, offset = self.next.get(stream, (0, 0))
        page = self.closing[int(stream == GC)]
        return offset % SLOTS_PER_PAGE != 0 and page == (sb * SLOTS_PER_SB + offset) // SLOTS_PER_PAGE

    def _taken(self, stream: int, t: Transaction) -> None:
        assert stream not in self.ending, "a slot of a page as it is closed"
        slot = divmod(t["slot"], SLOTS_PER_SB)
        expected = self.next.get(stream, (slot[0], 0))
        assert slot == expected, f"{slot} instead of {expected}"
        self._go_on(stream, slot[0], slot[1] + 1)

    def _go_on(self, stream: int, sb: int, offset: int) -> None:
        if offset < DATA_SLOTS:
            self.next[stream] = (sb, offset)
        else:
            self.next.pop(stream, None)

    def drive(self) -> None:
        rng = self.tb.bench.rng
        for i, streams in enumerate((range(PLACEMENT_HANDLES), [GC])):
            self.closing[i] = None
            if rng.random() < self.often:
                sb, offset = self.next.get(rng.choice(streams), (0, 0))
                page = (sb * SLOTS_PER_SB + offset) // SLOTS_PER_PAGE
                self.closing[i] = page if rng.random() < 0.7 else page ^ 1 << rng.randrange(5)
            slot = (self.closing[i] or 0) * SLOTS_PER_PAGE + rng.randrange(SLOTS_PER_PAGE)
            self.tb.bench.write(f"io_closing_{i}_valid", int(self.closing[i] is not None))
            self.tb.bench.write(f"io_closing_{i}_bits", slot)
        self.ending = [stream for stream in self.next if self._ends(stream)]

    def sample(self) -> None:
        for stream in self.ending:
            sb, offset = self.next[stream]
            self.ended += 1
            self._go_on(stream, sb, (offset // SLOTS_PER_PAGE + 1) * SLOTS_PER_PAGE)
            self.filled += stream not in self.next
        self.spared += any(page is not None for page in self.closing)


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.7])
async def a_page_that_is_closed_ends_there(dut: Any, stalls: float) -> None:
    """Its stream continues with the next page, or the next superblock.

    Closing a page without a stream has no effect.
    """
    tb = TB(dut, reserve=0, stalls=stalls)
    closings = Closings(tb, often=0.3)
    await tb.start(list(range(SUPERBLOCKS)))
    for sink in (tb.host, tb.gc):
        sink.hold = False
    for turn in range(10_000):
        if turn >= 300 and (SLOTS_PER_PAGE == 1 or closings.filled):
            break
        tb.handle = tb.bench.rng.randrange(PLACEMENT_HANDLES)
        await tb.bench.clock(tb.bench.rng.randrange(1, 20))
        for t in tb.closed.seen:  # as if collected at once
            tb.freed.send(bits=t["bits"])
        tb.closed.seen.clear()
    assert closings.spared > 100
    assert (closings.ended > 50 and closings.filled > 0) == (SLOTS_PER_PAGE > 1)


@cocotb.test()
async def an_ended_superblock_may_end_in_a_page(dut: Any) -> None:
    """Firmware reads how far it was filled: padding counts."""
    tb = TB(dut, reserve=0)
    await tb.start([1, 2])
    await tb.take(1, SLOTS_PER_PAGE + 1)
    tb.close.send(bits=1)
    await tb.close.sent()
    tb.bench.write("io_closing_0_bits", SLOTS_PER_SB + SLOTS_PER_PAGE)
    tb.bench.write("io_closing_0_valid", 1)
    await tb.bench.clock()
    tb.bench.write("io_closing_0_valid", 0)
    assert await tb.look(1) == (1, 1, 1, 2 * SLOTS_PER_PAGE)
    assert await tb.take(1, 1) == [(2, 0)]


def test_allocator(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("Allocator")


def test_allocator_wide(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("Allocator", config="wide")


def test_allocator_paired(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("Allocator", config="paired")
