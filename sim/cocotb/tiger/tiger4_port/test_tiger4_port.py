# SPDX-License-Identifier: Apache-2.0
"""Tests of Tiger4Port: operations of the NAND port, on the model of the board's NAND controller and of the flash behind
it. The reference is what NandModel says of its pages.
"""

from __future__ import annotations

import random
from typing import Any, NamedTuple

import cocotb
from cocotb.triggers import Lock

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support import tiger4
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.codes import NandOp, NandStatus
from sim.cocotb.support.geometry import (
    DIES_PER_CHANNEL,
    OOB_WORDS,
    PAGES_PER_BLOCK,
    SLOTS_PER_PAGE,
    SUPERBLOCKS,
    WORD_BYTES,
    WORDS_PER_SLOT,
)
from sim.cocotb.support.orm_tiger4 import Command, Register
from sim.cocotb.support.stream import Sink, Source, Transaction
from sim.cocotb.support.tiger4 import ERASED, LOST, MISCORRECTED, PROGRAMMED, TORN, TORN_BUT_SPARE, WEAK, Model, Tiger4

CONFIG = "cosmos2"
LONG = 2_000_000  # cycles
QUICK = {
    "dies": DIES_PER_CHANNEL,
    "blocks": SUPERBLOCKS,
    "pages": PAGES_PER_BLOCK,
    "stray_zeros": 8,
    "read_ns": 4_000,
    "program_ns": 20_000,
    "erase_ns": 50_000,
    "reset_ns": 3_000,
    "command_ns": 400,
    "word_ns": 10,
}
SLOT_WORDS = WORDS_PER_SLOT + OOB_WORDS


class Result(NamedTuple):
    status: NandStatus
    weak: bool


