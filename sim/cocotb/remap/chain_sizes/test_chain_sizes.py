# SPDX-License-Identifier: Apache-2.0
"""Tests of ChainSizes against a Python reference: answers about room, and looks at lengths, in every cycle."""

from __future__ import annotations

from collections import deque
from typing import Any, NamedTuple

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.geometry import SUPERBLOCKS
from sim.cocotb.support.nvram_layout import (
    CHAIN_ENTRIES,
    ENTRIES_PER_SEG,
    GC_RESERVE_SEGMENTS,
    SEGMENTS,
    SEGMENTS_PER_CHAIN,
)
from sim.cocotb.support.params import param
from sim.cocotb.support.remap_peers import CapacityPeer

ENGINE, GC = ASKERS = range(2)  # capacity ports
LOOKERS = range(2)  # look ports
RESERVES = (GC_RESERVE_SEGMENTS, 0)  # free segments that an asker may not take
LOOKS_AFTER = 2  # cycles from a superblock to its chain's length
VALIDS = ("io_write_valid", "io_part_valid", *(f"io_capacity_{i}_ask_valid" for i in ASKERS))
DESTAGE_SLOTS = param("destageSlots")


class Size(NamedTuple):
    """A chain in NVRAM: entries used in its tail, segments."""

    fill: int
    segments: int


class Part(NamedTuple):
    """The destaged part of a chain. Set 0: there is none, and nothing else counts."""

    set: int
    slots: int
    segments: int


class Answer(NamedTuple):
    segments: int
    begins: int
    fits: int


def room(size: Size) -> int:
    """Number of entries that the tail has room for."""
    return ENTRIES_PER_SEG - size.fill if size.segments else 0


