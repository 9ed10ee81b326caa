# SPDX-License-Identifier: Apache-2.0
"""Tests of GcErase: the crash-safe order of an erase, and the steps that are left out after a failed erase or a
retirement.
"""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.codes import NandClient, NandStatus, RequestOp, SbState
from sim.cocotb.support.geometry import CHANNELS, DIES, DIES_PER_CHANNEL, SUPERBLOCKS, SlotAddress
from sim.cocotb.support.peers import FencePeer, Log, NandRequestPeer
from sim.cocotb.support.remap_peers import JournalPeer
from sim.cocotb.support.stream import Sink, Source, Transaction, Watch
from sim.cocotb.support.superblock_peers import SbReadPeer

# The steps in order; a failed erase or a retirement lacks some of them.
GOOD = ["fence", "nand", "answer", "journal", "recorded", "chain", "erased", "freed", "done"]
FAILED = ["fence", "nand", "answer", "done"]
RETIRED = [*GOOD[:-2], "done"]
BAD = ["fence", "journal", "recorded", "chain", "erased", "done"]


class TB:
    """Source start -> GcErase -> fence, nand, journal, freeChain, erased, freed, done. One log holds all events."""

    def __init__(self, dut: Any, stalls: float = 0.0, nand_delay: int = 30) -> None:
        self.bench = bench = Bench(dut)
        self.log: Log = []
        self.gen = [1000 + 3 * sb for sb in range(SUPERBLOCKS)]
        self.fail: set[int] = set()  # slots whose erase fails
        self.start_ = Source(bench, "io_start", gaps=stalls)
        self.fence = FencePeer(bench, log=self.log)
        self.nand = NandRequestPeer(bench, self._nand, stalls, nand_delay, shuffle=True, log=self.log)
        self.journal = JournalPeer(bench, stalls=stalls, log=self.log)
        Sink(bench, "io_freeChain", stalls, stable=True, on_take=lambda t: self.log.append(("chain", t)))
        Sink(bench, "io_freed", stalls, stable=True, on_take=lambda t: self.log.append(("freed", t)))
        Watch(bench, "io_erased", on_seen=self._erased)
        Watch(bench, "io_done", on_seen=lambda t: self.log.append(("done", t)))
        self.table = SbReadPeer(bench, "io_table", lambda sb: {"gen": self.gen[sb], "state": self.state}, stalls)
        self.sb = 0
        self.state = SbState.CLOSED
        self.retired = False

    def _nand(self, t: Transaction) -> NandStatus:
        status = NandStatus.FAILED if t["slot"] in self.fail else NandStatus.OK
        self.log.append(("answer", t))
        return status

    def _erased(self, t: Transaction) -> None:
        assert t["gen"] == self.gen[self.sb] + 1
        self.log.append(("erased", {"bits": t["sb"]}))
        self.retired = bool(t["retires"])

    def kinds(self) -> list[str]:
        return [kind for kind, _ in self.log]

    def of(self, kind: str) -> list[Transaction]:
        return [t for k, t in self.log if k == kind]

    def begin(self, sb: int, state: SbState = SbState.CLOSED, retire: bool = False) -> None:
        self.sb = sb
        self.bench.write("io_retire", int(retire))
        self.log.clear()
        self.state = state
        self.table.asked.clear()
        self.start_.send(bits=sb)

    async def ended(self) -> int:
        await self.bench.until(lambda: bool(self.of("done")), "done")
        await self.bench.clock(3)
        assert self.bench.read("io_start_ready") and not self.bench.read("io_waiting")
        return self.of("done")[0]["bits"]

    async def erase(self, sb: int, state: SbState = SbState.CLOSED, retire: bool = False) -> int:
        self.begin(sb, state, retire)
        return await self.ended()

    def check(self, expected: list[str], ok: int) -> None:
        """Checks the order, and that every step was for this superblock."""
        once = list(dict.fromkeys(k for k in self.kinds() if k != "answer"))
        assert once == [k for k in expected if k != "answer"]
        slots = [t["slot"] for t in self.of("nand")]
        if "nand" in expected:
            dies = [(die, channel) for die in range(DIES_PER_CHANNEL) for channel in range(CHANNELS)]
            assert sorted(slots) == sorted(SlotAddress(self.sb, 0, die, channel).slot for die, channel in dies)
            assert all((t["op"], t["client"]) == (RequestOp.ERASE, NandClient.GC) for t in self.of("nand"))
            last = max(i for i, kind in enumerate(self.kinds()) if kind == "answer")
            then = self.kinds().index("journal" if "journal" in expected else "done")
            assert len(self.of("answer")) == DIES and last < then, "the NAND is done first"
        for record in self.of("journal"):
            assert (record["op"], record["lpn"]) == (JournalPeer.BLOCK, self.sb)
            assert (record["gen"], record["epoch"], record["set"]) == (self.gen[self.sb] + 1, 0, 0)
        assert all(self.of(kind) == [{"bits": self.sb}] for kind in ("chain", "erased", "freed") if kind in expected)
        assert self.of("done") == [{"bits": ok}]
        assert self.table.asked == [self.sb]
        assert not self.of("erased") or self.retired == ("freed" not in expected), (
            "the table hears whether it comes back"
        )


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.5])
async def an_erased_superblock_is_given_back(dut: Any, stalls: float) -> None:
    tb = TB(dut, stalls)
    await tb.bench.start()
    for sb in (0, 5, SUPERBLOCKS - 1):
        assert await tb.erase(sb) == 1
        tb.check(GOOD, ok=1)


