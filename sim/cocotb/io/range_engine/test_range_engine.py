# SPDX-License-Identifier: Apache-2.0
"""Tests of RangeEngine.

REMAP, REMAP VECTOR and Copy, in both descriptor formats, become ranges for the remap engine. Whatever is wrong or
unusual goes to the firmware as it came, before or after the remap engine has seen it.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.codes import RemapResult as Result
from sim.cocotb.support.copy_list import copy_entry, copy_list
from sim.cocotb.support.geometry import LPNS
from sim.cocotb.support.nvme import Status
from sim.cocotb.support.orm_formats import REMAP_PAGES_MAX, REMAP_RANGES_MAX, RemapRange
from sim.cocotb.support.orm_nvme import SubmissionEntry
from sim.cocotb.support.params import param
from sim.cocotb.support.peers import HostReadPeer
from sim.cocotb.support.range_list import Range, remap_entry, vector_entry, vector_list
from sim.cocotb.support.stream import Pulse, Sink, Transaction, Watch
from sim.cocotb.support.stream import Source as Driver

NSZE = LPNS - 100
COPY_PAGES = param("copyPages")
EVENTS = ("remapped", "handedOver")
KINDS = ("remap", "vector", "copy0", "copy1")


@dataclass
class Command:
    """A command of one of KINDS. A Copy's targets follow from the first one."""

    kind: str
    ranges: list[Range]
    move: bool = False
    reserved: tuple[int, int] = (0, 0)

    @property
    def copies(self) -> bool:
        return self.kind.startswith("copy")

    @property
    def good(self) -> bool:
        """The rule, restated page by page."""
        targets: list[int] = []
        for source, target, pages in self.ranges:
            if not 0 < pages <= REMAP_PAGES_MAX or source + pages > NSZE or target + pages > NSZE:
                return False
            targets += range(target, target + pages)
        if len(targets) > (COPY_PAGES if self.copies else REMAP_PAGES_MAX) or any(self.reserved):
            return False
        ascend = all(below < above for below, above in pairwise(targets))
        sources = {page for source, _, pages in self.ranges for page in range(source, source + pages)}
        return ascend and not sources & set(targets)

    def entry(self, cid: int, prp1: int, prp2: int) -> SubmissionEntry:
        match self.kind:
            case "remap":
                return remap_entry(cid, self.ranges[0], self.move)
            case "vector":
                return vector_entry(cid, len(self.ranges), self.move, prp1, prp2)
            case _:
                return copy_entry(cid, self.ranges[0][1], len(self.ranges), int(self.kind[-1]), prp1, prp2)

    def data(self, rng: Random) -> bytes:
        if self.copies:
            return copy_list([(source, pages) for source, _, pages in self.ranges], int(self.kind[-1]), rng)
        return vector_list(self.ranges, self.reserved)


def command(kind: str, target: int, sources: list[tuple[int, int]], move: bool = False) -> Command:
    """Targets that follow each other, of a Copy or not."""
    ranges = []
    for source, pages in sources:
        ranges.append((source, target, pages))
        target += pages
    return Command(kind, ranges, move and not kind.startswith("copy"))


class RemapPeer:
    """The remap engine behind its starter.

    It takes a command, reads the ranges `passes` times as the cursor does, and ends it.
    """

    def __init__(self, bench: Bench, stalls: float) -> None:
        self.bench = bench
        self.result, self.pages, self.range = Result.OK, 0, 0
        self.passes = 2
        self.hold = False  # a command that has been read does not end
        self.seen: list[list[Range]] = []  # by pass
        self.flags = (0, 0)  # move, copy
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
        assert t["list"] % RemapRange.BYTES == 0
        self.flags = (t["move"], t["copy"])
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

    @property
    def busy(self) -> bool:
        return self._left != 0 or self._due is not None

    def drive(self) -> None:
        if self._due is not None and self._due <= self.bench.cycle and not self.hold:
            self._outcome.send(result=self.result, range=self.range, pages=self.pages)
            self._due = None

    def sample(self) -> None:
        pass


