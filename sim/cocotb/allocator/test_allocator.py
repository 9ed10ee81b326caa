# SPDX-License-Identifier: Apache-2.0
"""Allocator: slots in programming order, superblocks first in first out, the reserve that belongs to GC, restart."""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.cocotb_unit import CocotbUnit
from sim.cocotb.lib.bench import Bench
from sim.cocotb.lib.codes import AllocStream
from sim.cocotb.lib.geometry import SLOTS_PER_SB, SUPERBLOCKS
from sim.cocotb.lib.stream import Pulse, Sink, Source, Watch

HOST, GC = AllocStream.HOST, AllocStream.GC


class TB:
    """Sinks alloc[host, gc] <- Allocator <- Source freed; the superblock table is a function: gen = 100 + sb."""

    def __init__(self, dut: Any, reserve: int = 2, stalls: float = 0.0) -> None:
        self.bench = Bench(dut)
        self.alloc = [Sink(self.bench, f"io_alloc_{i}", stalls=stalls) for i in range(2)]
        for sink in self.alloc:
            sink.hold = True
        self.freed = Source(self.bench, "io_freed", gaps=stalls)
        self.restore = Pulse(self.bench, "io_restore")
        self.opened = Watch(self.bench, "io_opened")
        self.closed = Watch(self.bench, "io_closed")
        self.reserve = reserve
        self.bench.add(self)

    def drive(self) -> None:
        self.bench.write("io_reserve", self.reserve)

    def sample(self) -> None:
        """The table's read port is combinational; the answer here is for the superblock of this cycle."""

    async def start(self, free: list[int]) -> None:
        cocotb.start_soon(self._table())
        await self.bench.start()
        for sb in free:
            self.freed.send(bits=sb)
        await self.freed.drained()

    async def _table(self) -> None:
        signal = self.bench.signal("io_sb_sb")
        while True:
            value = signal.value
            self.bench.write("io_sb_gen", 100 + int(value.to_unsigned()) if value.is_resolvable else 0)
            await signal.value_change

    async def take(self, stream: int, count: int, timeout: int = 2000) -> list[tuple[int, int]]:
        """The next `count` slots of a stream: (superblock, offset)."""
        sink = self.alloc[stream]
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

    def free(self) -> int:
        return self.bench.read("io_free")


def whole(sb: int) -> list[tuple[int, int]]:
    return [(sb, offset) for offset in range(SLOTS_PER_SB)]


@cocotb.test()
async def fills_superblocks_in_the_order_they_became_free(dut: Any) -> None:
    tb = TB(dut, reserve=0)
    await tb.start([9, 4, 30])
    assert tb.free() == 3
    assert not tb.opened.seen, "nothing is opened before somebody wants a slot"
    assert await tb.take(HOST, 2 * SLOTS_PER_SB) == whole(9) + whole(4)
    assert [t["bits"] for t in tb.opened.seen] == [9, 4]
    assert [t["bits"] for t in tb.closed.seen] == [9]


@cocotb.test()
async def full_superblock_is_closed_with_the_next_wish(dut: Any) -> None:
    """The last slot may not be mapped yet; with the next wish it is."""
    tb = TB(dut, reserve=0)
    await tb.start([1])
    await tb.take(HOST, SLOTS_PER_SB)
    await tb.bench.clock(20)
    assert not tb.closed.seen
    tb.alloc[HOST].hold = False
    assert (await tb.closed.get(timeout=5))["bits"] == 1
    assert not tb.opened.seen or tb.opened.seen[-1]["bits"] == 1
    await tb.bench.until(lambda: bool(tb.bench.read("io_hostStalled")), "the host to be stalled", timeout=5)


@cocotb.test()
async def host_leaves_the_reserve_to_gc(dut: Any) -> None:
    tb = TB(dut, reserve=2)
    await tb.start([1, 2, 3])
    await tb.take(HOST, SLOTS_PER_SB)
    tb.alloc[HOST].hold = False
    await tb.bench.clock(30)
    assert tb.bench.read("io_hostStalled") and tb.free() == 2 and not tb.alloc[HOST].taken
    assert await tb.take(GC, 2 * SLOTS_PER_SB) == whole(2) + whole(3)
    assert tb.free() == 0
    for sb in (7, 8, 9):
        tb.freed.send(bits=sb)
    await tb.bench.until(lambda: bool(tb.alloc[HOST].taken), "the host to go on", timeout=20)
    assert tb.alloc[HOST].taken[0]["slot"] == 7 * SLOTS_PER_SB


@cocotb.test()
async def streams_never_share_a_superblock(dut: Any) -> None:
    tb = TB(dut, reserve=1, stalls=0.3)
    await tb.start([10, 11, 12, 13, 14])
    for sink in tb.alloc:
        sink.hold = False
    await tb.bench.until(lambda: tb.bench.read("io_free") == 0, "the free list to run out", timeout=5000)
    await tb.bench.clock(2 * SLOTS_PER_SB)
    owners: dict[int, int] = {}
    for stream, sink in enumerate(tb.alloc):
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
    tb.restore.send(stream=GC, sb=40, next=SLOTS_PER_SB - 3)
    tb.restore.send(stream=HOST, sb=41, next=5)
    await tb.restore.sent()
    assert await tb.take(GC, 4) == [(40, SLOTS_PER_SB - 3), (40, SLOTS_PER_SB - 2), (40, SLOTS_PER_SB - 1), (1, 0)]
    assert await tb.take(HOST, 2) == [(41, 5), (41, 6)]
    assert [t["bits"] for t in tb.opened.seen] == [1], "a restored superblock is open already"


@cocotb.test()
async def free_list_holds_every_superblock(dut: Any) -> None:
    tb = TB(dut, reserve=0)
    order = tb.bench.rng.sample(range(SUPERBLOCKS), SUPERBLOCKS)
    await tb.start(order)
    assert tb.free() == SUPERBLOCKS
    for sb in order[:3]:
        assert await tb.take(HOST, SLOTS_PER_SB) == whole(sb)
        tb.freed.send(bits=sb)
        await tb.freed.drained()
    assert tb.free() == SUPERBLOCKS


@cocotb.test()
async def both_streams_may_need_a_superblock_at_once(dut: Any) -> None:
    """One change a cycle; GC goes first."""
    tb = TB(dut, reserve=0)
    await tb.start([3, 4, 5, 6])
    assert await tb.take(HOST, SLOTS_PER_SB) == whole(3)
    assert await tb.take(GC, SLOTS_PER_SB) == whole(4)
    for sink in tb.alloc:
        sink.hold = False
    await tb.bench.until(lambda: all(sink.taken for sink in tb.alloc), "a slot for each")
    assert [t["bits"] for t in tb.closed.seen] == [4, 3]
    firsts = [divmod(tb.alloc[stream].taken[0]["slot"], SLOTS_PER_SB) for stream in (GC, HOST)]
    assert firsts == [(5, 0), (6, 0)]


def test_allocator(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("Allocator")