def added(size: Size, entries: int) -> int:
    """Number of new segments that `entries` more entries take."""
    return -(-max(entries - room(size), 0) // ENTRIES_PER_SEG)


def answer(size: Size, part: Part, entries: int) -> Answer:
    segments = added(size, entries)
    length = size.segments + segments + (part.segments if part.set else 0)
    begins = entries > 0 and segments > added(size, entries - 1)
    return Answer(segments, int(begins), int(length <= SEGMENTS_PER_CHAIN))


def shown(size: Size, part: Part) -> tuple[int, ...]:
    """What a look shows: segments in NVRAM, then the part, which is nothing in a set 0."""
    return (size.segments, *(part if part.set else (0, 0, 0)))


class TB:
    """Compares every cycle with the reference, whatever a test drives.

    A chain that is written in the very cycle of a question or look may show as it was or as it will be.
    """

    def __init__(self, dut: Any) -> None:
        self.bench = Bench(dut)
        self.sizes: dict[int, Size] = {}
        self.parts: dict[int, Part] = {}
        self.answers: dict[int, set[Answer]] = {}  # by cycle
        self.looks: deque[list[set[tuple[int, ...]]]] = deque(maxlen=LOOKS_AFTER)  # of the cycles before this one
        self.free: int | None = None  # in the cycle before
        self.answered = self.looked = 0
        self._held: tuple[bool, list[int], list[int]] = (False, [], [])  # quiet, inputs, looks of the cycle before
        self._inputs = [*VALIDS, *(f"io_look_{i}_sb" for i in LOOKERS)]
        self._looks = [name for name in self.bench.fields("io_look") if not name.endswith("_sb")]
        self.bench.add(self)

    async def begin(self) -> None:
        """Resets the unit, and clears its memories as RemapTable does."""
        await self.bench.start()
        for sb in range(SUPERBLOCKS):
            await self.write(sb, Size(0, 0), Part(0, 0, 0))
        await self.settled()

    def drive(self) -> None:
        pass

    # --- what a test drives in the next cycle
    def offer(self, sb: int, size: Size | None = None) -> None:
        self._drive("io_write", sb, {} if size is None else {"fill": size.fill, "count": size.segments})

    def place(self, sb: int, part: Part | None = None) -> None:
        self._drive("io_part", sb, {} if part is None else {f"part_{n}": v for n, v in part._asdict().items()})

    def ask(self, port: int | None, sb: int = 0, entries: int = 0) -> None:
        """A question at `port`; at the other one, and at both without a port, there is none."""
        for i in ASKERS:
            self._drive(f"io_capacity_{i}_ask", sb, {"entries": entries} if i == port else {})

    def _drive(self, port: str, sb: int, fields: dict[str, int]) -> None:
        self.bench.write(f"{port}_valid", int(bool(fields)))
        self.bench.write(f"{port}_bits_sb", sb)
        for name, value in fields.items():
            self.bench.write(f"{port}_bits_{name}", value)

    async def write(self, sb: int, size: Size | None = None, part: Part | None = None) -> None:
        """A cycle in which a chain and its part are written."""
        self.offer(sb, size)
        self.place(sb, part)
        await self.bench.clock()
        self.offer(sb)
        self.place(sb)

    async def settled(self) -> None:
        """Without questions and changes: all answers are there, and the unit is quiet."""
        self.ask(None)
        await self.bench.clock(CapacityPeer.ANSWERS_AFTER + 1)
        assert not self.answers and self.bench.read("io_quiet")

    # --- the reference
    def sample(self) -> None:
        self._check_quiet()
        self._check_answer()
        self._check_looks()
        size_of, part_of = self._written()
        self._note(size_of, part_of)
        if size_of:
            self.sizes |= size_of
        if part_of:
            self.parts |= part_of

    def _written(self) -> tuple[dict[int, Size], dict[int, Part]]:
        """What is written in this cycle, by superblock."""
        read = self.bench.read
        size, part = {}, {}
        if read("io_write_valid"):
            size[read("io_write_bits_sb")] = Size(read("io_write_bits_fill"), read("io_write_bits_count"))
        if read("io_part_valid"):
            part[read("io_part_bits_sb")] = Part(*(read(f"io_part_bits_part_{name}") for name in Part._fields))
        return size, part

    def _note(self, size_of: dict[int, Size], part_of: dict[int, Part]) -> None:
        """What the questions and looks of this cycle may be answered."""
        read = self.bench.read

        def states(sb: int) -> list[tuple[Size, Part]]:
            """As before this cycle and as after it; none before the memories are cleared."""
            sizes = {of[sb] for of in (self.sizes, size_of) if sb in of}
            parts = {of[sb] for of in (self.parts, part_of) if sb in of}
            return [(size, part) for size in sizes for part in parts if sb in self.sizes]

        for port in ASKERS:
            if read(f"io_capacity_{port}_ask_valid"):
                sb, entries = (read(f"io_capacity_{port}_ask_bits_{name}") for name in ("sb", "entries"))
                due = self.bench.cycle + CapacityPeer.ANSWERS_AFTER
                assert due not in self.answers, "two questions at once"
                self.answers[due] = {answer(size, part, entries) for size, part in states(sb)}
        self.looks.append([{shown(*state) for state in states(read(f"io_look_{i}_sb"))} for i in LOOKERS])
        self.free = read("io_free")

    def _check_answer(self) -> None:
        read = self.bench.read
        expected = self.answers.pop(self.bench.cycle, None)
        for port in ASKERS:
            if expected is not None:
                given = Answer(*(read(f"io_capacity_{port}_{name}") for name in Answer._fields))
                assert given in expected, f"{given} instead of {expected}"
                self.answered += 1
            if self.free is not None:
                assert read(f"io_capacity_{port}_free") == max(self.free - RESERVES[port], 0)

    def look(self, port: int) -> tuple[int, ...]:
        """What a look shows now."""
        part = Part(*(self.bench.read(f"io_look_{port}_destaged_{name}") for name in Part._fields))
        if not part.set:
            part = part._replace(slots=0)  # it does not count
        return (self.bench.read(f"io_look_{port}_segments"), *part)

    def _check_looks(self) -> None:
        if len(self.looks) < LOOKS_AFTER:
            return
        for i, expected in zip(LOOKERS, self.looks[0], strict=True):
            seen = self.look(i)
            assert not expected or seen in expected, f"{seen} instead of {expected}"
            self.looked += bool(expected)

    def _check_quiet(self) -> None:
        """A quiet unit owes no answer, and keeps what looks show until an input changes."""
        quiet = bool(self.bench.read("io_quiet"))
        assert not (quiet and self.answers), "quiet before an answer"
        inputs = [self.bench.read(name) for name in self._inputs]
        assert not (quiet and any(inputs[: len(VALIDS)])), "quiet beside a question or a change"
        looks = [self.bench.read(f"io_look_{name}") for name in self._looks]
        was_quiet, inputs_before, looks_before = self._held
        if was_quiet and inputs == inputs_before:
            assert looks == looks_before, "quiet, but a look changes"
        self._held = (quiet, inputs, looks)

    # --- random content
    def size(self) -> Size:
        rng = self.bench.rng
        fill = rng.choice((0, 1, ENTRIES_PER_SEG - 1, ENTRIES_PER_SEG, rng.randrange(ENTRIES_PER_SEG + 1)))
        return Size(fill, rng.choice((0, 1, SEGMENTS_PER_CHAIN, rng.randrange(SEGMENTS_PER_CHAIN + 1))))

    def part(self) -> Part:
        rng = self.bench.rng
        segments = rng.randrange(SEGMENTS_PER_CHAIN + 1)
        return Part(rng.randrange(3), rng.randint(1, DESTAGE_SLOTS), segments)

    def entries(self, sb: int) -> int:
        """A number of entries for a question, often about where one more takes a new segment."""
        rng = self.bench.rng
        near = room(self.sizes[sb]) + ENTRIES_PER_SEG * rng.randrange(SEGMENTS_PER_CHAIN + 1) + rng.randint(-1, 2)
        few = max(room(self.sizes[sb]) + rng.randint(-1, 2), 0)
        number = rng.choice((0, few, max(near, 0), CHAIN_ENTRIES + 1, rng.randrange(CHAIN_ENTRIES + 1)))
        return min(number, CHAIN_ENTRIES + ENTRIES_PER_SEG)


@cocotb.test()
@cocotb.parametrize(asks=[1.0, 0.3], changes=[0.05, 0.6])
async def random_questions_match_the_reference(dut: Any, asks: float, changes: float) -> None:
    """Questions of either asker, up to one in every cycle, while chains change and looks move."""
    tb = TB(dut)
    await tb.begin()
    rng = tb.bench.rng
    superblocks = [0, SUPERBLOCKS - 1, *rng.sample(range(1, SUPERBLOCKS - 1), 3)]  # few, so that a change is seen
    asked = [0, 0]
    free = 0
    for _ in range(2500):
        port = rng.choice(ASKERS) if rng.random() < asks else None
        if port is not None:
            asked[port] += 1
        sb = rng.choice(superblocks)
        tb.ask(port, sb, tb.entries(sb))
        tb.offer(rng.choice(superblocks), tb.size() if rng.random() < changes else None)
        tb.place(rng.choice(superblocks), tb.part() if rng.random() < changes else None)
        for i in LOOKERS:
            if rng.random() < 0.4:
                tb.bench.write(f"io_look_{i}_sb", rng.choice(superblocks))
        if rng.random() < 0.3:
            free = rng.choice((0, GC_RESERVE_SEGMENTS, GC_RESERVE_SEGMENTS + 1, SEGMENTS, rng.randrange(SEGMENTS + 1)))
        tb.bench.write("io_free", free)
        await tb.bench.clock()
    tb.offer(0)
    tb.place(0)
    await tb.settled()
    assert all(asked) and tb.answered == sum(asked) * len(ASKERS)
    assert tb.looked > 2500 * len(LOOKERS), "every look was compared"


@cocotb.test()
async def answers_at_the_edges(dut: Any) -> None:
    """Each fill of the tail with each number of entries about a segment's, at lengths about the limit."""
    tb = TB(dut)
    await tb.begin()
    full = ENTRIES_PER_SEG
    counts = (0, 1, 2, SEGMENTS_PER_CHAIN - 2, SEGMENTS_PER_CHAIN - 1, SEGMENTS_PER_CHAIN)
    entries = (0, 1, full - 1, full, full + 1, 2 * full - 1, 2 * full, 2 * full + 1, CHAIN_ENTRIES, CHAIN_ENTRIES + 1)
    for sb, count in enumerate(counts):
        for fill in (0, 1, full - 1, full):
            for part in (Part(0, 1, 5), Part(1, 1, 1), Part(2, DESTAGE_SLOTS, SEGMENTS_PER_CHAIN)):
                await tb.write(sb, Size(fill, count), part)
                for number in entries:
                    tb.ask(number % 2, sb, number)
                    await tb.bench.clock()
                tb.ask(None)
    await tb.settled()
    assert tb.answered == len(ASKERS) * len(counts) * 4 * 3 * len(entries)


@cocotb.test()
async def a_write_shows_in_the_next_question(dut: Any) -> None:
    """A chain grows by an entry a cycle, and a question behind each write finds it."""
    tb = TB(dut)
    await tb.begin()
    given = []
    for fill in range(ENTRIES_PER_SEG + 1):
        await tb.write(3, Size(fill, 1))
        tb.ask(ENGINE, 3, 1)
        await tb.bench.clock()
        tb.ask(None)
        await tb.bench.clock(CapacityPeer.ANSWERS_AFTER - 1)
        given.append(tb.bench.read(f"io_capacity_{ENGINE}_segments"))
    assert given == [0] * ENTRIES_PER_SEG + [1]


@cocotb.test()
async def looks_follow_superblock_and_chain(dut: Any) -> None:
    """After a change of the superblock, and after a write to the chain that is looked at. Then they stay."""
    tb = TB(dut)
    await tb.begin()
    for sb in range(SUPERBLOCKS):
        await tb.write(sb, Size(1, sb % SEGMENTS_PER_CHAIN), Part(1 + sb % 2, 1, sb % SEGMENTS_PER_CHAIN))
    await tb.settled()
    for sb in range(SUPERBLOCKS):
        for i, at in enumerate((sb, SUPERBLOCKS - 1 - sb)):
            tb.bench.write(f"io_look_{i}_sb", at)
        await tb.bench.clock(LOOKS_AFTER)
        for i, at in enumerate((sb, SUPERBLOCKS - 1 - sb)):
            assert tb.look(i) == shown(tb.sizes[at], tb.parts[at])
        before = tb.look(0)
        await tb.write(sb, Size(0, SEGMENTS_PER_CHAIN), tb.bench.rng.choice((None, Part(0, 1, 7))))
        assert not tb.bench.read("io_quiet")
        await tb.bench.clock(LOOKS_AFTER)
        assert tb.look(0) == shown(tb.sizes[sb], tb.parts[sb]) != before
        await tb.bench.clock()
        assert tb.bench.read("io_quiet")


def test_chain_sizes(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("ChainSizes")