class TB:
    """Source cmd -> RangeEngine -> Sinks cpl, handOver; stand-ins for host reader and remap engine"""

    def __init__(self, dut: Any, stalls: float = 0.0) -> None:
        self.bench = bench = Bench(dut)
        self.lists: dict[int, tuple[bytes, int | None, int]] = {}  # by PRP1
        self.cmd = Driver(bench, "io_cmd", gaps=stalls)
        self.cpl = Sink(bench, "io_cpl", stalls=stalls, stable=True)
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

    def send(self, what: Command, bad_from: int | None = None, status: int = 0) -> Transaction:
        self._cid += 1
        prp1 = self._cid << 12
        self.lists[prp1] = (what.data(self.bench.rng), bad_from, status)
        entry = what.entry(self._cid, prp1, prp1 + 1)
        sent = {"qid": self.bench.rng.randrange(1, 9), "sqe": int.from_bytes(entry.pack(), "little")}
        self.cmd.send(**sent)
        return sent

    async def _counted(self, event: str) -> None:
        await self.bench.clock()
        assert [len(self.events[name].seen) for name in EVENTS] == [int(name == event) for name in EVENTS]
        self.events[event].seen.clear()

    async def ends(self, sent: Transaction, pages: int) -> None:
        cpl = await self.cpl.get(timeout=20_000)
        assert (cpl["qid"], cpl["cid"]) == (sent["qid"], sent["sqe"] >> 16 & 0xFFFF)
        assert (cpl["status"], cpl["dw0"]) == (Status.SUCCESS, pages), f"{cpl['status']:#x}"
        await self._counted("remapped")

    async def is_firmwares(self, sent: Transaction) -> None:
        assert await self.hand_over.get(timeout=20_000) == sent, "as the host sent it"
        await self._counted("handedOver")
        assert not self.cpl.taken, "it has not ended"

    async def remaps(self, what: Command) -> None:
        assert what.good
        self.remap.pages = self.bench.rng.getrandbits(32)
        await self.ends(self.send(what), self.remap.pages)
        assert self.remap.seen == [what.ranges] * self.remap.passes
        assert self.remap.flags == (what.move, what.copies)

    async def refuses(self, what: Command) -> None:
        assert not what.good
        starts = self.remap.starts
        await self.is_firmwares(self.send(what))
        assert self.remap.starts == starts, "the remap engine was started"

    async def either(self, what: Command) -> None:
        await (self.remaps(what) if what.good else self.refuses(what))


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.4], kind=KINDS[1:])
async def lists_of_any_length(dut: Any, stalls: float, kind: str) -> None:
    tb = TB(dut, stalls)
    await tb.start()
    rng = tb.bench.rng
    for count in (1, 2, 3, 4, 5, 6, 7, 64, REMAP_RANGES_MAX - 1, REMAP_RANGES_MAX):
        most = COPY_PAGES // count
        sources = [(rng.randrange(1000, NSZE - most), rng.randrange(1, most + 1)) for _ in range(count)]
        await tb.remaps(command(kind, rng.randrange(1000 - COPY_PAGES), sources, rng.random() < 0.5))


@cocotb.test()
@cocotb.parametrize(kind=KINDS)
async def exactly_what_is_allowed(dut: Any, kind: str) -> None:
    """Limits, the ends of the namespace, and sources that are adjacent to a target without overlapping it."""
    tb = TB(dut)
    await tb.start()
    most = COPY_PAGES if kind.startswith("copy") else REMAP_PAGES_MAX
    half, one = most // 2, min(most, NSZE // 2)
    for sources, target in (
        ([(NSZE - one, one)], 0),
        ([(0, one)], NSZE - one),
        ([(490, 10)], 500),
        ([(513, 2)], 510),
        ([(0, 1), (0, half), (1, half - 2), (NSZE - most - 1, 1)], NSZE - most),
        ([(490, 10), (513, 1), (513, 2)], 500),
        ([(0, 1)] * REMAP_RANGES_MAX, 500),
    ):
        if len(sources) == 1 or kind != "remap":
            await tb.remaps(command(kind, target, sources))


