# SPDX-License-Identifier: Apache-2.0
"""Tests of HostWriter.

Words are written to scattered host buffers byte for byte, and nowhere else. The word count is right after errors, too.
"""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support import transfers
from sim.cocotb.support.axi import PAGE, AxiReadMemory, AxiWriteMemory, Memory
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.geometry import WORD_BYTES
from sim.cocotb.support.nvme import Status
from sim.cocotb.support.prp import PageSource, PrpBuffer, build
from sim.cocotb.support.stream import Source, Watch

GUARD = 64  # bytes watched on both sides of each piece


class Client:
    def __init__(self, bench: Bench, index: int, gaps: float) -> None:
        prefix = f"io_client_{index}"
        self.req = Source(bench, prefix + "_req")
        self.data = Source(bench, prefix + "_data", gaps=gaps)
        self.done = Watch(bench, prefix + "_done")

    def write(self, prp1: int, prp2: int, data: bytes) -> None:
        self.req.send(prp1=prp1, prp2=prp2, bytes=len(data))
        data += b"\x5a" * (-len(data) % WORD_BYTES)  # only the counting part of the last word is written
        for at in range(0, len(data), WORD_BYTES):
            self.data.send(bits=int.from_bytes(data[at : at + WORD_BYTES], "little"))


class TB:
    """AxiReadMemory (lists)
                                      |
    Source req[2], data[2] -> HostWriter -> AxiWriteMemory
                                      |-> Watch done[2]
    """

    def __init__(self, dut: Any, stalls: float = 0.0, latency: int = 4) -> None:
        self.bench = Bench(dut)
        self.memory = Memory()
        self.pages = PageSource(self.bench.rng)
        self.client = [Client(self.bench, i, stalls) for i in range(2)]
        self.list = AxiReadMemory(self.bench, "io_list", self.memory, stalls=stalls, gaps=stalls, latency=latency)
        self.host = AxiWriteMemory(self.bench, "io_host", self.memory, stalls=stalls, gaps=stalls, latency=latency)

    def buffer(self, size: int, offset: int = 0, list_offset: int = 0) -> PrpBuffer:
        """A host buffer between guard bytes."""
        buffer = build(self.memory, self.pages, size, offset, list_offset)
        for addr, length in buffer.pieces:
            self.memory.write(addr - GUARD, b"\xa5" * (length + 2 * GUARD))
        return buffer

    def check_guards(self, buffer: PrpBuffer) -> None:
        for addr, length in buffer.pieces:
            assert self.memory.read(addr - GUARD, GUARD) == b"\xa5" * GUARD, f"written before {addr:#x}"
            assert self.memory.read(addr + length, GUARD) == b"\xa5" * GUARD, f"written after {addr + length:#x}"

    async def write(self, buffer: PrpBuffer, data: bytes, client: int = 0) -> int:
        self.client[client].write(buffer.prp1, buffer.prp2, data)
        status = (await self.client[client].done.get())["bits"]
        assert not self.client[client].data.pending, "every word has been taken"
        assert not self.host.outstanding, "done means answered"
        return status

    async def check(self, buffer: PrpBuffer, client: int = 0) -> None:
        data = self.bench.rng.randbytes(buffer.size)
        assert await self.write(buffer, data, client) == 0
        assert buffer.gather(self.memory) == data
        self.check_guards(buffer)

    async def transfer(self, size: int, offset: int = 0, list_offset: int = 0, client: int = 0) -> None:
        await self.check(self.buffer(size, offset, list_offset), client)

    async def check_idle(self) -> None:
        await self.bench.clock(5)
        assert self.bench.read("io_quiet")
        assert not self.list.outstanding


