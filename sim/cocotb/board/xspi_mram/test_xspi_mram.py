# SPDX-License-Identifier: Apache-2.0
"""Tests of XspiMram, with a memory at its pins that is as strict as the data sheet (sim/cocotb/support/xspi.py)."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.axi import BEAT, OKAY, SLVERR
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.stream import Sink, Source, Transaction
from sim.cocotb.support.xspi import CYCLE, READ, SIZE, WRITE, XspiMemory, least_latency

UNIT = 8
ALL = (1 << BEAT) - 1
HALVES = (0x00FF, 0xFF00, ALL)
WINDOW = 0x8000  # bytes that random bursts go to, so that they meet


@dataclass
class Burst:
    """A write under way: what it writes, in order."""

    addr: int
    pieces: list[tuple[int, bytes]] = field(default_factory=list)  # units


class TB:
    """Source aw, w, ar, Sink b, r -> XspiMram -> XspiMemory"""

    def __init__(self, dut: Any, stalls: float = 0.0, early: bool = False, delay: int = 0) -> None:
        self.bench = Bench(dut)
        self.rng = self.bench.rng
        self.aw = Source(self.bench, "io_axi_wr_aw", gaps=stalls)
        self.w = Source(self.bench, "io_axi_wr_w", gaps=stalls)
        self.ar = Source(self.bench, "io_axi_rd_ar", gaps=stalls)
        self.b = Sink(self.bench, "io_axi_wr_b", stalls=stalls, stable=True, on_take=self._answered)
        self.r = Sink(self.bench, "io_axi_rd_r", stalls=stalls, stable=True, on_take=self._beat)
        self.memory = XspiMemory(self.bench, early, delay)
        self.image = bytearray(self.memory.array)  # what has been answered
        self.writing: deque[Burst] = deque()
        self.answered: list[Burst] = []
        self.answers: list[int] = []
        self.beats: list[Transaction] = []

    async def start(self, ready: bool = True) -> None:
        await self.bench.start()
        if ready:
            await self.ready()

    async def ready(self) -> None:
        await self.bench.until(lambda: bool(self.bench.read("io_ready")), "the memory to start")
        self.memory.commands.clear()

    # ---------------------------------------------------------------- bursts

    def write(self, addr: int, data: bytes, strobes: list[int] | None = None) -> None:
        beats = len(data) // BEAT
        strobes = strobes or [ALL] * beats
        burst = Burst(addr)
        self.aw.send(addr=addr, len=beats - 1)
        for i, strobe in enumerate(strobes):
            beat = data[BEAT * i : BEAT * (i + 1)]
            self.w.send(data=int.from_bytes(beat, "little"), strb=strobe, last=int(i == beats - 1))
            for half in range(2):
                if strobe >> UNIT * half & 0xFF == 0xFF:
                    burst.pieces.append((addr + BEAT * i + UNIT * half, beat[UNIT * half : UNIT * (half + 1)]))
        self.writing.append(burst)

    def _answered(self, t: Transaction) -> None:
        self.answers.append(t["resp"])
        self.answered.append(self.writing.popleft())
        for at, data in self.answered[-1].pieces:
            self.image[at : at + UNIT] = data

    def _beat(self, t: Transaction) -> None:
        self.beats.append(t)

    async def written(self) -> None:
        await self.bench.until(lambda: not self.writing, "answers to all writes", 100_000)

    async def read(self, addr: int, beats: int) -> bytes:
        assert not self.beats
        self.ar.send(addr=addr, len=beats - 1)
        await self.bench.until(lambda: len(self.beats) == beats, f"{beats} beats", 100_000)
        got, self.beats = self.beats, []
        assert [t["last"] for t in got] == [0] * (beats - 1) + [1]
        assert all(t["resp"] == OKAY for t in got)
        return b"".join(t["data"].to_bytes(BEAT, "little") for t in got)

    def place(self, beats: int) -> int:
        page = self.rng.randrange(WINDOW // 4096)
        return 4096 * page + BEAT * self.rng.randrange(4096 // BEAT - beats + 1)

    def random_write(self, most: int = 6) -> None:
        beats = self.rng.choice([1, 1, 1, 4, self.rng.randint(1, most)])
        behind = self.writing[-1].addr + BEAT if self.writing else 0
        follows = self.rng.random() < 0.3 and behind % 4096 + BEAT * beats <= 4096 and behind + BEAT * beats <= WINDOW
        addr = behind if follows else self.place(beats)
        kind = self.rng.random()
        strobes = [ALL if kind < 0.5 else self.rng.choice((*HALVES, 0)) for _ in range(beats)]
        self.write(addr, self.rng.randbytes(BEAT * beats), strobes)

    # ---------------------------------------------------------------- power

    async def reset(self, cut: bool) -> None:
        """The unit is reset. With `cut` the power goes and comes; otherwise the memory keeps its state, and is left in
        the middle of what it does."""
        if cut:
            self.memory.power_cut()
        self.memory.resetting = True
        self.bench.dut.reset.value = 1
        for _ in range(2):  # the outputs end with the next clock edge
            await self.bench.clock(1)
            for port in (self.aw, self.w, self.ar, self.b, self.r):
                port.clear()
        if cut:
            self.memory.power_on()
        self.bench.dut.reset.value = 0
        await self.bench.clock(2)
        self.memory.resetting = False
        self.beats.clear()

    def check_prefix(self) -> None:
        """The memory holds what was answered, and a prefix of what was not, in the order of the bursts."""
        array = bytes(self.memory.array[:WINDOW])
        assert self.memory.array[WINDOW:] == self.image[WINDOW:], "a byte that nobody has written"
        pairs = [
            (at + i, data[i : i + 2]) for burst in self.writing for at, data in burst.pieces for i in range(0, UNIT, 2)
        ]
        image = self.image[:WINDOW]
        for at, data in pairs:
            if bytes(image) == array:
                break
            image[at : at + 2] = data
        assert bytes(image) == array, "not a prefix of what was written"
        self.writing.clear()
        self.image = bytearray(self.memory.array)


# ---------------------------------------------------------------- start


@cocotb.test()
@cocotb.parametrize(early=[False, True], delay=[0, 1, 4, 7])
async def starts_and_keeps_what_is_written(dut: Any, early: bool, delay: int) -> None:
    tb = TB(dut, early=early, delay=delay)
    await tb.start()
    assert tb.memory.octal and tb.memory.enabled and tb.memory.latency == least_latency(1000 / CYCLE)
    for beats in (1, 4, 256):
        addr = SIZE - BEAT * beats
        data = tb.rng.randbytes(BEAT * beats)
        tb.write(addr, data)
        await tb.written()
        assert bytes(tb.memory.array[addr:]) == data
        assert await tb.read(addr, beats) == data
    assert tb.memory.array == tb.image
    assert not tb.bench.read("io_failed")


@cocotb.test()
@cocotb.parametrize(fault=["protected", "deaf", "mute"])
async def a_memory_that_does_not_start_answers_errors(dut: Any, fault: str) -> None:
    tb = TB(dut)
    setattr(tb.memory, fault, True)
    await tb.start(ready=False)
    tb.write(64, bytes(64))  # waits
    await tb.ready()
    assert tb.bench.read("io_failed")
    beats = 20  # more than wait in the unit
    tb.ar.send(addr=0, len=beats - 1)
    tb.r.hold = True
    await tb.written()
    await tb.bench.clock(50)
    tb.r.hold = False
    await tb.bench.until(lambda: len(tb.beats) == beats, "errors")
    assert tb.answers == [SLVERR] and [t["resp"] for t in tb.beats] == [SLVERR] * beats
    assert [t["last"] for t in tb.beats] == [0] * (beats - 1) + [1]
    assert not tb.memory.commands


# ---------------------------------------------------------------- traffic


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.4, 0.9], early=[False, True])
async def random_bursts(dut: Any, stalls: float, early: bool) -> None:
    """Reads and writes side by side: a read finds what was answered before it was asked, or what is written since."""
    tb = TB(dut, stalls=stalls, early=early, delay=tb_delay(early))
    await tb.start()
    for _ in range(60):
        for _ in range(tb.rng.randint(0, 8)):
            tb.random_write()
        beats = tb.rng.choice([1, 4, 20, tb.rng.randint(1, 12)])
        addr = tb.place(beats)
        before = bytes(tb.image[addr : addr + BEAT * beats])
        tb.answered.clear()
        got = await tb.read(addr, beats)
        possible = [{before[i : i + UNIT]} for i in range(0, len(got), UNIT)]
        for burst in (*tb.answered, *tb.writing):
            for at, data in burst.pieces:
                if addr <= at < addr + len(got):
                    possible[(at - addr) // UNIT].add(data)
        for i, allowed in enumerate(possible):
            assert got[UNIT * i : UNIT * (i + 1)] in allowed
        if tb.rng.random() < 0.3:
            await tb.written()
    await tb.written()
    assert tb.memory.array == tb.image
    assert set(tb.answers) == {OKAY}


def tb_delay(early: bool) -> int:
    return 3 if early else 2


@cocotb.test()
async def bursts_keep_the_order_of_their_addresses(dut: Any) -> None:
    tb = TB(dut)
    await tb.start()
    data = [tb.rng.randbytes(BEAT) for _ in range(4)]
    tb.write(0, data[0])
    await tb.bench.clock(3)
    tb.ar.send(addr=0, len=0)
    await tb.bench.clock(3)
    tb.write(0, data[1])
    await tb.bench.clock(3)
    tb.ar.send(addr=0, len=0)
    await tb.written()
    await tb.bench.until(lambda: len(tb.beats) == 2, "reads")
    assert [t["data"].to_bytes(BEAT, "little") for t in tb.beats] == data[:2]
    await tb.bench.clock(20)
    assert [opcode for opcode, _, _ in tb.memory.commands] == [WRITE, READ, WRITE, READ]


@cocotb.test()
async def units_that_follow_each_other_share_a_transaction(dut: Any) -> None:
    tb = TB(dut)
    await tb.start()
    for i in range(6):
        tb.write(BEAT * i, tb.rng.randbytes(BEAT))
    tb.write(0x2000, tb.rng.randbytes(BEAT), [0x00FF])
    tb.write(0x2000, tb.rng.randbytes(BEAT), [0xFF00])
    tb.write(0x3000, tb.rng.randbytes(4 * BEAT), [ALL, 0x00FF, ALL, 0])
    tb.write(0x4000, tb.rng.randbytes(2 * BEAT), [0, 0])
    await tb.written()
    assert tb.memory.commands == [
        (WRITE, 0, 6 * BEAT),
        (WRITE, 0x2000, BEAT),
        (WRITE, 0x3000, BEAT + UNIT),
        (WRITE, 0x3020, BEAT),
    ]
    assert tb.memory.array == tb.image


@cocotb.test()
async def a_unit_in_part_is_refused(dut: Any) -> None:
    tb = TB(dut)
    await tb.start()
    strobes = [ALL, 0x00FE, 0x01FF, ALL]
    tb.write(0x100, tb.rng.randbytes(4 * BEAT), strobes)
    tb.write(0x200, tb.rng.randbytes(BEAT))
    await tb.written()
    assert tb.answers == [SLVERR, OKAY]
    assert tb.memory.array == tb.image


@cocotb.test()
async def answers_that_are_not_taken_hold_writes_back(dut: Any) -> None:
    tb = TB(dut)
    await tb.start()
    tb.b.hold = True
    for i in range(60):
        tb.write(BEAT * i, tb.rng.randbytes(BEAT))
    await tb.bench.clock(3000)
    done = tb.memory.commands[-1][1] + tb.memory.commands[-1][2]
    assert BEAT * 16 <= done <= BEAT * 24 and tb.aw.pending
    tb.b.hold = False
    await tb.written()
    assert tb.memory.array == tb.image


@cocotb.test()
async def beats_that_are_not_taken_hold_a_read_back(dut: Any) -> None:
    tb = TB(dut)
    await tb.start()
    tb.r.hold = True
    tb.ar.send(addr=0, len=63)
    await tb.bench.clock(1000)
    assert not tb.memory.commands  # CS# is low, and CK rests
    tb.r.hold = False
    await tb.bench.until(lambda: len(tb.beats) == 64, "beats")
    assert b"".join(t["data"].to_bytes(BEAT, "little") for t in tb.beats) == bytes(tb.image[: 64 * BEAT])
    assert len(tb.memory.commands) <= 1


@cocotb.test()
async def a_transaction_waits_for_the_data_of_its_burst(dut: Any) -> None:
    tb = TB(dut)
    await tb.start()
    tb.w.gaps = 1.0
    tb.write(0, tb.rng.randbytes(16 * BEAT))
    for _ in range(400):
        tb.w.gaps = 0.0 if tb.rng.random() < 0.03 else 1.0
        await tb.bench.clock()
    tb.w.gaps = 0.0
    await tb.written()
    assert tb.memory.commands == [(WRITE, 0, 16 * BEAT)]
    assert tb.memory.array == tb.image


@cocotb.test()
@cocotb.parametrize(beats=[1, 64])
async def a_read_without_strobe_is_an_error(dut: Any, beats: int) -> None:
    tb = TB(dut)
    await tb.start()
    tb.memory.mute = True
    tb.ar.send(addr=0x40, len=beats - 1)
    await tb.bench.until(lambda: len(tb.beats) == beats, "an answer")
    assert {t["resp"] for t in tb.beats} == {SLVERR}
    assert [t["last"] for t in tb.beats] == [0] * (beats - 1) + [1]
    tb.beats.clear()
    tb.memory.mute = False
    assert await tb.read(0x40, 4) == bytes(tb.image[0x40:0x80])


# ---------------------------------------------------------------- power


@cocotb.test()
@cocotb.parametrize(cut=[True, False], stalls=[0.0, 0.4])
async def what_was_answered_outlives_power_and_resets(dut: Any, cut: bool, stalls: float) -> None:
    """With the memory's power as with a reset of the unit alone, at any cycle, also while it starts."""
    tb = TB(dut, stalls=stalls, early=True, delay=1)
    await tb.start(ready=False)
    for turn in range(60):
        if turn % 8 == 7:
            await tb.bench.clock(tb.rng.randint(0, 500))  # in the start
        else:
            await tb.ready()
            for _ in range(tb.rng.randint(1, 12)):
                tb.random_write()
            if tb.rng.random() < 0.4:
                tb.ar.send(addr=tb.place(4), len=3)
            await tb.bench.clock(tb.rng.randint(1, 400))
        await tb.reset(cut)
        tb.check_prefix()
    await tb.ready()
    assert await tb.read(0, 64) == bytes(tb.image[: 64 * BEAT])


