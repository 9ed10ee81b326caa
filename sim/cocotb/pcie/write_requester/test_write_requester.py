# SPDX-License-Identifier: Apache-2.0
"""Tests of WriteRequester: runs become requests with the right bytes, answered when they are on the stream."""

from __future__ import annotations

from typing import Any

import cocotb
from cocotbext.pcie.core.tlp import Tlp, TlpType

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.pcie.support.pieces import OURS, BeatSink
from sim.cocotb.support.axi import BEAT, OKAY, SLVERR
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.stream import Sink, Source

Want = tuple[int, bytes, int, int]  # address, data, first and last byte enable


class TB:
    """Requests are on the stream `delay` cycles after they have left the unit."""

    def __init__(self, dut: Any, stalls: float = 0.0, gaps: float = 0.0, delay: int = 3) -> None:
        self.bench = Bench(dut)
        self.run = Source(self.bench, "io_run", gaps)
        self.data = Source(self.bench, "io_data", gaps)
        self.message = Source(self.bench, "io_message", gaps)
        self.out = BeatSink(self.bench, "io_out", stalls, on_tlp=lambda *_: self._due.append(self.bench.cycle + delay))
        self.b = Sink(self.bench, "io_b", stalls, stable=True)
        self.open = 1
        self.hold_sent = False
        self.sent = 0
        self._due: list[int] = []
        self.bench.add(self)

    def drive(self) -> None:
        now = bool(self._due) and not self.hold_sent and self._due[0] <= self.bench.cycle
        if now:
            self._due.pop(0)
            self.sent += 1
        self.bench.input("io_sent").set(int(now))
        self.bench.input("io_open").set(self.open)
        self.bench.input("io_id").set(int(OURS))

    def sample(self) -> None:
        pass

    def send(self, addr: int, dwords: int, first: int = 15, last_be: int = 15, last: int = 1) -> Want:
        beats = (addr // 4 % 4 + dwords + 3) // 4
        data = self.bench.rng.randbytes(BEAT * beats)
        self.run.send(addr=addr // 4, dwords=dwords, firstBe=first, lastBe=last_be, last=last)
        for i in range(beats):
            self.data.send(bits=int.from_bytes(data[BEAT * i : BEAT * (i + 1)], "little"))
        return addr, data[addr % BEAT : addr % BEAT + 4 * dwords], first, 0 if dwords == 1 else last_be

    async def tlps(self, count: int) -> list[Tlp]:
        await self.bench.until(lambda: len(self.out.frames) >= count, f"{count} requests")
        tlps = self.out.tlps()
        self.out.frames.clear()
        assert len(tlps) == count
        return tlps

    async def answers(self, count: int) -> list[int]:
        return [(await self.b.get())["resp"] for _ in range(count)]


def check(tlp: Tlp, want: Want) -> None:
    addr, data, first, last = want
    assert tlp.fmt_type == (TlpType.MEM_WRITE_64 if addr >> 32 else TlpType.MEM_WRITE)
    assert (tlp.requester_id, tlp.address) == (OURS, addr)
    assert (bytes(tlp.data), tlp.first_be, tlp.last_be) == (data, first, last)


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.6], gaps=[0.0, 0.6])
async def runs_become_requests(dut: Any, stalls: float, gaps: float) -> None:
    tb = TB(dut, stalls, gaps)
    await tb.bench.start()
    rng = tb.bench.rng
    want = []
    for i in range(160):
        skip = i % 4
        dwords = i // 4 + 1 if i < 80 else rng.choice([1, 2, 3, 4, 5, 31, 32, 33, 128 - skip])
        addr = rng.choice([0x8000_0000, 0xFFFF_F000, 1 << 32, rng.getrandbits(52) << 12]) + BEAT * rng.randrange(8)
        first = rng.randrange(1, 16) if dwords == 1 else rng.choice([8, 12, 14, 15])
        want.append(tb.send(addr + 4 * skip, dwords, first, rng.choice([1, 3, 7, 15])))
    await tb.bench.until(lambda: len(tb.out.frames) == len(want), "all requests")
    for tlp, one in zip(await tb.tlps(len(want)), want, strict=True):
        check(tlp, one)
    assert await tb.answers(len(want)) == [OKAY] * len(want)
    assert tb.data.pending == 0


