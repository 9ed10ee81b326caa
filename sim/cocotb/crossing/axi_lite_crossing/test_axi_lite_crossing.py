# SPDX-License-Identifier: Apache-2.0
"""Tests of AxiLiteCrossing: register accesses between clocks that drift, with stalls and resets."""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.axi import SLVERR, AxiLiteMaster
from sim.cocotb.support.clocks import RATIOS, Domain, Ratio, start
from sim.cocotb.support.stream import Sink, Source, Transaction

SETTLED = 80  # cycles of the slower clock
REGISTERS = 64


class Registers:
    """A slave at the side `to`, with the accesses that it has seen."""

    def __init__(self, domain: Domain, stalls: float) -> None:
        self.words = [0] * REGISTERS
        self.writes: list[tuple[int, int, int]] = []
        self.reads: list[int] = []
        self.bad: int | None = None  # address that is answered with an error
        self._addresses: list[int] = []
        self._data: list[Transaction] = []
        self.b, self.r = (Source(domain, f"io_out_{name}", stalls) for name in ("b", "r"))
        self.aw = Sink(domain, "io_out_aw", stalls, stable=True, on_take=lambda t: self._addresses.append(t["addr"]))
        self.w = Sink(domain, "io_out_w", stalls, stable=True, on_take=self._data.append)
        self.ar = Sink(domain, "io_out_ar", stalls, stable=True, on_take=self._read)
        domain.add(self)

    def _resp(self, addr: int) -> int:
        return SLVERR if addr == self.bad else 0

    def _read(self, t: Transaction) -> None:
        self.reads.append(t["addr"])
        self.r.send(data=self.words[t["addr"] // 4 % REGISTERS], resp=self._resp(t["addr"]))

    def drive(self) -> None:
        while self._addresses and self._data:
            addr, word = self._addresses.pop(0), self._data.pop(0)
            self.writes.append((addr, word["data"], word["strb"]))
            self.words[addr // 4 % REGISTERS] = word["data"]
            self.b.send(resp=self._resp(addr))

    def sample(self) -> None:
        pass

    def clear(self) -> None:
        self._addresses.clear()
        self._data.clear()
        for port in (self.b, self.r, self.aw, self.w, self.ar):
            port.clear()


@cocotb.test()
@cocotb.parametrize(ratio=RATIOS, stalls=[0.0, 0.5])
async def registers_are_written_and_read(dut: Any, ratio: Ratio, stalls: float) -> None:
    a, b = ratio.domains(dut)
    master, slave = AxiLiteMaster(a, "io_in", stalls, stalls), Registers(b, stalls)
    await start(a, b)
    written, model = [], [0] * REGISTERS
    for _ in range(25):
        addr, value, strb = 4 * a.rng.randrange(REGISTERS), a.rng.getrandbits(32), a.rng.randrange(16)
        await master.write(addr, value, strb)
        written.append((addr, value, strb))
        model[addr // 4] = value
        addr = 4 * a.rng.randrange(REGISTERS)
        assert await master.read(addr) == model[addr // 4]
    assert slave.writes == written and len(slave.reads) == 25, "each access once"


@cocotb.test()
async def errors_come_back(dut: Any) -> None:
    a, b = RATIOS[2].domains(dut)
    ar, r = Source(a, "io_in_ar"), Sink(a, "io_in_r", stable=True)
    aw, w, answer = Source(a, "io_in_aw"), Source(a, "io_in_w"), Sink(a, "io_in_b", stable=True)
    slave = Registers(b, 0.0)
    slave.bad = 8
    await start(a, b)
    for addr in (4, 8, 12):
        ar.send(addr=addr)
        aw.send(addr=addr)
        w.send(data=1, strb=15)
        assert (await r.get())["resp"] == (await answer.get())["resp"] == (SLVERR if addr == 8 else 0)


@cocotb.test()
@cocotb.parametrize(ratio=RATIOS)
async def works_again_after_a_reset_of_either_side(dut: Any, ratio: Ratio) -> None:
    """With an access under way, which the master forgets, as nobody answers it."""
    a, b = ratio.domains(dut)
    slower = a if ratio.source > ratio.target else b
    ar, r = Source(a, "io_in_ar"), Sink(a, "io_in_r", stable=True)
    slave = Registers(b, 0.2)
    slave.words = [1000 + i for i in range(REGISTERS)]
    await start(a, b)
    for i in range(12):
        ar.send(addr=4 * i)
        await a.clock(a.rng.randint(1, 12))
        await (a, b)[i % 2].reset(a.rng.choice((1, 2, 20)))
        for _ in range(2):
            ar.clear()
            r.clear()
            slave.clear()
            await slower.clock(SETTLED)
        r.clear()
        ar.send(addr=4 * (i + 20))
        assert (await r.get())["data"] == 1020 + i


def test_axi_lite_crossing(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("AxiLiteCrossing", skew=True)
