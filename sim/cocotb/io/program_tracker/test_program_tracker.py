# SPDX-License-Identifier: Apache-2.0
"""Tests of ProgramTracker.

A fence ends exactly when every program issued before it has landed, whatever is issued later.
"""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.geometry import WRITE_BUFFERS

CLIENTS = 4  # ProgramTracker.Client


class TB:
    """Issues and lands programs; checks each fence against the programs that were under way when it rose."""

    def __init__(self, dut: Any) -> None:
        self.bench = Bench(dut)
        self.flying: dict[int, int] = {}  # program -> epoch
        self.next = 0
        self.issue = False
        self.land: int | None = None
        self.req = [False] * CLIENTS
        self.before: list[set[int]] = [set() for _ in range(CLIENTS)]  # what the fence waits for
        self.ended = [0] * CLIENTS
        self.turns = 0
        self.last_epoch = 0
        self.turned = False  # in the last cycle
        self.bench.add(self)

    def drive(self) -> None:
        self.bench.write("io_issued", int(self.issue))
        self.bench.write("io_landed", int(self.land is not None))
        self.bench.write("io_landedEpoch", self.flying[self.land] if self.land is not None else 0)
        for i in range(CLIENTS):
            self.bench.write(f"io_fence_{i}_req", int(self.req[i]))

    def sample(self) -> None:
        # What is issued in the cycle of the turn is of the old epoch.
        assert self.bench.read("io_epoch") == self.last_epoch ^ self.turned
        self.last_epoch, self.turned = self.bench.read("io_epoch"), bool(self.bench.read("io_turning"))
        self.turns += self.turned
        for i in range(CLIENTS):
            if self.bench.read(f"io_fence_{i}_done"):
                late = self.before[i] & set(self.flying)
                assert not late, f"fence {i} ended before programs {late}"
                self.req[i] = False
                self.ended[i] += 1
        if self.issue:
            self.flying[self.next] = self.bench.read("io_epoch")
            self.next += 1
        if self.land is not None:
            del self.flying[self.land]
        self.issue, self.land = False, None

    def fence(self, client: int) -> None:
        self.before[client] = set(self.flying)
        self.req[client] = True


@cocotb.test()
async def fence_without_programs_ends_at_once(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    assert tb.bench.read("io_none")
    tb.fence(0)
    await tb.bench.until(lambda: tb.ended[0] == 1, timeout=6)
    assert tb.turns == 1


@cocotb.test()
async def fence_ends_while_new_programs_come(dut: Any) -> None:
    """One old program, then always at least one newer one under way: the fence needs the old one only."""
    tb = TB(dut)
    await tb.bench.start()
    tb.issue = True
    await tb.bench.clock(2)
    tb.fence(0)
    await tb.bench.clock(5)
    for _ in range(3):
        tb.issue = True
        await tb.bench.clock(1)
    # A newer program lands before the old one and must not count for it.
    tb.land = 2
    await tb.bench.clock(20)
    assert not tb.ended[0]
    tb.land = 0
    await tb.bench.until(lambda: tb.ended[0] == 1, timeout=6)
    assert tb.flying and not tb.bench.read("io_none")


@cocotb.test()
async def second_fence_during_the_first(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.issue = True
    await tb.bench.clock(2)
    tb.fence(0)
    await tb.bench.clock(4)
    tb.issue = True
    await tb.bench.clock(2)
    tb.fence(1)
    await tb.bench.clock(4)
    tb.land = 1
    await tb.bench.clock(10)
    assert tb.ended[:2] == [0, 0], "the second fence needs both programs"
    tb.land = 0
    await tb.bench.until(lambda: tb.ended[:2] == [1, 1], timeout=10)


@cocotb.test()
async def random_traffic(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    rng = tb.bench.rng
    for _ in range(4000):
        tb.issue = len(tb.flying) < WRITE_BUFFERS and rng.random() < 0.4
        tb.land = rng.choice(list(tb.flying)) if tb.flying and rng.random() < 0.4 else None
        for i in range(CLIENTS):
            if not tb.req[i] and rng.random() < 0.05:
                tb.fence(i)
        await tb.bench.clock()
    while tb.flying:
        tb.land = next(iter(tb.flying))
        await tb.bench.clock()
    await tb.bench.until(lambda: not any(tb.req), "the last fences", timeout=20)
    assert tb.bench.read("io_none")
    assert min(tb.ended) > 20, f"fences {tb.ended}"


def test_program_tracker(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("ProgramTracker")