class TB:
    """A program, in coroutines <-> Tiger4Port <-> Tiger4 (this side of it), Tiger4Model, NandModel

    An operation of a die ends before the next one of it begins. `pages` has what was programmed.
    """

    def __init__(self, dut: Any, faults: str = "", stalls: float = 0.0, gaps: float = 0.0, **options: int) -> None:
        self.bench = Bench(dut)
        self.rng = self.bench.rng
        self.model = Model({**QUICK, "seed": self.bench.seed % (1 << 32), **options}, faults)
        self.tiger4 = Tiger4(self.bench, self.model, "io_control", "io_data", stalls, gaps)
        self.cmd = Source(self.bench, "io_nand_cmd", gaps)
        self.wdata = Source(self.bench, "io_nand_wdata", gaps)
        self.rdata = Sink(self.bench, "io_nand_rdata", stalls, stable=True)
        self.result = Sink(self.bench, "io_nand_result", stalls, stable=True, on_take=self._result)
        self.results: dict[int, list[Result]] = {die: [] for die in range(DIES_PER_CHANNEL)}
        self.bus = Lock()
        self.pages: dict[tuple[int, int, int], list[list[int]]] = {}
        self.seen: dict[tuple[NandOp, NandStatus, bool], int] = {}

    async def start(self) -> None:
        await self.bench.start()

    def _result(self, t: Transaction) -> None:
        self.results[t["die"]].append(Result(NandStatus(t["status"]), bool(t["weak"])))

    async def _command(self, op: NandOp, die: int, block: int, page: int = 0, sub: int = 0, retry: int = 0) -> None:
        before = self.cmd.sent + self.cmd.pending
        self.cmd.send(op=op, die=die, block=block, page=page, sub=sub, retry=retry)
        await self.bench.until(lambda: self.cmd.sent > before, f"{op.name} to be taken", LONG)

    async def _ended(self, op: NandOp, die: int) -> Result:
        await self.bench.until(lambda: bool(self.results[die]), f"the result of {op.name}", LONG)
        result = self.results[die].pop(0)
        key = (op, result.status, result.weak)
        self.seen[key] = self.seen.get(key, 0) + 1
        return result

    async def transfer(self, die: int, sub: int, words: int) -> list[int]:
        async with self.bus:
            await self._command(NandOp.TRANSFER, die, 0, 0, sub)
            await self.bench.until(lambda: len(self.rdata.taken) >= words, "read data", LONG)
            got = [self.rdata.taken.popleft() for _ in range(words)]
        assert [t["last"] for t in got] == [0] * (words - 1) + [1]
        return [t["data"] for t in got]

    # ---- operations, each compared with what the flash says
    async def program(self, die: int, block: int, page: int) -> NandStatus:
        slots = [[self.rng.getrandbits(8 * WORD_BYTES) for _ in range(SLOT_WORDS)] for _ in range(SLOTS_PER_PAGE)]
        self.pages[die, block, page] = slots
        async with self.bus:
            await self._command(NandOp.PROGRAM, die, block, page)
            for s, slot in enumerate(slots):
                for w, word in enumerate(slot):
                    self.wdata.send(data=word, last=int((s, w) == (SLOTS_PER_PAGE - 1, SLOT_WORDS - 1)))
            await self.wdata.drained(LONG)
        result = await self._ended(NandOp.PROGRAM, die)
        stored = self.model.page_state(die, block, page) == PROGRAMMED
        assert result == (NandStatus.OK if stored else NandStatus.FAILED, False)
        return result.status

    async def erase(self, die: int, block: int) -> NandStatus:
        await self._command(NandOp.ERASE, die, block, self.rng.randrange(PAGES_PER_BLOCK))
        result = await self._ended(NandOp.ERASE, die)
        assert not result.weak
        if result.status == NandStatus.OK:
            assert self.model.frontier(die, block) == 0
        else:
            assert result.status == NandStatus.FAILED
        return result.status

    async def read(self, die: int, block: int, page: int, sub: int = 0, retry: int = 0) -> Result:
        senses = [self.model.sense(die, block, page, s) for s in range(SLOTS_PER_PAGE)]
        good = self.model.page_state(die, block, page) == PROGRAMMED and min(senses) >= 0
        await self._command(NandOp.READ, die, block, page, sub, retry)
        result = await self._ended(NandOp.READ, die)
        assert result == (
            NandStatus.OK if good else NandStatus.UNCORRECTABLE,
            good and max(senses) >= WEAK,
        ), f"die {die} block {block} page {page} sub {sub}: {senses}"
        if good:
            assert await self.transfer(die, sub, SLOT_WORDS) == self.pages[die, block, page][sub]
        return result

    async def probe(self, die: int, block: int, page: int, sub: int = 0) -> NandStatus:
        expected = self._probed(die, block, page)
        await self._command(NandOp.PROBE, die, block, page, sub)
        result = await self._ended(NandOp.PROBE, die)
        assert result == (expected, False), f"die {die} block {block} page {page}"
        if expected not in (NandStatus.OK, NandStatus.FAILED):
            return expected
        spare = await self.transfer(die, sub, OOB_WORDS)
        if self.model.is_bad(die, block):
            assert spare == [0] * OOB_WORDS
        elif all(self.model.sense(die, block, page, s) != -4 for s in range(SLOTS_PER_PAGE)):
            assert spare == self.pages[die, block, page][sub][WORDS_PER_SLOT:]
        return expected

    def _probed(self, die: int, block: int, page: int) -> NandStatus:
        if self.model.is_bad(die, block):
            return NandStatus.FAILED
        state = self.model.page_state(die, block, page)
        if state != PROGRAMMED:
            found = {ERASED: NandStatus.ERASED, TORN: NandStatus.UNCORRECTABLE, TORN_BUT_SPARE: NandStatus.FAILED}
            return found[state]
        senses = [self.model.sense(die, block, page, s) for s in range(SLOTS_PER_PAGE)]
        if -3 in senses:
            return NandStatus.UNCORRECTABLE
        return NandStatus.OK if min(senses) >= 0 else NandStatus.FAILED

    async def cut(self, power: bool, cycles: int = 4) -> None:
        """Reset of port and controller, in which the power may go, too."""
        self.bench.dut.reset.value = 1
        self.tiger4.cut(power)
        self.cmd.clear()
        self.wdata.clear()
        await self.bench.clock(cycles)
        self.tiger4.back()
        for sink in (self.rdata, self.result):
            sink.forget()
            sink.taken.clear()
        for results in self.results.values():
            results.clear()
        self.bus = Lock()
        self.bench.dut.reset.value = 0


def block_of(rng: random.Random, model: Model, die: int, bad: bool = False) -> int:
    """A block of either LUN."""
    while True:
        block = rng.randrange(SUPERBLOCKS)
        if model.is_bad(die, block) == bad:
            return block


@cocotb.test()
async def a_page_comes_back(dut: Any) -> None:
    """The first command waits until every die is reset and has its features; each slot of a page is read by itself."""
    tb = TB(dut)
    await tb.start()
    for block in (3, SUPERBLOCKS - 1):
        for page in (0, 1):
            assert await tb.program(2, block, page) == NandStatus.OK
        assert await tb.probe(2, block, 1, 3) == NandStatus.OK
        for sub in range(SLOTS_PER_PAGE):
            await tb.read(2, block, sub % 2, sub)
    assert await tb.erase(2, 3) == NandStatus.OK
    assert await tb.probe(2, 3, 0) == NandStatus.ERASED
    assert await tb.probe(2, 3, 1) == NandStatus.ERASED
    assert tb.model.count(Command.RESET) == tb.model.count(Command.SET_FEATURES) == DIES_PER_CHANNEL
    resets = [value for register, value in tb.tiger4.commands if register == Register.COMMAND]
    assert resets[0] == Command.RESET


