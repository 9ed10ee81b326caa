# SPDX-License-Identifier: Apache-2.0
"""Tests of CopyEngine.

Lists of both descriptor formats become ranges for the remap engine. Invalid commands are refused before the engine
starts. A command without room goes to the firmware as it came.
"""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.codes import RemapResult as Result
from sim.cocotb.support.copy_list import FORMATS, Source, copy_entry, copy_list
from sim.cocotb.support.geometry import LPNS
from sim.cocotb.support.nvme import Status
from sim.cocotb.support.orm_formats import REMAP_RANGES_MAX, RemapRange
from sim.cocotb.support.params import param
from sim.cocotb.support.peers import HostReadPeer
from sim.cocotb.support.stream import Pulse, Sink, Transaction, Watch
from sim.cocotb.support.stream import Source as Driver

NSZE = LPNS - 100
MOST_PAGES = param("copyPages")
EVENTS = ("copied", "refusedSharers", "refusedOther")
Range = tuple[int, int, int]  # source, target, pages


class RemapPeer:
    """The remap engine behind its starter.

    It takes a command, reads the ranges `passes` times as the cursor does, and ends it.
    """

    def __init__(self, bench: Bench, stalls: float) -> None:
        self.bench = bench
        self.result, self.pages, self.range = Result.OK, 0, 0
        self.passes = 2
        self.seen: list[list[Range]] = []  # by pass
        self.starts = 0
        self._left = 0  # ranges of the passes to come
        self._count = 0
        self._beats: list[int] = []
        self._due: int | None = None
        self.start = Sink(bench, "io_remap_start", stalls=stalls, on_take=self._started)
        self._outcome = Pulse(bench, "io_remap_outcome")
        self._ar = Driver(bench, "io_ranges_ar", gaps=stalls)
        self._r = Sink(bench, "io_ranges_r", stalls=stalls, stable=True, on_take=self._beat)
        bench.add(self)

    def _started(self, t: Transaction) -> None:
        assert (t["move"], t["copy"]) == (0, 1) and t["list"] % RemapRange.BYTES == 0
        self.starts += 1
        self.seen = []
        self._count = t["ranges"]
        self._left = self.passes * t["ranges"]
        for _ in range(self.passes):
            for i in range(t["ranges"]):
                self._ar.send(addr=t["list"] + RemapRange.BYTES * i, len=1)

    def _beat(self, t: Transaction) -> None:
        assert t["resp"] == 0 and t["last"] == len(self._beats)
        self._beats.append(t["data"])
        if len(self._beats) < 2:
            return
        record = RemapRange.unpack(b"".join(beat.to_bytes(16, "little") for beat in self._beats))
        assert (record.reserved0, record.reserved1) == (0, 0)
        self._beats = []
        if self._left % self._count == 0:
            self.seen.append([])
        self.seen[-1].append((record.src, record.dst, record.nlb))
        self._left -= 1
        if self._left == 0:
            self._due = self.bench.cycle + self.bench.rng.randrange(1, 30)

    def drive(self) -> None:
        if self._due is not None and self._due <= self.bench.cycle:
            self._outcome.send(result=self.result, range=self.range, pages=self.pages)
            self._due = None

    def sample(self) -> None:
        pass


