# SPDX-License-Identifier: Apache-2.0
"""Tests of GcLookup against a dict of dicts: which LPNs share which slot, with which seq, and which were dropped."""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.geometry import GC_BUFFERS, SLOTS_PER_SB
from sim.cocotb.support.nvram_layout import CHAIN_ENTRIES
from sim.cocotb.support.stream import Sink, Source, Transaction

Lists = dict[int, dict[int, tuple[int, bool]]]  # offset -> LPN -> (seq, live)


class TB:
    """Source clear, insert, start -> GcLookup -> Sink sharer. `drop` are the LPNs that die when they are shown."""

    def __init__(self, dut: Any, stalls: float = 0.0) -> None:
        self.bench = bench = Bench(dut)
        self.lists: Lists = {}
        self.used = 0  # entries of the chain
        self.clear = Source(bench, "io_clear")
        self.insert = Source(bench, "io_insert", gaps=stalls)
        self.start = Source(bench, "io_start")
        bench.add(self)  # after `start`, before `sharer`: sets `drop` for the beat on offer
        self.drop: set[int] = set()
        self.sharer = Sink(bench, "io_sharer", stalls=stalls, stable=True)

    def drive(self) -> None:
        on_offer = self.bench.read("io_sharer_valid") and not self.bench.read("io_sharer_bits_endOfList")
        self.bench.write("io_drop", int(on_offer and self.bench.read("io_sharer_bits_lpn") in self.drop))

    def sample(self) -> None:
        pass

    async def add(self, offset: int, lpn: int, seq: int, batch: int | None = None) -> None:
        oob = {} if batch is None else {"oob_valid": 1, "oob_bits": batch}
        self.insert.send(offset=offset, lpn=lpn, seq=seq, **oob)
        await self.insert.drained()
        known = self.lists.setdefault(offset, {})
        self.used += lpn not in known and batch is None
        known[lpn] = (max(seq, known.get(lpn, (0, True))[0]), True)

    async def show(self, offset: int, drop: set[int] | None = None) -> list[Transaction]:
        """Checks the list of a slot; the LPNs of `drop` die."""
        self.drop = drop or set()
        self.start.send(bits=offset)
        beats: list[Transaction] = []
        while not (beat := await self.sharer.get())["endOfList"]:
            beats.append(beat)
        assert self.bench.read("io_used") == self.used
        known = self.lists.get(offset, {})
        assert len({b["index"] for b in beats}) == len(beats) == len(known)
        assert {b["lpn"]: (b["seq"], bool(b["live"])) for b in beats} == known
        for lpn in self.drop & set(known):
            known[lpn] = (known[lpn][0], False)
        return beats

    async def begin(self) -> None:
        await self.bench.start()

    async def forget(self) -> None:
        self.clear.send()
        await self.clear.drained()
        self.lists.clear()
        self.used = 0


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.4])
async def random_lists(dut: Any, stalls: float) -> None:
    tb = TB(dut, stalls)
    await tb.begin()
    rng = tb.bench.rng
    for _ in range(3):
        offsets = rng.sample(range(SLOTS_PER_SB), 10)
        for _ in range(150):
            if rng.random() < 0.7:
                await tb.add(rng.choice(offsets), rng.randrange(12), rng.getrandbits(48))
            else:
                await tb.show(rng.choice(offsets), drop=set(rng.sample(range(12), 2)))
        for offset in offsets:
            await tb.show(offset)
        await tb.forget()
    for offset in range(SLOTS_PER_SB):
        assert not await tb.show(offset), "an entry survived the clearing"


@cocotb.test()
async def indices_name_entries_for_good(dut: Any) -> None:
    tb = TB(dut)
    await tb.begin()
    for lpn in range(6):
        await tb.add(3, lpn, 10 + lpn)
    first = {b["lpn"]: b["index"] for b in await tb.show(3)}
    await tb.add(3, 2, 99)
    await tb.add(4, 2, 99)
    await tb.add(3, 77, 1)
    again = {b["lpn"]: b["index"] for b in await tb.show(3)}
    assert again.items() >= first.items()


@cocotb.test()
async def the_larger_seq_wins_in_either_order(dut: Any) -> None:
    tb = TB(dut)
    await tb.begin()
    await tb.add(0, 5, 100)
    await tb.add(0, 5, 50, batch=0)  # the spare area is older than the chain
    await tb.add(1, 6, 50)
    await tb.add(1, 6, 100, batch=1)
    assert [b["seq"] for offset in (0, 1) for b in await tb.show(offset)] == [100, 100]
    # A dropped LPN is live again when it is inserted again.
    await tb.show(0, drop={5})
    await tb.add(0, 5, 60)
    assert (await tb.show(0))[0]["live"] == 1


@cocotb.test()
async def the_largest_chain_and_a_full_batch_fit(dut: Any) -> None:
    tb = TB(dut)
    await tb.begin()
    for i in range(CHAIN_ENTRIES):
        await tb.add(i % SLOTS_PER_SB, i, i)
    for turn in range(2):  # the places of the batch are used again
        for i in range(GC_BUFFERS):
            await tb.add(GC_BUFFERS * turn + i, 10_000 + i, 7, batch=i)
        beats = [b for i in range(GC_BUFFERS) for b in await tb.show(GC_BUFFERS * turn + i)]
        assert len({b["index"] for b in beats}) == len(beats)


def test_gc_lookup(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("GcLookup")
