# SPDX-License-Identifier: Apache-2.0
"""Tests of Counters.

Each event is counted in its counter. Stall counters include the cycles that a simulation skipped.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cocotb
import yaml

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.bench import Bench

_LIST = Path(__file__).resolve().parents[4] / "interfaces" / "registers" / "counters.yaml"
COUNTERS: list[str] = [name for name, _ in yaml.safe_load(_LIST.read_text())["counters"]]


def port(name: str) -> str:
    head, *rest = name.split("_")
    return "io_event_" + head + "".join(part.capitalize() for part in rest)


ANSWERS_AFTER = 6  # cycles from an index to its value
AGE = 4  # cycles from an event to the value that has it


class TB:
    def __init__(self, dut: Any) -> None:
        self.bench = Bench(dut)

    async def read(self, index: int) -> int:
        self.bench.write("io_index", index)
        await self.bench.clock(ANSWERS_AFTER)
        return self.bench.read("io_value")

    async def all(self) -> dict[str, int]:
        return {name: await self.read(i) for i, name in enumerate(COUNTERS)}

    async def raise_for(self, names: list[str], cycles: int, skipped: int = 0) -> None:
        for name in names:
            self.bench.write(port(name), 1)
        self.bench.write("io_skipped", skipped)
        await self.bench.clock(cycles)
        for name in names:
            self.bench.write(port(name), 0)
        self.bench.write("io_skipped", 0)


@cocotb.test()
async def each_counts_alone(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    for i, name in enumerate(COUNTERS):
        await tb.raise_for([name], i + 1)
    assert await tb.all() == {name: i + 1 for i, name in enumerate(COUNTERS)}
    assert await tb.read(len(COUNTERS)) == 0 and await tb.read(63) == 0


@cocotb.test()
async def skipped_cycles_count_for_stalls_only(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    await tb.raise_for(list(COUNTERS), 1, skipped=1000)
    await tb.raise_for(list(COUNTERS), 1, skipped=(1 << 32) - 1)
    await tb.bench.clock(3)
    for name, value in (await tb.all()).items():
        assert value == (1000 + (1 << 32) + 1 if name.startswith("stall_") else 2), name


@cocotb.test()
async def skipped_without_event_counts_nothing(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    await tb.raise_for([], 5, skipped=77)
    assert not any((await tb.all()).values())


@cocotb.test()
async def several_events_of_one_counter_in_a_cycle(dut: Any) -> None:
    """Dies that GC and firmware had erased may end in the same cycle; a compaction drops many entries at once."""
    tb = TB(dut)
    await tb.bench.start()
    for erases, dropped in ((2, 0), (1, 900), (0, 31)):
        tb.bench.write(port("nand_erase"), erases)
        tb.bench.write(port("stale_dropped"), dropped)
        await tb.bench.clock()
    tb.bench.write(port("stale_dropped"), 0)
    counters = await tb.all()
    assert (counters["nand_erase"], counters["stale_dropped"]) == (3, 931) and sum(counters.values()) == 934


@cocotb.test()
async def clear_zeroes_all(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    await tb.raise_for(list(COUNTERS), 9)
    tb.bench.write("io_clear", 1)
    await tb.bench.clock()
    tb.bench.write("io_clear", 0)
    assert not any((await tb.all()).values())
    await tb.raise_for(list(COUNTERS), 2)
    assert set((await tb.all()).values()) == {2}


@cocotb.test()
async def exact_in_every_cycle(dut: Any) -> None:
    """Dense events of all counters, with the index changing from time to time: low bits overflow everywhere."""
    tb = TB(dut)
    await tb.bench.start()
    rng = tb.bench.rng
    expect = dict.fromkeys(COUNTERS, 0)
    past: list[dict[str, int]] = []  # by cycle: what was counted up to it
    widths = {"nand_erase": 2, "stale_dropped": 10, "entries_destaged": 10}
    for _ in range(120):
        name = rng.choice(COUNTERS)
        tb.bench.write("io_index", COUNTERS.index(name))
        for cycle in range(rng.randrange(ANSWERS_AFTER, 60)):
            skipped = rng.choice((0, 0, 1, rng.getrandbits(32), (1 << 32) - 1))
            tb.bench.write("io_skipped", skipped)
            density = rng.choice((0.5, 1))
            for each in COUNTERS:
                step = (1 << widths.get(each, 1)) - 1 if rng.random() < density else 0
                tb.bench.write(port(each), step)
                expect[each] += step * (skipped + 1 if each.startswith("stall_") else 1)
            past.append(dict(expect))
            await tb.bench.clock()
            if cycle >= ANSWERS_AFTER:
                assert tb.bench.read("io_value") == past[-AGE][name], name
    for each in COUNTERS:
        tb.bench.write(port(each), 0)
    assert await tb.all() == expect


def test_counters(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("Counters")
