# SPDX-License-Identifier: Apache-2.0
"""RemapWriter: every accepted beat lands where it belongs, and `idle` never comes before the last answer."""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.cocotb_unit import CocotbUnit
from sim.cocotb.lib.axi import BEAT, AxiWriteMemory, Memory
from sim.cocotb.lib.bench import Bench
from sim.cocotb.lib.nvram_layout import NVRAM_BYTES
from sim.cocotb.lib.stream import Source

IN_FLIGHT = 16  # RemapWriter's maxInFlight
BEATS = NVRAM_BYTES // BEAT


class TB:
    """Source req -> RemapWriter -> AxiWriteMemory; `idle` is compared with the writes under way in every cycle."""

    def __init__(self, dut: Any, gaps: float = 0.0, stalls: float = 0.0, latency: int = 4) -> None:
        self.bench = Bench(dut)
        self.memory = Memory()
        self.req = Source(self.bench, "io_req", gaps)
        self.nvram = AxiWriteMemory(self.bench, "io_nvram", self.memory, stalls, gaps, latency)
        self.under_way = 0
        self.most = 0
        self.bench.add(self)

    def drive(self) -> None:
        pass

    def sample(self) -> None:
        read = self.bench.read
        assert read("io_idle") == (self.under_way == 0)
        self.under_way += read("io_req_valid") and read("io_req_ready")
        self.under_way -= read("io_nvram_b_valid") and read("io_nvram_b_ready")
        self.most = max(self.most, self.under_way)

    async def idle(self) -> None:
        await self.req.drained()
        await self.bench.until(lambda: self.bench.read("io_idle") == 1, "idle")


@cocotb.test()
@cocotb.parametrize(gaps=[0.0, 0.4], stalls=[0.0, 0.5], latency=[1, 60])
async def random_beats_land(dut: Any, gaps: float, stalls: float, latency: int) -> None:
    """Addresses repeat: the later beat wins, as the writes keep their order."""
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
    """Without answers it stops at its limit; each answer lets one more in."""
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
    """A slave may take one of them first; two writes fit in front of the bus, and no more is accepted."""
    tb = TB(dut)
    await tb.bench.start()
    held, free = (tb.nvram.aw, tb.nvram.w) if blocked == "aw" else (tb.nvram.w, tb.nvram.aw)
    held.hold = True
    for i in range(6):
        tb.req.send(addr=BEAT * i, data=100 + i)
    await tb.bench.clock(50)
    assert (tb.req.sent, free.count, held.count) == (2, 2, 0)
    held.hold = False
    await tb.idle()
    assert [tb.memory.read_int(BEAT * i, BEAT) for i in range(6)] == [100 + i for i in range(6)]


@cocotb.test()
async def a_write_a_cycle(dut: Any) -> None:
    """With an answer within the writes it can have under way, no cycle is lost."""
    tb = TB(dut, latency=IN_FLIGHT - 6)
    await tb.bench.start()
    begin = tb.bench.cycle
    for i in range(200):
        tb.req.send(addr=BEAT * i, data=i)
    await tb.req.drained()
    assert tb.bench.cycle - begin <= 202
    await tb.idle()


def test_remap_writer(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("RemapWriter")
