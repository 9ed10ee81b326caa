# SPDX-License-Identifier: Apache-2.0
"""Tests of Axi4Crossing: bursts between clocks that drift, with stalls on each channel, errors, and resets."""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.axi import BEAT, OKAY, SLVERR, AxiMemory, Memory
from sim.cocotb.support.clocks import RATIOS, Domain, Ratio, start
from sim.cocotb.support.stream import Sink, Source

SETTLED = 80  # cycles of the slower clock
WINDOW = 1024  # bytes for each burst: they do not overlap
MOST = 16  # beats


class Master:
    """Bursts at the side `from`."""

    def __init__(self, domain: Domain, stalls: float) -> None:
        self.rng = domain.rng
        self.domain = domain
        self.ar, self.aw, self.w = (Source(domain, f"io_in_{name}", stalls) for name in ("rd_ar", "wr_aw", "wr_w"))
        self.r, self.b = (Sink(domain, f"io_in_{name}", stalls, stable=True) for name in ("rd_r", "wr_b"))

    def write(self, addr: int, beats: list[tuple[int, int]]) -> None:
        """Beats are (data, strobes)."""
        self.aw.send(addr=addr, len=len(beats) - 1)
        for i, (data, strb) in enumerate(beats):
            self.w.send(data=data, strb=strb, last=int(i == len(beats) - 1))

    def read(self, addr: int, beats: int) -> None:
        self.ar.send(addr=addr, len=beats - 1)

    def clear(self) -> None:
        for port in (self.ar, self.aw, self.w, self.r, self.b):
            port.clear()

    def some_beats(self) -> list[tuple[int, int]]:
        return [
            (self.rng.getrandbits(8 * BEAT), self.rng.choice(((1 << BEAT) - 1, self.rng.getrandbits(BEAT))))
            for _ in range(self.rng.randint(1, MOST))
        ]


def expected(model: Memory, addr: int, beats: list[tuple[int, int]]) -> None:
    """What a write leaves."""
    for i, (data, strb) in enumerate(beats):
        for byte in range(BEAT):
            if strb >> byte & 1:
                model.write(addr + i * BEAT + byte, bytes([data >> 8 * byte & 0xFF]))


async def write_and_read_back(master: Master, model: Memory, count: int, base: int) -> None:
    lengths = []
    for i in range(count):
        beats = master.some_beats()
        lengths.append(len(beats))
        master.write(base + i * WINDOW, beats)
        expected(model, base + i * WINDOW, beats)
    for _ in range(count):
        assert (await master.b.get())["resp"] == OKAY
    for i, length in enumerate(lengths):
        master.read(base + i * WINDOW, length)
    for i, length in enumerate(lengths):
        for beat in range(length):
            answer = await master.r.get()
            assert answer["resp"] == OKAY and answer["last"] == int(beat == length - 1)
            assert answer["data"] == model.read_int(base + i * WINDOW + beat * BEAT, BEAT)


@cocotb.test()
@cocotb.parametrize(ratio=RATIOS, stalls=[0.0, 0.5])
async def bursts_come_through(dut: Any, ratio: Ratio, stalls: float) -> None:
    a, b = ratio.domains(dut)
    master, memory, model = Master(a, stalls), Memory(), Memory()
    slave = AxiMemory(b, "io_out", memory, stalls, stalls)
    await start(a, b)
    await write_and_read_back(master, model, 12, 0x8000_0000_0000)
    assert len(slave.wr.bursts) == len(slave.rd.bursts) == 12, "each burst once"


@cocotb.test()
async def reads_and_writes_do_not_wait_for_each_other(dut: Any) -> None:
    a, b = RATIOS[0].domains(dut)
    master, memory, model = Master(a, 0.2), Memory(), Memory()
    slave = AxiMemory(b, "io_out", memory, 0.2, 0.2)
    await start(a, b)
    slave.rd.hold_data = True
    master.read(0, 4)
    for i in range(20):
        beats = master.some_beats()
        master.write(0x10000 + i * WINDOW, beats)
        expected(model, 0x10000 + i * WINDOW, beats)
    for _ in range(20):
        assert (await master.b.get())["resp"] == OKAY
    slave.rd.hold_data, slave.wr.hold_resp = False, True
    master.write(0, master.some_beats())
    for _ in range(4):
        await master.r.get()
    slave.wr.hold_resp = False
    await master.b.get()
    assert memory.read(0x10000, 20 * WINDOW) == model.read(0x10000, 20 * WINDOW)


@cocotb.test()
async def errors_come_back(dut: Any) -> None:
    a, b = RATIOS[3].domains(dut)
    master = Master(a, 0.0)
    slave = AxiMemory(b, "io_out", Memory())
    await start(a, b)
    slave.rd.fail(0x100)
    slave.wr.fail(0x100)
    for addr, resp in ((0x100, SLVERR), (0x200, OKAY)):
        master.write(addr, [(1, 0xFFFF)])
        master.read(addr, 1)
        assert (await master.b.get())["resp"] == resp
        assert (await master.r.get())["resp"] == resp


@cocotb.test()
@cocotb.parametrize(ratio=RATIOS)
async def works_again_after_a_reset_of_either_side(dut: Any, ratio: Ratio) -> None:
    """In the middle of bursts. Master and slave are reset, too, as nobody answers what was under way."""
    a, b = ratio.domains(dut)
    slower = a if ratio.source > ratio.target else b
    master, memory = Master(a, 0.3), Memory()
    slave = AxiMemory(b, "io_out", memory, 0.3, 0.3)
    await start(a, b)
    for i in range(6):
        for n in range(6):
            master.write(n * WINDOW, master.some_beats())
            master.read(n * WINDOW, 8)
        await a.clock(a.rng.randint(5, 120))
        # The slave takes what comes, and forgets it.
        takers = [(port, port.on_take) for port in (slave.rd.ar, slave.wr.aw, slave.wr.w)]
        for port, _ in takers:
            port.on_take = None
        slave.power_cut()
        await (a, b)[i % 2].reset(a.rng.choice((1, 3, 20)))
        for _ in range(2):
            master.clear()
            slave.power_cut()
            await slower.clock(SETTLED)
        master.clear()
        slave.power_cut()
        for port, taker in takers:
            port.on_take = taker
        memory, model = Memory(), Memory()
        slave.rd.memory = slave.wr.memory = memory
        await write_and_read_back(master, model, 3, 0x100000)


def test_axi4_crossing(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("Axi4Crossing", skew=True)
