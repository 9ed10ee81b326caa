# SPDX-License-Identifier: Apache-2.0
"""Tests of TlpTransmit64 and TlpTransmit128: TLPs of all lengths reach the core whole, without a gap."""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.pcie.support.pieces import send_beats
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.stream import Sink, Source, Transaction


class TB:
    def __init__(self, dut: Any, stalls: float = 0.0, gaps: float = 0.0) -> None:
        self.bench = Bench(dut)
        self.lanes = len(dut.io_core_bits_data) // 32
        self.source = Source(self.bench, "io_in", gaps)
        self.core = Sink(self.bench, "io_core", stalls, stable=True, on_take=self._take)
        self.frames: list[list[int]] = [[]]
        self.beats = 0

    def _take(self, t: Transaction) -> None:
        count = (t["keep"] + 1).bit_length() // 4
        assert t["keep"] == (1 << 4 * count) - 1 and (t["last"] or count == self.lanes)
        self.frames[-1] += [t["data"] >> 32 * i & 0xFFFFFFFF for i in range(count)]
        self.beats += 1
        if t["last"]:
            self.frames.append([])

    def send(self, length: int) -> list[int]:
        dwords = [self.bench.rng.getrandbits(32) for _ in range(length)]
        send_beats(self.source, dwords)
        return dwords


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.5], gaps=[0.0, 0.5])
async def tlps_leave_whole(dut: Any, stalls: float, gaps: float) -> None:
    tb = TB(dut, stalls, gaps)
    await tb.bench.start()
    sent = [tb.send(3 + i % 40) for i in range(80)]
    await tb.bench.until(lambda: len(tb.frames) == len(sent) + 1, "all TLPs")
    assert tb.frames == [*sent, []]


@cocotb.test()
async def a_beat_a_cycle(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    begin = tb.bench.cycle
    beats = sum(-(-len(tb.send(length)) // tb.lanes) for length in (4, 20, 36, 132, 3, 35))
    await tb.bench.until(lambda: tb.beats == beats, "all beats")
    assert tb.bench.cycle - begin <= beats + 4


def test_tlp_transmit64(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("TlpTransmit64")
