# SPDX-License-Identifier: Apache-2.0
"""A device around GcEngine, in Python: flash with spare areas, the remap table's chains, journal, mapping, and
recovery.

    GcEngine -- map      -> Mapping                    -- walk, append, capacity -> chains of the remap table
             -- nand     -> flash, page buffers        -- journal                -> generations in NVRAM
             -- alloc    -> target superblocks         -- sb                     -> gen, valid, state
             -- fence, shareLock, readWindow           -- freed, erased, freeChain
             -- setAside, compacted, dropOld           -> the old chain of a compaction
             -- bufRead, bufWrite, mapLock, seq, place -> destaged parts of chains

Durable state is kept apart from what the mapping shows, so that `check_recovery` can cut the power at any moment. For
each LPN the durable event with the largest seq must lead to the data that the mapping shows.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from sim.cocotb.support.bench import Bench
from sim.cocotb.support.codes import MapOp, NandClient, NandStatus, RequestOp, SbState
from sim.cocotb.support.destaged import DESTAGE_LPN, destage_lpn, unpack_slot
from sim.cocotb.support.geometry import DIES, GC_BUF_BASE, GC_BUFFERS, LPNS, REF_LIMIT, SLOTS_PER_SB
from sim.cocotb.support.mapping import Mapping
from sim.cocotb.support.nvram_layout import ENTRIES_PER_SEG
from sim.cocotb.support.orm_formats import FORMAT_VERSION, STREAM_GC, STREAM_HOST, OobRecord
from sim.cocotb.support.peers import (
    BufferReadPeer,
    Buffers,
    BufferWritePeer,
    FencePeer,
    LockPeer,
    Log,
    MapPeer,
    SeqPeer,
)
from sim.cocotb.support.remap_peers import AppendPeer, CapacityPeer, JournalPeer
from sim.cocotb.support.stream import Sink, Source, Transaction, Watch
from sim.cocotb.support.superblock_peers import SbReadPeer

READ, PROBE, PROGRAM, ERASE = RequestOp.READ, RequestOp.PROBE, RequestOp.PROGRAM, RequestOp.ERASE
FREE, OPEN, CLOSED, BAD = SbState.FREE, SbState.OPEN, SbState.CLOSED, SbState.BAD

VICTIM, HOST, NEXT = 5, 6, 7  # superblocks; NEXT: a second victim
TARGETS = [11, 12, 13, 14, 15, 16]


@dataclass
class Page:
    """A programmed slot: the identity in its spare area, and its data."""

    oob: OobRecord
    data: object
    readable: bool = True


@dataclass
class Entry:
    """A durable remap entry."""

    slot: int
    lpn: int
    seq: int
    gen: int
    epoch: int = 0


class World:
    """Everything outside the unit."""

    def __init__(self, dut: Any, stalls: float = 0.0, nand_delay: int = 40) -> None:
        self.bench = bench = Bench(dut)
        self.log: Log = []
        self.mapping = Mapping()
        self.flash: dict[int, Page] = {}
        self.entries: list[Entry] = []
        self.trims: dict[int, int] = {}  # LPN: seq of its last trim
        self.gen: dict[int, int] = {sb: 100 + sb for sb in [VICTIM, HOST, NEXT, *TARGETS]}  # in NVRAM
        self.table_gen = dict(self.gen)  # in the SuperblockTable
        self.epoch = dict.fromkeys(self.gen, 0)  # of their chains, in NVRAM
        self.table_epoch = dict(self.epoch)
        self.set = dict.fromkeys(self.gen, 0)  # of the destaged part, in NVRAM
        self.parts: dict[int, tuple[int, int, int]] = {}  # of each chain in RemapTable: set, slots, segments
        self.volatile: dict[int, tuple[Page, object]] = {}  # LPN: a host write not yet in flash, what was there before
        self.state = {VICTIM: CLOSED, NEXT: CLOSED}
        self.seq = 1
        self.next_slot = {sb: sb * SLOTS_PER_SB for sb in [VICTIM, HOST, NEXT]}
        self.target_slots = [sb * SLOTS_PER_SB + i for sb in TARGETS for i in range(SLOTS_PER_SB)]
        self.buffers: dict[int, object] = {}
        self.words = Buffers()  # buffers that are read and written word by word: destaged slots
        self.fail_programs: set[int] = set()  # places in the order of programs
        self.fail_erase = False
        self.programs: list[int] = []
        self.nameless: set[int] = set()  # LPNs that a test has made unrecoverable
        self.checks = 0
        self.on_nand: Any = None  # called with each request when it is done
        self.on_map: Any = None  # called with each mapping request before it is done

        self.start = Source(bench, "io_start")
        self.outcome = Watch(bench, "io_outcome")
        self.map = MapPeer(bench, self._map, stalls=stalls, gaps=stalls, log=self.log)
        self.walk = Sink(bench, "io_walk_start", on_take=self._walk)
        self.walked = Source(bench, "io_walk_entry", gaps=stalls)
        self.append = AppendPeer(bench, stalls=stalls, log=self.log)
        self.capacity = CapacityPeer(bench)
        self.looks = [0]  # superblocks whose chains' lengths are due: RemapTable shows them two cycles later
        self.nand = NandPeer(self, stalls, nand_delay)
        self.journal = JournalPeer(bench, stalls=stalls, log=self.log)
        self.fence = FencePeer(bench, log=self.log)
        self.lock = LockPeer(bench, "io_shareLock", log=self.log)
        self.map_lock = LockPeer(bench)
        self.seqs = SeqPeer(bench, self.map_lock, first=1 << 20)
        BufferReadPeer(bench, "io_bufRead", self.words, stalls=stalls, gaps=stalls)
        BufferWritePeer(bench, "io_bufWrite", self.words, stalls=stalls)
        Watch(bench, "io_place", on_seen=self._place)
        self.alloc = Source(bench, "io_alloc", gaps=stalls)
        self.free_chain = Sink(bench, "io_freeChain", stalls=stalls, on_take=lambda t: self.log.append(("chain", t)))
        self.aside = Sink(bench, "io_setAside", stalls=stalls, on_take=lambda t: self.log.append(("aside", t)))
        self.compacted = Watch(bench, "io_compacted", on_seen=self._compacted)
        self.drop_old = Sink(bench, "io_dropOld", stalls=stalls, on_take=lambda t: self.log.append(("drop", t)))
        self.freed = Sink(bench, "io_freed", stalls=stalls, on_take=lambda t: self.log.append(("freed", t)))
        self.erased = Watch(bench, "io_erased", on_seen=self._erased)
        for port in ("io_sb", "io_leavingSb"):
            SbReadPeer(bench, port, self._record, stalls)
        self.lost_races = Watch(bench, "io_event_lostRace")
        self.repointed = Watch(bench, "io_event_repointed")
        bench.add(self)
        self._seen = 0

    # ---------------------------------------------------------------- the device's life before, and beside, GC
    def write(self, lpn: int, sb: int = VICTIM) -> None:
        """A durable host write."""
        slot = self.next_slot[sb]
        assert slot < (sb + 1) * SLOTS_PER_SB, f"superblock {sb} is full"
        self.next_slot[sb] = slot + 1
        oob = OobRecord(lpn=lpn, gen=self.gen[sb], seq=self.seq, stream=STREAM_HOST, version=FORMAT_VERSION, slot=slot)
        self.flash[slot] = Page(oob, (lpn, self.seq))
        self.mapping.assign(lpn, slot)
        self.seq += 1

    def remap(self, src: int, dst: int) -> None:
        """A durable SHARE of one page; ignored where it would be refused."""
        slot = self.mapping.l2p.get(src)
        if slot is None or self.mapping.ref[slot] >= REF_LIMIT:
            return
        sb = slot // SLOTS_PER_SB
        self.entries.append(Entry(slot, dst, self.seq, self.gen[sb], self.epoch[sb]))
        self.mapping.assign(dst, slot)
        self.seq += 1

    def trim(self, lpn: int) -> None:
        self.trims[lpn] = self.seq
        self.mapping.unmap(lpn)
        self.seq += 1

    def write_volatile(self, lpn: int) -> None:
        """A host write that the mapping shows and that a power cut would lose."""
        before = self.flash[self.mapping.l2p[lpn]].data
        self.write(lpn, HOST)
        self.volatile[lpn] = (self.flash.pop(self.mapping.l2p[lpn]), before)

    def land(self) -> None:
        """Volatile writes reach flash."""
        for page, _ in self.volatile.values():
            self.flash[page.oob.slot] = page
        self.volatile.clear()

    def live_before(self, lpns: int, fill: int = SLOTS_PER_SB, sb: int = VICTIM) -> None:
        """A random history that leaves `fill` slots of the victim programmed."""
        rng = self.bench.rng
        while self.next_slot[sb] < sb * SLOTS_PER_SB + fill:
            what = rng.random()
            if what < 0.5:
                self.write(rng.randrange(lpns), sb)
            elif what < 0.9:
                self.remap(rng.randrange(lpns), rng.randrange(lpns))
            else:
                self.trim(rng.randrange(lpns))
        for _ in range(lpns // 4):  # and events after the superblock was closed
            self.remap(rng.randrange(lpns), rng.randrange(lpns))
            if self.next_slot[HOST] < (HOST + 1) * SLOTS_PER_SB:
                self.write(rng.randrange(lpns), HOST)
        self.check_recovery()

    # ---------------------------------------------------------------- power cut
    def check_recovery(self) -> None:
        """Compares with what recovery would find now: for each LPN the event with the largest seq.

        Equal seqs are copies.
        """
        found: dict[int, tuple[int, list[int | None]]] = {}

        def event(lpn: int, seq: int, slot: int | None) -> None:
            best, slots = found.get(lpn, (0, []))
            if seq > best:
                found[lpn] = (seq, [slot])
            elif seq == best:
                slots.append(slot)

        for slot, page in self.flash.items():
            oob = page.oob
            own = oob.slot == slot and oob.gen == self.gen[slot // SLOTS_PER_SB] and oob.version == FORMAT_VERSION
            if own and oob.lpn < LPNS:
                event(oob.lpn, oob.seq, slot)
        for lpn, seq, slot in self.destaged_entries({lpn: s for lpn, s in found.items() if lpn >= DESTAGE_LPN}):
            event(lpn, seq, slot)
        for lpn in [lpn for lpn in found if lpn >= DESTAGE_LPN]:
            del found[lpn]
        for e in self.entries:
            sb = e.slot // SLOTS_PER_SB
            if (e.gen, e.epoch) == (self.gen[sb], self.epoch[sb]) and e.slot in self.flash:
                event(e.lpn, e.seq, e.slot)
        for lpn, seq in self.trims.items():
            event(lpn, seq, None)
        shown = {
            lpn: self.volatile[lpn][1] if lpn in self.volatile else self.flash[slot].data
            for lpn, slot in self.mapping.l2p.items()
            if lpn < DESTAGE_LPN
        }
        for lpn, (seq, slots) in found.items():
            for copy in slots:
                data = None if copy is None else self.flash[copy].data
                assert data == shown.get(lpn), f"LPN {lpn} comes back as {data}, seq {seq}, not {shown.get(lpn)}"
        lost = set(shown) - set(found) - self.nameless
        assert not lost, f"LPNs {lost} are lost"
        self.checks += 1

    def destaged_entries(self, found: dict[int, tuple[int, list[int | None]]]) -> list[tuple[int, int, int]]:
        """LPN, seq and slot of the entries in the sets that the records name. `found` are the slots of all sets."""
        entries = []
        for sb, set_ in self.set.items():
            index, slots = 0, 1 if set_ else 0
            while index < slots:
                lpn = destage_lpn(sb, set_, index)
                assert lpn in found, f"slot {index} of the set in use is lost"
                place = found[lpn][1][0]
                data = None if place is None else self.flash[place].data
                assert isinstance(data, bytes)
                header, part = unpack_slot(data, sb, self.gen[sb])
                assert header.index == index and header.epoch <= self.epoch[sb]
                slots = header.slots
                entries += [(lpn, seq, sb * SLOTS_PER_SB + offset) for offset, lpn, seq in part]
                index += 1
        return [e for e in entries if e[2] in self.flash]

    # ---------------------------------------------------------------- ports
    def _place(self, t: Transaction) -> None:
        self.log.append(("place", t))
        self.parts[t["sb"]] = (t["part_set"], t["part_slots"], t["part_segments"])

    def _map(self, t: Transaction) -> Transaction:
        assert self.lock.owned, "GC uses the mapping without the shareLock"
        assert t["lpn"] < LPNS
        if self.on_map:
            self.on_map(t)
        return self.mapping.answer(t)

    def chain_of(self, sb: int) -> list[Entry]:
        """Entries of the chain that RemapTable has for a superblock."""
        now = (self.table_gen[sb], self.table_epoch[sb])
        return [e for e in self.entries if e.slot // SLOTS_PER_SB == sb and (e.gen, e.epoch) == now]

    def _compacted(self, t: Transaction) -> None:
        self.log.append(("compacted", t))
        self.table_epoch[t["sb"]] += 1
        assert t["epoch"] == self.table_epoch[t["sb"]]

    def _walk(self, t: Transaction) -> None:
        assert self.lock.owned, "a chain is read without the shareLock"
        sb = t["bits"]
        mine = self.chain_of(sb)
        segments = [mine[i : i + ENTRIES_PER_SEG] for i in range(0, len(mine), ENTRIES_PER_SEG)]
        for e in [e for segment in reversed(segments) for e in segment]:
            self.walked.send(valid_=1, last=0, e_sb=sb, e_offset=e.slot % SLOTS_PER_SB, e_lpn=e.lpn, e_seq=e.seq)
        self.walked.send(last=1)

    def _erased(self, t: Transaction) -> None:
        sb, retired = t["sb"], bool(t["retires"])
        self.log.append(("retired" if retired else "erased", t))
        self.table_gen[sb] += 1
        assert t["gen"] == self.table_gen[sb]
        self.table_epoch[sb] = 0
        self.parts.pop(sb, None)
        self.state[sb] = BAD if retired else FREE

    def _record(self, sb: int) -> dict[str, int]:
        """What SuperblockTable knows of it."""
        return {
            "gen": self.table_gen.get(sb, 0),
            "epoch": self.table_epoch.get(sb, 0),
            "state": self.state.get(sb, FREE),
            "valid": self.mapping.valid(sb),
        }

    def drive(self) -> None:
        bench = self.bench
        self.looks.append(bench.read("io_look_sb"))
        look = self.looks.pop(0)
        bench.write("io_look_segments", -(-len(self.chain_of(look)) // ENTRIES_PER_SEG) if look in self.gen else 0)
        for name, value in zip(("set", "slots", "segments"), self.parts.get(look, (0, 0, 0)), strict=True):
            bench.write(f"io_look_destaged_{name}", value)

    def sample(self) -> None:
        """Takes up what became durable since the previous cycle."""
        changed = False
        for kind, t in self.log[self._seen :]:
            if kind == "durable":
                slot = t["sb"] * SLOTS_PER_SB + t["offset"]
                self.entries.append(Entry(slot, t["lpn"], t["seq"], self.gen[t["sb"]], self.table_epoch[t["sb"]]))
            elif kind == "append":
                self.capacity.used[t["sb"]] += 1
            elif kind == "recorded":
                assert t["op"] == JournalPeer.BLOCK
                self.gen[t["lpn"]], self.epoch[t["lpn"]], self.set[t["lpn"]] = t["gen"], t["epoch"], t["set"]
            changed |= kind in ("durable", "recorded", "programmed", "erase", "map")
        self._seen = len(self.log)
        if changed:
            self.check_recovery()

    # ---------------------------------------------------------------- a collection
    async def begin(self) -> None:
        for slot in self.target_slots:
            self.alloc.send(slot=slot, gen=self.gen[slot // SLOTS_PER_SB])
        self.target_slots.clear()
        await self.bench.start()

    async def collect(self, timeout: int = 200_000, retire: bool = False) -> Transaction:
        """Starts a collection of the victim and waits for its end."""
        self.start.send(sb=VICTIM, chain=0, destage=0, retire=int(retire))
        return await self.end(VICTIM, 0, timeout)

    async def compact(self) -> Transaction:
        """Starts a compaction of the victim's chain and waits for its end. The log then holds this compaction only."""
        self.log.clear()
        self._seen = 0
        return await self._run(1, 50_000)

    async def destage(self) -> Transaction:
        """Starts a destaging of the victim's chain and waits for its end. The log then holds this destaging only."""
        self.log.clear()
        self._seen = 0
        return await self._run(1, 50_000, destage=1)

    async def _run(self, chain: int, timeout: int, destage: int = 0) -> Transaction:
        self.start.send(sb=VICTIM, chain=chain, destage=destage)
        return await self.end(VICTIM, chain, timeout)

    async def end(self, sb: int = VICTIM, chain: int = 0, timeout: int = 200_000) -> Transaction:
        """The next outcome, which must be that of the superblock."""
        await self.bench.until(lambda: bool(self.outcome.seen), "the outcome", timeout)
        await self.bench.clock(3)
        outcome = dict(self.outcome.seen.popleft())
        assert (outcome.pop("sb"), outcome.pop("chain")) == (sb, chain)
        return outcome

    async def handed_over(self) -> None:
        """Waits until the victim that was started last has been moved, and its erase begins."""
        await self.bench.clock(3)
        await self.bench.until(lambda: self.bench.read("io_start_ready") == 1, "the end of the moving", 200_000)

    def places(self, *kinds: str) -> list[int]:
        return [i for i, (kind, _) in enumerate(self.log) if kind in kinds]

    def map_places(self, op: MapOp) -> list[int]:
        return [i for i, (kind, t) in enumerate(self.log) if kind == "map" and t["op"] == op]

    def check_order(self, victim: int = VICTIM) -> None:
        """The crash-safe order of a collection that ended well."""

        def mine(slot: int) -> bool:
            return slot // SLOTS_PER_SB == victim

        def of_victim(kind: str, field: str = "bits") -> list[int]:
            return [i for i in self.places(kind) if self.log[i][1][field] == victim]

        cas = [i for i in self.map_places(MapOp.CAS) if mine(self.log[i][1]["expect"])]
        erases = [i for i, (kind, t) in enumerate(self.log) if kind == "nand" and t["op"] == ERASE and mine(t["slot"])]
        done = [i for i in self.places("erase") if mine(self.log[i][1]["slot"])]
        fence = max(i for i in self.places("fence") if i < min(erases))
        (generation,), (recorded,) = of_victim("journal", "lpn"), of_victim("recorded", "lpn")
        (chain,), (erased,), (freed,) = of_victim("chain"), of_victim("erased", "sb"), of_victim("freed")
        assert len(erases) == len(done) == DIES
        assert max(cas, default=-1) < fence < min(erases)
        assert max(erases) < max(done) < generation < recorded < chain < erased < freed
        # No sharer of a copy is re-pointed while the copy or one of the entries could still be lost.
        durable: set[int] = set()
        pending: Counter[int] = Counter()  # entries of a slot
        for kind, t in self.log:
            if kind == "programmed":
                durable.add(t["slot"])
            elif kind in ("append", "durable"):
                slot = t["sb"] * SLOTS_PER_SB + t["offset"]
                assert slot in durable, "an entry of a slot that could still be lost"
                pending[slot] += 1 if kind == "append" else -1
            elif kind == "map" and t["op"] == MapOp.CAS:
                assert t["slot"] in durable and not pending[t["slot"]]

    def check_compaction_order(self) -> None:
        """The crash-safe order of a compaction that gave something back."""
        (fence,), (aside,), (compacted,) = self.places("fence"), self.places("aside"), self.places("compacted")
        (asked,), (recorded,), (drop,) = self.places("journal"), self.places("recorded"), self.places("drop")
        appended, durable = self.places("append"), self.places("durable")
        assert fence < min(aside, compacted) and max(aside, compacted) < min(appended, default=asked)
        assert len(appended) == len(durable) and max(durable, default=0) < asked < recorded < drop
        assert not self.places("nand", "programmed", "erase", "chain")

    def check_emptied(self, victim: int = VICTIM) -> None:
        assert self.mapping.valid(victim) == 0
        assert not any(slot // SLOTS_PER_SB == victim for slot in self.flash)
        assert self.gen[victim] == self.table_gen[victim] == 100 + victim + 1
        self.mapping.check()
        self.check_recovery()
        self.check_order(victim)


class NandPeer:
    """The scheduler's port. Each die serves its requests in order; answers of different dies come in any order."""

    def __init__(self, world: World, stalls: float, delay: int) -> None:
        self.world = world
        self.delay = delay
        self.held: set[int] = set()  # operations that are held back
        self.erase_delay = delay
        self._dies: list[list[tuple[int, Transaction]]] = [[] for _ in range(DIES)]
        self._done = Source(world.bench, "io_nandDone")
        self.requests = Sink(
            world.bench, "io_nand", stalls=stalls, stable=True, counts=self._meant, on_take=self._asked
        )
        world.bench.add(self)

    @staticmethod
    def _meant(t: Transaction) -> Transaction:
        """The fields that have a meaning: only a program has a spare area."""
        return t if t["op"] == PROGRAM else t | {"oob": 0}

    def _asked(self, t: Transaction) -> None:
        world = self.world
        assert t["client"] == NandClient.GC
        world.log.append(("nand", t))
        if t["op"] != ERASE:
            assert GC_BUF_BASE <= t["buf"] < GC_BUF_BASE + GC_BUFFERS
        if t["op"] == PROGRAM:
            assert not world.programs or t["slot"] == world.programs[-1] + 1 or t["slot"] % SLOTS_PER_SB == 0, (
                "slots of a superblock are programmed in order"
            )
            world.programs.append(t["slot"])
        delay = world.bench.rng.randrange(1, 2 * self.delay) if t["op"] != ERASE else self.erase_delay
        self._dies[t["slot"] % DIES].append((world.bench.cycle + delay, t))

    def drive(self) -> None:
        for queue in self._dies:
            if queue and queue[0][1]["op"] not in self.held and queue[0][0] <= self.world.bench.cycle:
                self._finish(queue.pop(0)[1])

    def sample(self) -> None:
        pass

    def _finish(self, t: Transaction) -> None:
        world, slot = self.world, t["slot"]
        status, oob = NandStatus.OK, 0
        if t["op"] == READ:
            page = world.flash[slot]
            if page.readable:
                world.buffers[t["buf"]] = page.data
                if isinstance(page.data, bytes):
                    world.words.pages[t["buf"]][:] = page.data
                oob = int.from_bytes(page.oob.pack(), "little")
            else:
                world.buffers[t["buf"]] = "garbage"
                status = NandStatus.UNCORRECTABLE
                oob = world.bench.rng.getrandbits(256)
        elif t["op"] == PROGRAM:
            raw = t["oob"].to_bytes(32, "little")
            record = OobRecord.unpack(raw)
            assert OobRecord.good(raw) and record.slot == slot and record.stream == STREAM_GC
            assert record.version == FORMAT_VERSION and record.gen == world.gen[slot // SLOTS_PER_SB]
            assert slot not in world.flash, "programmed twice without an erase"
            if world.programs.index(slot) in world.fail_programs:
                status = NandStatus.FAILED
            else:
                new = record.seq >= 1 << 20 and record.lpn >= DESTAGE_LPN and world.bench.read("io_destages")
                data = bytes(world.words.pages[t["buf"]]) if new else world.buffers[t["buf"]]
                world.flash[slot] = Page(record, data)
                world.log.append(("programmed", t))
        else:
            assert t["op"] == ERASE
            assert world.mapping.valid(slot // SLOTS_PER_SB) == 0, "an erase of data that somebody maps"
            if world.fail_erase and slot % DIES == 1:
                status = NandStatus.FAILED
            else:
                for s in [
                    s for s in world.flash if s // SLOTS_PER_SB == slot // SLOTS_PER_SB and s % DIES == slot % DIES
                ]:
                    del world.flash[s]
            world.log.append(("erase", t))
        if world.on_nand:
            world.on_nand(t)
        answer = dict(t) | {"status": status, "oob": oob}
        self._done.send(**{name: answer[name] for name in self._done._bits})


def outcome_of(
    ok: int, moved: int = 0, shared: int = 0, full: int = 0, refused: int = 0, segments: int = 0
) -> Transaction:
    return {"ok": ok, "refused": refused, "full": full, "moved": moved, "shared": shared, "segments": segments}


def live_entries(world: World) -> dict[tuple[int, int], int]:
    """Live entries of the victim's chain: by slot and LPN, the largest seq of an entry that the mapping agrees with."""
    found: dict[tuple[int, int], int] = {}
    for e in world.chain_of(VICTIM):
        if world.mapping.l2p.get(e.lpn) == e.slot:
            found[e.slot, e.lpn] = max(e.seq, found.get((e.slot, e.lpn), 0))
    return found


def data_of(world: World) -> dict[int, object]:
    return {lpn: world.flash[slot].data for lpn, slot in world.mapping.l2p.items() if lpn < DESTAGE_LPN}
