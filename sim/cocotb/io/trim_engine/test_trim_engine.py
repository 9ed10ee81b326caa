# SPDX-License-Identifier: Apache-2.0
"""Tests of TrimEngine.

Ranges are checked before anything changes. Journal, commit and mapping follow in that order, under the lock.
"""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.codes import IoOp, JournalOp, MapOp
from sim.cocotb.support.geometry import JOURNAL_RECORDS, LPNS
from sim.cocotb.support.nvme import Status
from sim.cocotb.support.peers import HostReadPeer, LockPeer, Log, MapPeer, SeqPeer
from sim.cocotb.support.stream import Pulse, Sink, Source, Transaction

DEALLOCATE, WRITE_ZEROES = IoOp.DEALLOCATE, IoOp.WRITE_ZEROES
TRIM, COMMIT = JournalOp.TRIM, JournalOp.COMMIT
PIECE = 256
NSZE = LPNS - 100

Range = tuple[int, int]  # slba, nlb


class TB:
    """Source cmd -> TrimEngine -> Sink cpl; the stand-ins share one log."""

    def __init__(self, dut: Any, stalls: float = 0.0) -> None:
        self.bench = Bench(dut)
        self.log: Log = []
        self.lists: dict[int, tuple[bytes, int | None, int]] = {}
        self.cmd = Source(self.bench, "io_cmd")
        self.cpl = Sink(self.bench, "io_cpl", stalls=stalls)
        self.dma = HostReadPeer(self.bench, lambda t: self.lists[t["prp1"]], gaps=stalls)
        self.lock = LockPeer(self.bench, log=self.log)
        self.seq = SeqPeer(self.bench, self.lock)
        self.map = MapPeer(self.bench, self._unmap, stalls=stalls, gaps=stalls, log=self.log)
        self.room = JOURNAL_RECORDS
        self.journal = Sink(self.bench, "io_journal_req", stalls=stalls, on_take=self._journal)
        self._due: list[int] = []
        self._done = Pulse(self.bench, "io_journal_done")
        self.bench.add(self)

    def _unmap(self, t: Transaction) -> Transaction:
        assert t["op"] == MapOp.UNMAP and self.lock.owned
        return {"ok": 1, "mapped": 1, "slot": 5}

    def _journal(self, t: Transaction) -> None:
        assert self.lock.owned
        self.log.append(("trim" if t["op"] == TRIM else "commit", t))
        assert t["op"] in (TRIM, COMMIT)
        self._due.append(self.bench.cycle + self.bench.rng.randrange(3, 20))

    def drive(self) -> None:
        self.bench.write("io_nsze", NSZE)
        self.bench.write("io_journalRoom", self.room)

    def sample(self) -> None:
        if self._due and self._due[0] <= self.bench.cycle:
            self._due.pop(0)
            self._done.send()

    def deallocate(self, cid: int, ranges: list[Range], bad_from: int | None = None, status: int = 0) -> None:
        data = b"".join(
            (self.bench.rng.getrandbits(32)).to_bytes(4, "little")
            + nlb.to_bytes(4, "little")
            + slba.to_bytes(8, "little")
            for slba, nlb in ranges
        )
        self.lists[cid << 12] = (data, bad_from, status)
        self.cmd.send(qid=1, cid=cid, op=DEALLOCATE, pages=len(ranges), prp1=cid << 12)

    def unmapped(self) -> list[int]:
        return [t["lpn"] for name, t in self.log if name == "map"]

    def journalled(self) -> list[Range]:
        return [(t["lpn"], t["pages"]) for name, t in self.log if name == "trim"]


def pieces(ranges: list[Range]) -> list[Range]:
    return [(slba + at, min(PIECE, nlb - at)) for slba, nlb in ranges for at in range(0, nlb, PIECE)]


