# SPDX-License-Identifier: Apache-2.0
"""Tests of GcLoader.

The look-up is cleared first. Then it receives exactly the live entries of the victim's chain from the wanted slot on.
"""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.codes import MapOp
from sim.cocotb.support.geometry import LPNS, SLOTS_PER_SB, SUPERBLOCKS
from sim.cocotb.support.mapping import Mapping
from sim.cocotb.support.nvram_layout import CHAIN_ENTRIES
from sim.cocotb.support.peers import Log, MapPeer
from sim.cocotb.support.stream import Sink, Source, Transaction, Watch

Entry = tuple[int, int, int]  # offset, LPN, seq


class TB:
    """Source start -> GcLoader -> Sink clear, insert; a chain behind `walk`, a Mapping behind `map`."""

    def __init__(self, dut: Any, stalls: float = 0.0) -> None:
        self.bench = bench = Bench(dut)
        self.log: Log = []
        self.mapping = Mapping()
        self.chain: list[Entry] = []
        self.start_ = Source(bench, "io_start", gaps=stalls)
        self.map = MapPeer(bench, self.mapping.answer, stalls=stalls, gaps=stalls, log=self.log)
        self.clear = Sink(bench, "io_clear", stalls, stable=True, on_take=lambda t: self.log.append(("clear", t)))
        Sink(bench, "io_walk_start", stalls, stable=True, on_take=self._walk)
        self.walked = Source(bench, "io_walk_entry", gaps=stalls)
        self.insert = Sink(bench, "io_insert", stalls, stable=True, on_take=lambda t: self.log.append(("insert", t)))
        self.done = Watch(bench, "io_done")

    def _walk(self, t: Transaction) -> None:
        self.log.append(("walk", t))
        for offset, lpn, seq in self.chain:
            self.walked.send(valid_=1, last=0, e_sb=t["bits"], e_offset=offset, e_lpn=lpn, e_seq=seq)
        self.walked.send(last=1)

    def live(self, sb: int, from_: int) -> list[Entry]:
        """The reference: the live entries."""
        return [
            (offset, lpn, seq)
            for offset, lpn, seq in self.chain
            if offset >= from_ and lpn < LPNS and self.mapping.l2p.get(lpn) == sb * SLOTS_PER_SB + offset
        ]

    def of(self, kind: str) -> list[Transaction]:
        return [t for k, t in self.log if k == kind]

    async def load(self, sb: int, from_: int = 0) -> list[Entry]:
        """Loads the chain. Returns what was inserted."""
        self.log.clear()
        self.start_.send(sb=sb, **{"from": from_})
        await self.done.get()
        await self.bench.clock(3)
        assert not self.done.seen and self.bench.read("io_start_ready")
        assert not self.walked.pending, "the walk is taken to its end"
        assert [kind for kind, _ in self.log][:2] == ["clear", "walk"]
        assert (len(self.of("clear")), self.of("walk")) == (1, [{"bits": sb}])
        assert self.bench.read("io_found") == len(self.chain)
        assert all(t["op"] == MapOp.LOOKUP and t["lpn"] < LPNS for t in self.of("map"))
        assert not any(t.get("oob_valid", 0) for t in self.of("insert")), (
            "these are entries, not identities from spares"
        )
        return [(t["offset"], t["lpn"], t["seq"]) for t in self.of("insert")]

    def history(self, sb: int, entries: int) -> None:
        """A random chain, in which an LPN may occur several times, and a mapping that agrees with part of it."""
        rng = self.bench.rng
        self.mapping.l2p.clear()
        self.mapping.ref.clear()
        self.chain = [(rng.randrange(SLOTS_PER_SB), rng.randrange(60), rng.getrandbits(48)) for _ in range(entries)]
        for offset, lpn, _ in self.chain:
            what = rng.random()
            if what < 0.5:
                self.mapping.assign(lpn, sb * SLOTS_PER_SB + offset)
            elif what < 0.7:
                self.mapping.assign(lpn, rng.randrange(SUPERBLOCKS) * SLOTS_PER_SB + offset)


@cocotb.test()
async def live_entries_are_inserted(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.chain = [(offset, 100 + offset, 7000 - offset) for offset in (0, 5, SLOTS_PER_SB - 1)]
    for offset, lpn, _ in tb.chain:
        tb.mapping.assign(lpn, 9 * SLOTS_PER_SB + offset)
    assert await tb.load(9) == tb.chain


@cocotb.test()
async def an_empty_chain_only_clears(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    assert await tb.load(3) == [] and not tb.of("map")


@cocotb.test()
async def dead_entries_are_left_out(dut: Any) -> None:
    """Entries whose LPN is unmapped, on another slot of the superblock, or on the same offset of another superblock."""
    tb = TB(dut)
    await tb.bench.start()
    sb = 6
    tb.chain = [(4, lpn, 50 + lpn) for lpn in range(4)]
    tb.mapping.assign(1, sb * SLOTS_PER_SB + 5)
    tb.mapping.assign(2, (sb + 1) * SLOTS_PER_SB + 4)
    tb.mapping.assign(3, sb * SLOTS_PER_SB + 4)
    assert await tb.load(sb) == [(4, 3, 53)]


@cocotb.test()
async def slots_that_have_been_moved_are_not_asked_for(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.chain = [(offset, offset, offset) for offset in range(20)]
    for offset, lpn, _ in tb.chain:
        tb.mapping.assign(lpn, 2 * SLOTS_PER_SB + offset)
    assert await tb.load(2, from_=15) == tb.chain[15:]
    assert len(tb.of("map")) == 5


@cocotb.test()
async def an_lpn_beyond_the_mapping_is_never_looked_up(dut: Any) -> None:
    """MapUnit would read beyond L2P."""
    tb = TB(dut)
    await tb.bench.start()
    tb.chain = [(1, lpn, 1) for lpn in (LPNS - 1, LPNS, 1 << 31, (1 << 32) - 1)]
    tb.mapping.assign(LPNS - 1, 2 * SLOTS_PER_SB + 1)
    assert await tb.load(2) == [(1, LPNS - 1, 1)]
    assert len(tb.of("map")) == 1


@cocotb.test()
@cocotb.parametrize(blocked=["clear", "insert"])
async def a_look_up_that_is_busy_loses_nothing(dut: Any, blocked: str) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.chain = [(offset, offset, offset) for offset in range(8)]
    for offset, lpn, _ in tb.chain:
        tb.mapping.assign(lpn, 2 * SLOTS_PER_SB + offset)
    held = tb.clear if blocked == "clear" else tb.insert
    held.hold = True
    tb.start_.send(sb=2)
    await tb.bench.clock(200)
    assert not tb.done.seen
    assert not tb.of("walk") if blocked == "clear" else len(tb.of("map")) == 1
    held.hold = False
    await tb.done.get()
    assert [t["offset"] for t in tb.of("insert")] == list(range(8))


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.4], entries=[31, 200])
async def random_chains(dut: Any, stalls: float, entries: int) -> None:
    tb = TB(dut, stalls)
    await tb.bench.start()
    rng = tb.bench.rng
    for _ in range(4):
        sb, from_ = rng.randrange(SUPERBLOCKS), rng.choice([0, rng.randrange(SLOTS_PER_SB)])
        tb.history(sb, entries)
        expected = tb.live(sb, from_)
        assert await tb.load(sb, from_) == expected


@cocotb.test()
async def the_longest_chain(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.history(1, CHAIN_ENTRIES)
    expected = tb.live(1, 0)
    assert expected and await tb.load(1) == expected


def test_gc_loader(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("GcLoader")
