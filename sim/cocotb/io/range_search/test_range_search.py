# SPDX-License-Identifier: Apache-2.0
"""Tests of RangeSearch against a search page by page."""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.geometry import LPNS
from sim.cocotb.support.orm_formats import REMAP_RANGES_MAX
from sim.cocotb.support.stream import Pulse, Watch

ANSWERS_AFTER = 18  # cycles


class TB:
    """Pulses target, source -> RangeSearch -> Watch met"""

    def __init__(self, dut: Any) -> None:
        self.bench = Bench(dut)
        self.target = Pulse(self.bench, "io_target")
        self.source = Pulse(self.bench, "io_source")
        self.met = Watch(self.bench, "io_met")

    async def give(self, targets: list[tuple[int, int]]) -> None:
        for i, (begin, end) in enumerate(targets):
            self.target.send(index=i, begin=begin, end=end)
        await self.target.sent()
        self.bench.write("io_targets", len(targets))
        await self.bench.clock()

    async def search(self, sources: list[tuple[int, int]]) -> list[bool]:
        """One source a cycle."""
        self.met.seen.clear()
        for begin, end in sources:
            self.source.send(begin=begin, end=end)
        await self.source.sent()
        await self.bench.clock(ANSWERS_AFTER)
        return [bool(seen["bits"]) for seen in self.met.seen]


@cocotb.test()
async def random_lists(dut: Any) -> None:
    """Longer lists leave their targets behind; shorter ones must not find them."""
    tb = TB(dut)
    await tb.bench.start()
    rng = tb.bench.rng
    for _ in range(60):
        count = rng.choice([1, 2, 3, 63, 64, 65, 127, 128, rng.randrange(1, REMAP_RANGES_MAX + 1)])
        points = sorted(rng.sample(range(LPNS + 1) if rng.random() < 0.3 else range(3 * count + 3), 2 * count))
        targets = list(zip(points[::2], points[1::2], strict=True))
        if rng.random() < 0.3:  # without gaps
            targets = [(begin, targets[i + 1][0] if i + 1 < count else end) for i, (begin, end) in enumerate(targets)]
        await tb.give(targets)
        sources = []
        for _ in range(100):
            begin, end = rng.choice(targets)
            at = rng.choice([begin, end, begin - 1, end - 1, rng.randrange(LPNS)])
            at = min(max(at, 0), LPNS - 1)
            sources.append((at, min(LPNS, at + rng.choice([1, 1, 2, 3, rng.randrange(1, 300)]))))
        expected = [any(begin < to and at < end for begin, end in targets) for at, to in sources]
        assert await tb.search(sources) == expected


def test_range_search(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("RangeSearch")
