# SPDX-License-Identifier: Apache-2.0
"""Test bench of GcMover: flash, page buffers, a mapping, GcLookup's lists and the remap table, with one log of all
events.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from sim.cocotb.support.bench import Bench
from sim.cocotb.support.codes import MapOp, NandClient, NandStatus, RequestOp
from sim.cocotb.support.geometry import GC_BUF_BASE, GC_BUFFERS, LPNS, REF_LIMIT, SLOTS_PER_SB
from sim.cocotb.support.mapping import Mapping
from sim.cocotb.support.nvram_layout import CHAIN_ENTRIES
from sim.cocotb.support.orm_formats import FORMAT_VERSION, STREAM_HOST, OobRecord
from sim.cocotb.support.peers import Log, MapPeer, NandRequestPeer
from sim.cocotb.support.remap_peers import AppendPeer, CapacityPeer
from sim.cocotb.support.stream import Sink, Source, Transaction, Watch

VICTIM, OTHER = 5, 6  # superblocks
TARGETS = [11, 12]
FIRST = VICTIM * SLOTS_PER_SB
GEN = 77  # the victim's


@dataclass
class Candidate:
    """An entry of a slot's list."""

    index: int
    lpn: int
    seq: int
    live: bool = True


class LookUpPeer:
    """GcLookup's ports for one client: lists by slot offset, in which an LPN stands once with its largest seq."""

    def __init__(self, bench: Bench, stalls: float) -> None:
        self.bench = bench
        self.lists: dict[int, list[Candidate]] = {}
        self._offered: list[Candidate | None] = []  # None: the end of the list
        self._used = 0
        Sink(bench, "io_insert", stalls, stable=True, on_take=self._insert)
        Sink(bench, "io_list", stalls, on_take=self._list)
        bench.add(self)  # before the source, which drops accepted transactions
        self._sharer = Source(bench, "io_sharer", gaps=stalls)

    def add(self, offset: int, lpn: int, seq: int, index: int | None = None) -> None:
        mine = self.lists.setdefault(offset, [])
        for candidate in mine:
            if candidate.lpn == lpn:
                candidate.seq = max(candidate.seq, seq)
                return
        if index is None:
            index, self._used = self._used, self._used + 1
        mine.insert(0, Candidate(index, lpn, seq))

    def _insert(self, t: Transaction) -> None:
        assert t.get("oob_valid", 1), "the mover only knows spares"
        self.add(t["offset"], t["lpn"], t["seq"], CHAIN_ENTRIES + t["oob_bits"])

    def _list(self, t: Transaction) -> None:
        assert not self._offered, "a list while another one is read"
        self._offered = [*self.lists.get(t["bits"], []), None]
        for c in self._offered:
            if c is None:
                self._sharer.send(endOfList=1)
            else:
                self._sharer.send(index=c.index, lpn=c.lpn, seq=c.seq, live=int(c.live))

    def drive(self) -> None:
        pass

    def sample(self) -> None:
        if self._sharer._offered is None or not self.bench.read("io_sharer_ready"):
            return
        taken = self._offered.pop(0)
        if self.bench.read("io_drop"):
            assert taken is not None and taken.live
            taken.live = False


@dataclass
class Page:
    oob: OobRecord
    data: object
    status: NandStatus = NandStatus.OK


@dataclass
class Copies:
    """The effects of one start."""

    next: int
    lost: int
    stop: int
    programs: list[Transaction] = field(default_factory=list)


