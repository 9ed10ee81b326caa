# SPDX-License-Identifier: Apache-2.0
"""Tests of TlpReceive64: TLPs of all lengths come whole, and a beat a cycle passes."""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.pcie.support.pieces import BeatSink
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.stream import Source


class TB:
    def __init__(self, dut: Any, stalls: float = 0.0, gaps: float = 0.0) -> None:
        self.bench = Bench(dut)
        self.core = Source(self.bench, "io_core", gaps)
        self.out = BeatSink(self.bench, "io_out", stalls)

    def send(self, length: int, bar: int) -> list[int]:
        dwords = [self.bench.rng.getrandbits(32) for _ in range(length)]
        for i in range(0, length, 2):
            whole = i + 1 < length
            high = dwords[i + 1] if whole else self.bench.rng.getrandbits(32)
            self.core.send(data=dwords[i] | high << 32, keep=0xFF if whole else 0x0F, last=int(i + 2 >= length),
                           user=bar << 2)  # fmt: skip
        return dwords


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.5], gaps=[0.0, 0.5])
async def tlps_come_whole(dut: Any, stalls: float, gaps: float) -> None:
    tb = TB(dut, stalls, gaps)
    await tb.bench.start()
    bars = [tb.bench.rng.getrandbits(8) for _ in range(80)]
    sent = [tb.send(3 + i % 40, bar) for i, bar in enumerate(bars)]
    await tb.bench.until(lambda: len(tb.out.frames) == len(sent), "all TLPs")
    assert tb.out.frames == sent
    assert [first["bar0"] for first in tb.out.firsts] == [bar & 1 for bar in bars]


@cocotb.test()
async def it_never_makes_the_core_wait(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    begin = tb.bench.cycle
    beats = sum((len(tb.send(length, 1)) + 1) // 2 for length in (3, 4, 7, 20, 35, 3, 3, 132))
    await tb.core.drained()
    assert tb.bench.cycle - begin <= beats + 1


def test_tlp_receive64(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("TlpReceive64")
