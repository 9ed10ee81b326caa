# SPDX-License-Identifier: Apache-2.0
"""Tests of AxiOffset: each burst goes to its place in the larger memory, and answers come back unchanged."""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.axi import OKAY, SLVERR, AxiReadMemory, AxiWriteMemory, Memory
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.stream import Sink, Source

# As in hw/src/top/Emit.scala.
BASE = 0x0A00_0000
BYTES = 0x0100_0000
BEAT = 16


class TB:
    """Sources aw, w, ar, Sinks b, r -> AxiOffset -> a memory"""

    def __init__(self, dut: Any, stalls: float) -> None:
        self.bench = Bench(dut)
        self.memory = Memory()
        self.aw = Source(self.bench, "io_in_wr_aw", gaps=stalls)
        self.w = Source(self.bench, "io_in_wr_w", gaps=stalls)
        self.ar = Source(self.bench, "io_in_rd_ar", gaps=stalls)
        self.b = Sink(self.bench, "io_in_wr_b", stalls=stalls)
        self.r = Sink(self.bench, "io_in_rd_r", stalls=stalls)
        self.reads = AxiReadMemory(self.bench, "io_out_rd", self.memory, stalls=stalls, gaps=stalls)
        self.writes = AxiWriteMemory(self.bench, "io_out_wr", self.memory, stalls=stalls, gaps=stalls)

    def write(self, addr: int, data: bytes) -> None:
        beats = len(data) // BEAT
        self.aw.send(addr=addr, len=beats - 1)
        for i in range(beats):
            word = int.from_bytes(data[BEAT * i : BEAT * (i + 1)], "little")
            self.w.send(data=word, strb=0xFFFF, last=int(i == beats - 1))

    async def read(self, addr: int, beats: int) -> tuple[bytes, set[int]]:
        self.ar.send(addr=addr, len=beats - 1)
        words = [await self.r.get() for _ in range(beats)]
        assert [word["last"] for word in words] == [0] * (beats - 1) + [1]
        return b"".join(word["data"].to_bytes(BEAT, "little") for word in words), {word["resp"] for word in words}


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.5])
async def bursts_go_to_the_part(dut: Any, stalls: float) -> None:
    tb = TB(dut, stalls)
    await tb.bench.start()
    rng = tb.bench.rng
    places = [0, BYTES - 16 * BEAT, *(BEAT * rng.randrange(BYTES // BEAT - 16) & ~0xFF for _ in range(30))]
    wanted = {}
    for addr in dict.fromkeys(places):
        wanted[addr] = rng.randbytes(BEAT * rng.choice([1, 2, 16]))
        tb.write(addr, wanted[addr])
    for _ in wanted:
        assert (await tb.b.get())["resp"] == OKAY
    for addr, data in wanted.items():
        assert tb.memory.read(BASE + addr, len(data)) == data
        assert await tb.read(addr, len(data) // BEAT) == (data, {OKAY})


@cocotb.test()
async def errors_come_back(dut: Any) -> None:
    tb = TB(dut, 0.0)
    await tb.bench.start()
    tb.reads.fail(BASE + 0x2000)
    tb.writes.fail(BASE + 0x2000)
    tb.write(0x2000, bytes(BEAT))
    tb.write(0x3000, bytes(BEAT))
    assert [(await tb.b.get())["resp"] for _ in range(2)] == [SLVERR, OKAY]
    assert (await tb.read(0x2000, 1))[1] == {SLVERR}
    assert (await tb.read(0x3000, 1))[1] == {OKAY}


def test_axi_offset(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("AxiOffset")
