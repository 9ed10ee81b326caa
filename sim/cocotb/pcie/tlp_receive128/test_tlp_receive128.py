# SPDX-License-Identifier: Apache-2.0
"""Tests of TlpReceive128: TLPs that straddle come whole, one after the other."""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.pcie.support.pieces import BeatSink, join
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.stream import Source


class TB:
    def __init__(self, dut: Any, stalls: float = 0.0, gaps: float = 0.0) -> None:
        self.bench = Bench(dut)
        self.core = Source(self.bench, "io_core", gaps)
        self.out = BeatSink(self.bench, "io_out", stalls)

    def send(self, frames: list[list[int]], bars: list[int], high: float, straddles: float) -> int:
        """Sends TLPs. A share of `high` begins in an upper half although the lower one is free; a share of `straddles`
        of those that may begins behind the end of another. Returns the number of beats."""
        rng = self.bench.rng
        beats: list[tuple[list[int | None], int]] = []
        lanes: list[int | None] = []
        user = 0
        for frame, bar in zip(frames, bars, strict=True):
            if lanes and (len(lanes) > 2 or rng.random() >= straddles):
                beats.append((lanes, user))
                lanes, user = [], 0
            if lanes:
                lanes += [None] * (2 - len(lanes))
            elif rng.random() < high:
                lanes = [None, None]
            user = user & ~(0xFF << 2) | 1 << 14 | int(bool(lanes)) << 13 | bar << 2
            for i, dword in enumerate(frame):
                lanes.append(dword)
                if i == len(frame) - 1:
                    user |= 1 << 21 | (len(lanes) - 1) << 19 | 3 << 17
                if len(lanes) == 4:
                    beats.append((lanes, user))
                    lanes, user = [], 0
        if lanes:
            beats.append((lanes, user))
        for content, tuser in beats:
            content += [None] * (4 - len(content))
            data = join([rng.getrandbits(32) if dword is None else dword for dword in content])
            self.core.send(data=data, user=tuser, keep=rng.getrandbits(16), last=rng.getrandbits(1))
        return len(beats)


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.5], gaps=[0.0, 0.5], high=[0.0, 0.5], straddles=[0.0, 0.7, 1.0])
async def tlps_come_whole(dut: Any, stalls: float, gaps: float, high: float, straddles: float) -> None:
    tb = TB(dut, stalls, gaps)
    await tb.bench.start()
    rng = tb.bench.rng
    frames = [[rng.getrandbits(32) for _ in range(rng.choice([3, 4, 5, 6, 7, 8, 19, 20, 36]))] for _ in range(80)]
    bars = [rng.getrandbits(8) for _ in frames]
    tb.send(frames, bars, high, straddles)
    await tb.bench.until(lambda: len(tb.out.frames) == len(frames), "all TLPs")
    assert tb.out.frames == frames
    assert [first["bar0"] for first in tb.out.firsts] == [bar & 1 for bar in bars]


@cocotb.test()
async def each_pair_of_ends_and_beginnings(dut: Any) -> None:
    """Lengths of two neighbours, in both halves."""
    tb = TB(dut)
    await tb.bench.start()
    rng = tb.bench.rng
    frames = [[rng.getrandbits(32) for _ in range(length)]
              for a in range(3, 11) for b in range(3, 11) for length in (a, b)]  # fmt: skip
    tb.send(frames, [1] * len(frames), 0.5, 1.0)
    await tb.bench.until(lambda: len(tb.out.frames) == len(frames), "all TLPs")
    assert tb.out.frames == frames


@cocotb.test()
async def a_long_tlp_passes_at_full_rate(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    begin = tb.bench.cycle
    beats = tb.send([[1] * 131, [2] * 132], [0, 0], 1.0, 1.0)
    await tb.core.drained()
    assert tb.bench.cycle - begin <= beats + 3, "at most a cycle for each end"


def test_tlp_receive128(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("TlpReceive128")
