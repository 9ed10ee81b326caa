# SPDX-License-Identifier: Apache-2.0
"""Tests of WriteGatherer: runs write exactly the bytes of the bursts, as few of them as there can be."""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.axi import BEAT, Memory
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.stream import Sink, Source, Transaction

PAGE = 4096
MOST = 512  # bytes of a run
ALL = (1 << BEAT) - 1


class TB:
    """Takes the runs with their data, and writes them into a memory, which is compared with what was asked for."""

    def __init__(self, dut: Any, stalls: float = 0.0, gaps: float = 0.0) -> None:
        self.bench = Bench(dut)
        self.aw = Source(self.bench, "io_aw", gaps)
        self.w = Source(self.bench, "io_w", gaps)
        self.run = Sink(self.bench, "io_run", stalls, stable=True)
        self.data = Sink(self.bench, "io_data", stalls, stable=True)
        self.memory = Memory()
        self.want = Memory()
        self.touched: set[int] = set()
        self.ends = 0
        self.runs: list[tuple[int, int]] = []  # address and bytes

    async def start(self, payload: int = 2) -> None:
        self.limit = min(MOST, 128 << payload)
        await self.bench.start()
        self.bench.write("io_config_payload", payload)
        await self.bench.clock(2)

    def write(self, addr: int, strobes: list[int]) -> None:
        self.aw.send(addr=addr, len=len(strobes) - 1)
        for i, strb in enumerate(strobes):
            word = self.bench.rng.randbytes(BEAT)
            self.w.send(data=int.from_bytes(word, "little"), strb=strb, last=int(i == len(strobes) - 1))
            for byte in range(BEAT):
                if strb >> byte & 1:
                    self.want.write(addr + BEAT * i + byte, word[byte : byte + 1])
                    self.touched.add(addr + BEAT * i + byte)

    async def take(self, bursts: int) -> None:
        """Takes runs until so many bursts have ended."""
        wanted = self.ends + bursts
        while self.ends < wanted:
            self._apply(run := await self.run.get(), [await self.data.get() for _ in range(self._beats(run))])

    @staticmethod
    def _beats(run: Transaction) -> int:
        return (run["addr"] % 4 + run["dwords"] + 3) // 4 if run["dwords"] else 0

    def _apply(self, run: Transaction, beats: list[Transaction]) -> None:
        self.ends += run["last"]
        if run["dwords"] == 0:
            assert run["last"]
            return
        addr = 4 * run["addr"]
        data = b"".join(beat["bits"].to_bytes(BEAT, "little") for beat in beats)[addr % BEAT :]
        enables = [15] * run["dwords"]
        enables[-1] = run["lastBe"]
        enables[0] = run["firstBe"]
        if run["dwords"] > 1:
            assert run["firstBe"] in (8, 12, 14, 15) and run["lastBe"] in (1, 3, 7, 15)
        count = 0
        for i, enable in enumerate(enables):
            for byte in range(4):
                if enable >> byte & 1:
                    at = addr + 4 * i + byte
                    assert at in self.touched, "a byte that nobody wrote, or that was written twice"
                    self.touched.remove(at)
                    self.memory.write(at, data[4 * i + byte : 4 * i + byte + 1])
                    count += 1
        assert addr // self.limit == (addr + 4 * run["dwords"] - 1) // self.limit, "over the limit"
        self.runs.append((addr, count))

    def check(self, addr: int, length: int) -> None:
        assert not self.touched
        assert self.memory.read(addr, length) == self.want.read(addr, length)


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.6], gaps=[0.0, 0.6], payload=[0, 1, 2, 5])
async def rows_of_bytes_are_one_run(dut: Any, stalls: float, gaps: float, payload: int) -> None:
    tb = TB(dut, stalls, gaps)
    await tb.start(payload)
    rng = tb.bench.rng
    for _ in range(40):
        length = rng.choice([1, 2, 3, 4, 5, 15, 16, 17, 31, 64, 127, 512, 1000, PAGE])
        begin = rng.randrange(PAGE - length + 1)
        page = rng.getrandbits(40) * PAGE
        first = begin // BEAT * BEAT
        enabled = [0] * ((begin + length - 1) // BEAT - begin // BEAT + 1)
        for at in range(begin, begin + length):
            enabled[(at - first) // BEAT] |= 1 << at % BEAT
        tb.runs.clear()
        tb.write(page + first, enabled)
        await tb.take(1)
        tb.check(page, PAGE)
        assert len(tb.runs) == (begin + length - 1) // tb.limit - begin // tb.limit + 1


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.6], gaps=[0.0, 0.6])
async def any_strobes(dut: Any, stalls: float, gaps: float) -> None:
    tb = TB(dut, stalls, gaps)
    await tb.start(0)
    rng = tb.bench.rng
    for _ in range(60):
        page = rng.getrandbits(52) * PAGE
        beats = rng.randrange(1, 12)
        strobes = [rng.choice([0, ALL, ALL, ALL << rng.randrange(16) & ALL, ALL >> rng.randrange(16),
                               rng.getrandbits(16)]) for _ in range(beats)]  # fmt: skip
        tb.write(page + BEAT * rng.randrange(256 - beats), strobes)
        await tb.take(1)
        tb.check(page, PAGE)


@cocotb.test()
async def every_strobe_of_one_beat(dut: Any) -> None:
    """All patterns of 8 bits, at each place of a beat."""
    tb = TB(dut)
    await tb.start()
    for at in range(0, BEAT, 4):
        for pattern in range(256):
            strb = pattern << at & ALL
            tb.runs.clear()
            tb.write(BEAT * pattern, [strb])
            await tb.take(1)
            tb.check(BEAT * pattern, BEAT)
            rows = len([row for row in f"{strb:b}".split("0") if row])
            dwords = sum(strb >> 4 * i & 15 != 0 for i in range(4))
            assert len(tb.runs) == (rows if rows < 2 else dwords), "gaps: a run for each dword"


@cocotb.test()
async def bursts_are_runs_of_their_own(dut: Any) -> None:
    tb = TB(dut)
    await tb.start()
    for i in range(8):
        tb.write(0x1000 + 2 * BEAT * i, [ALL, ALL])
    await tb.take(8)
    assert tb.runs == [(0x1000 + 2 * BEAT * i, 2 * BEAT) for i in range(8)]
    tb.check(0x1000, 256)


@cocotb.test()
async def it_holds_so_many(dut: Any) -> None:
    """Runs and beats wait; nothing is lost."""
    tb = TB(dut)
    await tb.start()
    tb.run.hold = tb.data.hold = True
    for i in range(10):
        tb.write(PAGE * i, [ALL] * 20)
    await tb.bench.clock(300)
    assert 60 <= tb.w.sent <= 70
    tb.run.hold = tb.data.hold = False
    await tb.take(10)
    for i in range(10):
        tb.check(PAGE * i, PAGE)
    tb.run.hold = True
    for i in range(40):
        tb.write(PAGE * i, [1])
    await tb.bench.clock(200)
    assert tb.w.pending
    tb.run.hold = False
    await tb.take(40)
    for i in range(40):
        tb.check(PAGE * i, PAGE)


@cocotb.test()
async def a_beat_a_cycle(dut: Any) -> None:
    tb = TB(dut)
    await tb.start(1)
    begin = tb.bench.cycle
    for i in range(4):
        tb.write(0x1000 * i, [ALL] * 64)
    await tb.w.drained()
    assert tb.bench.cycle - begin <= 4 * 64 + 4
    await tb.take(4)


def test_write_gatherer(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("WriteGatherer")