@cocotb.test()
async def every_outcome(dut: Any) -> None:
    tb = TB(dut)
    await tb.start()
    die, block = 5, 4100
    for page in range(5):
        await tb.program(die, block, page)
    tb.model.spoil(die, block, 1, 2, data=LOST)
    tb.model.spoil(die, block, 2, 1, data=MISCORRECTED)
    tb.model.spoil(die, block, 3, 0, spare=LOST)
    tb.model.spoil(die, block, 4, 3, spare=MISCORRECTED)
    expected = [
        (NandStatus.OK, NandStatus.OK),
        (NandStatus.UNCORRECTABLE, NandStatus.FAILED),
        (NandStatus.UNCORRECTABLE, NandStatus.FAILED),
        (NandStatus.UNCORRECTABLE, NandStatus.UNCORRECTABLE),
        (NandStatus.UNCORRECTABLE, NandStatus.FAILED),
    ]
    for page, (read, probed) in enumerate(expected):
        assert (await tb.read(die, block, page, page % SLOTS_PER_PAGE)).status == read
        assert await tb.probe(die, block, page) == probed
    assert (await tb.read(die, block, 1, 0, retry=1)).status == NandStatus.UNCORRECTABLE
    tb.model.fail_program()
    assert await tb.program(die, block, 5) == NandStatus.FAILED
    assert await tb.probe(die, block, 5) == NandStatus.UNCORRECTABLE
    assert (await tb.read(die, block, 5)).status == NandStatus.UNCORRECTABLE
    tb.model.fail_erase(die, block)
    assert await tb.erase(die, block) == NandStatus.FAILED
    assert await tb.erase(die, block + 1) == NandStatus.OK
    tb.model.fail_program()
    assert await tb.program(die, block + 1, 0) == NandStatus.FAILED
    assert await tb.probe(die, block + 1, 0) == NandStatus.UNCORRECTABLE, "torn, and no mark"
    assert await tb.probe(die, block + 1, 1) == NandStatus.ERASED, "behind a torn first page"


@cocotb.test()
async def bad_blocks_are_known_by_their_marks(dut: Any) -> None:
    """In any page of them. Erased rows have stray zeroes, which are no marks."""
    tb = TB(dut, faults=f"factory-bad={DIES_PER_CHANNEL * SUPERBLOCKS // 2}", stray_zeros=40)
    await tb.start()
    for n in range(3):
        die = n % DIES_PER_CHANNEL
        bad = block_of(tb.rng, tb.model, die, bad=True)
        for page in (0, tb.rng.randrange(1, PAGES_PER_BLOCK)):
            assert await tb.probe(die, bad, page, n % SLOTS_PER_PAGE) == NandStatus.FAILED
    good = block_of(tb.rng, tb.model, 0)
    assert await tb.probe(0, good, PAGES_PER_BLOCK - 1) == NandStatus.ERASED
    await tb.program(0, good, 0)
    assert await tb.probe(0, good, 1) == NandStatus.ERASED


@cocotb.test()
async def a_worn_page_is_weak(dut: Any) -> None:
    """As soon as a chunk of it has more errors than the controller's own firmware tolerates."""
    tb = TB(dut, faults="bit-errors=22")
    await tb.start()
    for page in range(6):
        await tb.program(0, 0, page)
        await tb.read(0, 0, page, page % SLOTS_PER_PAGE)
    assert (NandOp.READ, NandStatus.OK, True) in tb.seen and (NandOp.READ, NandStatus.OK, False) in tb.seen


@cocotb.test()
async def ways_work_side_by_side(dut: Any) -> None:
    """All arrays at a time, while data goes over the bus; each operation takes the time of its array."""
    tb = TB(dut, program_ns=100_000, erase_ns=200_000)
    await tb.start()

    async def life(die: int) -> None:
        await tb.erase(die, die)
        await tb.program(die, die, 0)
        await tb.read(die, die, 0, die % SLOTS_PER_PAGE)

    began = tb.bench.cycle
    tasks = [cocotb.start_soon(life(die)) for die in range(DIES_PER_CHANNEL)]
    for task in tasks:
        await task
    took = (tb.bench.cycle - began) * tiger4.CYCLE_NS
    assert tb.model.most_busy == DIES_PER_CHANNEL
    # Data of eight programs and of eight reads cannot overlap; the rest does.
    moves = 2 * DIES_PER_CHANNEL * 4160 * QUICK["word_ns"]
    assert moves + 200_000 < took < 1.3 * moves + 200_000 + 2 * 100_000


