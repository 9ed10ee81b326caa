# SPDX-License-Identifier: Apache-2.0
"""Tests of AxiWindow: what lies in the window reaches the slave at its new place; the rest is answered DECERR, in
order, and never gets there."""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.axi import BEAT, DECERR, OKAY, SLVERR, AxiReadMemory, AxiWriteMemory, Memory
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.stream import Sink, Source

# As Emit.scala makes it.
FROM, BYTES, TO = 0x50000, 0x10000, 0x1230000
OUTSIDE = (FROM - 4096, FROM + BYTES, 0, 0x1_0005_0000, 0xFFFF_FFFF_0005_0000)
MOST = 16  # bursts under way


class TB:
    """Source ar, aw, w, Sink r, b -> AxiWindow -> AxiReadMemory, AxiWriteMemory"""

    def __init__(self, dut: Any, stalls: float = 0.0, latency: int = 4) -> None:
        self.bench = Bench(dut)
        self.memory = Memory()
        self.ar = Source(self.bench, "io_in_rd_ar", gaps=stalls)
        self.r = Sink(self.bench, "io_in_rd_r", stalls=stalls)
        self.aw = Source(self.bench, "io_in_wr_aw", gaps=stalls)
        self.w = Source(self.bench, "io_in_wr_w", gaps=stalls)
        self.b = Sink(self.bench, "io_in_wr_b", stalls=stalls)
        self.reads = AxiReadMemory(self.bench, "io_out_rd", self.memory, stalls=stalls, gaps=stalls, latency=latency)
        self.writes = AxiWriteMemory(self.bench, "io_out_wr", self.memory, stalls=stalls, gaps=stalls, latency=latency)

    def place(self, beats: int) -> int:
        """A random address in the window for a burst."""
        page = self.bench.rng.randrange(BYTES // 4096)
        return FROM + 4096 * page + BEAT * self.bench.rng.randrange(4096 // BEAT - beats + 1)

    def write(self, addr: int, beats: int) -> bytes:
        data = self.bench.rng.randbytes(BEAT * beats)
        self.aw.send(addr=addr, len=beats - 1)
        for i in range(beats):
            word = int.from_bytes(data[BEAT * i : BEAT * (i + 1)], "little")
            self.w.send(data=word, strb=0xFFFF, last=int(i == beats - 1))
        return data


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.5], latency=[1, 40])
async def reads_come_from_the_window_only(dut: Any, stalls: float, latency: int) -> None:
    tb = TB(dut, stalls, latency)
    await tb.bench.start()
    wanted: list[tuple[int | None, int]] = []
    inside = []
    for _ in range(80):
        beats = tb.bench.rng.choice([1, 2, 4, 16])
        if tb.bench.rng.random() < 0.3:
            tb.ar.send(addr=tb.bench.rng.choice(OUTSIDE), len=beats - 1)
            wanted += [(None, int(i == beats - 1)) for i in range(beats)]
            continue
        addr = tb.place(beats)
        tb.ar.send(addr=addr, len=beats - 1)
        inside.append((addr - FROM + TO, beats))
        for i in range(beats):
            at = addr - FROM + TO + BEAT * i
            tb.memory.write_int(at, at << 64 | ~at & 0xFFFF, BEAT)
            wanted.append((tb.memory.read_int(at, BEAT), int(i == beats - 1)))
    for data, last in wanted:
        got = await tb.r.get()
        assert (got["resp"], got["last"]) == (DECERR if data is None else OKAY, last)
        assert data is None or got["data"] == data
    assert tb.reads.bursts == inside
    await tb.bench.clock(10)
    assert not tb.r.taken


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.5], latency=[1, 40])
async def writes_reach_the_window_only(dut: Any, stalls: float, latency: int) -> None:
    tb = TB(dut, stalls, latency)
    await tb.bench.start()
    wanted, inside = [], {}
    for _ in range(80):
        beats = tb.bench.rng.choice([1, 2, 4, 16])
        refused = tb.bench.rng.random() < 0.3
        addr = tb.bench.rng.choice(OUTSIDE) if refused else tb.place(beats)
        data = tb.write(addr, beats)
        wanted.append(DECERR if refused else OKAY)
        if not refused:
            for i in range(beats):
                inside[addr - FROM + TO + BEAT * i] = data[BEAT * i : BEAT * (i + 1)]
    for resp in wanted:
        assert (await tb.b.get())["resp"] == resp
    for at, data in inside.items():
        assert tb.memory.read(at, BEAT) == data
    assert len(tb.writes.bursts) == wanted.count(OKAY)
    assert all(TO <= addr < TO + BYTES for addr, _ in tb.writes.bursts)
    await tb.bench.clock(10)
    assert not tb.b.taken


@cocotb.test()
async def errors_of_the_slave_pass(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.reads.fail(TO)
    tb.writes.fail(TO)
    tb.ar.send(addr=FROM, len=0)
    tb.write(FROM, 1)
    assert (await tb.r.get())["resp"] == SLVERR
    assert (await tb.b.get())["resp"] == SLVERR


@cocotb.test()
async def bounded_number_of_bursts(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.reads.hold_data = tb.writes.hold_resp = True
    for _ in range(2 * MOST):
        tb.ar.send(addr=FROM, len=0)
        tb.write(FROM, 1)
    await tb.bench.clock(300)
    assert len(tb.reads.bursts) == len(tb.writes.bursts) == MOST
    tb.reads.hold_data = tb.writes.hold_resp = False
    for _ in range(2 * MOST):
        await tb.r.get()
        await tb.b.get()


def test_axi_window(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("AxiWindow")