@cocotb.test()
@cocotb.parametrize(kind=KINDS)
async def what_is_wrong_is_firmwares(dut: Any, kind: str) -> None:
    tb = TB(dut)
    await tb.start()
    most = COPY_PAGES if kind.startswith("copy") else REMAP_PAGES_MAX
    wrong: list[tuple[list[tuple[int, int]], int]] = [
        ([(0, most + 1)], 5000),
        ([(0, 65536)], 5000),
        ([(0, most // 2), (0, most // 2), (0, 1)], NSZE - most - 1),
        ([(0, 65536)] * REMAP_RANGES_MAX, 5000),
        *(
            ([(0, 1), outside, (0, 1)], 1000)
            for outside in [(NSZE, 1), (NSZE - 1, 2), (0xFFFFFFFF, 2), (1 << 32, 1), (1 << 63, 1), ((1 << 64) - 1, 2)]
        ),
        ([(NSZE, 1)], 1000),
        ([(1 << 32, 1)], 1000),
        ([(0, 2)], NSZE - 1),
        ([(0, 2), (7, 2)], NSZE - 3),
        ([(500, 1)], 500),
        ([(0, 1), (1, 1), (502, 1)], 500),
        ([(502, 1), (0, 1), (1, 1)], 500),
        ([(491, 10)], 500),
        ([(499, 2), (600, 1)], 500),
    ]
    for sources, target in wrong:
        if len(sources) == 1 or kind != "remap":
            await tb.refuses(command(kind, target, sources))
    good = command(kind, 500, [(0, 1)])
    await tb.remaps(good)
    if kind.startswith("copy"):
        return
    for bad in ((0, 500, 0), (0, 1 << 32, 1), (0, 500, 1 << 13), (0, 500, 1 << 31), (0, NSZE, 1)):
        await tb.refuses(Command(kind, [bad]))
    if kind == "vector":
        for reserved in ((1, 0), (1 << 31, 0), (0, 1), (0, 1 << 63)):
            await tb.refuses(Command(kind, [(0, 500, 1), (1, 501, 1)], reserved=reserved))
        for ranges in (
            [(0, 500, 2), (9, 501, 2)],
            [(0, 500, 2), (9, 500, 2)],
            [(0, 500, 1), (9, 499, 1)],  # good, but not for hardware
            [(0, 500, 1), (9, 510, 1), (3, 505, 1)],
        ):
            await tb.refuses(Command(kind, ranges))
    await tb.remaps(good)


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.4])
async def random_commands(dut: Any, stalls: float) -> None:
    """Compares with the rules, page by page."""
    tb = TB(dut, stalls)
    await tb.start()
    rng = tb.bench.rng
    good = 0
    for _ in range(250):
        kind = rng.choice(KINDS)
        count = 1 if kind == "remap" else rng.randrange(1, 9)
        target = rng.choice([0, rng.randrange(200), NSZE - 1 - rng.randrange(12)])
        ranges = []
        for _ in range(count):
            pages = rng.choice([1, 1, 2, 5, rng.randrange(1, 20)])
            ranges.append(
                (rng.choice([rng.randrange(300), rng.randrange(NSZE), NSZE - rng.randrange(4)]), target, pages)
            )
            target += pages
            if not kind.startswith("copy"):
                target = max(0, target + rng.choice([0, 0, 0, 1, 7, 30, 30, -1 if rng.random() < 0.2 else 3]))
        what = Command(kind, ranges, not kind.startswith("copy") and rng.random() < 0.3)
        good += what.good
        await tb.either(what)
    assert 50 < good < 200, "both outcomes are common"


@cocotb.test()
async def one_source_among_many_targets(dut: Any) -> None:
    """Each target is found, at its first page, its last one, and beside both nothing is."""
    tb = TB(dut)
    await tb.start()
    rng = tb.bench.rng
    tb.remap.passes = 1
    for _ in range(40):
        count = rng.choice([2, 3, 64, 65, 127, 128, rng.randrange(2, 129)])
        targets, at = [], 300
        for _ in range(count):
            at += rng.randrange(1, 4)
            pages = rng.randrange(1, 5)
            targets.append((at, pages))
            at += pages
        ranges = [(rng.randrange(290), target, pages) for target, pages in targets]
        hit, (target, pages) = rng.randrange(count), targets[rng.randrange(count)]
        place = rng.choice([target - 1, target, target + pages - 1, target + pages])
        _, own, length = ranges[hit]
        ranges[hit] = (place, own, length)
        await tb.either(Command("vector", ranges))


@cocotb.test()
@cocotb.parametrize(kind=KINDS[1:])
async def list_that_does_not_come(dut: Any, kind: str) -> None:
    tb = TB(dut)
    await tb.start()
    good = command(kind, 500, [(0, 1), (1, 1), (2, 1)])
    for status in (Status.DATA_TRANSFER_ERROR, Status.INVALID_PRP_OFFSET):
        for bad_from in (0, 3):
            for tb.dma.done_after in (0, 100):  # before the list is judged, and after
                await tb.is_firmwares(tb.send(good, bad_from, status))
    assert tb.remap.starts == 0
    await tb.remaps(good)


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.5], kind=KINDS)
async def refused_by_the_remap_engine(dut: Any, stalls: float, kind: str) -> None:
    """Without room, at the sharer limit, without data: it is firmware's."""
    tb = TB(dut, stalls)
    await tb.start()
    good = command(kind, 500, [(0, 1)])
    for result in (Result.NVRAM_FULL, Result.SHARER_LIMIT, Result.INTERNAL, Result.UNMAPPED):
        if result == Result.UNMAPPED and good.copies:
            continue
        tb.remap.result, tb.remap.range, tb.remap.pages = result, 1, 0
        tb.hand_over.hold = True
        sent = tb.send(good)
        await tb.bench.until(lambda: bool(tb.bench.read("io_handOver_valid")), "the command to be handed over")
        await tb.bench.clock(3)
        assert tb.bench.read("io_quiet"), "nothing moves until firmware has a place"
        tb.hand_over.hold = False
        await tb.is_firmwares(sent)
        await tb.bench.clock(10)
        assert not any(watch.seen for watch in tb.events.values())
        tb.remap.result = Result.OK
        await tb.remaps(good)


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.4])
async def next_command_is_made_ready(dut: Any, stalls: float) -> None:
    """Each is read from its own list, also while the one behind it is fetched; all leave in turn."""
    tb = TB(dut, stalls)
    await tb.start()
    rng = tb.bench.rng
    sent: deque[tuple[Transaction, Command]] = deque()
    tb.remap.pages = 7
    for _ in range(60):
        kind = rng.choice(KINDS)
        count = 1 if kind == "remap" else rng.randrange(1, 40)
        first = rng.choice([600, 600, 600, 20])
        what = command(kind, first, [(rng.randrange(100), rng.randrange(1, 4)) for _ in range(count)])
        sent.append((tb.send(what), what))
    while sent:
        transaction, what = sent.popleft()
        if what.good:
            await tb.ends(transaction, 7)
            assert tb.remap.seen == [what.ranges] * tb.remap.passes
        else:
            await tb.is_firmwares(transaction)


