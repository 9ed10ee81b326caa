# SPDX-License-Identifier: Apache-2.0
"""Tests of RemapEngine.

They check the mapping, what went to NVRAM and in which order, and that nothing changes after a failure.
"""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.axi import AxiReadMemory, Memory
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.codes import RemapResult as Result
from sim.cocotb.support.geometry import LPNS, REF_LIMIT, SLOTS, SLOTS_PER_SB
from sim.cocotb.support.mapping import MapOp, Mapping
from sim.cocotb.support.nvram_layout import CHAIN_ENTRIES, ENTRIES_PER_SEG
from sim.cocotb.support.orm_formats import RemapRange
from sim.cocotb.support.peers import FencePeer, LockPeer, Log, MapPeer, SeqPeer
from sim.cocotb.support.remap_peers import AppendPeer, CapacityPeer, JournalPeer
from sim.cocotb.support.stream import Source, Transaction, Watch

LIST = 0x9000
Range = tuple[int, int, int]  # source, target, pages
Pairs = list[tuple[int, int]]
Expected = tuple[Result, int, Mapping, Pairs, Pairs]


class TB:
    """Source start -> RemapEngine -> Watch outcome; Python mapping, locks, seqs, fence, remap table, journal, DRAM."""

    def __init__(self, dut: Any, stalls: float = 0.0) -> None:
        self.bench = bench = Bench(dut)
        self.log: Log = []
        self.memory = Memory()
        self.dram = AxiReadMemory(bench, "io_dram", self.memory, stalls=stalls, gaps=stalls)
        self.mapping = Mapping()
        self.map = MapPeer(bench, self.mapping_answer, stalls=stalls, gaps=stalls, log=self.log)
        self.share_lock = LockPeer(bench, "io_shareLock")
        self.map_lock = LockPeer(bench, "io_mapLock")
        self.seq = SeqPeer(bench, self.map_lock)
        self.fence = FencePeer(bench, log=self.log)
        self.append = AppendPeer(bench, stalls=stalls, log=self.log)
        self.capacity = CapacityPeer(bench)
        self.journal = JournalPeer(bench, stalls=stalls, log=self.log)
        self.journal_room = 500
        self.unsaved = False
        self.start = Source(bench, "io_start")
        self.outcome = Watch(bench, "io_outcome")
        self.linked = Watch(bench, "io_event_linked")
        bench.add(self)

    def drive(self) -> None:
        self.bench.write("io_unsaved", int(self.unsaved))

    def sample(self) -> None:
        pass

    def mapping_answer(self, t: Transaction) -> Transaction:
        assert self.share_lock.owned and self.map_lock.owned, "the mapping used without the locks"
        assert t["lpn"] < LPNS
        return self.mapping.answer(t)

    async def begin(self) -> None:
        await self.bench.start()
        self.bench.write("io_journalRoom", self.journal_room)
        await self.bench.until(lambda: self.bench.read("io_quiet") == 1, "the engine to be ready")

    async def send(self, ranges: list[Range], move: bool, copy: bool) -> Transaction:
        for i, (src, dst, nlb) in enumerate(ranges):
            self.memory.write(LIST + 32 * i, RemapRange(src=src, dst=dst, nlb=nlb).pack())
        self.bench.write("io_journalRoom", self.journal_room)
        self.start.send(list=LIST, ranges=len(ranges), move=int(move), copy=int(copy))
        outcome = await self.outcome.get()
        await self.bench.until(lambda: not self.map_lock.owned and not self.share_lock.owned, "the locks to be free")
        return outcome

    def expect(self, ranges: list[Range], move: bool, copy: bool) -> Expected:
        """The expected result, failing range, mapping, entries (slot, lpn) and trim records (lpn, pages)."""
        nothing: tuple[Mapping, Pairs, Pairs] = self.mapping.copy(), [], []
        after = self.mapping.copy()
        entries: Pairs = []
        trims: Pairs = []
        for i, (src, dst, nlb) in enumerate(ranges):
            if not nlb or src + nlb > LPNS or dst + nlb > LPNS:
                return Result.INTERNAL, i, *nothing
            gap = False
            for page in range(nlb):
                slot = self.mapping.l2p.get(src + page)
                if slot is None:
                    if not copy:
                        return Result.UNMAPPED, i, *nothing
                    if gap:
                        trims[-1] = (trims[-1][0], trims[-1][1] + 1)
                    else:
                        trims.append((dst + page, 1))
                elif after.ref[slot] == REF_LIMIT:
                    return Result.SHARER_LIMIT, i, *nothing
                else:
                    after.ref[slot] += 1
                    entries.append((slot, dst + page))
                gap = slot is None
        if move:
            trims += [(src, nlb) for src, _, nlb in ranges]
        need = {sb: sum(s // SLOTS_PER_SB == sb for s, _ in entries) for sb in {s // SLOTS_PER_SB for s, _ in entries}}
        if (
            any(not self.capacity.fits(sb, n) for sb, n in need.items())
            or sum(self.capacity.extra(sb, n) for sb, n in need.items()) > self.capacity.free
            or len(trims) > self.journal_room
        ):
            return Result.NVRAM_FULL, 0, *nothing
        for lpn, pages in trims[: len(trims) - len(ranges)] if move else trims:
            for page in range(pages):
                after.unmap(lpn + page)
        for slot, lpn in entries:
            after.unmap(lpn)
            after.l2p[lpn] = slot
        if move:
            for src, _, nlb in ranges:
                for page in range(nlb):
                    after.unmap(src + page)
        return Result.OK, 0, after, entries, trims

    async def run(self, ranges: list[Range], move: bool = False, copy: bool = False) -> Result:
        """Runs one command and checks all its effects."""
        result, failing, after, entries, trims = self.expect(ranges, move, copy)
        before = self.mapping.copy()
        first_seq = self.seq.next
        appended, journalled = len(self.append.entries), len(self.journal.requests)
        self.log.clear()
        self.linked.seen.clear()
        outcome = await self.send(ranges, move, copy)
        assert Result(outcome["result"]) == result, f"{Result(outcome['result']).name}, not {result.name}"
        self.mapping.check()
        assert self.mapping.l2p == after.l2p
        if result != Result.OK:
            assert outcome["range"] == failing and outcome["pages"] == 0
            assert self.mapping.l2p == before.l2p and +self.mapping.ref == +before.ref
            assert self.seq.next == first_seq, "a seq was drawn for nothing"
            assert len(self.append.entries) == appended and len(self.journal.requests) == journalled
            assert not self.linked.seen
            return result

        got = self.append.entries[appended:]
        assert [(e["sb"] * SLOTS_PER_SB + e["offset"], e["lpn"]) for e in got] == entries
        requests = self.journal.requests[journalled:]
        assert [(r["lpn"], r["pages"]) for r in requests[:-1]] == trims
        assert all(r["op"] == JournalPeer.TRIM for r in requests[:-1]) and requests[-1]["op"] == JournalPeer.COMMIT
        # Each event has a separate seq, and the pointer covers the last.
        seqs = [e["seq"] for e in got] + [r["seq"] for r in requests[:-1]]
        assert sorted(seqs) == list(range(first_seq, self.seq.next))
        assert requests[-1]["seq"] == self.seq.next - 1
        sources = {src + page for src, _, nlb in ranges for page in range(nlb)}
        moved = len(sources & set(before.l2p)) if move else 0
        gaps = sum(pages for _, pages in trims) - (sum(nlb for *_, nlb in ranges) if move else 0)
        assert outcome["pages"] == len(entries) + gaps + moved
        assert len(self.linked.seen) == len(entries)
        self.check_order()
        for slot, _ in entries:
            self.capacity.used[slot // SLOTS_PER_SB] += 1
        return result

    def check_order(self) -> None:
        """Sources programmed, then records, all durable, then the pointer, durable, then the mapping."""
        kinds = [(kind, MapOp(t["op"]) if kind == "map" else t.get("op")) for kind, t in self.log]

        def places(wanted: list[tuple[str, Any]]) -> list[int]:
            return [i for i, kind in enumerate(kinds) if kind in wanted]

        records = places([("append", None), ("journal", JournalPeer.TRIM)])
        durable = places([("durable", None), ("recorded", JournalPeer.TRIM)])
        (fence,) = places([("fence", None)])
        (commit,) = places([("journal", JournalPeer.COMMIT)])
        (committed,) = places([("recorded", JournalPeer.COMMIT)])
        changes = places([("map", MapOp.LINK), ("map", MapOp.UNMAP)])
        reserved = places([("map", MapOp.SHARE)])
        assert len(records) == len(durable)
        assert max(reserved, default=-1) < fence < min(records), "records before the sources are programmed"
        assert max(records) < commit and max(durable) < commit, "the commit pointer before what it covers is durable"
        assert committed < min(changes), "the mapping changed before the command was durable"


def fill(tb: TB, lpns: range, share: float = 1.0) -> None:
    """Maps a share of `lpns` to separate slots."""
    slots = iter(tb.bench.rng.sample(range(SLOTS), len(lpns)))
    for lpn in lpns:
        if tb.bench.rng.random() < share:
            tb.mapping.assign(lpn, next(slots))


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.3])
async def random_commands_match_the_reference(dut: Any, stalls: float) -> None:
    tb = TB(dut, stalls)
    await tb.begin()
    rng = tb.bench.rng
    fill(tb, range(400), share=0.9)
    seen = set()
    for _ in range(30):
        blocks = rng.sample(range(0, 400, 10), 2 * rng.randrange(1, 6))
        ranges = [
            (src + rng.randrange(4), dst + rng.randrange(4), rng.randrange(1, 7))
            for src, dst in zip(blocks[::2], blocks[1::2], strict=True)
        ]
        move, copy = rng.random() < 0.3, rng.random() < 0.5
        seen.add(await tb.run(ranges, move, copy))
    assert seen >= {Result.OK, Result.UNMAPPED}


@cocotb.test()
async def share_then_share_again(dut: Any) -> None:
    """A target that already maps to its slot, a source named twice, and a single page."""
    tb = TB(dut)
    await tb.begin()
    fill(tb, range(20))
    assert await tb.run([(0, 100, 4)]) == Result.OK
    assert await tb.run([(0, 100, 4)]) == Result.OK
    assert await tb.run([(0, 200, 2), (0, 300, 2), (1, 400, 1)]) == Result.OK
    assert len(tb.mapping.sharers(tb.mapping.l2p[1])) == 5


@cocotb.test()
async def move_unmaps_the_sources(dut: Any) -> None:
    tb = TB(dut)
    await tb.begin()
    fill(tb, range(40))
    kept = {lpn: tb.mapping.l2p[lpn] for lpn in range(16)}
    assert await tb.run([(0, 100, 8), (8, 5000, 8)], move=True) == Result.OK
    assert all(lpn not in tb.mapping.l2p for lpn in kept)
    assert [tb.mapping.l2p[100 + i] for i in range(8)] == [kept[i] for i in range(8)]
    # Twice the same source: its second unmapping finds nothing.
    assert await tb.run([(20, 200, 3), (20, 300, 3)], move=True) == Result.OK


@cocotb.test()
async def copy_passes_holes_on(dut: Any) -> None:
    tb = TB(dut)
    await tb.begin()
    for lpn in (1, 2, 5, 9):
        tb.mapping.assign(lpn, 1000 + lpn)
    fill(tb, range(100, 120))
    # Holes at the start, in the middle, at the end of a range and over the border of two ranges.
    assert await tb.run([(0, 100, 8), (8, 108, 4), (12, 112, 4)], copy=True) == Result.OK
    assert sorted(set(range(100, 116)) & set(tb.mapping.l2p)) == [101, 102, 105, 109]
    assert await tb.run([(500, 600, 64)], copy=True) == Result.OK  # nothing but a hole: one record


@cocotb.test()
@cocotb.parametrize(move=[False, True])
async def sharer_limit_gives_everything_back(dut: Any, move: bool) -> None:
    tb = TB(dut, stalls=0.2)
    await tb.begin()
    fill(tb, range(10))
    crowded = tb.mapping.l2p[7]
    for i in range(REF_LIMIT - 2):
        tb.mapping.assign(1000 + i, crowded)
    assert await tb.run([(0, 2000, 5), (6, 2100, 3)], move=move) == Result.OK
    tb.mapping.assign(7, crowded)
    assert tb.mapping.ref[crowded] in (REF_LIMIT, REF_LIMIT - 1)
    while tb.mapping.ref[crowded] < REF_LIMIT:
        tb.mapping.assign(1500, crowded)
    fill(tb, range(10, 20))
    tb.mapping.assign(15, crowded)
    tb.mapping.unmap(7)
    for _ in range(2):  # the second finds counters and locks as the first did
        assert await tb.run([(10, 3000, 4), (14, 3100, 3)], move=move) == Result.SHARER_LIMIT
    # Within one command: its first pages take the last references.
    tb.mapping.unmap(1000)
    assert await tb.run([(15, 3200, 1), (15, 3300, 1)]) == Result.SHARER_LIMIT
    assert await tb.run([(15, 3200, 1)]) == Result.OK


@cocotb.test()
async def unmapped_source_at_each_place(dut: Any) -> None:
    tb = TB(dut)
    await tb.begin()
    fill(tb, range(12))
    for hole in range(12):
        slot = tb.mapping.l2p[hole]
        tb.mapping.unmap(hole)
        assert await tb.run([(0, 100, 4), (4, 200, 1), (5, 300, 7)]) == Result.UNMAPPED
        tb.mapping.assign(hole, slot)
    assert await tb.run([(0, 100, 4), (4, 200, 1), (5, 300, 7)]) == Result.OK


@cocotb.test()
async def room_is_checked_to_the_last_entry(dut: Any) -> None:
    tb = TB(dut)
    await tb.begin()
    for lpn in range(64):
        tb.mapping.assign(lpn, (3 + lpn % 2) * SLOTS_PER_SB + lpn)
    # Two superblocks with 32 entries each: two segments each.
    tb.capacity.free = 3
    assert await tb.run([(0, 100, 64)]) == Result.NVRAM_FULL
    tb.capacity.free = 4
    assert await tb.run([(0, 100, 64)]) == Result.OK
    # 30 more fit into the segments that are there, 31 do not.
    tb.capacity.free = 0
    assert await tb.run([(0, 200, 62)]) == Result.NVRAM_FULL
    assert await tb.run([(0, 200, 60)]) == Result.OK
    # A chain's length is limited, too.
    tb.capacity.free = 400
    tb.capacity.used[3] = CHAIN_ENTRIES - 10
    assert await tb.run([(0, 300, 22)]) == Result.NVRAM_FULL
    assert await tb.run([(0, 300, 20)]) == Result.OK
    # More entries for a superblock than a chain can ever have.
    tb.capacity.used.clear()
    for lpn in range(100, 100 + 2 * ENTRIES_PER_SEG):
        tb.mapping.assign(lpn, 9 * SLOTS_PER_SB + lpn - 100)
    many = [(100, 1000 + 100 * i, 2 * ENTRIES_PER_SEG) for i in range(CHAIN_ENTRIES // (2 * ENTRIES_PER_SEG))]
    assert await tb.run([*many, (100, 7000, 1)]) == Result.NVRAM_FULL


@cocotb.test()
async def entries_in_every_superblock_in_one_and_in_none(dut: Any) -> None:
    """The need of each chain is counted to the last segment, and no count is left over for the next command."""
    tb = TB(dut)
    await tb.begin()
    superblocks = SLOTS // SLOTS_PER_SB
    for sb in range(superblocks):
        tb.mapping.assign(sb, sb * SLOTS_PER_SB + tb.bench.rng.randrange(SLOTS_PER_SB))
    for page in range(40):
        tb.mapping.assign(1000 + page, 7 * SLOTS_PER_SB + 20 + page)
    everywhere, one, none = [(0, 2000, superblocks)], [(1000, 3000, 40)], [(5000, 6000, 30)]
    for ranges, segments in ((everywhere, superblocks), (one, 2)):
        tb.capacity.used.clear()
        tb.capacity.free = segments - 1
        for _ in range(2):
            assert await tb.run(ranges) == Result.NVRAM_FULL
        tb.capacity.free = segments
        assert await tb.run(ranges) == Result.OK
    tb.capacity.free = 0
    assert await tb.run(none, copy=True) == Result.OK
    # All chains have room for this much by now; then each page is the one too many for another chain.
    assert await tb.run(one[:1] + everywhere) == Result.NVRAM_FULL
    for sb in range(superblocks):
        tb.capacity.used[sb] = CHAIN_ENTRIES - (sb != superblocks - 1)
    assert await tb.run(everywhere) == Result.NVRAM_FULL
    assert await tb.run([(0, 2000, superblocks - 1)]) == Result.OK


@cocotb.test()
async def lines_of_the_targets_are_fetched_while_entries_are_written(dut: Any) -> None:
    tb = TB(dut)
    await tb.begin()
    fill(tb, range(1100))

    def peeked() -> list[int]:
        kinds = [(kind, t.get("op")) for kind, t in tb.log]
        peeks = [i for i, kind in enumerate(kinds) if kind == ("map", MapOp.PEEK)]
        assert max(peeks) < kinds.index(("journal", JournalPeer.COMMIT))
        return [tb.log[i][1]["lpn"] for i in peeks]

    targets = tb.bench.rng.sample(range(2000, 7000), 50)
    assert await tb.run([(i, dst, 1) for i, dst in enumerate(targets)]) == Result.OK
    assert peeked() == targets
    # A line has 8 of them; not more lines than half of what the cache holds.
    assert await tb.run([(3, 2003, 1000)]) == Result.OK
    assert peeked() == [2003, *range(2008, 2008 + 8 * 63, 8)]


@cocotb.test()
async def journal_room_is_checked(dut: Any) -> None:
    tb = TB(dut)
    await tb.begin()
    fill(tb, range(10))
    tb.journal_room = 2
    assert await tb.run([(0, 100, 1), (1, 200, 1), (2, 300, 1)], move=True) == Result.NVRAM_FULL
    assert await tb.run([(0, 100, 1), (1, 200, 1)], move=True) == Result.OK
    assert await tb.run([(50, 100, 1), (60, 200, 1), (70, 300, 1)], copy=True) == Result.NVRAM_FULL
    tb.journal_room = 0
    assert await tb.run([(2, 400, 3)]) == Result.OK


@cocotb.test()
async def bad_lists_change_nothing(dut: Any) -> None:
    """Lists that firmware should have refused, and DRAM errors."""
    tb = TB(dut)
    await tb.begin()
    fill(tb, range(10))
    for bad in [
        (0, 100, 0),
        (0, LPNS - 1, 2),
        (LPNS - 1, 0, 2),
        (1 << 40, 100, 1),
        (0, 1 << 32, 1),
        (0, 100, 0xFFFFFFFF),
    ]:
        assert await tb.run([(0, 50, 2), bad, (2, 60, 2)]) == Result.INTERNAL
    tb.dram.fail(LIST + 32 + 16)
    before = dict(tb.mapping.l2p)
    outcome = await tb.send([(0, 50, 2), (2, 60, 2)], False, False)
    assert (outcome["result"], outcome["range"]) == (Result.INTERNAL, 1)
    assert tb.mapping.l2p == before
    tb.mapping.check()
    tb.dram.heal()
    assert await tb.run([(0, 50, 2), (2, 60, 2)]) == Result.OK
    outcome = await tb.send([], False, False)
    assert (outcome["result"], outcome["pages"]) == (Result.OK, 0)


@cocotb.test()
async def quiet_while_it_waits_for_others(dut: Any) -> None:
    tb = TB(dut)
    await tb.begin()
    fill(tb, range(10))
    tb.share_lock.busy, tb.map_lock.busy, tb.fence.open = True, True, False
    tb.start.send(list=LIST, ranges=1, move=0, copy=0)
    tb.memory.write(LIST, RemapRange(src=0, dst=100, nlb=3).pack())
    releases: list[tuple[object, str, bool]] = [
        (tb.share_lock, "busy", False),
        (tb.map_lock, "busy", False),
        (tb.fence, "open", True),
    ]
    for release in releases:
        await tb.bench.clock(500)
        assert tb.bench.read("io_quiet") == 1
        assert not tb.append.entries and not tb.journal.requests
        setattr(*release)
    await tb.bench.clock(5)
    assert tb.bench.read("io_quiet") == 0
    outcome = await tb.outcome.get()
    assert outcome["pages"] == 3


@cocotb.test()
@cocotb.parametrize(fence_first=[False, True])
async def a_source_whose_program_fails(dut: Any, fence_first: bool) -> None:
    """Locks and reservations are released, so that the source can be saved.

    Then the command finds it at its new slot.
    """
    tb = TB(dut)
    await tb.begin()
    fill(tb, range(10))
    tb.mapping.unmap(7)
    before = +tb.mapping.ref
    tb.memory.write(LIST, RemapRange(src=0, dst=100, nlb=5).pack() + RemapRange(src=6, dst=200, nlb=3).pack())
    tb.fence.open = False
    tb.start.send(list=LIST, ranges=2, move=1, copy=1)
    for slot in (SLOTS - 1, SLOTS - 2):  # it fails twice
        await tb.bench.until(lambda: bool(tb.bench.read("io_fence_req")), "the fence")
        await tb.bench.clock(50)
        assert tb.share_lock.owned and tb.map_lock.owned and +tb.mapping.ref != before
        tb.unsaved = True
        await tb.bench.until(lambda: not tb.map_lock.owned and not tb.share_lock.owned, "the locks to be given back")
        assert +tb.mapping.ref == before
        await tb.bench.clock(200)
        assert not tb.map_lock.owned and tb.bench.read("io_fence_req") and tb.bench.read("io_quiet")
        tb.mapping.assign(3, slot)
        before = +tb.mapping.ref
        if fence_first:  # another page still waits to be saved
            tb.fence.open = True
            await tb.bench.until(lambda: not tb.bench.read("io_fence_req"), "the fence to end")
            tb.fence.open = False
            await tb.bench.clock(100)
            assert not tb.map_lock.owned and tb.bench.read("io_quiet")
            tb.unsaved = False
        else:
            tb.unsaved = False
            await tb.bench.clock(100)
            assert not tb.map_lock.owned and tb.bench.read("io_quiet"), "a fence cannot be given up"
            tb.fence.open = True
            await tb.bench.until(lambda: not tb.bench.read("io_fence_req"), "the fence to end")
            tb.fence.open = False
    tb.fence.open = True
    outcome = await tb.outcome.get()
    assert (outcome["result"], outcome["pages"]) == (Result.OK, 2 * 8 - 1)
    assert tb.mapping.l2p[103] == SLOTS - 2
    assert len(tb.append.entries) == 7 and len(tb.journal.requests) == 1 + 2 + 1
    tb.mapping.check()
    await tb.bench.until(lambda: not tb.map_lock.owned, "the locks to be free")
    fill(tb, range(20, 30))
    assert await tb.run([(20, 300, 5)]) == Result.OK


@cocotb.test()
async def nothing_is_committed_while_entries_may_be_lost(dut: Any) -> None:
    tb = TB(dut)
    await tb.begin()
    fill(tb, range(10))
    tb.append.hold = True
    tb.memory.write(LIST, RemapRange(src=0, dst=100, nlb=5).pack())
    tb.start.send(list=LIST, ranges=1, move=1, copy=0)
    await tb.bench.until(lambda: len(tb.append.entries) == 5, "the entries")
    await tb.bench.clock(1000)
    assert [r["op"] for r in tb.journal.requests] == [JournalPeer.TRIM]
    assert 100 not in tb.mapping.l2p and 0 in tb.mapping.l2p
    tb.append.hold = False
    assert (await tb.outcome.get())["result"] == Result.OK


def test_remap_engine(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("RemapEngine")