class TB:
    """Connects GcMover to Sources (start, alloc), NAND, append, a Mapping and a LookUpPeer, with one common log."""

    def __init__(self, dut: Any, stalls: float = 0.0, nand_delay: int = 30) -> None:
        self.bench = bench = Bench(dut)
        self.log: Log = []
        self.mapping = Mapping()
        self.flash: dict[int, Page] = {}
        self.buffers: dict[int, object] = {}
        self.seq = 100
        self.fail_programs: set[int] = set()  # target slots
        self.flipped: dict[int, int] = {}  # bits of a slot's spare area that differ from what was programmed
        self.on_read: Any = None  # called with the slot when its read ends
        self.on_program: Any = None
        self.start_ = Source(bench, "io_start")
        self.done = Watch(bench, "io_done")
        self.map = MapPeer(bench, self._map, stalls=stalls, gaps=stalls, log=self.log)
        self.look_up = LookUpPeer(bench, stalls)
        self.append = AppendPeer(bench, stalls=stalls, log=self.log)
        self.capacity = CapacityPeer(bench)
        self.alloc = Source(bench, "io_alloc", gaps=stalls)
        self.nand = NandRequestPeer(
            bench, self._nand, stalls, nand_delay, shuffle=True, log=self.log, spare=self._spare
        )
        events = ("moved", "movedShared", "repointed", "lostRace")
        self.events = {name: Watch(bench, f"io_event_{name}") for name in events}
        self.closes = 0  # cycles
        self._counted = 0  # entries
        self.yields = 1  # a client waits for the lock: each start moves at most one slot per buffer
        bench.add(self)
        self.next_slot = FIRST

    def drive(self) -> None:
        """GcEngine compares an answer of the map with the slot in hand as the answer comes."""
        answer = self.map.resp.offered or {"mapped": 0, "slot": 0}
        self.bench.write("io_live", int(answer["mapped"] and answer["slot"] == self.bench.read("io_source")))

    def sample(self) -> None:
        """Checks that no page is closed with a slot of it under way. Moves accepted entries into their chains."""
        for t in self.append.entries[self._counted :]:
            self.capacity.used[t["sb"]] += 1
        self._counted = len(self.append.entries)
        if self.bench.read("io_closes"):
            self.closes += 1
            programs = self.bench.read("io_nand_valid") and self.bench.read("io_nand_bits_op") == RequestOp.PROGRAM
            assert not self.bench.read("io_alloc_ready") and not programs

    # ---- what was there before
    def write(self, lpn: int) -> int:
        """A host write into the victim. Returns its slot."""
        slot, self.next_slot = self.next_slot, self.next_slot + 1
        oob = OobRecord(lpn=lpn, gen=GEN, seq=self.seq, stream=STREAM_HOST, version=FORMAT_VERSION, slot=slot)
        self.flash[slot] = Page(oob, (lpn, self.seq))
        self.mapping.assign(lpn, slot)
        self.seq += 1
        return slot

    def share(self, slot: int, lpn: int) -> None:
        """A remap entry of the victim's chain, already in the look-up."""
        self.look_up.add(slot - FIRST, lpn, self.seq)
        self.mapping.assign(lpn, slot)
        self.seq += 1

    def leave(self, lpn: int) -> None:
        """The host writes the LPN elsewhere."""
        self.mapping.assign(lpn, OTHER * SLOTS_PER_SB + lpn % SLOTS_PER_SB)

    def history(self, lpns: int, slots: int) -> None:
        """A random history. Chain entries may be stale, because LPNs may leave after GcLoader has looked at them."""
        rng = self.bench.rng
        for _ in range(slots):
            slot = self.write(rng.randrange(lpns))
            while rng.random() < 0.5 and len(self.mapping.sharers(slot)) < REF_LIMIT:
                self.share(slot, rng.randrange(lpns))
            if rng.random() < 0.3:
                self.leave(rng.randrange(lpns))

    # ---- ports
    def _map(self, t: Transaction) -> Transaction:
        assert t["lpn"] < LPNS or t["op"] == MapOp.REFS
        return self.mapping.answer(t)

    def _nand(self, t: Transaction) -> NandStatus:
        slot = t["slot"]
        assert t["client"] == NandClient.GC and GC_BUF_BASE <= t["buf"] < GC_BUF_BASE + GC_BUFFERS
        if t["op"] == RequestOp.READ:
            page = self.flash[slot]
            self.buffers[t["buf"]] = page.data if page.status == NandStatus.OK else "garbage"
            if self.on_read:
                self.on_read(slot)
            return page.status
        assert t["op"] == RequestOp.PROGRAM
        self.log.append(("programmed", t))
        raw = t["oob"].to_bytes(OobRecord.BYTES, "little")
        assert OobRecord.good(raw)
        self.flash[slot] = Page(OobRecord.unpack(raw), self.buffers[t["buf"]])
        if self.on_program:
            self.on_program(slot)
        return NandStatus.FAILED if slot in self.fail_programs else NandStatus.OK

    def _spare(self, t: Transaction) -> int:
        if self.flash[t["slot"]].status != NandStatus.OK:
            return self.bench.rng.getrandbits(8 * OobRecord.BYTES)
        return int.from_bytes(self.flash[t["slot"]].oob.pack(), "little") ^ self.flipped.get(t["slot"], 0)

    # ---- a batch
    async def begin(self, slots: int = 2 * SLOTS_PER_SB) -> None:
        self.bench.write("io_gen", GEN)
        self.bench.write("io_yields", self.yields)
        for i in range(slots):
            sb, offset = TARGETS[i // SLOTS_PER_SB], i % SLOTS_PER_SB
            self.alloc.send(slot=sb * SLOTS_PER_SB + offset, gen=1000 + sb)
        await self.bench.start()

    async def batch(self, from_: int = 0) -> Copies:
        self.log.clear()
        self.start_.send(sb=VICTIM, **{"from": from_})
        end = await self.done.get(100_000)
        await self.bench.clock(3)
        assert self.bench.read("io_start_ready") and not self.bench.read("io_waiting")
        programs = [t for kind, t in self.log if kind == "nand" and t["op"] == RequestOp.PROGRAM]
        self.check_order()
        return Copies(end["next"], end["lost"], end["stop"], programs)

    def check_order(self) -> None:
        """Checks each slot: program, entries, re-pointing, each durable before the next.

        Its buffer stays until then.
        """
        under_way: Counter[int] = Counter()  # programs, by target
        programmed: set[int] = set()
        pending: Counter[int] = Counter()  # entries that are not durable, by target
        buffers: dict[int, set[int]] = {}  # targets of the programs from a buffer since it was read into
        gone: set[int] = set()  # targets whose buffers were used again
        for kind, t in self.log:
            if kind == "nand" and t["op"] == RequestOp.READ:
                old = buffers.pop(t["buf"], set())
                assert not any(under_way[slot] or pending[slot] for slot in old), "a buffer that is in use"
                gone |= old
            elif kind == "nand":
                under_way[t["slot"]] += 1
                buffers.setdefault(t["buf"], set()).add(t["slot"])
            elif kind == "programmed":
                under_way[t["slot"]] -= 1
                programmed.add(t["slot"])
            elif kind in ("append", "durable"):
                slot = t["sb"] * SLOTS_PER_SB + t["offset"]
                assert slot in programmed
                pending[slot] += 1 if kind == "append" else -1
            elif kind == "map" and t["op"] == MapOp.CAS:
                assert t["slot"] in programmed and not pending[t["slot"]] and t["slot"] not in gone
        assert not any(under_way.values()) and not any(pending.values())

    def wanted(self, from_: int = 0) -> list[int]:
        """The reference: the slots that a start takes while another client waits for the lock."""
        return [s for s in range(FIRST + from_, FIRST + SLOTS_PER_SB) if self.mapping.ref[s]][:GC_BUFFERS]

    def data(self) -> dict[int, object]:
        return {lpn: self.flash[slot].data for lpn, slot in self.mapping.l2p.items() if slot in self.flash}

    def count(self, event: str) -> int:
        return len(self.events[event].seen)
