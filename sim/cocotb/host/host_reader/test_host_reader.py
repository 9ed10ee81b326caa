# SPDX-License-Identifier: Apache-2.0
"""Tests of HostReader.

The bytes of scattered host buffers arrive as words in order, at any alignment. The word count is right after errors,
too.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support import transfers
from sim.cocotb.support.axi import PAGE, AxiReadMemory, Memory
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.geometry import WORD_BYTES
from sim.cocotb.support.nvme import Status
from sim.cocotb.support.prp import PageSource, PrpBuffer, build
from sim.cocotb.support.stream import Sink, Source, Watch


class Client:
    """A client of the reader."""

    def __init__(self, bench: Bench, index: int, stalls: float) -> None:
        prefix = f"io_client_{index}"
        self.req = Source(bench, prefix + "_req")
        self.data = Sink(bench, prefix + "_data", stalls=stalls)
        self.done = Watch(bench, prefix + "_done", on_seen=self._finished)
        self.finished: list[tuple[int, int]] = []  # status, words taken by then

    def _finished(self, t: dict[str, int]) -> None:
        self.finished.append((t["bits"], self.data.count))


class TB:
    """AxiReadMemory (data and lists)
                           |
    Source req[2] -> HostReader -> Sink data[2], Watch done[2]
    """

    def __init__(self, dut: Any, stalls: float = 0.0, latency: int = 4) -> None:
        self.bench = Bench(dut)
        self.memory = Memory()
        self.pages = PageSource(self.bench.rng)
        self.client = [Client(self.bench, i, stalls) for i in range(4)]
        self.host = AxiReadMemory(self.bench, "io_host", self.memory, stalls=stalls, gaps=stalls, latency=latency)

    def buffer(self, size: int, offset: int = 0, list_offset: int = 0) -> tuple[PrpBuffer, bytes]:
        """A host buffer with random content."""
        buffer = build(self.memory, self.pages, size, offset, list_offset)
        data = self.bench.rng.randbytes(size)
        buffer.scatter(self.memory, data)
        return buffer, data

    def ask(self, buffer: PrpBuffer, client: int = 0) -> None:
        self.client[client].req.send(prp1=buffer.prp1, prp2=buffer.prp2, bytes=buffer.size)

    async def collect(self, size: int, client: int = 0) -> tuple[bytes, int | None, int]:
        """The data of a transfer, the first word marked bad, and the status."""
        c = self.client[client]
        await self.bench.until(lambda: bool(c.finished), "done")
        status, words = c.finished.pop(0)
        assert words == size // WORD_BYTES, f"done after {words} of {size // WORD_BYTES} words"
        assert len(c.data.taken) == words
        c.data.count -= words
        taken = [c.data.taken.popleft() for _ in range(words)]
        bad = [t["bad"] for t in taken]
        first_bad = bad.index(1) if 1 in bad else None
        if first_bad is not None:
            assert all(bad[first_bad:]), "once bad, bad to the end"
            assert not any(t["word"] for t in taken[first_bad:]), "bad words are zero"
        return b"".join(t["word"].to_bytes(WORD_BYTES, "little") for t in taken), first_bad, status

    async def check(self, buffer: PrpBuffer, data: bytes, client: int = 0) -> None:
        self.ask(buffer, client)
        got, bad, status = await self.collect(buffer.size, client)
        assert (bad, status) == (None, 0)
        assert got == data, f"transfer of {buffer.size} bytes at {buffer.pieces} differs"

    async def transfer(self, size: int, offset: int = 0, list_offset: int = 0, client: int = 0) -> None:
        await self.check(*self.buffer(size, offset, list_offset), client)

    async def check_idle(self) -> None:
        await self.bench.clock(5)
        assert self.bench.read("io_quiet")
        assert not self.host.outstanding


@cocotb.test()
@cocotb.parametrize(offset=list(range(0, 32, 4)), stalls=[0.0, 0.5])
async def every_dword_alignment(dut: Any, offset: int, stalls: float) -> None:
    await transfers.every_size_at(TB(dut, stalls), offset)


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.6], latency=[2, 100])
async def random_transfers(dut: Any, stalls: float, latency: int) -> None:
    await transfers.random_transfers(TB(dut, stalls, latency))


@cocotb.test()
async def streams_at_a_word_a_cycle(dut: Any) -> None:
    await transfers.streams_at_a_word_a_cycle(TB(dut, latency=100), 100)


@cocotb.test()
async def asks_ahead(dut: Any) -> None:
    """Transfers of a page each, requested back to back: the latency of the host is paid once."""
    latency, pages = 150, 4
    tb = TB(dut, latency=latency)
    await tb.bench.start()
    sent = [tb.buffer(PAGE) for _ in range(pages)]
    for buffer, _ in sent:
        tb.ask(buffer)
    start = tb.bench.cycle
    client = tb.client[0]
    await tb.bench.until(lambda: len(client.finished) == pages, "all transfers", timeout=5000)
    words = pages * PAGE // WORD_BYTES
    assert tb.bench.cycle - start < words + 2 * latency
    assert client.finished == [(Status.SUCCESS, PAGE // WORD_BYTES * (i + 1)) for i in range(pages)]
    got = b"".join(t["word"].to_bytes(WORD_BYTES, "little") for t in client.data.taken)
    assert got == b"".join(data for _, data in sent)
    await tb.check_idle()


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.5])
async def an_error_is_that_of_its_transfer(dut: Any, stalls: float) -> None:
    """A transfer fails at once, between a good one that is still arriving and another good one."""
    tb = TB(dut, stalls, latency=60)
    await tb.bench.start()
    first, data = tb.buffer(PAGE)
    last, rest = tb.buffer(PAGE, 16)
    tb.ask(first)
    tb.client[0].req.send(prp1=first.prp1 + 2, prp2=0, bytes=4 * WORD_BYTES)
    tb.ask(last)
    client = tb.client[0]
    await tb.bench.until(lambda: len(client.finished) == 3, "all transfers", timeout=10000)
    assert [status for status, _ in client.finished] == [Status.SUCCESS, Status.INVALID_PRP_OFFSET, Status.SUCCESS]
    words = list(client.data.taken)
    got = b"".join(t["word"].to_bytes(WORD_BYTES, "little") for t in words)
    assert got == data + bytes(4 * WORD_BYTES) + rest
    n = PAGE // WORD_BYTES
    assert [t["bad"] for t in words] == [0] * n + [1] * 4 + [0] * n
    await tb.check_idle()


@cocotb.test()
async def clients_take_turns(dut: Any) -> None:
    tb = TB(dut, stalls=0.2)
    await tb.bench.start()
    sent: list[list[tuple[PrpBuffer, bytes]]] = [
        [tb.buffer(WORD_BYTES * (5 + i), 4 * i) for i in range(8)] for _ in range(2)
    ]
    for client, buffers in enumerate(sent):
        for buffer, _ in buffers:
            tb.ask(buffer, client)
    for turn in zip(*sent, strict=True):
        for client, (buffer, data) in enumerate(turn):
            c = tb.client[client]
            await tb.bench.until(partial(bool, c.finished), "done")
            status, _ = c.finished.pop(0)
            got = b"".join(
                c.data.taken.popleft()["word"].to_bytes(WORD_BYTES, "little") for _ in range(buffer.size // WORD_BYTES)
            )
            assert status == 0
            assert got == data
    assert not tb.client[0].data.taken and not tb.client[1].data.taken
    await tb.check_idle()


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.5])
async def unreadable_data(dut: Any, stalls: float) -> None:
    tb = TB(dut, stalls, latency=10)
    await tb.bench.start()
    for offset in (0, 4, 8, 12):
        for at in (0, 64, PAGE + 32):
            buffer, data = tb.buffer(PAGE + 512, offset)
            piece, inside = next((p, at - b) for p, b, e in _spans(buffer) if b <= at < e)
            beat = (piece + inside) // 16 * 16
            tb.host.fail(beat)
            tb.ask(buffer)
            got, bad, status = await tb.collect(buffer.size)
            assert status == Status.DATA_TRANSFER_ERROR
            assert bad is not None and bad * WORD_BYTES <= at
            assert bad * WORD_BYTES > at - 2 * WORD_BYTES, "words before the error are good"
            assert got[: bad * WORD_BYTES] == data[: bad * WORD_BYTES]
            tb.host.heal()
            await tb.check(*tb.buffer(PAGE, 4))
    await tb.check_idle()


def _spans(buffer: PrpBuffer) -> list[tuple[int, int, int]]:
    spans, at = [], 0
    for addr, size in buffer.pieces:
        spans.append((addr, at, at + size))
        at += size
    return spans


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.5])
async def bad_prps(dut: Any, stalls: float) -> None:
    """Misaligned entries and unreadable lists: the words before are good, the rest is bad, the count is right."""
    tb = TB(dut, stalls)
    await tb.bench.start()
    rng = tb.bench.rng
    for offset in (0, 4, 2060):
        buffer, _ = tb.buffer(PAGE, offset & 0xFFC)
        tb.client[0].req.send(prp1=buffer.prp1 | 2, prp2=0, bytes=PAGE)
        got, bad, status = await tb.collect(PAGE)
        assert (bad, status, got) == (0, Status.INVALID_PRP_OFFSET, bytes(PAGE))

        buffer, data = tb.buffer(4 * PAGE, offset, 8 * rng.randrange(512))
        entry = rng.randrange(1, len(buffer.pieces) - 1)
        broken = buffer.pieces[entry][0]
        # Find the entry in its list page and misalign it.
        where = next(
            p + i
            for p in (b // PAGE * PAGE for b in buffer.lists)
            for i in range(0, PAGE, 8)
            if tb.memory.read_int(p + i, 8) == broken
        )
        tb.memory.write_int(where, broken + 8, 8)
        tb.ask(buffer)
        got, bad, status = await tb.collect(buffer.size)
        good = sum(size for _, size in buffer.pieces[:entry])
        assert (bad, status) == (good // WORD_BYTES, Status.INVALID_PRP_OFFSET)
        assert got[: good // WORD_BYTES * WORD_BYTES] == data[: good // WORD_BYTES * WORD_BYTES]

        buffer, data = tb.buffer(4 * PAGE, offset)
        tb.host.fail(buffer.prp2)
        tb.ask(buffer)
        got, bad, status = await tb.collect(buffer.size)
        assert (bad, status) == (buffer.pieces[0][1] // WORD_BYTES, Status.DATA_TRANSFER_ERROR)
        await tb.check(*tb.buffer(2 * PAGE, offset))
    await tb.check_idle()


@cocotb.test()
async def slow_client_does_not_hold_the_bus(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    buffer, data = tb.buffer(3 * PAGE, 4)
    tb.client[0].data.hold = True
    tb.ask(buffer)
    await tb.bench.clock(1000)
    assert not tb.host.outstanding, "everything asked for has been taken from the bus"
    assert tb.bench.read("io_quiet"), "waiting for the client only"
    tb.client[0].data.hold = False
    got, bad, status = await tb.collect(buffer.size)
    assert (got, bad, status) == (data, None, 0)
    await tb.check_idle()


def test_host_reader(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("HostReader")
