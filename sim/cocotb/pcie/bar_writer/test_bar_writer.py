# SPDX-License-Identifier: Apache-2.0
"""Tests of BarWriter: each dword of a write reaches its register with its byte enables, in order."""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.pcie.support.core7 import TABLE
from sim.cocotb.pcie.support.pieces import memory_write, send_pieces, words
from sim.cocotb.pcie.support.ports import BarRegisters
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.stream import Source, Watch

Access = tuple[int, int, int]  # address, data, byte enables


class TB:
    def __init__(self, dut: Any, stalls: float = 0.0, gaps: float = 0.0) -> None:
        self.bench = Bench(dut)
        self.source = Source(self.bench, "io_in", gaps)
        self.registers = BarRegisters(self.bench, "io_bus", stalls, gaps)
        self.table: list[Access] = []
        Watch(self.bench, "io_table", lambda t: self.table.append((TABLE + 4 * t["word"], t["data"], t["strb"])))
        self.poisoned = Watch(self.bench, "io_poisoned")

    def send(self, addr: int, length: int, high: int = 0, **more: Any) -> list[Access]:
        """Writes random bytes. Returns the accesses that they are, all bytes of a word together."""
        bar0, cut = more.pop("bar0", 1), more.pop("cut", False)
        tlp = memory_write(high | addr, self.bench.rng.randbytes(length), **more)
        send_pieces(self.source, tlp, bar0, cut)
        enables = [15] * tlp.length
        enables[-1] = tlp.last_be
        enables[0] = tlp.first_be
        return [(tlp.address + 4 * i & 0x3FFF, word, enables[i]) for i, word in enumerate(words(bytes(tlp.data)))]

    async def settle(self) -> None:
        await self.source.drained()
        await self.bench.until(lambda: self.bench.read("io_taken") == self.bench.read("io_finished"), "all writes")
        await self.bench.clock(4)


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.6], gaps=[0.0, 0.6])
async def words_reach_their_registers(dut: Any, stalls: float, gaps: float) -> None:
    tb = TB(dut, stalls, gaps)
    await tb.bench.start()
    rng = tb.bench.rng
    registers: list[Access] = []
    table: list[Access] = []
    for i in range(120):
        length = rng.choice([1, 2, 3, 4, 5, 6, 7, 8, 13, 16, 31, 64, 128])
        addr = rng.randrange(2) * TABLE + rng.randrange(0x2000 - length)
        accesses = tb.send(addr, length, high=rng.choice([0, 0x12_3456_4000]) if i % 2 else 0x8000_0000)
        (table if addr >= TABLE else registers).extend(accesses)
    await tb.settle()
    assert tb.registers.writes == registers
    assert tb.table == table


@cocotb.test()
async def a_write_that_is_wrong_has_no_effect(dut: Any) -> None:
    """Poisoned, or of no register. The next one is carried out, and all are counted."""
    tb = TB(dut)
    await tb.bench.start()
    want: list[Access] = []
    for length in (1, 4, 8, 40):
        tb.send(0x100, length, ep=True)
        want += tb.send(0x200, 8)
        tb.send(0x300, length, bar0=0)
        want += tb.send(0x400, 4)
    await tb.settle()
    assert tb.registers.writes == want and not tb.table
    assert len(tb.poisoned.seen) == 4
    assert tb.bench.read("io_taken") == 16


@cocotb.test()
async def of_a_write_that_is_cut_the_end_is_missing(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    want = tb.send(0x100, 48, cut=True)[:8]  # the last piece has no effect
    tb.send(0x300, 4, cut=True)
    want += tb.send(0x200, 4)
    await tb.settle()
    assert tb.registers.writes == want
    assert tb.bench.read("io_taken") == 3


@cocotb.test()
async def writes_are_finished_when_they_are_answered(dut: Any) -> None:
    tb = TB(dut, gaps=0.9)
    await tb.bench.start()
    for _ in range(30):
        tb.send(0x10, 8)
    for _ in range(400):
        await tb.bench.clock()
        finished = tb.bench.read("io_finished")
        assert len(tb.registers.writes) >= 2 * finished
    await tb.settle()
    assert tb.bench.read("io_finished") == 30


def test_bar_writer(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("BarWriter")