@cocotb.test()
async def second_one_waits_for_the_first(dut: Any) -> None:
    """Ready behind a command that runs, it begins some cycles after that one's end."""
    tb = TB(dut)
    await tb.start()
    tb.remap.hold, tb.remap.pages = True, 1
    first = tb.send(command("vector", 500, [(0, 1)] * 64))
    second = tb.send(command("vector", 700, [(5, 1)] * 64))
    await tb.bench.until(lambda: tb.remap.starts == 1, "the first one")
    await tb.bench.clock(1000)
    assert tb.dma.transfers == 2, "the second list is fetched meanwhile"
    assert tb.remap.starts == 1 and tb.bench.read("io_quiet")
    tb.remap.hold = False
    await tb.ends(first, 1)
    await tb.bench.clock(4)
    assert tb.remap.starts == 2, "nothing but the start was left to do"
    await tb.ends(second, 1)


@cocotb.test()
async def waits_its_turn(dut: Any) -> None:
    """The engine waits for the remap engine and for its completion to be accepted, and for nothing else."""
    tb = TB(dut)
    await tb.start()
    assert tb.bench.read("io_quiet")
    tb.remap.start.hold = tb.cpl.hold = True
    first = tb.send(command("copy1", 500, [(0, 3)]))
    tb.remap.pages = 3
    await tb.bench.until(lambda: bool(tb.bench.read("io_remap_start_valid")), "a start")
    await tb.bench.clock(20)
    assert tb.bench.read("io_quiet") and tb.bench.read("io_remap_start_valid")
    tb.remap.start.hold = False
    await tb.bench.until(lambda: bool(tb.bench.read("io_cpl_valid")), "a completion")
    await tb.bench.clock(20)
    assert tb.bench.read("io_cpl_valid")
    tb.cpl.hold = False
    await tb.ends(first, 3)
    await tb.bench.clock(2)
    assert tb.bench.read("io_quiet")


def test_range_engine(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("RangeEngine")