class TB:
    """Source cmd -> CopyEngine -> Sinks cpl, handOver; stand-ins for host reader and remap engine"""

    def __init__(self, dut: Any, stalls: float = 0.0) -> None:
        self.bench = bench = Bench(dut)
        self.lists: dict[int, tuple[bytes, int | None, int]] = {}  # by PRP1
        self.cmd = Driver(bench, "io_cmd", gaps=stalls)
        self.cpl = Sink(bench, "io_cpl", stalls=stalls)
        self.hand_over = Sink(bench, "io_handOver", stalls=stalls, stable=True)
        self.dma = HostReadPeer(bench, self._supply, gaps=stalls)
        self.remap = RemapPeer(bench, stalls)
        self.events = {name: Watch(bench, f"io_event_{name}") for name in EVENTS}
        self._cid = 0

    def _supply(self, t: Transaction) -> tuple[bytes, int | None, int]:
        assert t["prp2"] == t["prp1"] + 1
        return self.lists[t["prp1"]]

    async def start(self) -> None:
        self.bench.write("io_nsze", NSZE)
        await self.bench.start()

    def send(
        self, sdlba: int, sources: list[Source], fmt: int, bad_from: int | None = None, status: int = 0
    ) -> Transaction:
        self._cid += 1
        prp1 = self._cid << 12
        self.lists[prp1] = (copy_list(sources, fmt, self.bench.rng), bad_from, status)
        entry = copy_entry(self._cid, sdlba, len(sources), fmt, prp1, prp1 + 1)
        command = {"qid": self.bench.rng.randrange(1, 9), "sqe": int.from_bytes(entry.pack(), "little")}
        self.cmd.send(**command)
        return command

    async def ends(self, command: Transaction, status: int, dw0: int, event: str) -> None:
        cpl = await self.cpl.get(timeout=20_000)
        assert (cpl["qid"], cpl["cid"]) == (command["qid"], self._cid)
        assert (cpl["status"], cpl["dw0"]) == (status, dw0), f"{cpl['status']:#x}, not {status:#x}"
        await self.bench.clock()
        assert [name for name in EVENTS if self.events[name].seen] == [event]
        assert len(self.events[event].seen) == 1
        self.events[event].seen.clear()

    async def copies(self, sdlba: int, sources: list[Source], fmt: int = 0) -> None:
        self.remap.pages = self.bench.rng.getrandbits(32)
        command = self.send(sdlba, sources, fmt)
        await self.ends(command, Status.SUCCESS, self.remap.pages, "copied")
        expected, dst = [], sdlba
        for slba, pages in sources:
            expected.append((slba, dst, pages))
            dst += pages
        assert self.remap.seen == [expected] * self.remap.passes

    async def refuses(self, sdlba: int, sources: list[Source], status: int, fmt: int = 0) -> None:
        starts = self.remap.starts
        await self.ends(self.send(sdlba, sources, fmt), status, 0, "refusedOther")
        assert self.remap.starts == starts, "the remap engine was started"


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.4], fmt=[0, 1])
async def lists_of_any_length(dut: Any, stalls: float, fmt: int) -> None:
    tb = TB(dut, stalls)
    await tb.start()
    rng = tb.bench.rng
    for count in (1, 2, 3, 4, 5, 6, 7, 64, REMAP_RANGES_MAX - 1, REMAP_RANGES_MAX):
        most = MOST_PAGES // count
        sources = [(rng.randrange(1000, NSZE - most), rng.randrange(1, most + 1)) for _ in range(count)]
        await tb.copies(rng.randrange(1000 - MOST_PAGES), sources, fmt)


@cocotb.test()
@cocotb.parametrize(fmt=[0, 1])
async def exactly_what_is_allowed(dut: Any, fmt: int) -> None:
    """Limits, the ends of the namespace, and sources that are adjacent to the target without overlapping it."""
    tb = TB(dut)
    await tb.start()
    await tb.copies(0, [(NSZE - MOST_PAGES, MOST_PAGES)], fmt)
    await tb.copies(NSZE - MOST_PAGES, [(0, 1), (0, MOST_PAGES - 2), (NSZE - MOST_PAGES - 1, 1)], fmt)
    await tb.copies(500, [(490, 10), (513, 1), (513, 2)], fmt)
    await tb.copies(500, [(0, 1)] * REMAP_RANGES_MAX, fmt)


@cocotb.test()
@cocotb.parametrize(fmt=[0, 1])
async def what_is_wrong_is_refused(dut: Any, fmt: int) -> None:
    tb = TB(dut)
    await tb.start()
    for wrong in [(0, MOST_PAGES + 1), (0, 65536)]:
        await tb.refuses(1000, [wrong], Status.COPY_SIZE_LIMIT, fmt)
    await tb.refuses(1000, [(0, MOST_PAGES), (0, 1)], Status.COPY_SIZE_LIMIT, fmt)
    await tb.refuses(1000, [(0, 65536)] * REMAP_RANGES_MAX, Status.COPY_SIZE_LIMIT, fmt)
    for outside in [(NSZE, 1), (NSZE - 1, 2), (0xFFFFFFFF, 2), (1 << 32, 1), (1 << 63, 1), ((1 << 64) - 1, 2)]:
        await tb.refuses(1000, [(0, 1), outside, (0, 1)], Status.LBA_OUT_OF_RANGE, fmt)
    await tb.refuses(NSZE - 1, [(0, 2)], Status.LBA_OUT_OF_RANGE, fmt)
    await tb.refuses(NSZE - 3, [(0, 2), (7, 2)], Status.LBA_OUT_OF_RANGE, fmt)
    await tb.refuses(1000, [(0, 65536), (NSZE, 1)], Status.COPY_SIZE_LIMIT, fmt)
    for meeting in (
        [(500, 1)],
        [(0, 1), (1, 1), (502, 1)],
        [(502, 1), (0, 1), (1, 1)],
        [(491, 10)],
        [(499, 2), (600, 1)],
    ):
        await tb.refuses(500, meeting, Status.INVALID_FIELD, fmt)
    await tb.copies(500, [(0, 1), (1, 1)], fmt)


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.4])
async def random_commands(dut: Any, stalls: float) -> None:
    """Compares with the rules, range by range."""
    tb = TB(dut, stalls)
    await tb.start()
    rng = tb.bench.rng
    for _ in range(150):
        sdlba = rng.choice([0, rng.randrange(200), NSZE - 1 - rng.randrange(12)])
        sources = [
            (
                rng.choice([rng.randrange(200), rng.randrange(NSZE), NSZE - rng.randrange(4)]),
                rng.choice([1, 1, 2, 5, rng.randrange(1, 20)]),
            )
            for _ in range(rng.randrange(1, 9))
        ]
        total = sum(pages for _, pages in sources)
        fmt = rng.randrange(len(FORMATS))
        if total > MOST_PAGES:
            await tb.refuses(sdlba, sources, Status.COPY_SIZE_LIMIT, fmt)
        elif sdlba + total > NSZE or any(slba + pages > NSZE for slba, pages in sources):
            await tb.refuses(sdlba, sources, Status.LBA_OUT_OF_RANGE, fmt)
        elif any(slba < sdlba + total and sdlba < slba + pages for slba, pages in sources):
            await tb.refuses(sdlba, sources, Status.INVALID_FIELD, fmt)
        else:
            await tb.copies(sdlba, sources, fmt)


