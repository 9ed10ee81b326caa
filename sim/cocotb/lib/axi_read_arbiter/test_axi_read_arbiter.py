# SPDX-License-Identifier: Apache-2.0
"""Tests of AxiReadArbiter: each reader gets its data in order, and none starves."""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.axi import AxiReadMemory, Memory
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.stream import Sink, Source

READERS = 3
BEAT = 16


class TB:
    """Source ar[3], Sink r[3] -> AxiReadArbiter -> AxiReadMemory"""

    def __init__(self, dut: Any, stalls: float = 0.0, latency: int = 4) -> None:
        self.bench = Bench(dut)
        self.memory = Memory()
        self.ar = [Source(self.bench, f"io_in_{i}_ar", gaps=stalls) for i in range(READERS)]
        self.r = [Sink(self.bench, f"io_in_{i}_r", stalls=stalls) for i in range(READERS)]
        self.slave = AxiReadMemory(self.bench, "io_out", self.memory, stalls=stalls, gaps=stalls, latency=latency)

    def ask(self, reader: int, beats: int) -> list[tuple[int, int]]:
        """Requests a burst at a random place. Returns the expected beats as (data, last)."""
        addr = self.bench.rng.randrange(1 << 30) * 4096 + BEAT * self.bench.rng.randrange(256 - beats)
        data = [self.bench.rng.getrandbits(128) for _ in range(beats)]
        for i, word in enumerate(data):
            self.memory.write_int(addr + BEAT * i, word, BEAT)
        self.ar[reader].send(addr=addr, len=beats - 1)
        return [(word, int(i == beats - 1)) for i, word in enumerate(data)]


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.5], latency=[1, 40])
async def everyone_gets_its_own(dut: Any, stalls: float, latency: int) -> None:
    tb = TB(dut, stalls, latency)
    await tb.bench.start()
    wanted: list[list[tuple[int, int]]] = [[] for _ in range(READERS)]
    for _ in range(90):
        reader = tb.bench.rng.randrange(READERS)
        wanted[reader] += tb.ask(reader, tb.bench.rng.choice([1, 2, 4, 16]))
    for reader in range(READERS):
        for data, last in wanted[reader]:
            got = await tb.r[reader].get()
            assert (got["data"], got["last"], got["resp"]) == (data, last, 0)
    await tb.bench.clock(10)
    assert not tb.slave.outstanding and not any(r.taken for r in tb.r)


@cocotb.test()
async def takes_turns(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    for _ in range(30):
        for reader in range(READERS):
            tb.ar[reader].send(addr=0x1000 * (reader + 1), len=0)
    await tb.bench.until(lambda: len(tb.slave.bursts) == 90)
    order = [addr >> 12 for addr, _ in tb.slave.bursts]
    for at in range(len(order) - READERS + 1):
        assert len(set(order[at : at + READERS])) == READERS, order


@cocotb.test()
async def errors_reach_their_reader_only(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.slave.fail(0x2000)
    for reader in range(READERS):
        tb.ar[reader].send(addr=0x1000 * (reader + 1), len=0)
    resps = [(await tb.r[reader].get())["resp"] for reader in range(READERS)]
    assert resps == [0, 2, 0]


@cocotb.test()
async def bounded_number_of_bursts(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.slave.hold_data = True
    for _ in range(40):
        tb.ar[0].send(addr=0x1000, len=0)
    await tb.bench.clock(200)
    assert len(tb.slave.bursts) == 16
    tb.slave.hold_data = False
    for _ in range(40):
        await tb.r[0].get()


def test_axi_read_arbiter(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("AxiReadArbiter")
