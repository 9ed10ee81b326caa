# SPDX-License-Identifier: Apache-2.0
"""Tests of Tiger4Registers: each command's registers are written in order, its number last; pins are read while a way
waits.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.codes import Tiger4Op
from sim.cocotb.support.orm_tiger4 import Command, Register
from sim.cocotb.support.stream import Sink, Source, Transaction, Watch

WINDOW = 0x1000_0000  # what Emit builds it with
WAY = 1 << 15  # a part's room for a way
PART = 1 << 18
SPARE, ECC, DONE, REPORT, RAW_DONE = 0x4000, 0x4100, 0x4180, 0x4190, 0x4700  # Tiger4Layout
NUMBERS = {
    Tiger4Op.RESET: Command.RESET,
    Tiger4Op.FEATURES: Command.SET_FEATURES,
    Tiger4Op.TRIGGER: Command.TRIGGER,
    Tiger4Op.TRANSFER: Command.TRANSFER,
    Tiger4Op.RAW: Command.RAW,
    Tiger4Op.PROGRAM: Command.PROGRAM,
    Tiger4Op.ERASE: Command.ERASE,
    Tiger4Op.STATUS: Command.STATUS,
}


def writes_of(op: Tiger4Op, way: int, row: int, buf: int) -> list[tuple[int, int]]:
    """Registers and values of a command."""
    page = WINDOW + way * WAY
    raw, program = WINDOW + PART + way * WAY, WINDOW + 2 * PART + buf * WAY
    between: dict[Tiger4Op, list[tuple[int, int]]] = {
        Tiger4Op.RESET: [],
        Tiger4Op.FEATURES: [(Register.USER_DATA, WINDOW + 3 * PART)],
        Tiger4Op.TRIGGER: [(Register.ROW, row)],
        Tiger4Op.TRANSFER: [
            (Register.ROW, row),
            (Register.DATA, page),
            (Register.SPARE, page + SPARE),
            (Register.ECC, page + ECC),
            (Register.COMPLETION, page + DONE),
        ],
        Tiger4Op.RAW: [(Register.DATA, raw), (Register.COMPLETION, raw + RAW_DONE)],
        Tiger4Op.PROGRAM: [(Register.ROW, row), (Register.DATA, program), (Register.SPARE, program + SPARE)],
        Tiger4Op.ERASE: [(Register.ROW, row)],
        Tiger4Op.STATUS: [(Register.COMPLETION, page + REPORT)],
    }
    return [(Register.WAY, way), *between[op], (Register.COMMAND, NUMBERS[op])]


class TB:
    """Source command -> Tiger4Registers -> this: registers that answer late."""

    def __init__(self, dut: Any, stalls: float = 0.0, busy: int = 0) -> None:
        self.bench = Bench(dut)
        self.busy = busy  # reads of IDLE that say no
        self.writes: list[tuple[int, int]] = []
        self.pins: deque[int] = deque()  # as they were read
        self._addresses: deque[int] = deque()
        self._words: deque[int] = deque()
        self.command = Source(self.bench, "io_command")
        Sink(self.bench, "io_bus_aw", stalls, stable=True, on_take=lambda t: self._address(t))
        Sink(self.bench, "io_bus_w", stalls, stable=True, on_take=lambda t: self._word(t))
        Sink(self.bench, "io_bus_ar", stalls, stable=True, on_take=lambda t: self._read(t))
        self._b = Source(self.bench, "io_bus_b", stalls)
        self._r = Source(self.bench, "io_bus_r", stalls)
        self.ready = Watch(self.bench, "io_ready", on_seen=self._told)

    def _address(self, t: Transaction) -> None:
        self._addresses.append(t["addr"])
        self._written()

    def _word(self, t: Transaction) -> None:
        assert t["strb"] == 15
        self._words.append(t["data"])
        self._written()

    def _written(self) -> None:
        if self._addresses and self._words:
            assert not self.busy, "a write before the controller is idle"
            self.writes.append((self._addresses.popleft(), self._words.popleft()))
            self._b.send()

    def _read(self, t: Transaction) -> None:
        if t["addr"] == Register.IDLE:
            self._r.send(data=self.bench.rng.getrandbits(31) << 1 | int(self.busy == 0))
            self.busy = max(0, self.busy - 1)
            return
        assert t["addr"] == Register.READY and not self.busy
        self.pins.append(self.bench.rng.getrandbits(8))
        self._r.send(data=self.bench.rng.getrandbits(24) << 8 | self.pins[-1])

    def _told(self, t: Transaction) -> None:
        assert t["bits"] == self.pins.popleft()


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.6])
async def writes_what_a_command_uses(dut: Any, stalls: float) -> None:
    """Nothing is written until the controller says that it is idle."""
    tb = TB(dut, stalls, busy=3)
    await tb.bench.start()
    rng = tb.bench.rng
    expected = []
    for op in [*Tiger4Op, *(rng.choice(list(Tiger4Op)) for _ in range(40))]:
        way, row, buf = rng.randrange(8), rng.getrandbits(22), rng.randrange(2)
        tb.command.send(op=op, way=way, row=row, buf=buf)
        expected += writes_of(op, way, row, buf)
    await tb.bench.until(lambda: len(tb.writes) == len(expected), "all writes")
    assert tb.writes == expected and not tb.ready.seen
    assert tb.bench.read("io_started")


@cocotb.test()
async def looks_at_the_pins_while_somebody_waits(dut: Any) -> None:
    """Now and then, also between commands."""
    tb = TB(dut)
    await tb.bench.start()
    await tb.bench.clock(300)
    tb.bench.write("io_waits", 1)
    looks = 0
    for _ in range(60):
        tb.command.send(op=Tiger4Op.STATUS, way=3)
    for _ in range(2000):
        await tb.bench.clock()
        looks += tb.bench.read("io_ready_valid")
    assert 20 < looks < 2000 / 64 + 1
    assert len(tb.writes) == 3 * 60
    tb.bench.write("io_waits", 0)
    await tb.bench.clock(100)
    before = len(tb.writes)
    assert not tb.pins and before == 180


def test_tiger4_registers(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("Tiger4Registers", config="cosmos2")
