# SPDX-License-Identifier: Apache-2.0
"""Tests of RemapCursor: every page of a range list, in order, pass after pass."""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.axi import AxiReadMemory, Memory
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.geometry import LPNS
from sim.cocotb.support.orm_formats import REMAP_RANGES_MAX, RemapRange
from sim.cocotb.support.stream import Pulse, Sink, Transaction

LIST = 0x2000
FIELDS = ("src", "dst", "range", "first", "last", "endOfList", "left", "bad")
Range = tuple[int, int, int]  # source, target, pages


class TB:
    """Pulse rewind -> RemapCursor -> Sink page; DRAM holds the list."""

    def __init__(self, dut: Any, stalls: float = 0.0) -> None:
        self.bench = bench = Bench(dut)
        self.memory = Memory()
        self.dram = AxiReadMemory(bench, "io_dram", self.memory, stalls=stalls, gaps=stalls)
        self.rewind = Pulse(bench, "io_rewind")
        self.page = Sink(bench, "io_page", stalls=stalls)

    def write(self, ranges: list[Range]) -> None:
        for i, (src, dst, nlb) in enumerate(ranges):
            self.memory.write(LIST + 32 * i, RemapRange(src=src, dst=dst, nlb=nlb).pack())

    async def begin(self, ranges: list[Range]) -> None:
        self.write(ranges)
        await self.bench.start()
        self.bench.write("io_list", LIST)
        self.bench.write("io_ranges", len(ranges))

    async def pages(self, most: int | None = None, load: bool = True) -> list[Transaction]:
        """The pages of a pass, to the end or the first `most`. `load`: the list is read from DRAM again."""
        self.bench.write("io_stop", 1)
        await self.bench.clock()
        await self.bench.until(lambda: self.bench.read("io_idle") == 1, "the rest of the list to be given up")
        self.bench.write("io_stop", 0)
        self.page.hold = False
        self.bench.write("io_load", int(load))
        self.rewind.send()
        got: list[Transaction] = []
        while (most is None or len(got) < most) and not (got and got[-1]["endOfList"]):
            page = await self.page.get()
            got.append({name: page[name] for name in FIELDS})
        self.page.hold = True
        return got


def expected(ranges: list[Range]) -> list[Transaction]:
    return [
        {
            "src": src + i,
            "dst": dst + i,
            "range": r,
            "first": int(i == 0),
            "last": int(i == nlb - 1),
            "endOfList": int(i == nlb - 1 and r == len(ranges) - 1),
            "left": nlb - i,
            "bad": 0,
        }
        for r, (src, dst, nlb) in enumerate(ranges)
        for i in range(nlb)
    ]


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.5])
async def all_pages_pass_after_pass(dut: Any, stalls: float) -> None:
    tb = TB(dut, stalls)
    rng = tb.bench.rng
    ranges = [(rng.randrange(LPNS - 20), rng.randrange(LPNS - 20), rng.randrange(1, 20)) for _ in range(30)]
    await tb.begin(ranges)
    for _ in range(3):
        assert await tb.pages() == expected(ranges)
        asked = len(tb.dram.bursts)
        tb.memory.write(LIST, bytes(32 * len(ranges)))  # it is read once
        for most in (None, 7, None):
            assert await tb.pages(most, load=False) == expected(ranges)[:most]
        assert len(tb.dram.bursts) == asked
        tb.write(ranges)


@cocotb.test()
async def the_longest_list(dut: Any) -> None:
    tb = TB(dut)
    ranges = [(i, 4000 + i, 1) for i in range(REMAP_RANGES_MAX)]
    await tb.begin(ranges)
    assert await tb.pages() == expected(ranges)


@cocotb.test()
async def a_longer_list_ends_where_it_may_be_no_longer(dut: Any) -> None:
    tb = TB(dut)
    ranges = [(i, 4000 + i, 1) for i in range(REMAP_RANGES_MAX + 1)]
    await tb.begin(ranges)
    got = await tb.pages()
    assert got[:-1] == expected(ranges)[: REMAP_RANGES_MAX - 1]
    assert got[-1]["range"] == REMAP_RANGES_MAX - 1 and got[-1]["bad"] and got[-1]["endOfList"]


@cocotb.test()
async def the_last_page_of_the_device(dut: Any) -> None:
    tb = TB(dut)
    ranges = [(LPNS - 1, 0, 1), (0, LPNS - 3, 3)]
    await tb.begin(ranges)
    assert await tb.pages() == expected(ranges)


@cocotb.test()
async def rewound_while_a_page_is_on_offer(dut: Any) -> None:
    tb = TB(dut)
    ranges = [(0, 100, 5), (10, 200, 5)]
    await tb.begin(ranges)
    for most in (1, 4, 7):
        assert await tb.pages(most) == expected(ranges)[:most]
        await tb.bench.until(lambda: tb.bench.read("io_page_valid") == 1, "the page after")
    assert await tb.pages() == expected(ranges)


@cocotb.test()
async def given_up_while_it_is_read(dut: Any) -> None:
    tb = TB(dut)
    tb.dram.latency = 40
    ranges = [(i, 4000 + i, 1) for i in range(100)]
    await tb.begin(ranges)
    for most in (1, 5, 40):
        assert await tb.pages(most) == expected(ranges)[:most]
        assert tb.bench.read("io_idle") == 0, "the list is still on its way"
    assert await tb.pages() == expected(ranges)


BAD = [(0, 0, 0), (LPNS, 0, 1), (0, LPNS - 1, 2), (1 << 63, 0, 1), (0, 1 << 32, 1), (0, 5, (1 << 32) - 1)]


@cocotb.test()
async def a_bad_range_ends_the_list(dut: Any) -> None:
    tb = TB(dut)
    await tb.begin([(0, 100, 2), (0, 0, 0), (4, 100, 2)])
    for src, dst, nlb in BAD:
        tb.memory.write(LIST + 32, RemapRange(src=src, dst=dst, nlb=nlb).pack())
        got = await tb.pages()
        assert [p["range"] for p in got] == [0, 0, 1]
        assert [p["bad"] for p in got] == [0, 0, 1] and got[-1]["endOfList"]


@cocotb.test()
@cocotb.parametrize(half=[0, 16])
async def dram_that_fails_makes_a_bad_range(dut: Any, half: int) -> None:
    tb = TB(dut)
    await tb.begin([(0, 100, 2), (4, 100, 2)])
    tb.dram.fail(LIST + 32 + half)
    got = await tb.pages()
    assert [p["bad"] for p in got] == [0, 0, 1] and got[2]["range"] == 1
    tb.dram.heal()
    assert await tb.pages() == expected([(0, 100, 2), (4, 100, 2)])


@cocotb.test()
async def single_pages_do_not_wait_for_dram(dut: Any) -> None:
    tb = TB(dut)
    tb.dram.latency = 40
    ranges = [(i, 4000 + i, 1) for i in range(REMAP_RANGES_MAX)]
    await tb.begin(ranges)
    begin = tb.bench.cycle
    assert await tb.pages() == expected(ranges)
    cycles = tb.bench.cycle - begin
    begin = tb.bench.cycle
    assert await tb.pages(load=False) == expected(ranges)
    again = tb.bench.cycle - begin
    cocotb.log.info(f"{REMAP_RANGES_MAX} ranges of a page, DRAM latency 40: {cycles} cycles, then {again}")
    assert cycles <= 4 * REMAP_RANGES_MAX and again <= REMAP_RANGES_MAX + 10


def test_remap_cursor(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("RemapCursor")
