# SPDX-License-Identifier: Apache-2.0
"""Tests of GcDestager: what it writes to flash, the order of the steps, and when it refuses."""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.codes import MapOp, NandClient, NandStatus, RequestOp
from sim.cocotb.support.destaged import DESTAGE_ENTRIES, DESTAGE_SLOTS, Entry, destage_lpn, unpack_slot
from sim.cocotb.support.geometry import GC_BUF_BASE, SLOTS_PER_SB, SUPERBLOCKS
from sim.cocotb.support.mapping import Mapping
from sim.cocotb.support.nvram_layout import CHAIN_ENTRIES, ENTRIES_PER_SEG
from sim.cocotb.support.orm_formats import FORMAT_VERSION, STREAM_GC, OobRecord
from sim.cocotb.support.peers import (
    Buffers,
    BufferWritePeer,
    FencePeer,
    LockPeer,
    Log,
    MapPeer,
    NandRequestPeer,
    SeqPeer,
)
from sim.cocotb.support.remap_peers import JournalPeer
from sim.cocotb.support.stream import Sink, Source, Transaction, Watch

GEN, EPOCH, TARGET_GEN = 77, 5, 900
TARGET = 40 * SLOTS_PER_SB  # first slot of GC's superblock


class TB:
    """Source start, alloc -> GcDestager -> a look-up, buffers, NAND, map, journal, fence, ...

    One log holds all events.
    """

    def __init__(self, dut: Any, stalls: float = 0.0) -> None:
        self.bench = bench = Bench(dut)
        self.log: Log = []
        self.live: list[Entry] = []
        self.epoch = EPOCH
        self.part = (0, 0, 0)  # set, slots, segments
        self.fail: set[int] = set()  # programs, in their order
        self.programs = 0
        self.mapping = Mapping()
        self.buffers = Buffers()
        self.flash: dict[int, bytes] = {}  # by LPN, what was programmed
        self.start_ = Source(bench, "io_start", gaps=stalls)
        self.fence = FencePeer(bench, log=self.log)
        self.lock = LockPeer(bench, log=self.log)
        self.seq = SeqPeer(bench, self.lock)
        self.journal = JournalPeer(bench, stalls=stalls, log=self.log)
        self.map = MapPeer(bench, self.mapping.answer, stalls=stalls, gaps=stalls, log=self.log)
        self.alloc = Source(bench, "io_alloc", gaps=stalls)
        self.nand = NandRequestPeer(bench, self._programmed, stalls=stalls, shuffle=stalls > 0, log=self.log)
        self.sharer = Source(bench, "io_sharer", gaps=stalls)
        BufferWritePeer(bench, "io_bufWrite", self.buffers, stalls=stalls)
        Sink(bench, "io_list", stalls, stable=True, on_take=self._list)
        Sink(bench, "io_setAside", stalls, stable=True, on_take=lambda t: self.log.append(("aside", t)))
        Sink(bench, "io_dropOld", stalls, stable=True, on_take=lambda t: self.log.append(("drop", t)))
        Watch(bench, "io_compacted", on_seen=self._compacted)
        Watch(bench, "io_place", on_seen=lambda t: self.log.append(("place", t)))
        Watch(bench, "io_done", on_seen=lambda t: self.log.append(("done", t)))
        self.next_slot = TARGET

    def _list(self, t: Transaction) -> None:
        for i, (offset, lpn, seq) in enumerate(self.live):
            if offset == t["bits"]:
                self.sharer.send(index=i % CHAIN_ENTRIES, lpn=lpn, seq=seq, live=1, endOfList=0)
        self.sharer.send(endOfList=1)

    def _compacted(self, t: Transaction) -> None:
        self.log.append(("compacted", t))
        self.epoch += 1
        self.bench.write("io_epoch", self.epoch)  # the table's work

    def _programmed(self, t: Transaction) -> NandStatus:
        raw = t["oob"].to_bytes(32, "little")
        oob = OobRecord.unpack(raw)
        assert OobRecord.good(raw) and (t["op"], t["client"]) == (RequestOp.PROGRAM, NandClient.GC)
        assert (oob.slot, oob.gen, oob.stream, oob.version) == (t["slot"], TARGET_GEN, STREAM_GC, FORMAT_VERSION)
        assert oob.seq == self.seq.next - 1, "the seq that was drawn"
        self.programs += 1
        if self.programs - 1 in self.fail:
            return NandStatus.FAILED
        self.flash[oob.lpn] = bytes(self.buffers.pages[t["buf"]])
        self.log.append(("programmed", {"lpn": oob.lpn, "slot": t["slot"], "buf": t["buf"] - GC_BUF_BASE}))
        return NandStatus.OK

    def of(self, kind: str) -> list[Transaction]:
        return [t for k, t in self.log if k == kind]

    def kinds(self) -> list[str]:
        return list(dict.fromkeys(kind for kind, _ in self.log))

    def place_of(self, kind: str) -> int:
        return [k for k, _ in self.log].index(kind)

    def history(self, entries: int) -> None:
        """Live entries, in the order of their slots, as the look-up delivers them."""
        rng = self.bench.rng
        self.live = sorted(
            (rng.randrange(SLOTS_PER_SB), lpn, rng.getrandbits(48)) for lpn in rng.sample(range(1 << 20), entries)
        )

    def slots(self, count: int) -> None:
        """The slots that the allocator will give."""
        for _ in range(count):
            self.alloc.send(slot=self.next_slot, gen=TARGET_GEN)
            self.next_slot += 1

    def begin(self, sb: int, segments: int, forget: int = 0) -> None:
        self.log.clear()
        for name, value in (
            ("live", len(self.live)),
            ("segments", segments),
            ("gen", GEN),
            ("epoch", self.epoch),
            ("destaged_set", self.part[0]),
            ("destaged_slots", self.part[1]),
            ("destaged_segments", self.part[2]),
        ):
            self.bench.write("io_" + name, value)
        self.start_.send(sb=sb, forget=forget)

    async def ended(self) -> Transaction:
        await self.bench.until(lambda: bool(self.of("done")), "done", 200_000)
        await self.bench.clock(3)
        assert self.bench.read("io_start_ready") and not self.bench.read("io_waiting")
        return self.of("done")[0]

    async def destage(self, sb: int, segments: int) -> Transaction:
        """Runs one destaging, which the table records."""
        self.slots(-(-len(self.live) // DESTAGE_ENTRIES))
        self.begin(sb, segments)
        outcome = await self.ended()
        if outcome["ok"]:
            (t,) = self.of("place")
            self.part = (t["part_set"], t["part_slots"], t["part_segments"])
        return outcome

    def check(self, sb: int, old: tuple[int, int, int]) -> None:
        """Checks a destaging that ended well: contents, mapping, order."""
        slots = -(-len(self.live) // DESTAGE_ENTRIES)
        new = 0 if not slots else 2 if old[0] == 1 else 1
        (place,) = self.of("place")
        assert place["sb"] == sb
        assert self.part == (new, slots, -(-len(self.live) // ENTRIES_PER_SEG)) or new == 0 == self.part[0]
        entries: list[Entry] = []
        for index in range(slots):
            header, part = unpack_slot(self.flash[destage_lpn(sb, new, index)], sb, GEN)
            assert (header.sb, header.gen, header.index, header.slots) == (sb, GEN, index, slots)
            assert (header.epoch, header.entries) == (self.epoch, len(part)), "the epoch that begins with it"
            entries += part
        assert entries == self.live
        (record,) = self.of("journal")
        assert (record["op"], record["lpn"], record["gen"], record["epoch"], record["set"]) == (
            JournalPeer.BLOCK,
            sb,
            GEN,
            self.epoch,
            new,
        )
        set_ops = [t for t in self.of("map") if t["op"] == MapOp.SET]
        assert [t["lpn"] for t in set_ops] == [destage_lpn(sb, new, i) for i in range(slots)]
        unmaps = [t for t in self.of("map") if t["op"] == MapOp.UNMAP]
        assert [t["lpn"] for t in unmaps] == [destage_lpn(sb, old[0], i) for i in range(old[1] if old[0] else 0)]
        assert {lpn for lpn in self.mapping.l2p if lpn // 1} == {destage_lpn(sb, new, i) for i in range(slots)}
        order = [kind for kind, _ in self.log]
        recorded, journal = order.index("recorded"), order.index("journal")
        assert order.index("fence") < order.index("aside") < journal < recorded < order.index("drop")
        assert order.index("drop") < order.index("place")
        if slots:
            assert order.index("fence") < order.index("seq") < order.index("nand")
            last = len(order) - 1 - order[::-1].index("programmed")
            assert last < order.index("map"), "nothing is mapped that was not programmed"
            assert max(i for i, (k, t) in enumerate(self.log) if k == "map" and t["op"] == MapOp.SET) < journal
        if unmaps:
            assert recorded < min(i for i, (k, t) in enumerate(self.log) if k == "map" and t["op"] == MapOp.UNMAP)


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.4])
async def live_entries_go_to_flash_and_back_and_forth_between_the_sets(dut: Any, stalls: float) -> None:
    tb = TB(dut, stalls)
    await tb.bench.start()
    sb = SUPERBLOCKS - 1
    for entries in (40, DESTAGE_ENTRIES, DESTAGE_ENTRIES + 1, CHAIN_ENTRIES, 0, 1):
        old = tb.part
        tb.history(entries)
        assert await tb.destage(sb, 3) == {"ok": 1, "refused": 0, "segments": 3, "entries": entries}
        tb.check(sb, old)
    assert tb.seq.next == 1000 + 5, "one seq for each set"
    assert DESTAGE_SLOTS * DESTAGE_ENTRIES >= CHAIN_ENTRIES


@cocotb.test()
async def a_chain_without_segments_stays_and_so_does_the_last_epoch(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.history(3)
    tb.begin(4, segments=0)
    assert await tb.ended() == {"ok": 0, "refused": 1, "segments": 0, "entries": 0}
    assert tb.kinds() == ["done"]
    tb.epoch = 0xFFFF
    tb.begin(4, segments=2)
    assert (await tb.ended())["refused"] == 1 and tb.kinds() == ["done"]


@cocotb.test()
@cocotb.parametrize(failing=[0, 1, 2])
async def a_program_that_fails_leaves_everything_as_it_was(dut: Any, failing: int) -> None:
    tb = TB(dut, 0.2)
    await tb.bench.start()
    sb = 9
    tb.history(5)
    assert (await tb.destage(sb, 2))["ok"]
    before, old = tb.mapping.copy(), tb.part
    tb.fail = {tb.programs + failing}
    tb.history(2 * DESTAGE_ENTRIES + 7)
    assert await tb.destage(sb, 20) == {"ok": 0, "refused": 0, "segments": 0, "entries": 0}
    assert tb.mapping.l2p == before.l2p and tb.mapping.ref == before.ref
    assert not set(tb.kinds()) & {"aside", "compacted", "journal", "drop", "place"}
    tb.fail = set()
    assert (await tb.destage(sb, 20))["ok"]
    tb.check(sb, old)


@cocotb.test()
async def host_programs_and_the_lock_come_first(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.history(3)
    tb.fence.open = False
    tb.lock.busy = True
    tb.begin(3, 4)
    await tb.bench.clock(300)
    assert tb.bench.read("io_fence_req") and tb.bench.read("io_waiting") and not tb.log
    tb.fence.open = True
    await tb.bench.clock(300)
    assert tb.kinds() == ["fence"] and tb.bench.read("io_waiting")
    tb.lock.busy = False
    await tb.bench.until(lambda: tb.bench.read("io_alloc_ready") == 1, "the wish for a slot", 5000)
    await tb.bench.clock(20)
    assert tb.kinds() == ["fence", "lock", "seq", "unlock"] and tb.bench.read("io_waiting")
    tb.slots(1)
    assert (await tb.ended())["ok"] == 1


@cocotb.test()
async def begun_flash_pages_are_completed_when_no_more_comes(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.nand.hold = True
    tb.history(DESTAGE_ENTRIES + 1)
    tb.slots(2)
    tb.begin(3, 9)
    await tb.bench.until(lambda: len(tb.of("nand")) == 1, "the first program", 5000)
    assert not tb.bench.read("io_closes")
    await tb.bench.until(lambda: len(tb.of("nand")) == 2, "the second one", 5000)
    await tb.bench.clock(3)
    assert tb.bench.read("io_closes") and tb.bench.read("io_waiting")
    tb.nand.hold = False
    assert (await tb.ended())["ok"] == 1
    assert not tb.bench.read("io_closes")


@cocotb.test()
async def the_set_of_an_emptied_superblock_is_unmapped(dut: Any) -> None:
    tb = TB(dut, 0.3)
    await tb.bench.start()
    sb = 12
    tb.history(DESTAGE_ENTRIES + 5)
    assert (await tb.destage(sb, 10))["ok"]
    tb.begin(sb, segments=3, forget=1)
    assert (await tb.ended())["ok"] == 1
    assert tb.kinds() == ["map", "done"] and not tb.mapping.l2p
    tb.part = (0, 0, 0)
    tb.begin(sb, segments=3, forget=1)
    assert (await tb.ended())["ok"] == 1 and tb.kinds() == ["done"]


def test_gc_destager(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("GcDestager")