@cocotb.test()
async def order_of_one_range(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.deallocate(9, [(50, 2)])
    cpl = await tb.cpl.get()
    assert (cpl["cid"], cpl["qid"], cpl["status"]) == (9, 1, Status.SUCCESS)
    assert [name for name, _ in tb.log] == ["lock", "seq", "trim", "commit", "map", "map", "unlock"]
    record, commit = tb.log[2][1], tb.log[3][1]
    assert (record["lpn"], record["pages"], record["seq"], commit["seq"]) == (50, 2, 1000, 1000)
    assert tb.unmapped() == [50, 51]


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.3])
async def many_ranges_empty_and_long_ones(dut: Any, stalls: float) -> None:
    tb = TB(dut, stalls)
    await tb.bench.start()
    ranges = [(0, 1), (500, 0), (NSZE, 0), (1000, PIECE), (2000, PIECE + 3), (NSZE - 1, 1)]
    tb.deallocate(1, ranges)
    assert (await tb.cpl.get(timeout=60_000))["status"] == Status.SUCCESS
    assert tb.journalled() == pieces(ranges)
    assert tb.unmapped() == [slba + i for slba, nlb in ranges for i in range(nlb)]
    assert [name for name, _ in tb.log].count("lock") == len(pieces(ranges)), "others get the lock between pieces"


@cocotb.test()
async def most_ranges(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    ranges = [(7 * i, 1) for i in range(256)]
    tb.deallocate(1, ranges)
    assert (await tb.cpl.get(timeout=60_000))["status"] == Status.SUCCESS
    assert tb.unmapped() == [slba for slba, _ in ranges]


@cocotb.test()
async def bad_range_changes_nothing(dut: Any) -> None:
    """Each way to be out of range, behind a good range. A good command afterwards works."""
    tb = TB(dut)
    await tb.bench.start()
    for cid, bad in enumerate([(NSZE, 1), (NSZE - 1, 2), (1 << 32, 1), (1 << 63, 0), (5, 0xFFFFFFFF), (NSZE + 1, 0)]):
        tb.deallocate(cid, [(0, 4), bad])
        assert (await tb.cpl.get())["status"] == Status.LBA_OUT_OF_RANGE, f"range {bad}"
    assert tb.log == []
    tb.deallocate(99, [(0, 4)])
    assert (await tb.cpl.get())["status"] == Status.SUCCESS
    assert tb.unmapped() == [0, 1, 2, 3]


@cocotb.test()
async def list_that_does_not_come(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.deallocate(1, [(0, 4), (8, 4)], bad_from=1, status=Status.DATA_TRANSFER_ERROR)
    assert (await tb.cpl.get())["status"] == Status.DATA_TRANSFER_ERROR
    assert tb.log == []


@cocotb.test()
async def write_zeroes_moves_no_data(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.cmd.send(qid=1, cid=4, op=WRITE_ZEROES, slba=300, pages=PIECE + 10)
    assert (await tb.cpl.get())["status"] == Status.SUCCESS
    assert tb.dma.transfers == 0
    assert tb.unmapped() == list(range(300, 300 + PIECE + 10))
    assert tb.journalled() == pieces([(300, PIECE + 10)])


@cocotb.test()
async def full_journal_waits_without_the_lock(dut: Any) -> None:
    """Firmware makes room by a checkpoint, and a writer may hold the lock meanwhile."""
    tb = TB(dut)
    await tb.bench.start()
    tb.room = 0
    tb.deallocate(1, [(0, 1)])
    await tb.bench.until(lambda: bool(tb.bench.read("io_event_stallJournal")), "the stall")
    await tb.bench.clock(20)
    assert tb.bench.read("io_quiet") and not tb.bench.read("io_mapLock_want")
    tb.room = 1
    assert (await tb.cpl.get())["status"] == Status.SUCCESS


@cocotb.test()
async def journal_that_fills_up_while_waiting_for_the_lock(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.lock.busy = True
    tb.deallocate(1, [(0, 1)])
    await tb.bench.until(lambda: bool(tb.bench.read("io_mapLock_want")), "the engine to want the lock")
    tb.room = 0
    tb.lock.busy = False
    await tb.bench.clock(30)
    assert [name for name, _ in tb.log] == ["lock", "unlock"], "the lock must be given back"
    tb.room = 5
    assert (await tb.cpl.get())["status"] == Status.SUCCESS
    assert tb.unmapped() == [0]


def test_trim_engine(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("TrimEngine")