@cocotb.test()
@cocotb.parametrize(offset=list(range(0, 32, 4)), stalls=[0.0, 0.5])
async def every_dword_alignment(dut: Any, offset: int, stalls: float) -> None:
    await transfers.every_size_at(TB(dut, stalls), offset)


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.5])
async def every_number_of_dwords(dut: Any, stalls: float) -> None:
    tb = TB(dut, stalls)
    await tb.bench.start()
    for size in (4, 8, 12, 20, 24, 28, 252, 256 + 4, PAGE - 4, PAGE + 8, 2 * PAGE + 12):
        for offset in (0, 4, 8, 12, PAGE - 4, PAGE - 8):
            await tb.check(tb.buffer(size, offset), client=tb.bench.rng.randrange(2))
    await tb.check_idle()


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.6], latency=[2, 100])
async def random_transfers(dut: Any, stalls: float, latency: int) -> None:
    await transfers.random_transfers(TB(dut, stalls, latency))


@cocotb.test()
async def streams_at_a_word_a_cycle(dut: Any) -> None:
    await transfers.streams_at_a_word_a_cycle(TB(dut, latency=100), 100)


@cocotb.test()
async def does_not_wait_for_answers(dut: Any) -> None:
    """Back-to-back transfers to a host that answers late: only the answers of the last one are awaited."""
    latency, pages = 200, 5
    tb = TB(dut, latency=latency)
    await tb.bench.start()
    jobs = []
    for _ in range(pages):
        buffer, data = tb.buffer(PAGE), tb.bench.rng.randbytes(PAGE)
        tb.client[0].write(buffer.prp1, buffer.prp2, data)
        jobs.append((buffer, data))
    start = tb.bench.cycle
    for _ in range(pages):
        assert (await tb.client[0].done.get(timeout=5000))["bits"] == 0
    assert tb.bench.cycle - start < pages * (PAGE // WORD_BYTES + 10) + 2 * latency
    for buffer, data in jobs:
        assert buffer.gather(tb.memory) == data
    await tb.check_idle()


@cocotb.test()
async def short_transfers_wait_for_the_one_before(dut: Any) -> None:
    """At most two transfers wait for their answers. `done` stays in order, and each transfer has its own."""
    tb = TB(dut, latency=100)
    await tb.bench.start()
    jobs = []
    for _ in range(4):
        buffer, data = tb.buffer(4 * WORD_BYTES), tb.bench.rng.randbytes(4 * WORD_BYTES)
        tb.client[0].write(buffer.prp1, buffer.prp2, data)
        jobs.append((buffer, data))
    for buffer, data in jobs:
        assert (await tb.client[0].done.get())["bits"] == 0
        assert buffer.gather(tb.memory) == data, "done means answered"
    await tb.check_idle()


@cocotb.test()
async def an_error_is_that_of_its_transfer(dut: Any) -> None:
    """The host refuses a burst of the first transfer while the second one is under way."""
    tb = TB(dut, latency=100)
    await tb.bench.start()
    first, second = tb.buffer(PAGE), tb.buffer(PAGE)
    tb.host.fail(first.prp1 + PAGE - 256)
    data = tb.bench.rng.randbytes(PAGE)
    tb.client[0].write(first.prp1, first.prp2, data)
    tb.client[0].write(second.prp1, second.prp2, data)
    assert (await tb.client[0].done.get(timeout=5000))["bits"] == Status.DATA_TRANSFER_ERROR
    assert (await tb.client[0].done.get(timeout=5000))["bits"] == Status.SUCCESS
    assert second.gather(tb.memory) == data
    await tb.check_idle()


@cocotb.test()
async def clients_take_turns(dut: Any) -> None:
    tb = TB(dut, stalls=0.2)
    await tb.bench.start()
    jobs = []
    for client in (0, 1):
        for i in range(6):
            buffer, data = tb.buffer(WORD_BYTES * (3 + i), 4 * i), tb.bench.rng.randbytes(WORD_BYTES * (3 + i))
            tb.client[client].write(buffer.prp1, buffer.prp2, data)
            jobs.append((buffer, data))
    for client in (0, 1):
        for _ in range(6):
            assert (await tb.client[client].done.get())["bits"] == 0
    for buffer, data in jobs:
        assert buffer.gather(tb.memory) == data
        tb.check_guards(buffer)
    await tb.check_idle()


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.5])
async def unwritable_memory(dut: Any, stalls: float) -> None:
    """SLVERR on any burst of the transfer: Data Transfer Error, all words accepted, the next transfer is good."""
    tb = TB(dut, stalls, latency=10)
    await tb.bench.start()
    for piece, at in ((0, 0), (0, 2048), (1, 512), (1, 1008)):
        buffer = tb.buffer(PAGE + 1024)
        tb.host.fail(buffer.pieces[piece][0] + at)
        assert await tb.write(buffer, bytes(buffer.size)) == Status.DATA_TRANSFER_ERROR
        tb.check_guards(buffer)
        await tb.check(tb.buffer(PAGE, 4))
    await tb.check_idle()


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.5])
async def bad_prps(dut: Any, stalls: float) -> None:
    tb = TB(dut, stalls)
    await tb.bench.start()
    for offset in (0, 4, 2060):
        buffer = tb.buffer(PAGE, offset & 0xFFC)
        tb.client[0].write(buffer.prp1 | 1, buffer.prp2, bytes(PAGE))
        assert (await tb.client[0].done.get())["bits"] == Status.INVALID_PRP_OFFSET

        buffer = tb.buffer(4 * PAGE, offset)
        tb.memory.write_int(buffer.prp2 + 16, buffer.pieces[3][0] + 8, 8)
        data = tb.bench.rng.randbytes(buffer.size)
        assert await tb.write(buffer, data) == Status.INVALID_PRP_OFFSET
        good = sum(size for _, size in buffer.pieces[:3])
        assert buffer.gather(tb.memory)[:good] == data[:good], "the pages before the bad entry have been written"
        assert buffer.gather(tb.memory)[good:] == b"\xa5" * (len(data) - good), "and nothing after them"
        tb.check_guards(buffer)

        buffer = tb.buffer(4 * PAGE, offset)
        tb.list.fail(buffer.prp2)
        assert await tb.write(buffer, bytes(buffer.size)) == Status.DATA_TRANSFER_ERROR
        tb.check_guards(buffer)
        await tb.check(tb.buffer(2 * PAGE, offset))
    await tb.check_idle()