@cocotb.test()
async def a_burst_is_answered_when_its_last_request_is_on_the_stream(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.hold_sent = True
    tb.send(0x1000, 4, last=0)
    tb.send(0x1010, 4, last=1)
    tb.run.send(last=1)  # a burst without bytes, behind the first
    await tb.tlps(2)
    await tb.bench.clock(30)
    assert not tb.b.taken
    tb.hold_sent = False
    assert await tb.answers(2) == [OKAY, OKAY]
    assert tb.sent == 2
    await tb.bench.clock(20)
    assert not tb.b.taken


@cocotb.test()
async def it_follows_so_many_bursts(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.b.hold = True
    for i in range(20):
        tb.send(0x1000 + BEAT * i, 4)
    await tb.bench.clock(300)
    assert len(tb.out.frames) == 8
    tb.b.hold = False
    await tb.answers(20)
    await tb.tlps(20)


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.6])
async def messages_go_between_runs(dut: Any, stalls: float) -> None:
    tb = TB(dut, stalls)
    await tb.bench.start()
    rng = tb.bench.rng
    runs, messages = [], []
    for _ in range(25):
        runs.append(tb.send(0x9000_0000 + BEAT * rng.randrange(256), rng.randrange(1, 40)))
        addr, data = rng.choice([0, 1 << 40]) + 0xFEE0_0000 + 4 * rng.randrange(256), rng.getrandbits(32)
        tb.message.send(addr=addr, data=data)
        messages.append((addr, data.to_bytes(4, "little"), 15, 0))
    tlps = await tb.tlps(50)
    for i, tlp in enumerate(tlps):  # they take turns
        others = runs if tlp.address >> 16 == 0x9000 else messages
        check(tlp, others.pop(0))
        assert i < 2 or len(runs) - len(messages) in (-2, -1, 0, 1, 2)
    assert await tb.answers(25) == [OKAY] * 25
    await tb.bench.clock(20)
    assert not tb.b.taken, "nobody is owed an answer to a message"


@cocotb.test()
async def nothing_is_sent_while_the_host_allows_nothing(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.open = 0
    await tb.bench.clock(2)
    for dwords in (1, 7, 128):
        tb.send(0x1000, dwords)
    tb.message.send(addr=0xFEE0_0000, data=5)
    tb.run.send(last=1)
    assert await tb.answers(4) == [SLVERR, SLVERR, SLVERR, OKAY], "the last one had no bytes"
    await tb.message.drained()
    await tb.bench.clock(20)
    assert not tb.out.frames and tb.data.pending == 0
    tb.open = 1
    await tb.bench.clock(2)
    want = tb.send(0x2000, 9)
    (tlp,) = await tb.tlps(1)
    check(tlp, want)
    assert await tb.answers(1) == [OKAY]


@cocotb.test()
async def a_burst_fails_with_any_part_of_it(dut: Any) -> None:
    """The host forbids requests, and allows them again, in the middle of a burst."""
    tb = TB(dut)
    await tb.bench.start()
    for forbidden in range(3):
        for part in range(3):
            tb.open = int(part != forbidden)
            await tb.bench.clock(2)
            tb.send(0x1000 + 128 * part, 32, last=int(part == 2))
            await tb.run.drained()
            await tb.data.drained()
            await tb.bench.clock(60)
        assert await tb.answers(1) == [SLVERR]
        await tb.tlps(2)
        tb.open = 1
        await tb.bench.clock(2)
        tb.send(0x1000, 4)
        assert await tb.answers(1) == [OKAY]
        await tb.tlps(1)


@cocotb.test()
async def few_cycles_for_a_request(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    begin = tb.bench.cycle
    for i in range(16):
        tb.send(0x8000_0000 + 256 * i, 64)
    await tb.tlps(16)
    assert tb.bench.cycle - begin <= 16 * (16 + 1 + 2) + 10


def test_write_requester(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("WriteRequester")