@cocotb.test()
@cocotb.parametrize(dies=[(0,), (1,), (DIES - 1,), tuple(range(DIES))])
async def a_failed_erase_keeps_it_out(dut: Any, dies: tuple[int, ...]) -> None:
    """Generation and chain stay, so that recovery finds an unfinished erase.

    Nothing may be written to the superblock.
    """
    tb = TB(dut)
    await tb.bench.start()
    first = SlotAddress(9, 0, 0, 0).slot
    tb.fail = {first + die for die in dies}  # the lowest bits of a slot name its die
    assert await tb.erase(9) == 0
    tb.check(FAILED, ok=0)
    tb.fail.clear()
    assert await tb.erase(10) == 1, "the next one does not inherit it"
    tb.check(GOOD, ok=1)


@cocotb.test()
async def a_bad_superblock_is_not_erased(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    assert await tb.erase(7, SbState.BAD) == 1
    tb.check(BAD, ok=1)
    assert await tb.erase(8) == 1
    tb.check(GOOD, ok=1)


@cocotb.test()
async def a_retired_superblock_is_erased_and_does_not_come_back(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    assert await tb.erase(7, retire=True) == 1
    tb.check(RETIRED, ok=1)
    tb.fail = {SlotAddress(6, 0, 0, 0).slot}
    assert await tb.erase(6, retire=True) == 0
    tb.check(FAILED, ok=0)
    assert await tb.erase(8) == 1
    tb.check(GOOD, ok=1)


@cocotb.test()
async def host_programs_come_first(dut: Any) -> None:
    """The programs that made copies in the victim stale are durable before the erase."""
    tb = TB(dut)
    await tb.bench.start()
    tb.fence.open = False
    tb.begin(3)
    await tb.bench.clock(300)
    assert tb.bench.read("io_fence_req") and tb.bench.read("io_waiting") and not tb.log
    tb.fence.open = True
    assert await tb.ended() == 1
    tb.check(GOOD, ok=1)


@cocotb.test()
async def a_read_on_its_way_to_the_nand_comes_first(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.bench.write("io_readWindow", 1)
    tb.begin(3)
    await tb.bench.clock(300)
    assert tb.kinds() == ["fence"] and tb.bench.read("io_waiting")
    tb.bench.write("io_readWindow", 0)
    assert await tb.ended() == 1
    tb.check(GOOD, ok=1)


@cocotb.test()
async def a_window_that_opens_later_holds_nothing_up(dut: Any) -> None:
    """A look-up from now on cannot find the victim any more."""
    tb = TB(dut)
    await tb.bench.start()
    tb.begin(3)
    await tb.bench.until(lambda: bool(tb.of("nand")), "the first erase")
    tb.bench.write("io_readWindow", 1)
    assert await tb.ended() == 1
    tb.check(GOOD, ok=1)


@cocotb.test()
async def all_dies_erase_at_once(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.nand.hold = True
    tb.begin(4)
    await tb.bench.clock(200)
    assert len(tb.of("nand")) == DIES and not tb.of("journal")
    assert tb.bench.read("io_waiting")
    tb.nand.hold = False
    assert await tb.ended() == 1


@cocotb.test()
async def the_chain_outlives_the_old_generation(dut: Any) -> None:
    """Until NVRAM has answered the record of the new generation, no segment goes back to the free list."""
    tb = TB(dut)
    tb.journal.latency = 400
    await tb.bench.start()
    tb.begin(4)
    await tb.bench.until(lambda: bool(tb.of("journal")), "the record")
    await tb.bench.clock(300)
    assert tb.kinds()[-1] == "journal"
    assert await tb.ended() == 1
    tb.check(GOOD, ok=1)


@cocotb.test()
async def random_collections(dut: Any) -> None:
    """Compares with a model of each superblock's state and of the outcome of its dies' erases."""
    tb = TB(dut, stalls=0.3)
    await tb.bench.start()
    rng = tb.bench.rng
    for _ in range(40):
        sb = rng.randrange(SUPERBLOCKS)
        bad = rng.random() < 0.2
        first = SlotAddress(sb, 0, 0, 0).slot
        tb.fail = {first + die for die in range(DIES) if rng.random() < 0.1}
        fails = bool(tb.fail) and not bad
        assert await tb.erase(sb, SbState.BAD if bad else SbState.CLOSED) == (not fails)
        tb.check(BAD if bad else FAILED if fails else GOOD, ok=int(not fails))
        tb.gen[sb] += not fails


def test_gc_erase(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("GcErase")
