# SPDX-License-Identifier: Apache-2.0
"""Tests of FwBridge: each access arrives once, with its answer, and not before the CPU's stores are in DRAM."""

from __future__ import annotations

from typing import Any

import cocotb
import pytest

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.axi import OKAY, SLVERR
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.stream import Sink, Source, Transaction
from sim.cocotb.support.wishbone import BusError, WishboneMaster


class Window:
    """The controller's registers: words that writes change. Those in `absent` answer SLVERR."""

    def __init__(self, bench: Bench, stalls: float, gaps: float) -> None:
        self.bench = bench
        self.words: dict[int, int] = {}
        self.absent: set[int] = set()
        self.log: list[tuple[str, int]] = []
        self._silent = False
        self._late: list[tuple[Source, dict[str, int]]] = []  # answers that are held back
        self._aw: list[int] = []
        self._w: list[Transaction] = []
        Sink(bench, "io_window_aw", stalls, stable=True, on_take=lambda t: self._took(self._aw, t["addr"]))
        Sink(bench, "io_window_w", stalls, stable=True, on_take=lambda t: self._took(self._w, t))
        Sink(bench, "io_window_ar", stalls, stable=True, on_take=lambda t: self._read(t["addr"]))
        self.b = Source(bench, "io_window_b", gaps)
        self.r = Source(bench, "io_window_r", gaps)

    def _resp(self, addr: int) -> int:
        return SLVERR if addr in self.absent else OKAY

    def _took(self, into: list[Any], what: Any) -> None:
        into.append(what)
        if self._aw and self._w:
            addr, word = self._aw.pop(), self._w.pop()
            self.log.append(("write", addr))
            if word["strb"] == 0xF and addr not in self.absent:
                self.words[addr] = word["data"]
            self._answer(self.b, resp=self._resp(addr))

    def _read(self, addr: int) -> None:
        self.log.append(("read", addr))
        self._answer(self.r, data=self.words.get(addr, 0), resp=self._resp(addr))

    def _answer(self, port: Source, **answer: int) -> None:
        if self._silent:
            self._late.append((port, answer))
        else:
            port.send(**answer)

    @property
    def silent(self) -> bool:
        """Whether answers are held back."""
        return self._silent

    @silent.setter
    def silent(self, value: bool) -> None:
        self._silent = value
        while self._late and not value:
            port, answer = self._late.pop(0)
            port.send(**answer)


class TB:
    def __init__(self, dut: Any, stalls: float = 0.0, gaps: float = 0.0) -> None:
        self.bench = Bench(dut)
        self.bus = WishboneMaster(self.bench, "io_bus", gaps)
        self.window = Window(self.bench, stalls, gaps)
        self.bench.write("io_drained", 1)


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.7], gaps=[0.0, 0.7])
async def reads_and_writes(dut: Any, stalls: float, gaps: float) -> None:
    tb = TB(dut, stalls, gaps)
    await tb.bench.start()
    known: dict[int, int] = {}
    for _ in range(200):
        addr = 4 * tb.bench.rng.randrange(32)
        if tb.bench.rng.random() < 0.5:
            known[addr] = tb.bench.rng.getrandbits(32)
            await tb.bus.write(0xE0000000 + addr, known[addr])
        else:
            assert await tb.bus.read(0xE0000000 + addr) == known.get(addr, 0)
    assert len(tb.window.log) == 200


@cocotb.test()
async def refusals_are_bus_errors(dut: Any) -> None:
    tb = TB(dut)
    tb.window.absent = {0x40}
    await tb.bench.start()
    with pytest.raises(BusError):
        await tb.bus.read(0x40)
    with pytest.raises(BusError):
        await tb.bus.write(0x40, 1)
    await tb.bus.write(0x44, 2)
    assert await tb.bus.read(0x44) == 2


@cocotb.test()
async def waits_for_stores(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.bench.write("io_drained", 0)
    tb.bus.offer_read(0x10)
    for _ in range(30):
        await tb.bench.clock()
        assert not tb.window.log and not tb.bus.answered()
    tb.bench.write("io_drained", 1)
    assert await tb.bus.read(0x10) == 0
    assert tb.window.log == [("read", 0x10)]


@cocotb.test()
@cocotb.parametrize(write=[False, True])
async def what_is_given_up_gets_no_answer(dut: Any, write: bool) -> None:
    tb = TB(dut)
    await tb.bench.start()

    def offer(addr: int) -> None:
        tb.bus.offer_write(addr, 0x1234) if write else tb.bus.offer_read(addr)

    # Before it has started: it never does.
    tb.bench.write("io_drained", 0)
    offer(0x10)
    await tb.bench.clock(5)
    assert tb.bench.read("io_waits")
    tb.bus.give_up()
    await tb.bench.clock(2)
    tb.bench.write("io_drained", 1)
    await tb.bench.clock(5)
    assert not tb.window.log and not tb.bench.read("io_waits")
    # Afterwards: it ends there, and the next access waits for that and has its own answer.
    tb.window.words[0x14] = 0x5678
    tb.window.silent = True
    offer(0x10)
    await tb.bench.clock(10)
    assert len(tb.window.log) == 1
    tb.bus.give_up()
    await tb.bench.clock()
    tb.bus.offer_read(0x14)
    for _ in range(20):
        await tb.bench.clock()
        assert not tb.bus.answered()
    tb.window.silent = False
    assert await tb.bus.read(0x14) == 0x5678
    assert tb.window.log == [("write" if write else "read", 0x10), ("read", 0x14)]
    assert tb.window.words.get(0x10) == (0x1234 if write else None)


def test_fw_bridge(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("FwBridge")
