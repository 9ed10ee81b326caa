# SPDX-License-Identifier: Apache-2.0
"""Tests of MsixTable: messages have what the host wrote, masked vectors wait in the pending bits."""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.pcie.support.core7 import PBA, TABLE
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.stream import Pulse, Sink, Source, Watch

VECTORS = 9
PENDING = (PBA - TABLE) // 4  # the number of a word


class TB:
    def __init__(self, dut: Any, stalls: float = 0.0) -> None:
        self.bench = Bench(dut)
        self.raise_ = Source(self.bench, "io_raise")
        self._write = Pulse(self.bench, "io_write")
        self._read = Pulse(self.bench, "io_read_word")
        self._data = Watch(self.bench, "io_read_data")
        self.messages = Sink(self.bench, "io_message", stalls, stable=True)
        self.entries: list[tuple[int, int]] = []

    async def start(self, enable: int = 1) -> None:
        await self.bench.start()
        self.config(msixEnable=enable, busMaster=1)
        self.entries = [(self.bench.rng.getrandbits(62) << 2, self.bench.rng.getrandbits(32)) for _ in range(VECTORS)]
        for vector, (addr, data) in enumerate(self.entries):
            for word, value in enumerate((addr & 0xFFFFFFFF, addr >> 32, data, 0)):
                await self.write(4 * vector + word, value)

    def config(self, **fields: int) -> None:
        for name, value in fields.items():
            self.bench.write(f"io_config_{name}", value)

    async def write(self, word: int, value: int, strb: int = 15) -> None:
        self._write.send(word=word, data=value, strb=strb)
        await self._write.sent()

    async def read(self, word: int) -> int:
        self._read.send(bits=word)
        return (await self._data.get())["bits"]

    async def message(self) -> tuple[int, int]:
        t = await self.messages.get()
        return t["addr"], t["data"]

    async def quiet(self) -> None:
        await self.bench.clock(40)
        assert not self.messages.taken


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.7])
async def messages_have_what_the_host_wrote(dut: Any, stalls: float) -> None:
    tb = TB(dut, stalls)
    await tb.start()
    for vector in [*range(VECTORS), *(tb.bench.rng.randrange(VECTORS) for _ in range(30))]:
        tb.raise_.send(bits=vector)
        assert await tb.message() == tb.entries[vector]
    await tb.quiet()


@cocotb.test()
async def the_table_can_be_read(dut: Any) -> None:
    tb = TB(dut)
    await tb.start()
    rng = tb.bench.rng
    for vector, (addr, data) in enumerate(tb.entries):
        assert [await tb.read(4 * vector + i) for i in range(4)] == [addr & 0xFFFFFFFF, addr >> 32, data, 0]
    for _ in range(60):  # bytes
        vector, word, value, strb = rng.randrange(VECTORS), rng.randrange(3), rng.getrandbits(32), rng.randrange(16)
        old = await tb.read(4 * vector + word)
        mask = sum(0xFF << 8 * i for i in range(4) if strb >> i & 1)
        await tb.write(4 * vector + word, value, strb)
        assert await tb.read(4 * vector + word) == old & ~mask | value & mask
    await tb.write(3, 0xFFFFFFFF, 14)  # the mask is in byte 0
    assert await tb.read(3) == 0
    await tb.write(3, 0xFFFFFFFF, 1)
    assert await tb.read(3) == 1
    for word in (4 * VECTORS, 4 * VECTORS + 3, PENDING - 1):  # nothing is there
        await tb.write(word, 0xFFFFFFFF)
        assert await tb.read(word) == 0


@cocotb.test()
async def masked_vectors_wait(dut: Any) -> None:
    tb = TB(dut)
    await tb.start()
    for vector in (1, 4, 8):
        await tb.write(4 * vector + 3, 1)
    for vector in (0, 1, 4, 4, 8, 2):
        tb.raise_.send(bits=vector)
    assert [await tb.message() for _ in range(2)] == [tb.entries[0], tb.entries[2]]
    await tb.quiet()
    assert await tb.read(PENDING) == 1 << 1 | 1 << 4 | 1 << 8
    assert await tb.read(PENDING + 1) == 0
    await tb.write(4 * 4 + 3, 0)
    assert await tb.message() == tb.entries[4]
    await tb.quiet()
    assert await tb.read(PENDING) == 1 << 1 | 1 << 8
    await tb.write(4 * 8 + 3, 0)
    await tb.write(4 * 1 + 3, 0)
    assert sorted([await tb.message() for _ in range(2)]) == sorted([tb.entries[1], tb.entries[8]])
    assert await tb.read(PENDING) == 0


@cocotb.test()
@cocotb.parametrize(field=["msixMask", "busMaster"])
async def the_whole_function_may_be_held_back(dut: Any, field: str) -> None:
    tb = TB(dut)
    await tb.start()
    tb.config(**{field: int(field == "msixMask")})
    await tb.bench.clock(3)
    for vector in (3, 5):
        tb.raise_.send(bits=vector)
    await tb.quiet()
    assert await tb.read(PENDING) == 1 << 3 | 1 << 5
    tb.config(**{field: int(field != "msixMask")})
    assert sorted([await tb.message() for _ in range(2)]) == sorted([tb.entries[3], tb.entries[5]])


@cocotb.test()
async def without_msix_interrupts_are_lost(dut: Any) -> None:
    tb = TB(dut)
    await tb.start(enable=0)
    tb.raise_.send(bits=3)
    await tb.quiet()
    tb.config(msixEnable=1)
    await tb.quiet()
    assert await tb.read(PENDING) == 0


@cocotb.test()
async def a_function_reset_masks_and_forgets(dut: Any) -> None:
    tb = TB(dut)
    await tb.start()
    await tb.write(4 * 2 + 3, 1)
    tb.raise_.send(bits=2)
    await tb.quiet()
    tb.bench.write("io_functionReset", 1)
    await tb.bench.clock(2)
    tb.bench.write("io_functionReset", 0)
    assert [await tb.read(4 * vector + 3) for vector in range(VECTORS)] == [1] * VECTORS
    assert await tb.read(PENDING) == 0
    tb.raise_.send(bits=6)
    await tb.quiet()
    assert await tb.read(PENDING) == 1 << 6
    await tb.write(4 * 6 + 3, 0)
    assert await tb.message() == tb.entries[6]
    await tb.quiet()


@cocotb.test()
async def no_interrupt_is_lost(dut: Any) -> None:
    """Whatever is raised, a message of that vector is offered later. Reads go on meanwhile."""
    tb = TB(dut, stalls=0.5)
    await tb.start()
    rng = tb.bench.rng
    raised = {vector: 0 for vector in range(VECTORS)}
    told = dict(raised)
    places = {entry: vector for vector, entry in enumerate(tb.entries)}

    def take(t: dict[str, int]) -> None:
        told[places[t["addr"], t["data"]]] = tb.bench.cycle

    tb.messages.on_take = take
    for _ in range(150):
        vector = rng.randrange(VECTORS)
        tb.raise_.send(bits=vector)
        await tb.raise_.drained()
        raised[vector] = tb.bench.cycle
        if rng.random() < 0.3:
            at = rng.randrange(VECTORS)
            assert await tb.read(4 * at + 2) == tb.entries[at][1]
        await tb.bench.clock(rng.randrange(12))
    await tb.bench.clock(300)
    assert all(told[vector] > raised[vector] for vector in raised if raised[vector])


def test_msix_table(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("MsixTable")
