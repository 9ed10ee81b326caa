# SPDX-License-Identifier: Apache-2.0
"""Tests of PrpWalker.

The pieces are those of the driver's buffer, at any alignment of buffer and list. Each error has its own status.
"""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.axi import PAGE, AxiReadMemory, Memory
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.geometry import MDTS_PAGES
from sim.cocotb.support.nvme import Status
from sim.cocotb.support.prp import PageSource, PrpBuffer, build
from sim.cocotb.support.stream import Sink, Source

MDTS = MDTS_PAGES * PAGE


class TB:
    """AxiReadMemory (lists)
                      |
    Source req -> PrpWalker -> Sink segment
    """

    def __init__(self, dut: Any, stalls: float = 0.0, latency: int = 4) -> None:
        self.bench = Bench(dut)
        self.memory = Memory()
        self.pages = PageSource(self.bench.rng)
        self.req = Source(self.bench, "io_req")
        self.segment = Sink(self.bench, "io_segment", stalls=stalls, stable=True)
        self.host = AxiReadMemory(self.bench, "io_host", self.memory, stalls=stalls, gaps=stalls, latency=latency)

    async def walk(self, prp1: int, prp2: int, size: int) -> tuple[list[tuple[int, int]], int]:
        """Returns the pieces and the final status of one walk."""
        self.req.send(prp1=prp1, prp2=prp2, bytes=size)
        pieces: list[tuple[int, int]] = []
        while True:
            s = await self.segment.get()
            if s["status"]:
                assert s["last"] and not s["bytes"]
                return pieces, s["status"]
            pieces.append((s["addr"], s["bytes"]))
            if s["last"]:
                return pieces, 0

    async def check(self, buffer: PrpBuffer) -> None:
        pieces, status = await self.walk(buffer.prp1, buffer.prp2, buffer.size)
        assert status == 0, hex(status)
        assert pieces == buffer.pieces

    async def check_idle(self) -> None:
        await self.bench.clock(5)
        assert self.bench.read("io_quiet")
        assert not self.host.outstanding


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.5])
async def follows_every_layout(dut: Any, stalls: float) -> None:
    tb = TB(dut, stalls)
    await tb.bench.start()
    for _ in range(60):
        offset = tb.bench.rng.choice(
            [0, 0, 4, 8, 12, 16, 2048, PAGE - 16, PAGE - 4, 4 * tb.bench.rng.randrange(PAGE // 4)]
        )
        size = tb.bench.rng.choice([16, 512, PAGE, 2 * PAGE, MDTS, 16 * tb.bench.rng.randrange(1, MDTS // 16 + 1)])
        where = tb.bench.rng.choice(
            [0, 8, 16, PAGE - 8, PAGE - 16, PAGE - 24, PAGE - 128, 8 * tb.bench.rng.randrange(512)]
        )
        await tb.check(build(tb.memory, tb.pages, size, offset, where))
    await tb.check_idle()


@cocotb.test()
async def list_exactly_to_the_end_of_its_page_needs_no_chain(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    for entries in range(2, 20):
        buffer = build(tb.memory, tb.pages, (entries + 1) * PAGE, 0, PAGE - 8 * entries)
        assert len(buffer.lists) == 1
        await tb.check(buffer)
        longer = build(tb.memory, tb.pages, (entries + 2) * PAGE, 0, PAGE - 8 * entries)
        assert len(longer.lists) == 2
        await tb.check(longer)
    await tb.check_idle()


@cocotb.test()
async def chain_of_chains(dut: Any) -> None:
    """PRP2 at the last entry of its page leads to a list.

    A PRP2 that leads to another list's last entry is refused, or a host could keep the walk busy for ever.
    """
    tb = TB(dut)
    await tb.bench.start()
    buffer = build(tb.memory, tb.pages, 3 * PAGE, 0, PAGE - 8)
    pieces, status = await tb.walk(buffer.prp1, buffer.prp2, buffer.size)
    assert (pieces, status) == (buffer.pieces, 0)
    page = tb.pages.page() + PAGE - 8
    tb.memory.write_int(page, buffer.prp2, 8)
    pieces, status = await tb.walk(buffer.prp1, page, buffer.size)
    assert (pieces, status) == (buffer.pieces[:1], Status.INVALID_PRP_OFFSET)
    await tb.check_idle()


@cocotb.test()
@cocotb.parametrize(bad=[1, 2, 3])
async def prp1_must_be_dword_aligned(dut: Any, bad: int) -> None:
    tb = TB(dut)
    await tb.bench.start()
    assert await tb.walk(tb.pages.page() + bad, 0, PAGE) == ([], Status.INVALID_PRP_OFFSET)
    await tb.check(build(tb.memory, tb.pages, PAGE))
    await tb.check_idle()


@cocotb.test()
async def prp2_as_a_page_must_be_page_aligned(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    first = tb.pages.page()
    for bad in (4, 8, 2048):
        pieces, status = await tb.walk(first, tb.pages.page() + bad, 2 * PAGE)
        assert (pieces, status) == ([(first, PAGE)], Status.INVALID_PRP_OFFSET)
    await tb.check_idle()


@cocotb.test()
async def list_pointer_must_be_qword_aligned(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    first = tb.pages.page()
    pieces, status = await tb.walk(first, tb.pages.page() + 4, 3 * PAGE)
    assert (pieces, status) == ([(first, PAGE)], Status.INVALID_PRP_OFFSET)
    assert not tb.host.bursts, "nothing was read through a bad pointer"
    await tb.check_idle()


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.5])
async def misaligned_list_entry(dut: Any, stalls: float) -> None:
    """Any entry of the list may be the bad one. The pieces before it come out, and the next walk is clean."""
    tb = TB(dut, stalls)
    await tb.bench.start()
    for entry in range(8):
        buffer = build(tb.memory, tb.pages, 9 * PAGE, 0, 8)
        tb.memory.write_int(buffer.prp2 + 8 * entry, buffer.pieces[entry + 1][0] + 16, 8)
        pieces, status = await tb.walk(buffer.prp1, buffer.prp2, buffer.size)
        assert (pieces, status) == (buffer.pieces[: entry + 1], Status.INVALID_PRP_OFFSET)
        await tb.check(build(tb.memory, tb.pages, 9 * PAGE, 4, 24))
    await tb.check_idle()


@cocotb.test()
async def misaligned_chain_pointer(dut: Any) -> None:
    """The last offset would make the list's last entry its own successor, and the walk endless."""
    tb = TB(dut)
    await tb.bench.start()
    for offset in (4, 8, PAGE - 8):
        buffer = build(tb.memory, tb.pages, 6 * PAGE, 0, PAGE - 16)
        tb.memory.write_int(buffer.prp2 + 8, buffer.lists[1] + offset, 8)
        pieces, status = await tb.walk(buffer.prp1, buffer.prp2, buffer.size)
        assert (pieces, status) == (buffer.pieces[:2], Status.INVALID_PRP_OFFSET)
    await tb.check_idle()


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.5])
async def unreadable_list(dut: Any, stalls: float) -> None:
    """SLVERR on a beat of the list: Data Transfer Error.

    The remaining beats of the burst are not taken for the next list.
    """
    tb = TB(dut, stalls, latency=20)
    await tb.bench.start()
    for beat in range(4):
        buffer = build(tb.memory, tb.pages, 9 * PAGE)
        tb.host.fail(buffer.prp2 + 16 * beat)
        pieces, status = await tb.walk(buffer.prp1, buffer.prp2, buffer.size)
        assert (pieces, status) == (buffer.pieces[: 2 * beat + 1], Status.DATA_TRANSFER_ERROR)
        await tb.check(build(tb.memory, tb.pages, 9 * PAGE))
    await tb.check_idle()


@cocotb.test()
async def stalled_consumer_does_not_hold_the_bus(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    buffer = build(tb.memory, tb.pages, MDTS)
    tb.req.send(prp1=buffer.prp1, prp2=buffer.prp2, bytes=buffer.size)
    await tb.segment.get()
    tb.segment.hold = True
    await tb.bench.clock(100)
    assert not tb.host.outstanding, "the list burst is in although nobody takes pieces"
    assert tb.bench.read("io_quiet")
    tb.segment.hold = False
    pieces = [await tb.segment.get() for _ in buffer.pieces[1:]]
    assert [(s["addr"], s["bytes"]) for s in pieces] == buffer.pieces[1:]


def test_prp_walker(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("PrpWalker")
