# SPDX-License-Identifier: Apache-2.0
"""Tests of FwDma, between DRAM and the ports of the host DMA units.

They cover every length and alignment in DRAM, and the errors of both sides.
"""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.axi import PAGE, AxiMemory, Memory
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.geometry import BUFFERS
from sim.cocotb.support.nvme import Status
from sim.cocotb.support.orm_formats import SLOT_BYTES
from sim.cocotb.support.peers import BufferReadPeer, Buffers, BufferWritePeer
from sim.cocotb.support.stream import Pulse, Sink, Source, Watch

WORD = 16


class TB:
    """
    Source req  -> FwDma -> Sink/Source hostRead (req, data, done), hostWrite (req, data, done)
                     |-> AxiMemory (DRAM), Watch done, BufferReadPeer, BufferWritePeer
    """

    def __init__(self, dut: Any, stalls: float = 0.0, latency: int = 4) -> None:
        self.bench = Bench(dut)
        self.memory = Memory()
        self.req = Source(self.bench, "io_req")
        self.done = Watch(self.bench, "io_done")
        self.dram = AxiMemory(self.bench, "io_dram", self.memory, stalls, stalls, latency)
        self.read_req = Sink(self.bench, "io_hostRead_req", stalls)
        self.read_data = Source(self.bench, "io_hostRead_data", gaps=stalls)
        self.read_done = Pulse(self.bench, "io_hostRead_done")
        self.write_req = Sink(self.bench, "io_hostWrite_req", stalls)
        self.write_data = Sink(self.bench, "io_hostWrite_data", stalls)
        self.write_done = Pulse(self.bench, "io_hostWrite_done")
        self.buffers = Buffers()
        BufferReadPeer(self.bench, "io_bufRead", self.buffers, stalls, stalls)
        BufferWritePeer(self.bench, "io_bufWrite", self.buffers, stalls)

    async def to_host(self, dram: int, size: int, status: int = 0) -> tuple[bytes, int]:
        """Runs a transfer to the host, which ends there with `status`; returns what the host got and the outcome."""
        self.req.send(toHost=1, dram=dram, prp_prp1=0x1234, prp_prp2=0x5678, prp_bytes=size)
        asked = await self.write_req.get()
        assert asked == {"prp1": 0x1234, "prp2": 0x5678, "bytes": size}
        words = [await self.write_data.get() for _ in range(-(-size // WORD))]
        assert not self.done.seen
        self.write_done.send(bits=status)
        outcome = (await self.done.get())["bits"]
        return b"".join(t["bits"].to_bytes(WORD, "little") for t in words)[:size], outcome

    async def to_dram(self, dram: int, data: bytes, status: int = 0) -> int:
        self.req.send(toHost=0, dram=dram, prp_prp1=0x1234, prp_prp2=0x5678, prp_bytes=len(data))
        asked = await self.read_req.get()
        assert asked == {"prp1": 0x1234, "prp2": 0x5678, "bytes": len(data)}
        for at in range(0, len(data), WORD):
            self.read_data.send(word=int.from_bytes(data[at : at + WORD], "little"), bad=0)
        await self.read_data.drained()
        self.read_done.send(bits=status)
        outcome = (await self.done.get())["bits"]
        assert not self.dram.wr.outstanding, "done means answered"
        return outcome

    async def slot(self, dram: int, buf: int, to_buffer: bool) -> int:
        self.req.send(toHost=int(to_buffer), buffer=1, buf=buf, dram=dram, prp_bytes=SLOT_BYTES)
        outcome = (await self.done.get())["bits"]
        assert not self.dram.wr.outstanding, "done means answered"
        assert not self.read_req.taken and not self.write_req.taken, "the host has no part in it"
        return outcome

    async def check_idle(self) -> None:
        await self.bench.clock(5)
        assert self.bench.read("io_quiet")
        assert not self.dram.rd.outstanding and not self.write_data.taken


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.5], latency=[1, 20])
async def both_ways(dut: Any, stalls: float, latency: int) -> None:
    tb = TB(dut, stalls, latency)
    await tb.bench.start()
    rng = tb.bench.rng
    for size in (WORD, 512, PAGE, PAGE + WORD, WORD * rng.randrange(1, 200)):
        for dram in (0x10000, 0x20000 - WORD, 0x30000 - 7 * WORD):
            data = rng.randbytes(size)
            guard = b"\xa5" * WORD
            tb.memory.write(dram - WORD, guard + bytes(size) + guard)
            assert await tb.to_dram(dram, data) == 0
            assert tb.memory.read(dram - WORD, size + 2 * WORD) == guard + data + guard
            assert await tb.to_host(dram, size) == (data, 0)
    await tb.check_idle()


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.5])
async def any_number_of_dwords_to_the_host(dut: Any, stalls: float) -> None:
    """The last word is passed whole; HostWriter decides which part of it counts."""
    tb = TB(dut, stalls)
    await tb.bench.start()
    rng = tb.bench.rng
    for size in (4, 8, 12, 20, 252, 260, PAGE - 4, PAGE + 4, 32 * PAGE - 12):
        for dram in (0x10000, 0x50000 - WORD):
            data = rng.randbytes(size)
            tb.memory.write(dram, data)
            assert await tb.to_host(dram, size) == (data, 0), size
    await tb.check_idle()


