# SPDX-License-Identifier: Apache-2.0
"""Tests of ReadRequester: bursts become requests of the right size, each with a slot."""

from __future__ import annotations

from typing import Any

import cocotb
from cocotbext.pcie.core.tlp import TlpType

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.pcie.support.pieces import OURS, BeatSink
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.stream import Source, Transaction, Watch

BEAT = 16
PAGE = 4096
MOST = 512  # bytes of a request
Issue = tuple[int, int, int, int]  # beats, low, last, failed


class TB:
    """The slots' tags count up; `room` of them are free."""

    def __init__(self, dut: Any, stalls: float = 0.0, gaps: float = 0.0, room: int = 1 << 30) -> None:
        self.bench = Bench(dut)
        self.ar = Source(self.bench, "io_ar", gaps)
        self.out = BeatSink(self.bench, "io_out", stalls)
        self.issues: list[Issue] = []
        self.room = room
        self.open = 1
        Watch(self.bench, "io_issue", self._issue)
        self.bench.add(self)

    def _issue(self, t: Transaction) -> None:
        assert self.room > len(self.issues), "no slot is free"
        self.issues.append((t["beats"], t["low"], t["last"], t["failed"]))

    def drive(self) -> None:
        self.bench.input("io_tag").set(len(self.issues) & 31)
        self.bench.input("io_free").set(int(len(self.issues) < self.room))
        self.bench.input("io_open").set(self.open)

    def sample(self) -> None:
        pass

    async def start(self, request: int) -> None:
        self.limit = min(MOST, 128 << request)
        await self.bench.start()
        self.bench.write("io_config_id", int(OURS))
        self.bench.write("io_config_request", request)
        await self.bench.clock(2)

    def ask(self, addr: int, beats: int) -> list[tuple[int, int, int]]:
        """Returns the requests that a burst should become: address, bytes, last."""
        self.ar.send(addr=addr, len=beats - 1)
        at, end = addr // BEAT * BEAT, addr // BEAT * BEAT + BEAT * beats
        parts = []
        while at < end:
            stop = min(end, at // self.limit * self.limit + self.limit)
            parts.append((at, stop - at, int(stop == end)))
            at = stop
        return parts

    async def settle(self, count: int) -> None:
        await self.bench.until(lambda: len(self.issues) == count, f"{count} requests")
        await self.bench.until(lambda: len(self.out.frames) == sum(not failed for *_, failed in self.issues), "TLPs")
        await self.bench.clock(20)
        assert len(self.issues) == count


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.6], request=[0, 1, 2, 3, 5])
async def bursts_become_requests(dut: Any, stalls: float, request: int) -> None:
    tb = TB(dut, stalls, stalls)
    await tb.start(request)
    rng = tb.bench.rng
    want = []
    for i in range(40):
        beats = [1, 8, 256][i] if i < 3 else rng.choice([1, 2, 7, 8, 9, 31, 32, 33, 100, 256])
        page = rng.choice([rng.randrange(1 << 20), rng.getrandbits(52), 0, (1 << 20) - 1, 1 << 20])
        want += tb.ask(page * PAGE + BEAT * rng.randrange(256 - beats + 1), beats)
    await tb.settle(len(want))
    assert tb.issues == [(size // BEAT, at // BEAT % 8, last, 0) for at, size, last in want]
    for i, (tlp, (at, size, _)) in enumerate(zip(tb.out.tlps(), want, strict=True)):
        assert (tlp.address, 4 * tlp.length) == (at, size)
        assert tlp.fmt_type == (TlpType.MEM_READ_64 if at >> 32 else TlpType.MEM_READ)
        assert (tlp.requester_id, tlp.tag, tlp.first_be, tlp.last_be) == (OURS, i & 31, 15, 15)


@cocotb.test()
async def an_address_inside_a_beat_is_that_beat(dut: Any) -> None:
    tb = TB(dut)
    await tb.start(2)
    want = tb.ask(0x1234, 4)
    await tb.settle(len(want))
    assert [tlp.address for tlp in tb.out.tlps()] == [0x1230]


@cocotb.test()
async def a_request_waits_for_a_slot(dut: Any) -> None:
    tb = TB(dut, room=3)
    await tb.start(0)
    want = tb.ask(0x1000, 64)
    assert len(want) == 8
    await tb.bench.clock(100)
    assert len(tb.issues) == len(tb.out.frames) == 3
    tb.room = 5
    await tb.bench.clock(100)
    assert len(tb.issues) == len(tb.out.frames) == 5
    tb.room = 8
    await tb.settle(8)


@cocotb.test()
async def nothing_is_sent_while_the_host_allows_nothing(dut: Any) -> None:
    tb = TB(dut)
    await tb.start(2)
    tb.open = 0
    want = tb.ask(0x1000, 64)
    await tb.settle(2)
    assert tb.issues == [(size // BEAT, at // BEAT % 8, last, 1) for at, size, last in want]
    assert not tb.out.frames
    tb.open = 1
    tb.ask(0x2000, 1)
    await tb.settle(3)
    assert tb.issues[2] == (1, 0, 1, 0) and len(tb.out.frames) == 1


def test_read_requester(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("ReadRequester")