@cocotb.test()
async def a_supply_that_fails_leaves_whole_units(dut: Any) -> None:
    """`stop` comes before the power goes: no unit is written in part. If the supply recovers, nothing is lost."""
    tb = TB(dut)
    await tb.start()
    for turn in range(40):
        for _ in range(8):
            tb.random_write(most=16)
        await tb.bench.clock(tb.rng.randint(20, 300))
        tb.bench.write("io_stop", 1)
        await tb.bench.clock(STOP_CYCLES)
        assert tb.bench.read("io_pins_csN")
        before = bytes(tb.memory.array)
        count = len(tb.memory.commands)
        await tb.bench.clock(tb.rng.randint(0, 100))
        assert bytes(tb.memory.array) == before and len(tb.memory.commands) == count
        assert all(length % UNIT == 0 for _, _, length in tb.memory.commands)
        recovers = turn % 2
        if not recovers:
            await tb.reset(cut=True)
            tb.check_prefix()
        tb.bench.write("io_stop", 0)
        if recovers:
            await tb.written()
            assert tb.memory.array == tb.image
        else:
            await tb.ready()


# 240 ns. Of a transaction that is open: a unit, CS# hold time, registers; and until its data is durable.
STOP_CYCLES = round(240 / CYCLE)


# ---------------------------------------------------------------- speed