@cocotb.test()
async def slow_client_does_not_hold_the_bus(dut: Any) -> None:
    """No address without its data: the bus stays free for others while a client hesitates."""
    tb = TB(dut)
    await tb.bench.start()
    buffer = tb.buffer(2 * PAGE)
    data = tb.bench.rng.randbytes(buffer.size)
    c = tb.client[0]
    c.req.send(prp1=buffer.prp1, prp2=buffer.prp2, bytes=buffer.size)
    for at in range(0, len(data), WORD_BYTES):
        if at == PAGE + 5 * WORD_BYTES:
            await c.data.drained()
            await tb.bench.clock(100)
            assert not tb.host.outstanding, "no address was given for data that is not there"
            assert tb.host.w.count == tb.host.aw.count * 16 + 5, (
                "beats of the next burst may come early, others see none"
            )
        c.data.send(bits=int.from_bytes(data[at : at + WORD_BYTES], "little"))
    assert (await c.done.get())["bits"] == 0
    assert buffer.gather(tb.memory) == data
    await tb.check_idle()


@cocotb.test()
async def a_host_that_takes_nothing_stops_the_client(dut: Any) -> None:
    """No word is lost between a full FIFO and its client."""
    tb = TB(dut)
    await tb.bench.start()
    buffer = tb.buffer(2 * PAGE)
    data = tb.bench.rng.randbytes(buffer.size)
    c = tb.client[0]
    tb.host.aw.hold = tb.host.w.hold = True
    c.write(buffer.prp1, buffer.prp2, data)
    await tb.bench.clock(500)
    taken = c.data.sent
    await tb.bench.clock(100)
    assert 0 < taken == c.data.sent < buffer.size // WORD_BYTES and not c.done.seen
    tb.host.aw.hold = tb.host.w.hold = False
    assert (await c.done.get())["bits"] == 0
    assert buffer.gather(tb.memory) == data
    tb.check_guards(buffer)
    await tb.check_idle()


def test_host_writer(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("HostWriter")
