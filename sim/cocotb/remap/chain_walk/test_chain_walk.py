# SPDX-License-Identifier: Apache-2.0
"""Tests of ChainWalk.

The destaged part of a chain comes from flash, then the segments. If a slot cannot be read there are no entries at all.
"""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.codes import MapOp, NandClient, NandStatus, RequestOp
from sim.cocotb.support.destaged import DESTAGE_ENTRIES, Entry, destage_lpn, pack_set
from sim.cocotb.support.geometry import GC_BUF_BASE, SLOTS, SLOTS_PER_SB, SUPERBLOCKS
from sim.cocotb.support.mapping import Mapping
from sim.cocotb.support.nvram_layout import CHAIN_ENTRIES, ENTRIES_PER_SEG
from sim.cocotb.support.orm_formats import DestageHeader
from sim.cocotb.support.peers import BufferReadPeer, Buffers, MapPeer, NandRequestPeer
from sim.cocotb.support.stream import Sink, Source, Transaction, Watch

GEN, EPOCH, SET = 31, 4, 2


class TB:
    """Source start -> ChainWalk -> map, NAND, page buffers, the table's walk -> Sink entry."""

    def __init__(self, dut: Any, stalls: float = 0.0) -> None:
        self.bench = bench = Bench(dut)
        self.mapping = Mapping()
        self.buffers = Buffers()
        self.flash: dict[int, bytes] = {}
        self.unreadable: set[int] = set()
        self.segments: list[Entry] = []
        self.walks: list[int] = []
        self.bad = 0
        self.start_ = Source(bench, "io_start", gaps=stalls)
        self.map = MapPeer(bench, self._map, stalls=stalls, gaps=stalls)
        self.nand = NandRequestPeer(bench, self._read, stalls=stalls, shuffle=stalls > 0)
        BufferReadPeer(bench, "io_bufRead", self.buffers, stalls=stalls, gaps=stalls)
        Sink(bench, "io_table_start", stalls, stable=True, on_take=self._walk)
        self.table = Source(bench, "io_table_entry", gaps=stalls)
        self.entry = Sink(bench, "io_entry", stalls)
        Watch(bench, "io_badEntry", on_seen=lambda _: setattr(self, "bad", self.bad + 1))

    def _map(self, t: Transaction) -> Transaction:
        assert t["op"] == MapOp.LOOKUP
        return self.mapping.answer(t)

    def _read(self, t: Transaction) -> NandStatus:
        assert (t["op"], t["client"]) == (RequestOp.READ, NandClient.GC) and t["buf"] >= GC_BUF_BASE
        if t["slot"] in self.unreadable:
            return NandStatus.UNCORRECTABLE
        self.buffers.pages[t["buf"]][:] = self.flash[t["slot"]]
        return NandStatus.OK

    def _walk(self, t: Transaction) -> None:
        self.walks.append(t["bits"])
        for offset, lpn, seq in self.segments:
            self.table.send(valid_=1, last=0, e_sb=t["bits"], e_offset=offset, e_lpn=lpn, e_seq=seq)
        self.table.send(last=1)

    def entries(self, count: int) -> list[Entry]:
        rng = self.bench.rng
        return [(rng.randrange(SLOTS_PER_SB), rng.getrandbits(32), rng.getrandbits(48)) for _ in range(count)]

    def destaged(self, sb: int, entries: list[Entry], **header: int) -> list[int]:
        """Puts a set into flash at random slots. Returns the slots."""
        slots = pack_set(sb, header.get("gen", GEN), EPOCH, entries)
        places = self.bench.rng.sample(range(SLOTS), len(slots))
        for index, (place, data) in enumerate(zip(places, slots, strict=True)):
            self.flash[place] = data
            self.mapping.assign(destage_lpn(sb, SET, index), place)
        for name, value in (("set", SET), ("slots", len(slots)), ("segments", -(-len(entries) // ENTRIES_PER_SEG))):
            self.bench.write("io_destaged_" + name, value)
        self.bench.write("io_gen", GEN)
        return places

    async def walk(self, sb: int, all_: int = 1) -> tuple[list[Entry], int]:
        """Returns the entries, and whether the walk failed."""
        self.walks.clear()
        self.start_.send(sb=sb, all=all_)
        found: list[Entry] = []
        while True:
            t = {"valid_": 0, "last": 0, "e_sb": 0, "e_offset": 0, "e_lpn": 0, "e_seq": 0} | await self.entry.get(
                20_000
            )
            assert t["valid_"] != t["last"]
            if t["last"]:
                break
            assert t["e_sb"] == sb
            found.append((t["e_offset"], t["e_lpn"], t["e_seq"]))
        failed = self.bench.read("io_failed")
        await self.bench.clock(5)
        assert self.bench.read("io_start_ready") and not self.bench.read("io_asks") and not self.table.pending
        assert self.walks == ([] if failed else [sb])
        return found, failed


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.4])
async def the_destaged_part_comes_first(dut: Any, stalls: float) -> None:
    tb = TB(dut, stalls)
    await tb.bench.start()
    for sb, count in ((0, 1), (5, DESTAGE_ENTRIES), (SUPERBLOCKS - 1, DESTAGE_ENTRIES + 1), (7, CHAIN_ENTRIES)):
        part = tb.entries(count)
        tb.segments = tb.entries(9)
        tb.destaged(sb, part)
        assert await tb.walk(sb) == (part + tb.segments, 0)
        assert tb.bad == 0


@cocotb.test()
async def only_the_segments_for_a_compaction_and_where_nothing_is_destaged(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.segments = tb.entries(40)
    tb.destaged(3, tb.entries(40))
    assert await tb.walk(3, all_=0) == (tb.segments, 0)
    tb.bench.write("io_destaged_set", 0)
    assert await tb.walk(3) == (tb.segments, 0)
    assert not tb.nand.requests and not tb.map.log
    tb.segments = []
    assert await tb.walk(3) == ([], 0)


@cocotb.test()
@cocotb.parametrize(which=[0, 1, 2])
async def a_slot_that_cannot_be_read_ends_the_walk(dut: Any, which: int) -> None:
    tb = TB(dut, 0.3)
    await tb.bench.start()
    tb.segments = tb.entries(3)
    part = tb.entries(2 * DESTAGE_ENTRIES + 3)
    places = tb.destaged(8, part)
    tb.unreadable = {places[which]}
    assert await tb.walk(8) == ([], 1)
    tb.unreadable = set()
    assert await tb.walk(8) == (part + tb.segments, 0), "the next walk begins anew"
    tb.mapping.unmap(destage_lpn(8, SET, which))
    assert await tb.walk(8) == ([], 1)


@cocotb.test()
async def a_slot_that_holds_something_else_ends_the_walk(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.segments = tb.entries(3)
    part = tb.entries(DESTAGE_ENTRIES + 3)
    places = tb.destaged(8, part)
    good = dict(tb.flash)

    async def refused(slot: int, **wrong: int) -> None:
        header = DestageHeader.unpack(good[places[slot]])
        for name, value in wrong.items():
            setattr(header, name, value)
        tb.flash[places[slot]] = header.pack() + good[places[slot]][DestageHeader.BYTES :]
        found, failed = await tb.walk(8)
        assert failed and found == (part[:DESTAGE_ENTRIES] if slot else []), wrong
        tb.flash = dict(good)

    await refused(0, sb=9)
    await refused(1, gen=GEN + 1)
    await refused(0, index=1)
    await refused(1, slots=3)
    await refused(1, entries=DESTAGE_ENTRIES + 1)
    data = bytearray(good[places[0]])
    data[12] ^= 1
    tb.flash[places[0]] = bytes(data)
    assert await tb.walk(8) == ([], 1), "the header's CRC"


@cocotb.test()
async def a_bad_entry_is_left_out_and_counted(dut: Any) -> None:
    tb = TB(dut, 0.3)
    await tb.bench.start()
    part = tb.entries(10)
    places = tb.destaged(8, part)
    data = bytearray(tb.flash[places[0]])
    data[16 * 4 + 5] ^= 0x40
    tb.flash[places[0]] = bytes(data)
    assert await tb.walk(8) == (part[:3] + part[4:], 0)
    assert tb.bad == 1


def test_chain_walk(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("ChainWalk")
