# SPDX-License-Identifier: Apache-2.0
"""Tests of TlpArbiter: TLPs stay whole and in the order of their sender, and nobody starves."""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.pcie.support.pieces import BeatSink, send_beats
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.stream import Source, Watch

SENDERS = 3
WRITES = 0


class TB:
    def __init__(self, dut: Any, stalls: float = 0.0, gaps: float = 0.0) -> None:
        self.bench = Bench(dut)
        self.sources = [Source(self.bench, f"io_in_{i}", gaps) for i in range(SENDERS)]
        self.out = BeatSink(self.bench, "io_out", stalls)
        self.sent = Watch(self.bench, "io_sent")

    def send(self, sender: int, length: int) -> list[int]:
        frame = [sender << 24 | self.bench.rng.getrandbits(24) for _ in range(length)]
        send_beats(self.sources[sender], frame)
        return frame


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.6], gaps=[0.0, 0.6])
async def tlps_stay_whole(dut: Any, stalls: float, gaps: float) -> None:
    tb = TB(dut, stalls, gaps)
    await tb.bench.start()
    want: list[list[list[int]]] = [[] for _ in range(SENDERS)]
    for _ in range(120):
        sender = tb.bench.rng.randrange(SENDERS)
        want[sender].append(tb.send(sender, tb.bench.rng.choice([3, 4, 5, 8, 20, 35])))
    await tb.bench.until(lambda: len(tb.out.frames) == 120, "all TLPs")
    for sender in range(SENDERS):
        assert [frame for frame in tb.out.frames if frame[0] >> 24 == sender] == want[sender]
    await tb.bench.clock(3)
    assert len(tb.sent.seen) == len(want[WRITES])


@cocotb.test()
async def nobody_starves(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    for _ in range(20):
        for sender in range(SENDERS):
            tb.send(sender, 8)
    begin = tb.bench.cycle
    await tb.bench.until(lambda: len(tb.out.frames) == 60, "all TLPs")
    assert tb.bench.cycle - begin <= 60 * 2 + 4, "no cycle is lost"
    order = [frame[0] >> 24 for frame in tb.out.frames]
    for at in range(len(order) - SENDERS + 1):
        assert len(set(order[at : at + SENDERS])) == SENDERS, order


@cocotb.test()
async def what_is_sent_comes_before_what_is_offered_then(dut: Any) -> None:
    """A completion that is offered when a write has been called sent leaves behind it."""
    tb = TB(dut, stalls=0.7)
    await tb.bench.start()
    for _ in range(20):
        tb.out.frames.clear()
        tb.sent.seen.clear()
        tb.send(WRITES, 20)
        await tb.bench.until(lambda: bool(tb.sent.seen), "the write to be sent")
        tb.send(1, 3)
        await tb.bench.until(lambda: len(tb.out.frames) == 2, "both")
        assert [frame[0] >> 24 for frame in tb.out.frames] == [WRITES, 1]


def test_tlp_arbiter(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("TlpArbiter")