async def live(tb: TB, die: int, operations: int) -> None:
    """A random life of a die, in two of its blocks."""
    rng = tb.rng
    blocks = [block_of(rng, tb.model, die), block_of(rng, tb.model, die)]
    for _ in range(operations):
        block = rng.choice(blocks)
        frontier = tb.model.frontier(die, block)
        kind = rng.random()
        if kind < (0.35 if frontier else 0.8) and frontier < PAGES_PER_BLOCK:
            await tb.program(die, block, frontier)
        elif kind < 0.8 and frontier > 0:
            await tb.read(die, block, rng.randrange(frontier), rng.randrange(SLOTS_PER_PAGE), rng.randrange(2))
        elif kind < 0.94:
            page = rng.choice([rng.randrange(frontier + 1), frontier])
            await tb.probe(die, block, min(page, PAGES_PER_BLOCK - 1), rng.randrange(SLOTS_PER_PAGE))
        elif await tb.erase(die, block) == NandStatus.FAILED:
            blocks[blocks.index(block)] = block_of(rng, tb.model, die)


FAULTY = "bit-errors=18,program-fail=0.1,erase-fail=0.2,factory-bad=20000"


@cocotb.test()
@cocotb.parametrize((("stalls", "faults"), [(0.0, FAULTY), (0.2, "")]))
async def random_operations(dut: Any, stalls: float, faults: str) -> None:
    tb = TB(dut, faults=faults, stalls=stalls, gaps=stalls)
    await tb.start()
    tasks = [cocotb.start_soon(live(tb, die, 4)) for die in range(DIES_PER_CHANNEL)]
    for task in tasks:
        await task
    cocotb.log.info("seed %d: %s", tb.bench.seed, {f"{op.name} {st.name}": n for (op, st, _), n in tb.seen.items()})
    assert sum(tb.seen.values()) == 4 * DIES_PER_CHANNEL


@cocotb.test()
@cocotb.parametrize(power=[False, True])
async def a_reset_in_the_middle(dut: Any, power: bool) -> None:
    """At any moment. Without a power cut a program that has begun goes on; with one its page is torn, and no other."""
    tb = TB(dut)
    await tb.start()
    ends: set[str] = set()
    for n in range(3):
        kept = (2 + n, 4096 * (n % 2) + n, 0)
        assert await tb.program(*kept) == NandStatus.OK
        tasks = [cocotb.start_soon(live(tb, die, 20)) for die in range(2)]
        await tb.bench.clock(tb.rng.randrange(3_000, 12_000))
        for task in tasks:
            task.cancel()
        await tb.cut(power, tb.rng.randrange(4, 10))
        await tb.bench.clock((QUICK["erase_ns"] + QUICK["reset_ns"]) // tiger4.CYCLE_NS)  # arrays come to their end
        # What was programmed when it happened may be there or torn, but never what it is not.
        assert (await tb.read(*kept, sub=3)).status == NandStatus.OK
        last = list(tb.pages)[-3:]
        for die, block, page in last:
            if page >= tb.model.frontier(die, block):
                continue  # its data had not come, or its block was erased
            if tb.model.page_state(die, block, page) == PROGRAMMED:
                await tb.read(die, block, page, 1)
                ends.add("programmed")
            else:
                assert await tb.probe(die, block, page) in (NandStatus.UNCORRECTABLE, NandStatus.FAILED)
                ends.add("torn")
    assert power or "torn" not in ends
    # While the array of a program works.
    writing = cocotb.start_soon(tb.program(6, 77, 0))
    await tb.bench.until(lambda: tb.model.frontier(6, 77) == 1, "the array", LONG)
    writing.cancel()
    await tb.cut(power)
    await tb.bench.clock((QUICK["program_ns"] + QUICK["reset_ns"]) // tiger4.CYCLE_NS)
    if power:
        assert await tb.probe(6, 77, 0) in (NandStatus.UNCORRECTABLE, NandStatus.FAILED)
    else:
        assert (await tb.read(6, 77, 0)).status == NandStatus.OK


@cocotb.test()
async def data_that_nobody_takes_stops_only_the_bus(dut: Any) -> None:
    """A transfer waits; arrays go on, and so do results. Programs wait for one of two buffers."""
    tb = TB(dut, program_ns=1_000)
    await tb.start()
    await tb.program(0, 0, 0)
    tb.rdata.hold = True
    reading = cocotb.start_soon(tb.read(0, 0, 0, 2))
    await tb.erase(1, 5)
    await tb.probe(2, 5, 0)
    assert not reading.done()
    tb.rdata.hold = False
    await reading
    tasks = [cocotb.start_soon(tb.program(die, 9, 0)) for die in range(4)]
    for task in tasks:
        await task
    tb.result.hold = True
    tasks = [cocotb.start_soon(tb.erase(die, 9)) for die in range(5)]
    await tb.bench.clock(12_000)
    assert not any(task.done() for task in tasks)
    tb.result.hold = False
    for task in tasks:
        await task


def test_tiger4_port(cocotb_unit: CocotbUnit) -> None:
    tiger4.build_model()
    cocotb_unit("Tiger4Port", config=CONFIG)
