# SPDX-License-Identifier: Apache-2.0
"""Tests of BufferRam: several readers and writers at once read what was written, in order, under any back-pressure."""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.geometry import BUFFERS, CHANNELS, WORDS_PER_SLOT
from sim.cocotb.support.stream import Sink, Source, Watch

# BufferRam.Reader, BufferRam.Writer
READ_PORTS = [*(f"io_channelRead_{i}" for i in range(CHANNELS)), *(f"io_read_{i}" for i in range(4))]
WRITE_PORTS = [*(f"io_channelWrite_{i}" for i in range(CHANNELS)), *(f"io_write_{i}" for i in range(3))]
READERS, WRITERS = len(READ_PORTS), len(WRITE_PORTS)


class TB:
    def __init__(self, dut: Any, stalls: float = 0.0) -> None:
        self.bench = Bench(dut)
        self.write = [Source(self.bench, f"{port}_write", gaps=stalls) for port in WRITE_PORTS]
        self.addr = [Source(self.bench, f"{port}_addr", gaps=stalls) for port in READ_PORTS]
        self.data = [Sink(self.bench, f"{port}_data", stalls=stalls, stable=True) for port in READ_PORTS]
        self.wrote = Watch(self.bench, "io_wrote")
        self.model: dict[tuple[int, int], int] = {}

    def store(self, port: int, buf: int, word: int) -> None:
        value = self.bench.rng.getrandbits(128)
        self.model[buf, word] = value
        self.write[port].send(at_buf=buf, at_word=word, data=value)

    async def stored(self) -> None:
        for port in self.write:
            await port.drained()


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.4])
async def everybody_at_once(dut: Any, stalls: float) -> None:
    """Each writer fills separate buffers. Then each reader reads all of them in a random order."""
    tb = TB(dut, stalls)
    await tb.bench.start()
    words = 20
    places = [(buf, word) for buf in (0, 7, BUFFERS - 1) for word in range(WORDS_PER_SLOT - words, WORDS_PER_SLOT)]
    for port, (buf, word) in enumerate(places):
        tb.store(port % WRITERS, buf, word)
    await tb.stored()
    await tb.bench.clock(2)
    assert sorted((t["buf"], t["word"]) for t in tb.wrote.seen) == places, "each write is told once"
    orders = [tb.bench.rng.sample(places, len(places)) for _ in range(READERS)]
    for port, order in enumerate(orders):
        for buf, word in order:
            tb.addr[port].send(buf=buf, word=word)
    for port, order in enumerate(orders):
        for place in order:
            assert (await tb.data[port].get())["bits"] == tb.model[place], f"reader {port}, place {place}"


@cocotb.test()
async def read_sees_the_write_accepted_before_it(dut: Any) -> None:
    """Write and read of one word in consecutive cycles, repeatedly."""
    tb = TB(dut)
    await tb.bench.start()
    for _ in range(20):
        tb.store(0, 3, 9)
        await tb.bench.until(lambda: tb.write[0].pending == 0)
        tb.addr[1].send(buf=3, word=9)
        assert (await tb.data[1].get())["bits"] == tb.model[3, 9]


@cocotb.test()
async def one_word_a_cycle(dut: Any) -> None:
    """A single reader gets a word each cycle, which the data bus of a channel and the host bus rely on."""
    tb = TB(dut)
    await tb.bench.start()
    count = 100
    for word in range(count):
        tb.store(0, 0, word)
    await tb.stored()
    for word in range(count):
        tb.addr[0].send(buf=0, word=word)
    start = tb.bench.cycle
    await tb.bench.until(lambda: tb.data[0].count == count)
    assert tb.bench.cycle - start <= count + 4


@cocotb.test()
async def a_reader_that_takes_nothing_blocks_nobody(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    for word in range(30):
        tb.store(0, 0, word)
    await tb.stored()
    tb.data[0].hold = True
    for word in range(30):
        tb.addr[0].send(buf=0, word=word)
        tb.addr[1].send(buf=0, word=29 - word)
    await tb.bench.until(lambda: tb.data[1].count == 30, "the other reader", timeout=200)
    assert [t["bits"] for t in tb.data[1].taken] == [tb.model[0, 29 - word] for word in range(30)]
    tb.data[0].hold = False
    await tb.bench.until(lambda: tb.data[0].count == 30)
    assert [t["bits"] for t in tb.data[0].taken] == [tb.model[0, word] for word in range(30)]


def test_buffer_ram(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("BufferRam")
