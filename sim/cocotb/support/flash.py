# SPDX-License-Identifier: Apache-2.0
"""The controller's side of a NAND port, and what flash behind it must answer.

FlashReference follows the rules of sim/models/nand_model.h. It knows of each page what it may be: after a power cut
more than one thing, until a probe tells. It knows nothing of how the flash is kept.
"""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass, field
from enum import Enum

from cocotb.triggers import Lock

from sim.cocotb.support.bench import Bench
from sim.cocotb.support.codes import NandOp, NandStatus
from sim.cocotb.support.geometry import (
    DIES_PER_CHANNEL,
    OOB_WORDS,
    PAGES_PER_BLOCK,
    SLOTS_PER_PAGE,
    WORD_BYTES,
    WORDS_PER_SLOT,
)
from sim.cocotb.support.nand import Address, Page, Slot
from sim.cocotb.support.stream import Sink, Source, Transaction

SPARE_BYTES = OOB_WORDS * WORD_BYTES
DATA_BYTES = WORDS_PER_SLOT * WORD_BYTES


class Was(Enum):
    """What a page is."""

    ERASED = 0
    TORN = 1
    GOOD = 2


SEEN = {NandStatus.ERASED: Was.ERASED, NandStatus.UNCORRECTABLE: Was.TORN, NandStatus.OK: Was.GOOD}


@dataclass
class _Page:
    may: set[Was] = field(default_factory=lambda: {Was.ERASED})
    slots: Page | None = None  # what was programmed last


@dataclass
class _Block:
    pages: list[_Page] = field(default_factory=lambda: [_Page() for _ in range(PAGES_PER_BLOCK)])
    marked: bool = False
    cut: bool = False  # its last erase was cut short


class FlashReference:
    """One channel of flash. A wrong answer fails the test."""

    def __init__(self) -> None:
        self._blocks: dict[tuple[int, int], _Block] = {}

    def block(self, die: int, block: int) -> _Block:
        return self._blocks.setdefault((die, block), _Block())

    def page(self, at: Address) -> _Page:
        return self.block(at[0], at[1]).pages[at[2]]

    def is_sure(self, at: Address, was: Was) -> bool:
        return self.page(at).may == {was}

    def next_page(self, die: int, block: int) -> int | None:
        """The page that a program of the block must name. None: it takes none, or needs an erase or a probe first."""
        of = self.block(die, block)
        if of.cut or of.marked:
            return None
        for number, page in enumerate(of.pages):
            if page.may == {Was.ERASED}:
                return number
            if Was.ERASED in page.may:
                return None
        return None

    def sensed(self, op: NandOp, at: Address, status: NandStatus) -> None:
        """A read or probe has answered."""
        if self.block(at[0], at[1]).marked:
            assert (op, status) == (NandOp.PROBE, NandStatus.FAILED), f"{at} is marked bad: {status.name}"
            return
        page = self.page(at)
        assert status in SEEN and SEEN[status] in page.may, f"{op.name} of {at}: {status.name}, which may be {page.may}"
        page.may = {SEEN[status]}

    def expected(self, op: NandOp, at: Address, sub: int) -> bytes:
        """What a transfer delivers."""
        if self.block(at[0], at[1]).marked:
            return bytes(SPARE_BYTES)
        slots = self.page(at).slots
        assert slots is not None
        data, spare = slots[sub]
        return spare if op == NandOp.PROBE else data + spare

    def programmed(self, at: Address, slots: Page, status: NandStatus = NandStatus.OK) -> None:
        self.page(at).slots = slots
        self.page(at).may = {Was.GOOD if status == NandStatus.OK else Was.TORN}

    def erased(self, die: int, block: int) -> None:
        of = self.block(die, block)
        of.pages = [_Page() for _ in range(PAGES_PER_BLOCK)]
        of.cut = False

    def cut_program(self, at: Address, slots: Page, begun: bool, over: bool) -> None:
        """The power goes. `begun`: the flash has all words; `over`: and has had the time that it needs."""
        if not begun:
            return  # only the page register has changed
        self.page(at).slots = slots
        self.page(at).may = {Was.ERASED, Was.TORN} | ({Was.GOOD} if over else set())

    def cut_erase(self, die: int, block: int) -> None:
        of = self.block(die, block)
        of.cut = True
        for page in of.pages:
            if page.may != {Was.ERASED}:
                page.may |= {Was.TORN, Was.ERASED}

    def lost(self) -> None:
        """The memory has forgotten everything."""
        for of in self._blocks.values():
            of.pages = [_Page() for _ in range(PAGES_PER_BLOCK)]
            of.cut = False