@cocotb.test()
async def cycles(dut: Any) -> None:
    """How long a burst takes, from its address to its answer. docs/design/xspi-mram.md has these numbers."""
    tb = TB(dut, early=True)
    await tb.start()
    took: dict[str, int] = {}
    for size in (8, 64, 4096):
        beats = max(size // BEAT, 1)
        begin = tb.bench.cycle
        tb.write(0x1000, tb.rng.randbytes(BEAT * beats), [0x00FF] if size == 8 else None)
        await tb.written()
        took[f"write of {size}"] = tb.bench.cycle - begin
        await tb.bench.clock(50)
        begin = tb.bench.cycle
        await tb.read(0x1000, beats)
        took[f"read of {max(size, BEAT)}"] = tb.bench.cycle - begin
        await tb.bench.clock(50)
    for name, places in (("writes of 64 that follow", 64), ("writes of 64 elsewhere", 4096 - 64)):
        begin = tb.bench.cycle
        for i in range(64):
            tb.write(places * i % (SIZE // 2), tb.rng.randbytes(4 * BEAT))
        await tb.written()
        took[f"{name}, each of 64"] = (tb.bench.cycle - begin) // 64
    print("cycles:", took)
    assert took == CYCLES[round(1000 / CYCLE)]


# By the clock in MHz, with a memory that answers at once.
CYCLES = {
    100: {
        "write of 8": 28,
        "read of 16": 33,
        "write of 64": 56,
        "read of 64": 57,
        "write of 4096": 2072,
        "read of 4096": 2073,
        "writes of 64 that follow, each of 64": 33,
        "writes of 64 elsewhere, each of 64": 47,
    },
    200: {
        "write of 8": 35,
        "read of 16": 39,
        "write of 64": 63,
        "read of 64": 63,
        "write of 4096": 2079,
        "read of 4096": 2079,
        "writes of 64 that follow, each of 64": 33,
        "writes of 64 elsewhere, each of 64": 54,
    },
}


def test_xspi_mram(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("XspiMram")


def test_xspi_mram_at_200_mhz(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("XspiMram", config="wide")
