# SPDX-License-Identifier: Apache-2.0
"""Tests of RemapWriter.

Every accepted beat is written to its address, lines go as bursts, and `idle` never precedes the last answer.
"""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.axi import BEAT, AxiWriteMemory, Memory
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.nvram_layout import NVRAM_BYTES
from sim.cocotb.support.stream import Source

IN_FLIGHT = 32  # RemapWriter's maxInFlight
LINE_BEATS = 4  # of a burst at most: RemapWriter's lineBytes
ADDRESSES, DATA = 8 + 1, 4 * LINE_BEATS + 1  # what fits in front of the bus: queues, and a register behind each
BEATS = NVRAM_BYTES // BEAT


class TB:
    """Source req -> RemapWriter -> AxiWriteMemory; `idle` is compared with the writes under way in every cycle."""

    def __init__(self, dut: Any, gaps: float = 0.0, stalls: float = 0.0, latency: int = 4) -> None:
        self.bench = Bench(dut)
        self.memory = Memory()
        self.req = Source(self.bench, "io_req", gaps)
        self.nvram = AxiWriteMemory(self.bench, "io_nvram", self.memory, stalls, gaps, latency)
        self.under_way = 0  # bursts
        self.open = False  # a burst is being made
        self.most = 0
        self.bench.add(self)

    def drive(self) -> None:
        pass

    def sample(self) -> None:
        read = self.bench.read
        assert read("io_idle") == (self.under_way == 0 and not self.open)
        if read("io_req_valid") and read("io_req_ready"):
            self.open = (
                bool(read("io_req_bits_more")) and read("io_req_bits_addr") // BEAT % LINE_BEATS != LINE_BEATS - 1
            )
            self.under_way += not self.open
        self.under_way -= read("io_nvram_b_valid") and read("io_nvram_b_ready")
        self.most = max(self.most, self.under_way)

    async def idle(self) -> None:
        await self.req.drained()
        await self.bench.until(lambda: self.bench.read("io_idle") == 1, "idle")


@cocotb.test()
@cocotb.parametrize(gaps=[0.0, 0.4], stalls=[0.0, 0.5], latency=[1, 60])
async def random_beats_land(dut: Any, gaps: float, stalls: float, latency: int) -> None:
    """Addresses repeat. The later beat wins, as the writes keep their order."""
    tb = TB(dut, gaps, stalls, latency)
    await tb.bench.start()
    rng = tb.bench.rng
    model: dict[int, int] = {}
    places = [BEAT * rng.randrange(BEATS) for _ in range(40)] + [0, BEAT * (BEATS - 1)]
    order = []
    for _ in range(200):
        addr, data = rng.choice(places), rng.getrandbits(8 * BEAT)
        model[addr] = data
        order.append((addr, 1))
        tb.req.send(addr=addr, data=data)
    await tb.idle()
    assert tb.nvram.bursts == order, "one beat a write, in order"
    assert not tb.nvram.outstanding
    assert {addr: tb.memory.read_int(addr, BEAT) for addr in model} == model


@cocotb.test()
async def idle_waits_for_the_answer(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    assert tb.bench.read("io_idle")
    tb.nvram.hold_resp = True
    tb.req.send(addr=BEAT, data=5)
    await tb.bench.clock(100)
    assert tb.memory.read_int(BEAT, BEAT) == 5, "written, but not answered"
    assert not tb.bench.read("io_idle")
    tb.nvram.hold_resp = False
    await tb.idle()


@cocotb.test()
async def as_many_under_way_as_it_can_count(dut: Any) -> None:
    """Without answers it stops at its limit. Each answer admits one more write."""
    tb = TB(dut)
    await tb.bench.start()
    tb.nvram.hold_resp = True
    for i in range(3 * IN_FLIGHT):
        tb.req.send(addr=BEAT * i, data=i + 1)
    await tb.bench.clock(200)
    assert tb.req.sent == tb.under_way == IN_FLIGHT
    assert len(tb.nvram.bursts) == IN_FLIGHT, "all of them are on the bus"
    tb.nvram.hold_resp = False
    await tb.idle()
    assert tb.most == IN_FLIGHT
    assert [tb.memory.read_int(BEAT * i, BEAT) for i in range(3 * IN_FLIGHT)] == list(range(1, 3 * IN_FLIGHT + 1))


@cocotb.test()
@cocotb.parametrize(blocked=["aw", "w"])
async def address_and_data_do_not_wait_for_each_other(dut: Any, blocked: str) -> None:
    """A slave may accept one of them first. A limited number waits in front of the bus, and no more is accepted."""
    tb = TB(dut)
    await tb.bench.start()
    held, free = (tb.nvram.aw, tb.nvram.w) if blocked == "aw" else (tb.nvram.w, tb.nvram.aw)
    held.hold = True
    room = ADDRESSES if blocked == "aw" else DATA
    for i in range(room + 4):
        tb.req.send(addr=BEAT * i, data=100 + i)
    await tb.bench.clock(50)
    assert (tb.req.sent, free.count, held.count) == (room, room, 0)
    held.hold = False
    await tb.idle()
    assert [tb.memory.read_int(BEAT * i, BEAT) for i in range(room + 4)] == [100 + i for i in range(room + 4)]


@cocotb.test()
async def a_write_a_cycle(dut: Any) -> None:
    """With an answer within the maximum of writes under way, no cycle is lost."""
    tb = TB(dut, latency=IN_FLIGHT - 6)
    await tb.bench.start()
    begin = tb.bench.cycle
    for i in range(200):
        tb.req.send(addr=BEAT * i, data=i)
    await tb.req.drained()
    assert tb.bench.cycle - begin <= 202
    await tb.idle()


@cocotb.test()
@cocotb.parametrize(gaps=[0.0, 0.4], stalls=[0.0, 0.5])
async def beats_in_a_row_are_bursts_of_a_line(dut: Any, gaps: float, stalls: float) -> None:
    """Runs of any length and start are cut where a line of 64 bytes ends, and nowhere else."""
    tb = TB(dut, gaps, stalls)
    await tb.bench.start()
    rng = tb.bench.rng
    model: dict[int, int] = {}
    bursts = []
    for _ in range(60):
        first, length = rng.randrange(BEATS - 20), rng.randrange(1, 20)
        for i in range(length):
            at, data = first + i, rng.getrandbits(8 * BEAT)
            model[BEAT * at] = data
            tb.req.send(addr=BEAT * at, data=data, more=int(i + 1 < length))
            if i == 0 or at % LINE_BEATS == 0:
                bursts.append((BEAT * at, 0))
            bursts[-1] = (bursts[-1][0], bursts[-1][1] + 1)
    await tb.idle()
    assert tb.nvram.bursts == bursts
    assert {addr: tb.memory.read_int(addr, BEAT) for addr in model} == model


def test_remap_writer(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("RemapWriter")
