# SPDX-License-Identifier: Apache-2.0
"""Tests of FreeSegments against a queue: which segment is next and when, and how many there are, in every cycle."""

from __future__ import annotations

from collections import deque
from itertools import pairwise
from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.nvram_layout import SEGMENTS

NEXT_AFTER = 3  # cycles from a take, or from a put into an empty list, until the next segment is there
RATES = (0.0, 0.05, 0.3, 0.7, 1.0)  # puts and takes a cycle


class TB:
    """Puts and takes at random with the shares `puts` and `takes` of the cycles in which they are possible.

    Every cycle is compared with `listed`, the reference. Segments that are not listed are `out`.
    """

    def __init__(self, dut: Any) -> None:
        self.bench = Bench(dut)
        self.puts = self.takes = 0.0
        self.out = list(range(SEGMENTS))
        self.bench.rng.shuffle(self.out)
        self.listed: deque[int] = deque()
        self.there_from = 0  # cycle; counts while there is a segment
        self.put: int | None = None  # in this cycle
        self.taken: list[tuple[int, int]] = []  # cycle and segment
        self.put_count = self.at_once = 0
        self.bench.add(self)

    @property
    def there(self) -> bool:
        """Whether the next segment may be taken."""
        return bool(self.listed) and self.bench.cycle >= self.there_from

    def drive(self) -> None:
        rng = self.bench.rng
        self.put = self.out.pop() if self.out and rng.random() < self.puts else None
        self.bench.write("io_put_valid", int(self.put is not None))
        self.bench.write("io_put_bits", rng.randrange(SEGMENTS) if self.put is None else self.put)
        self.bench.write("io_take", int(self.there and rng.random() < self.takes))

    def sample(self) -> None:
        read, cycle = self.bench.read, self.bench.cycle
        put, take = self.put is not None, bool(read("io_take"))
        assert read("io_next_valid") == self.there
        if self.there:
            assert read("io_next_bits") == self.listed[0]
        assert read("io_count") == len(self.listed)
        assert read("io_after") == len(self.listed) + put - take
        waits = bool(self.listed) and not self.there
        assert read("io_quiet") == (not put and not take and not waits)
        if take:
            segment = self.listed.popleft()
            self.taken.append((cycle, segment))
            self.out.insert(self.bench.rng.randrange(len(self.out) + 1), segment)
            self.there_from = cycle + NEXT_AFTER
        if self.put is not None:
            if not self.listed:
                self.there_from = cycle + NEXT_AFTER
            self.listed.append(self.put)
        self.put_count += put
        self.at_once += put and take

    async def run(self, puts: float, takes: float, until: int) -> None:
        """Puts and takes until the list has `until` segments."""
        self.puts, self.takes = puts, takes
        await self.bench.until(lambda: len(self.listed) == until, f"{until} segments")
        self.puts = self.takes = 0.0

    async def settled(self) -> None:
        await self.bench.clock(NEXT_AFTER + 1)


@cocotb.test()
async def random_puts_and_takes(dut: Any) -> None:
    """Runs of all rates, so that the list is empty, full and in between, and its memory wraps around."""
    tb = TB(dut)
    await tb.bench.start()
    while tb.put_count < 3 * SEGMENTS:
        tb.puts, tb.takes = tb.bench.rng.choice(RATES), tb.bench.rng.choice(RATES)
        await tb.bench.clock(tb.bench.rng.choice((1, 5, 40, 400)))
    await tb.run(0.7, 0.3, until=SEGMENTS)
    await tb.run(0.05, 1.0, until=0)
    tb.puts, tb.takes = 0.2, 1.0  # about as many as can be taken: the list is empty again and again
    await tb.bench.clock(400)
    assert tb.at_once, "puts meet takes"


@cocotb.test()
async def full_and_empty_from_any_place(dut: Any) -> None:
    """Each round begins at another place of the memory, and takes what it put in order, as fast as it can."""
    tb = TB(dut)
    await tb.bench.start()
    for begin in (0, 1, SEGMENTS - 3):
        while tb.put_count % SEGMENTS != begin:
            await tb.run(1.0, 0.0, until=1)
            await tb.run(0.0, 1.0, until=0)
        await tb.run(1.0, 0.0, until=SEGMENTS)
        await tb.settled()
        assert not tb.out and tb.bench.read("io_count") == SEGMENTS
        order, before = list(tb.listed), len(tb.taken)
        await tb.run(0.0, 1.0, until=0)
        await tb.settled()
        cycles, segments = zip(*tb.taken[before:], strict=True)
        assert list(segments) == order
        assert {after - at for at, after in pairwise(cycles)} == {NEXT_AFTER}
        assert not tb.bench.read("io_next_valid") and tb.bench.read("io_quiet")


@cocotb.test()
async def a_put_beside_the_take_of_the_last_one(dut: Any) -> None:
    """The list is never longer than one segment, and takes meet puts."""
    tb = TB(dut)
    await tb.bench.start()
    for gap in range(2 * NEXT_AFTER):
        await tb.run(1.0, 0.0, until=1)
        await tb.settled()
        met = tb.at_once
        tb.takes = 1.0
        tb.puts = float(gap == 0)
        await tb.bench.clock()
        assert tb.at_once == met + (gap == 0) and len(tb.listed) == (gap == 0)
        tb.puts = 0.0
        if gap:
            await tb.bench.clock(gap - 1)
            await tb.run(1.0, 0.0, until=1)
        await tb.run(0.0, 1.0, until=0)
        await tb.settled()


def test_free_segments(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("FreeSegments")