@cocotb.test()
async def host_errors_come_through(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.memory.write(0x1000, b"x" * 64)
    assert (await tb.to_host(0x1000, 64, Status.INVALID_PRP_OFFSET))[1] == Status.INVALID_PRP_OFFSET
    assert await tb.to_dram(0x1000, bytes(64), Status.DATA_TRANSFER_ERROR) == Status.DATA_TRANSFER_ERROR
    assert await tb.to_dram(0x1000, b"y" * 64) == 0
    assert await tb.to_host(0x1000, 64) == (b"y" * 64, 0)
    await tb.check_idle()


@cocotb.test()
async def dram_errors_are_internal(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.memory.write(0x1000, b"x" * 1024)
    tb.dram.rd.fail(0x1000 + 512)
    tb.dram.wr.fail(0x1000 + 512)
    data, status = await tb.to_host(0x1000, 1024)
    assert status == Status.INTERNAL_ERROR
    assert data[:512] == b"x" * 512 and data[512:528] == bytes(16), "what could not be read is zero"
    assert await tb.to_dram(0x1000, bytes(1024)) == Status.INTERNAL_ERROR
    tb.dram.rd.heal()
    tb.dram.wr.heal()
    assert await tb.to_dram(0x1000, b"z" * 64) == 0
    await tb.check_idle()


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.5], latency=[1, 20])
async def a_slot_between_dram_and_a_buffer(dut: Any, stalls: float, latency: int) -> None:
    tb = TB(dut, stalls, latency)
    await tb.bench.start()
    rng = tb.bench.rng
    for dram in (0x10000, 0x20000 - WORD, 0x30000 - 7 * WORD):
        first, second = rng.sample(range(BUFFERS), 2)
        data, guard = rng.randbytes(SLOT_BYTES), b"\xa5" * WORD
        tb.memory.write(dram - WORD, guard + data + guard)
        assert await tb.slot(dram, first, to_buffer=True) == 0
        assert tb.buffers.pages[first] == data
        tb.buffers.pages[second][:] = data[::-1]
        assert await tb.slot(dram, second, to_buffer=False) == 0
        assert tb.memory.read(dram - WORD, SLOT_BYTES + 2 * WORD) == guard + data[::-1] + guard
        assert await tb.to_host(dram, 64) == (data[::-1][:64], 0), "and the host again"
    await tb.check_idle()


@cocotb.test()
async def dram_errors_of_a_slot(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    for port, to_buffer in ((tb.dram.rd, True), (tb.dram.wr, False)):
        tb.memory.write(0x1000, bytes(SLOT_BYTES))
        port.fail(0x1000 + 512)
        assert await tb.slot(0x1000, 1, to_buffer) == Status.INTERNAL_ERROR
        port.heal()
        assert await tb.slot(0x1000, 1, to_buffer) == 0
    await tb.check_idle()


@cocotb.test()
async def a_list_does_not_wait_for_dram_burst_by_burst(dut: Any) -> None:
    tb = TB(dut, latency=20)
    await tb.bench.start()
    data = tb.bench.rng.randbytes(2048)
    begin = tb.bench.cycle
    assert await tb.to_dram(0x1000, data) == 0
    cycles = tb.bench.cycle - begin
    cocotb.log.info(f"{len(data)} bytes to DRAM of 20 cycles: {cycles} cycles")
    assert tb.memory.read(0x1000, len(data)) == data
    assert cycles <= len(data) // WORD + 64


@cocotb.test()
async def slow_host_does_not_hold_dram(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.write_data.hold = True
    tb.req.send(toHost=1, dram=0x1000, prp_bytes=PAGE)
    await tb.bench.clock(200)
    assert not tb.dram.rd.outstanding, "all that was asked for has been taken"
    tb.write_data.hold = False
    for _ in range(PAGE // WORD):
        await tb.write_data.get()
    tb.write_done.send()
    assert (await tb.done.get())["bits"] == 0
    await tb.check_idle()


def test_fw_dma(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("FwDma")