@dataclass
class Times:
    """hw/src/board/FlashTimes.scala, in cycles."""

    read: int = 60
    retry: int = 90
    program: int = 200
    erase: int = 400
    word: int = 0

    def drive(self, bench: Bench) -> None:
        for name, value in vars(self).items():
            bench.write(f"io_times_{name}", value)


@dataclass
class _Running:
    """An operation that has been sent and not ended."""

    op: NandOp
    at: Address
    slots: Page | None = None
    taken: int | None = None  # cycle in which its command was
    stored: int | None = None  # cycle in which the last of its words was


class NandHost:
    """Gives commands to a NAND port, a coroutine for each die, and holds the answers against `reference`: what they
    say, and how long they take at least."""

    def __init__(
        self, bench: Bench, reference: FlashReference, times: Times, stalls: float = 0.0, gaps: float = 0.0
    ) -> None:
        self.bench = bench
        self.reference = reference
        self.times = times
        self.cmd = Source(bench, "io_nand_cmd", gaps)
        self.wdata = Source(bench, "io_nand_wdata", gaps)
        self.rdata = Sink(bench, "io_nand_rdata", stalls, stable=True)
        self.result = Sink(bench, "io_nand_result", stalls, stable=True, on_take=self._result)
        self.running: dict[int, _Running] = {}
        self.most = 0  # of dies that worked at the same time
        self.longest: dict[NandOp, int] = {}
        self.counts: dict[tuple[NandOp, NandStatus], int] = {}
        self._results: dict[int, deque[tuple[int, NandStatus]]] = {d: deque() for d in range(DIES_PER_CHANNEL)}
        self._bus = Lock()

    def _result(self, t: Transaction) -> None:
        assert t.get("weak", 0) == 0
        self._results[t.get("die", 0)].append((self.bench.cycle, NandStatus(t["status"])))

    async def _command(self, op: NandOp, at: Address, sub: int = 0, retry: int = 0) -> int:
        """Gives a command. Returns the cycle in which it was taken."""
        number = self.cmd.sent + self.cmd.pending + 1
        self.cmd.send(op=op, die=at[0], block=at[1], page=at[2], sub=sub, retry=retry)
        await self.bench.until(lambda: self.cmd.sent >= number, f"{op.name} to be taken", 100_000)
        return self.bench.cycle - 1

    async def _end(self, running: _Running, began: int, least: int) -> NandStatus:
        results = self._results[running.at[0]]
        await self.bench.until(lambda: bool(results), f"the end of {running.op.name} {running.at}", 100_000)
        cycle, status = results.popleft()
        taken = cycle - began
        assert taken >= least, f"{running.op.name} {running.at} took {taken} cycles of {least}"
        self.longest[running.op] = max(self.longest.get(running.op, 0), taken - least)
        del self.running[running.at[0]]
        key = running.op, status
        self.counts[key] = self.counts.get(key, 0) + 1
        return status

    def _start(self, op: NandOp, at: Address, slots: Page | None = None) -> _Running:
        assert at[0] not in self.running, f"die {at[0]} is busy"
        running = self.running[at[0]] = _Running(op, at, slots)
        self.most = max(self.most, len(self.running))
        return running

    async def sense(self, op: NandOp, at: Address, sub: int = 0, retry: int = 0, transfer: bool = True) -> NandStatus:
        """Reads or probes a slot, and has it transferred."""
        running = self._start(op, at)
        running.taken = await self._command(op, at, sub, retry)
        status = await self._end(running, running.taken, self.times.retry if retry else self.times.read)
        self.reference.sensed(op, at, status)
        delivers = status == NandStatus.OK or (op, status) == (NandOp.PROBE, NandStatus.FAILED)
        if delivers and transfer:
            words = await self.transfer(at, sub)
            assert words == self.reference.expected(op, at, sub), f"{op.name} of {at} slot {sub}: wrong words"
        return status

    async def transfer(self, at: Address, sub: int) -> bytes:
        words: list[Transaction] = []
        async with self._bus:
            began = await self._command(NandOp.TRANSFER, at, sub)
            while not words or not words[-1]["last"]:
                words.append(await self.rdata.get())
            took = self.bench.cycle - began
        assert took >= (len(words) - 1) * (self.times.word + 1), f"{len(words)} words in {took} cycles"
        return b"".join(word["data"].to_bytes(WORD_BYTES, "little") for word in words)

    async def program(self, at: Address, slots: Page) -> NandStatus:
        async with self._bus:
            running = self._start(NandOp.PROGRAM, at, slots)
            running.taken = await self._command(NandOp.PROGRAM, at)
            words = b"".join(data + spare for data, spare in slots)
            count = len(words) // WORD_BYTES
            for i in range(count):
                word = int.from_bytes(words[i * WORD_BYTES : (i + 1) * WORD_BYTES], "little")
                self.wdata.send(data=word, last=int(i + 1 == count))
            await self.wdata.drained(200_000)
            running.stored = self.bench.cycle - 1
        took = running.stored - running.taken
        assert took >= (count - 4) * (self.times.word + 1), f"{count} words in {took} cycles"
        status = await self._end(running, running.stored, self.times.program)
        assert status in (NandStatus.OK, NandStatus.FAILED), status.name
        self.reference.programmed(at, slots, status)
        return status

    async def erase(self, die: int, block: int) -> NandStatus:
        running = self._start(NandOp.ERASE, (die, block, 0))
        running.taken = await self._command(NandOp.ERASE, running.at)
        status = await self._end(running, running.taken, self.times.erase)
        if status == NandStatus.OK:
            self.reference.erased(die, block)
        else:
            assert status == NandStatus.FAILED, status.name
            self.reference.cut_erase(die, block)
        return status

    def power_cut(self) -> None:
        """Everything ends where it is. The coroutines that wait for something must have been ended."""
        now = self.bench.cycle
        for die, running in self.running.items():
            results = self._results[die]
            ended = bool(results)  # the controller took the result, and its coroutine has not heard of it
            if running.op == NandOp.PROGRAM:
                assert running.slots is not None
                begun = self.wdata.pending == 0 and running.taken is not None
                over = running.stored is not None and now - running.stored >= self.times.program
                if ended:
                    self.reference.programmed(running.at, running.slots, results[0][1])
                else:
                    self.reference.cut_program(running.at, running.slots, begun or running.stored is not None, over)
            elif running.op == NandOp.ERASE:
                if ended:
                    self.reference.erased(die, running.at[1])
                else:
                    self.reference.cut_erase(die, running.at[1])
        self.running.clear()
        for results in self._results.values():
            results.clear()
        self._bus = Lock()
        for source in (self.cmd, self.wdata):
            source.clear()
        for sink in (self.rdata, self.result):
            sink.clear()


def random_page(rng: random.Random) -> Page:
    def slot() -> Slot:
        return rng.randbytes(DATA_BYTES), rng.randbytes(SPARE_BYTES)

    return [slot() for _ in range(SLOTS_PER_PAGE)]