@cocotb.test()
async def list_that_does_not_come(dut: Any) -> None:
    tb = TB(dut)
    await tb.start()
    for fmt in range(len(FORMATS)):
        for status in (Status.DATA_TRANSFER_ERROR, Status.INVALID_PRP_OFFSET):
            for bad_from in (0, 3):
                command = tb.send(500, [(0, 1), (1, 1), (2, 1)], fmt, bad_from, status)
                await tb.ends(command, status, 0, "refusedOther")
    assert tb.remap.starts == 0
    await tb.copies(500, [(0, 1)])


@cocotb.test()
async def refused_by_the_remap_engine(dut: Any) -> None:
    tb = TB(dut)
    await tb.start()
    for result, status, event in (
        (Result.SHARER_LIMIT, Status.REMAP_SHARER_LIMIT, "refusedSharers"),
        (Result.INTERNAL, Status.INTERNAL_ERROR, "refusedOther"),
    ):
        tb.remap.result, tb.remap.range, tb.remap.pages = result, 1, 0
        await tb.ends(tb.send(500, [(0, 1), (1, 1)], 0), status, 0, event)
        tb.remap.result = Result.OK
        await tb.copies(500, [(0, 1), (1, 1)])


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.5])
async def without_room_it_is_firmwares(dut: Any, stalls: float) -> None:
    tb = TB(dut, stalls)
    await tb.start()
    for fmt in range(len(FORMATS)):
        tb.remap.result = Result.NVRAM_FULL
        tb.hand_over.hold = True
        command = tb.send(500, [(0, 1), (1, 1)], fmt)
        await tb.bench.until(lambda: bool(tb.bench.read("io_handOver_valid")), "the command to be handed over")
        await tb.bench.clock(3)
        assert tb.bench.read("io_quiet"), "nothing moves until firmware has a place"
        tb.hand_over.hold = False
        assert await tb.hand_over.get() == command, "as the host sent it"
        await tb.bench.clock(10)
        assert not tb.cpl.taken and not any(watch.seen for watch in tb.events.values()), "it has not ended"
        tb.remap.result = Result.OK
        await tb.copies(500, [(0, 1), (1, 1)], fmt)


@cocotb.test()
async def waits_its_turn(dut: Any) -> None:
    """The engine waits for the remap engine and for its completion to be accepted, and for nothing else."""
    tb = TB(dut)
    await tb.start()
    assert tb.bench.read("io_quiet")
    tb.remap.start.hold = tb.cpl.hold = True
    first = tb.send(500, [(0, 3)], 1)
    tb.remap.pages = 3
    await tb.bench.until(lambda: bool(tb.bench.read("io_remap_start_valid")), "a start")
    await tb.bench.clock(20)
    assert tb.bench.read("io_quiet") and tb.bench.read("io_remap_start_valid")
    tb.remap.start.hold = False
    await tb.bench.until(lambda: bool(tb.bench.read("io_cpl_valid")), "a completion")
    await tb.bench.clock(20)
    assert tb.bench.read("io_cpl_valid")
    tb.cpl.hold = False
    await tb.ends(first, Status.SUCCESS, 3, "copied")
    assert tb.bench.read("io_quiet")


def test_copy_engine(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("CopyEngine")
