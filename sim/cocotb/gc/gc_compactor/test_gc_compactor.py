# SPDX-License-Identifier: Apache-2.0
"""Tests of GcCompactor: the order of the steps of a compaction, the entries that it appends, and when it refuses."""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.geometry import SLOTS_PER_SB, SUPERBLOCKS
from sim.cocotb.support.nvram_layout import CHAIN_ENTRIES, ENTRIES_PER_SEG, SEGMENTS_PER_CHAIN
from sim.cocotb.support.peers import FencePeer, Log
from sim.cocotb.support.remap_peers import AppendPeer, JournalPeer
from sim.cocotb.support.stream import Sink, Source, Transaction, Watch

GEN, EPOCH, SET = 77, 5, 2
ORDER = ["fence", "aside", "compacted", "append", "durable", "journal", "recorded", "drop", "done"]

Entry = tuple[int, int, int]  # offset, LPN, seq


class TB:
    """Source start -> GcCompactor -> a look-up, append, journal, fence, setAside, dropOld. One log holds all events."""

    def __init__(self, dut: Any, stalls: float = 0.0) -> None:
        self.bench = bench = Bench(dut)
        self.log: Log = []
        self.live: list[Entry] = []
        self.epoch = EPOCH
        self.start_ = Source(bench, "io_start", gaps=stalls)
        self.fence = FencePeer(bench, log=self.log)
        self.append = AppendPeer(bench, stalls=stalls, log=self.log)
        self.journal = JournalPeer(bench, stalls=stalls, log=self.log)
        self.sharer = Source(bench, "io_sharer", gaps=stalls)
        Sink(bench, "io_list", stalls, stable=True, on_take=self._list)
        Sink(bench, "io_setAside", stalls, stable=True, on_take=lambda t: self.log.append(("aside", t)))
        Sink(bench, "io_dropOld", stalls, stable=True, on_take=lambda t: self.log.append(("drop", t)))
        Watch(bench, "io_compacted", on_seen=self._compacted)
        Watch(bench, "io_done", on_seen=lambda t: self.log.append(("done", t)))

    def _list(self, t: Transaction) -> None:
        for i, (offset, lpn, seq) in enumerate(self.live):
            if offset == t["bits"]:
                self.sharer.send(index=i, lpn=lpn, seq=seq, live=1, endOfList=0)
        self.sharer.send(endOfList=1)

    def _compacted(self, t: Transaction) -> None:
        self.log.append(("compacted", t))
        self.epoch += 1
        self.bench.write("io_epoch", self.epoch)  # the table's work

    def kinds(self) -> list[str]:
        return list(dict.fromkeys(kind for kind, _ in self.log))

    def of(self, kind: str) -> list[Transaction]:
        return [t for k, t in self.log if k == kind]

    def history(self, entries: int) -> None:
        """Live entries, in the order of their slots, as the look-up delivers them."""
        rng = self.bench.rng
        self.live = sorted(
            (rng.randrange(SLOTS_PER_SB), lpn, rng.getrandbits(48)) for lpn in rng.sample(range(1 << 20), entries)
        )

    def begin(self, sb: int, found: int, free: int = 100, segments: int | None = None) -> None:
        self.log.clear()
        full = -(-found // ENTRIES_PER_SEG)
        for name, value in (
            ("found", found),
            ("live", len(self.live)),
            ("segments", full if segments is None else segments),
            ("free", free),
            ("gen", GEN),
            ("epoch", self.epoch),
            ("set", SET),
        ):
            self.bench.write("io_" + name, value)
        self.start_.send(bits=sb)

    async def ended(self) -> Transaction:
        await self.bench.until(lambda: bool(self.of("done")), "done", 200_000)
        await self.bench.clock(3)
        assert self.bench.read("io_start_ready") and not self.bench.read("io_waiting")
        return self.of("done")[0]

    def check(self, sb: int) -> None:
        assert self.kinds() == [kind for kind in ORDER if self.live or kind not in ("append", "durable")]
        places = [i for i, (kind, _) in enumerate(self.log) if kind in ("append", "durable")]
        assert max(places, default=0) < [kind for kind, _ in self.log].index("journal"), "durable before it counts"
        appended = [(t["offset"], t["lpn"], t["seq"]) for t in self.of("append")]
        assert appended == self.live and all(t["sb"] == sb for t in self.of("append"))
        assert self.of("aside") == self.of("compacted") == [{"bits": sb}]
        (record,) = self.of("journal")
        assert (record["op"], record["lpn"]) == (JournalPeer.BLOCK, sb)
        assert (record["gen"], record["epoch"]) == (GEN, self.epoch), "the next epoch"
        assert record["set"] == SET, "what is destaged stays where it is"


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.4])
async def the_live_entries_become_the_chain(dut: Any, stalls: float) -> None:
    tb = TB(dut, stalls)
    await tb.bench.start()
    for sb, live, found in ((0, 40, 3 * ENTRIES_PER_SEG), (5, 0, 1), (SUPERBLOCKS - 1, ENTRIES_PER_SEG, CHAIN_ENTRIES)):
        tb.history(live)
        tb.begin(sb, found)
        outcome = await tb.ended()
        saved = -(-found // ENTRIES_PER_SEG) - -(-live // ENTRIES_PER_SEG)
        assert outcome == {"ok": 1, "full": 0, "segments": saved, "dropped": found - live}
        tb.check(sb)
    assert tb.epoch == EPOCH + 3


@cocotb.test()
async def a_chain_that_would_not_be_shorter_stays(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    for live, found in ((ENTRIES_PER_SEG + 1, 2 * ENTRIES_PER_SEG), (1, ENTRIES_PER_SEG), (0, 0)):
        tb.history(live)
        tb.begin(3, found)
        outcome = await tb.ended()
        assert (outcome["ok"], outcome["full"]) == (0, 0) and tb.kinds() == ["done"]


@cocotb.test()
async def a_new_chain_needs_room_beside_the_old_one(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.history(2 * ENTRIES_PER_SEG + 1)
    tb.begin(3, CHAIN_ENTRIES, free=2)
    outcome = await tb.ended()
    assert (outcome["ok"], outcome["full"]) == (0, 1) and tb.kinds() == ["done"]
    tb.begin(3, CHAIN_ENTRIES, free=3)
    assert (await tb.ended())["segments"] == SEGMENTS_PER_CHAIN - 3
    tb.check(3)


@cocotb.test()
async def the_last_epoch_is_the_last(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.history(2)
    tb.epoch = 0xFFFE
    tb.begin(3, 100)
    assert (await tb.ended())["ok"] == 1
    tb.begin(3, 100)
    outcome = await tb.ended()
    assert (outcome["ok"], outcome["full"]) == (0, 0) and tb.kinds() == ["done"]


@cocotb.test()
async def host_programs_come_first(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.history(3)
    tb.fence.open = False
    tb.begin(3, 100)
    await tb.bench.clock(300)
    assert tb.bench.read("io_fence_req") and tb.bench.read("io_waiting") and not tb.log
    tb.fence.open = True
    assert (await tb.ended())["ok"] == 1
    tb.check(3)


@cocotb.test()
async def the_record_waits_for_nvram(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.history(50)
    tb.append.hold = True
    tb.begin(3, 200)
    await tb.bench.until(lambda: len(tb.of("append")) == 50, "the appends", 20_000)
    await tb.bench.clock(1000)
    assert not tb.of("journal")
    tb.append.hold = False
    assert (await tb.ended())["ok"] == 1
    tb.check(3)


def test_gc_compactor(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("GcCompactor")
