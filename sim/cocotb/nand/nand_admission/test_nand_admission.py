# SPDX-License-Identifier: Apache-2.0
"""Tests of NandAdmission: the client that is served in each cycle, against a direct statement of the rule."""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.geometry import GC_ONE_IN
from sim.cocotb.support.nand import NandClient

CLIENTS = range(len(NandClient))
GC = int(NandClient.GC)
OTHERS = [c for c in CLIENTS if c != GC]


class Reference:
    def __init__(self) -> None:
        self.order = list(OTHERS)  # least recently granted first
        self.passed = 0  # grants to others while GC requested

    def grant(self, asks: int) -> int | None:
        urgent = [c for c in self.order if asks >> c & 1]
        gc_asks = bool(asks >> GC & 1)
        if gc_asks and (not urgent or self.passed == GC_ONE_IN - 1):
            self.passed = 0
            return GC
        if not urgent:
            return None
        self.passed += gc_asks
        self.order.remove(urgent[0])
        self.order.append(urgent[0])
        return urgent[0]


class TB:
    """`often`: share of cycles in which each client requests."""

    def __init__(self, dut: Any, often: list[float]) -> None:
        self.bench = Bench(dut)
        self.often = often
        self.reference = Reference()
        self.granted = [0 for _ in CLIENTS]
        self._asks = self.bench.input("io_asks")
        self.bench.add(self)

    def drive(self) -> None:
        self._now = sum((self.bench.rng.random() < self.often[c]) << c for c in CLIENTS)
        self._asks.set(self._now)

    def sample(self) -> None:
        if self.bench.read("reset"):
            return
        chosen = self.reference.grant(self._now)
        assert self.bench.read("io_grant") == (0 if chosen is None else 1 << chosen)
        if chosen is not None:
            self.granted[chosen] += 1


@cocotb.test()
@cocotb.parametrize(often=[[0.5, 0.5, 0.5, 0.5], [0.9, 0.2, 0.9, 0.05], [0.1, 0.1, 0.9, 0.1]])
async def goes_by_the_rule(dut: Any, often: list[float]) -> None:
    tb = TB(dut, often)
    await tb.bench.start()
    await tb.bench.clock(1000)
    assert all(tb.granted), "each client asked and was granted"


@cocotb.test()
async def shares_when_all_ask_always(dut: Any) -> None:
    tb = TB(dut, [1.0 for _ in CLIENTS])
    await tb.bench.start()
    await tb.bench.clock(12 * GC_ONE_IN)
    total = sum(tb.granted)
    assert abs(tb.granted[GC] - total / GC_ONE_IN) <= 1
    others = [tb.granted[c] for c in OTHERS]
    assert max(others) - min(others) <= 1


def test_nand_admission(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("NandAdmission")
