# SPDX-License-Identifier: Apache-2.0
"""Tests of MemoryWriteArbiter: from the first error on no write is answered, and each burst that began is complete."""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.axi import DECERR, SLVERR, AxiWriteMemory, Memory
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.stream import Sink, Source

WRITERS = 4
BEAT = 16
PAGE = 4096


class TB:
    """Source aw[4], w[4], Sink b[4] -> MemoryWriteArbiter -> AxiWriteMemory"""

    def __init__(self, dut: Any, stalls: float = 0.0) -> None:
        self.bench = Bench(dut)
        self.memory = Memory()
        self.aw = [Source(self.bench, f"io_in_{i}_aw", gaps=stalls) for i in range(WRITERS)]
        self.w = [Source(self.bench, f"io_in_{i}_w", gaps=stalls) for i in range(WRITERS)]
        self.b = [Sink(self.bench, f"io_in_{i}_b", stalls=stalls) for i in range(WRITERS)]
        self.slave = AxiWriteMemory(self.bench, "io_out", self.memory, stalls=stalls, gaps=stalls, latency=20)
        self.bench.write("io_stop", 0)

    def write(self, writer: int, addr: int, beats: int = 2) -> None:
        self.aw[writer].send(addr=addr, len=beats - 1)
        for i in range(beats):
            self.w[writer].send(data=addr + i, strb=0xFFFF, last=int(i == beats - 1))

    def answers(self) -> int:
        return sum(len(b.taken) for b in self.b)

    def failed(self) -> bool:
        return self.failure()[0] == 1

    def failure(self) -> tuple[int, int, int, int]:
        """Of the unit: there is one, its response, its writer, its address."""
        return tuple(self.bench.read(f"io_failure_{name}") for name in ("valid", "bits_resp", "bits_who", "bits_addr"))  # type: ignore[return-value]


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.5], resp=[SLVERR, DECERR])
async def nothing_is_answered_from_the_first_error_on(dut: Any, stalls: float, resp: int) -> None:
    tb = TB(dut, stalls)
    await tb.bench.start()
    bad = tb.bench.rng.randrange(20, 40)
    errors = {bad: resp, bad + 1: SLVERR + DECERR - resp}  # of which one comes first
    for burst in range(60):
        tb.write(tb.bench.rng.randrange(WRITERS), PAGE * burst)
    for burst, how in errors.items():
        tb.slave.fail(PAGE * burst + BEAT, resp=how)
    await tb.bench.until(lambda: tb.failure()[0] == 1, "the error", timeout=20_000)
    await tb.bench.clock(400)
    assert not tb.slave.outstanding, "neither data nor answers wait"
    begun = [addr // PAGE for addr, _ in tb.slave.bursts]
    first = next(burst for burst in begun if burst in errors)
    at = begun.index(first)
    assert at + 17 >= len(begun) < 60, "no burst begins"
    assert tb.answers() == at and all(t["resp"] == 0 for b in tb.b for t in b.taken)
    valid, how, who, addr = tb.failure()
    assert (valid, how, addr) == (1, errors[first], PAGE * first) and who in (1, 2, 4, 8)


@cocotb.test()
async def the_failure_names_its_writer(dut: Any) -> None:
    for writer in range(WRITERS):
        tb = TB(dut)
        await tb.bench.start()
        assert tb.failure()[0] == 0
        tb.slave.fail(0x1230 * PAGE + 64)
        for other in range(WRITERS):
            tb.write(other, (0x1230 if other == writer else other) * PAGE + 64, beats=1)
        await tb.bench.until(tb.failed, "the error")
        assert tb.failure() == (1, SLVERR, 1 << writer, 0x1230 * PAGE + 64)


@cocotb.test()
async def a_stop_from_outside_lets_data_and_answers_through(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.slave.w.hold = True
    for i in range(20):
        tb.write(i % WRITERS, PAGE * i)
    await tb.bench.clock(60)
    tb.bench.write("io_stop", 1)
    await tb.bench.clock(3)
    tb.slave.w.hold = False
    await tb.bench.clock(300)
    begun = len(tb.slave.bursts)
    assert begun == 16 and not tb.slave.outstanding
    assert tb.answers() == begun and tb.failure()[0] == 0


def test_memory_write_arbiter(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("MemoryWriteArbiter")
