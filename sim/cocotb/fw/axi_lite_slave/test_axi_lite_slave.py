# SPDX-License-Identifier: Apache-2.0
"""Tests of AxiLiteSlave.

Each access reaches the register file once, in order, and is answered. Partial writes change nothing.
"""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.axi import OKAY
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.stream import Sink, Source

BUS = "io_bus"
ADDR_BITS = 8
WHOLE = 0xF  # strobes of a whole word


class RegisterFile:
    """The registers behind `access`: words that writes change. The top byte of a read is the number of reads so far."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.words: dict[int, int] = {}
        self.writes: list[tuple[int, int]] = []
        self.reads: list[tuple[int, int]] = []  # address, data returned
        self.both = 0  # cycles with a read and a write
        bench.add(self)

    def drive(self) -> None:
        # The address comes out of flip-flops, and has settled since the clock rose.
        word = self.words.get(self.bench.read("io_access_read_bits"), 0)
        self.given = (len(self.reads) & 0xFF) << 24 | word
        self.bench.write("io_access_readData", self.given)

    def sample(self) -> None:
        read, write = self.bench.read("io_access_read_valid"), self.bench.read("io_access_write_valid")
        self.both += read and write
        if read:
            self.reads.append((self.bench.read("io_access_read_bits"), self.given))
        if write:
            at = self.bench.read("io_access_write_bits_addr")
            self.words[at] = self.bench.read("io_access_write_bits_data")
            self.writes.append((at, self.words[at]))


class TB:
    """Source aw, w, ar -> AxiLiteSlave -> RegisterFile
    |-> Sink b, r
    """

    def __init__(self, dut: Any, gaps: float = 0.0, stalls: float = 0.0) -> None:
        self.bench = Bench(dut)
        self.aw = Source(self.bench, f"{BUS}_aw", gaps)
        self.w = Source(self.bench, f"{BUS}_w", gaps)
        self.ar = Source(self.bench, f"{BUS}_ar", gaps)
        self.b = Sink(self.bench, f"{BUS}_b", stalls, stable=True)
        self.r = Sink(self.bench, f"{BUS}_r", stalls, stable=True)
        self.file = RegisterFile(self.bench)
        self.asked = [0, 0]  # writes, reads
        self.bench.add(self)

    def write(self, addr: int, data: int, strb: int = WHOLE) -> None:
        self.aw.send(addr=addr)
        self.w.send(data=data, strb=strb)
        self.asked[0] += 1

    def read(self, addr: int) -> None:
        self.ar.send(addr=addr)
        self.asked[1] += 1

    def drive(self) -> None:
        pass

    def sample(self) -> None:
        """The unit is busy while anything that the bus side knows of is not answered."""
        given = [self.aw.sent, self.w.sent, self.ar.sent]
        answered = [self.b.count, self.b.count, self.r.count]
        offered = any(self.bench.read(f"{BUS}_{channel}_valid") for channel in ("aw", "w", "ar"))
        if self.bench.cycle > 0:
            assert self.bench.read("io_busy") or (given == answered and not offered)

    async def answers(self) -> None:
        await self.bench.until(lambda: [self.b.count, self.r.count] == self.asked, "all answers")
        await self.bench.clock(2)
        assert not self.bench.read("io_busy"), "idle once all is answered"


@cocotb.test()
async def a_word_is_written_and_read(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    assert not tb.bench.read("io_busy")
    tb.write(0x14, 0xDEADBEEF)
    assert (await tb.b.get())["resp"] == OKAY
    tb.read(0x14)
    got = await tb.r.get()
    assert (got["data"] & 0xFFFFFF, got["resp"]) == (0xADBEEF, OKAY)
    assert tb.file.writes == [(0x14, 0xDEADBEEF)] and len(tb.file.reads) == 1
    await tb.answers()


@cocotb.test()
async def addresses_are_of_words(dut: Any) -> None:
    """Bits 1:0 of the address do not reach the register file, in either direction."""
    tb = TB(dut)
    await tb.bench.start()
    for low in range(4):
        tb.write(0xF0 + low, 100 + low)
        tb.read(0x20 + low)
    await tb.answers()
    assert tb.file.writes == [(0xF0, 100 + low) for low in range(4)]
    assert [at for at, _ in tb.file.reads] == [0x20] * 4


@cocotb.test()
async def a_partial_write_is_answered_and_does_nothing(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    for strb in range(WHOLE):
        tb.write(4 * strb, 1 + strb, strb)
    await tb.answers()
    assert not tb.file.writes
    assert all(t["resp"] == OKAY for t in tb.b.taken)
    tb.write(8, 5)
    await tb.answers()
    assert tb.file.writes == [(8, 5)]


@cocotb.test()
@cocotb.parametrize(first=["aw", "w"])
async def address_and_data_come_in_any_order(dut: Any, first: str) -> None:
    tb = TB(dut)
    await tb.bench.start()
    early, late = (tb.aw, tb.w) if first == "aw" else (tb.w, tb.aw)
    fields = {id(tb.aw): {"addr": 0x40}, id(tb.w): {"data": 77, "strb": WHOLE}}
    early.send(**fields[id(early)])
    await tb.bench.clock(50)
    assert early.pending == 0 and not tb.file.writes and not tb.b.count, "half a write is no write"
    assert tb.bench.read("io_busy")
    late.send(**fields[id(late)])
    tb.asked[0] += 1
    await tb.answers()
    assert tb.file.writes == [(0x40, 77)]


@cocotb.test()
async def an_answer_that_is_not_taken_holds_the_next_access(dut: Any) -> None:
    """Side effects run ahead of the bus by at most the one answer that waits."""
    tb = TB(dut)
    await tb.bench.start()
    tb.b.hold = tb.r.hold = True
    for i in range(5):
        tb.write(4 * i, i)
        tb.read(4 * i)
    await tb.bench.clock(100)
    assert len(tb.file.writes) == len(tb.file.reads) == 1
    tb.b.hold = False  # writes do not wait for reads
    await tb.bench.until(lambda: len(tb.file.writes) == 5, "the writes")
    assert len(tb.file.reads) == 1
    tb.r.hold = False
    await tb.answers()
    assert tb.file.writes == [(4 * i, i) for i in range(5)]
    assert [at for at, _ in tb.file.reads] == [4 * i for i in range(5)]


@cocotb.test()
@cocotb.parametrize(gaps=[0.0, 0.5], stalls=[0.0, 0.5])
async def random_accesses(dut: Any, gaps: float, stalls: float) -> None:
    tb = TB(dut, gaps, stalls)
    await tb.bench.start()
    rng = tb.bench.rng
    expected: list[tuple[int, int]] = []
    addresses: list[int] = []
    for _ in range(300):
        if rng.random() < 0.5:
            addr, data = rng.randrange(1 << ADDR_BITS), rng.getrandbits(32)
            strb = WHOLE if rng.random() < 0.7 else rng.randrange(16)
            tb.write(addr, data, strb)
            if strb == WHOLE:
                expected.append((addr & ~3, data))
        else:
            addresses.append(rng.randrange(1 << ADDR_BITS))
            tb.read(addresses[-1])
    await tb.answers()
    assert tb.file.writes == expected
    assert [at for at, _ in tb.file.reads] == [addr & ~3 for addr in addresses]
    assert [t["data"] for t in tb.r.taken] == [given for _, given in tb.file.reads], "each read once, in order"
    assert all(t["resp"] == OKAY for t in [*tb.b.taken, *tb.r.taken])
    assert tb.file.both, "reads and writes do not wait for each other"


def test_axi_lite_slave(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("AxiLiteSlave")
