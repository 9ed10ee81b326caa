# SPDX-License-Identifier: Apache-2.0
"""Tests of AxiWriteArbiter: data follows its address, whichever comes first, and each response reaches its writer."""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.axi import OKAY, SLVERR, AxiWriteMemory, Memory
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.stream import Sink, Source

WRITERS = 3
BEAT = 16


class TB:
    """Source aw[3], w[3], Sink b[3] -> AxiWriteArbiter -> AxiWriteMemory"""

    def __init__(self, dut: Any, stalls: float = 0.0, latency: int = 4, late_data: float = 0.0) -> None:
        self.bench = Bench(dut)
        self.memory = Memory()
        self.aw = [Source(self.bench, f"io_in_{i}_aw", gaps=stalls) for i in range(WRITERS)]
        self.w = [Source(self.bench, f"io_in_{i}_w", gaps=max(stalls, late_data)) for i in range(WRITERS)]
        self.b = [Sink(self.bench, f"io_in_{i}_b", stalls=stalls) for i in range(WRITERS)]
        self.slave = AxiWriteMemory(self.bench, "io_out", self.memory, stalls=stalls, gaps=stalls, latency=latency)

    def write(self, writer: int, addr: int, beats: int) -> bytes:
        self.aw[writer].send(addr=addr, len=beats - 1)
        data = self.bench.rng.randbytes(BEAT * beats)
        for i in range(beats):
            word = int.from_bytes(data[BEAT * i : BEAT * (i + 1)], "little")
            self.w[writer].send(data=word, strb=0xFFFF, last=int(i == beats - 1))
        return data


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.5], latency=[1, 40], late_data=[0.0, 0.8])
async def data_lands_at_its_address(dut: Any, stalls: float, latency: int, late_data: float) -> None:
    tb = TB(dut, stalls, latency, late_data)
    await tb.bench.start()
    wanted, count = {}, [0] * WRITERS
    for index in range(60):
        writer = tb.bench.rng.randrange(WRITERS)
        addr = 0x1_0000_0000 + 0x1000 * index
        wanted[addr] = tb.write(writer, addr, tb.bench.rng.choice([1, 2, 4, 16]))
        count[writer] += 1
    for writer in range(WRITERS):
        for _ in range(count[writer]):
            assert (await tb.b[writer].get())["resp"] == OKAY
    for addr, data in wanted.items():
        assert tb.memory.read(addr, len(data)) == data
    await tb.bench.clock(10)
    assert not tb.slave.outstanding and not any(b.taken for b in tb.b)


@cocotb.test()
async def takes_turns(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    for _ in range(20):
        for writer in range(WRITERS):
            tb.write(writer, 0x1000 * (writer + 1), 1)
    await tb.bench.until(lambda: len(tb.slave.bursts) == 60)
    order = [addr >> 12 for addr, _ in tb.slave.bursts]
    for at in range(len(order) - WRITERS + 1):
        assert len(set(order[at : at + WRITERS])) == WRITERS, order


@cocotb.test()
async def errors_reach_their_writer_only(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.slave.fail(0x2000)
    for writer in range(WRITERS):
        tb.write(writer, 0x1000 * (writer + 1), 2)
    resps = [(await tb.b[writer].get())["resp"] for writer in range(WRITERS)]
    assert resps == [OKAY, SLVERR, OKAY]


@cocotb.test()
async def bounded_number_of_bursts(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.slave.hold_resp = True
    for _ in range(40):
        tb.write(0, 0x1000, 1)
    await tb.bench.clock(300)
    assert len(tb.slave.bursts) == 16
    tb.slave.hold_resp = False
    for _ in range(40):
        await tb.b[0].get()


def test_axi_write_arbiter(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("AxiWriteArbiter")
