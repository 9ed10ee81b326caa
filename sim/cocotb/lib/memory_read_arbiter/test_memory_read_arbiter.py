# SPDX-License-Identifier: Apache-2.0
"""Tests of MemoryReadArbiter: from the first error on no reader gets anything, and the bus is not kept waiting."""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.axi import DECERR, SLVERR, AxiReadMemory, Memory
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.stream import Sink, Source

READERS = 4
BEAT = 16
PAGE = 4096


class TB:
    """Source ar[4], Sink r[4] -> MemoryReadArbiter -> AxiReadMemory"""

    def __init__(self, dut: Any, stalls: float = 0.0) -> None:
        self.bench = Bench(dut)
        self.memory = Memory()
        self.ar = [Source(self.bench, f"io_in_{i}_ar", gaps=stalls) for i in range(READERS)]
        self.r = [Sink(self.bench, f"io_in_{i}_r", stalls=stalls) for i in range(READERS)]
        self.slave = AxiReadMemory(self.bench, "io_out", self.memory, stalls=stalls, gaps=stalls, latency=20)
        self.bench.write("io_stop", 0)

    def failed(self) -> bool:
        return self.failure()[0] == 1

    def failure(self) -> tuple[int, int, int, int]:
        """Of the unit: there is one, its response, its reader, its address."""
        return tuple(self.bench.read(f"io_failure_{name}") for name in ("valid", "bits_resp", "bits_who", "bits_addr"))  # type: ignore[return-value]


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.5], resp=[SLVERR, DECERR], beat=[0, 1, 3])
async def nothing_comes_from_the_first_error_on(dut: Any, stalls: float, resp: int, beat: int) -> None:
    """The beats before it reach their readers, in all bursts; it and those behind it are taken and reach nobody."""
    tb = TB(dut, stalls)
    await tb.bench.start()
    rng = tb.bench.rng
    bad = rng.randrange(20, 40)
    errors = {bad: (beat, resp), bad + 1: (0, SLVERR + DECERR - resp)}  # of which one comes first
    for burst in range(60):
        addr = PAGE * burst
        for i in range(4):
            tb.memory.write_int(addr + BEAT * i, 1 << 100 | addr + i, BEAT)
        tb.ar[rng.randrange(READERS)].send(addr=addr, len=3)
    for burst, (at, how) in errors.items():
        tb.slave.fail(PAGE * burst + BEAT * at, resp=how)
    await tb.bench.until(lambda: tb.failure()[0] == 1, "the error", timeout=20_000)
    await tb.bench.clock(400)
    assert not tb.slave.outstanding, "the bus waits for nobody"
    asked = [addr // PAGE for addr, _ in tb.slave.bursts]
    first = next(burst for burst in asked if burst in errors)
    at = asked.index(first)
    assert at + 17 >= len(asked) < 60, "no burst begins"
    given = sorted(t["data"] & (1 << 64) - 1 for r in tb.r for t in r.taken)
    good, error = errors[first]
    wanted = [PAGE * burst + i for burst in asked[:at] for i in range(4)] + [PAGE * first + i for i in range(good)]
    assert given == sorted(wanted)
    valid, resp, who, addr = tb.failure()
    assert (valid, resp, addr) == (1, error, PAGE * first) and who in (1, 2, 4, 8)


@cocotb.test()
async def the_failure_names_its_reader(dut: Any) -> None:
    for reader in range(READERS):
        tb = TB(dut)
        await tb.bench.start()
        assert tb.failure()[0] == 0
        tb.slave.fail(0x1230 * PAGE + 64)
        for other in range(READERS):
            tb.ar[other].send(addr=(0x1230 if other == reader else other) * PAGE + 64, len=0)
        await tb.bench.until(tb.failed, "the error")
        assert tb.failure() == (1, SLVERR, 1 << reader, 0x1230 * PAGE + 64)


@cocotb.test()
async def a_stop_from_outside_lets_answers_through(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.slave.hold_data = True
    for i in range(20):
        tb.ar[i % READERS].send(addr=PAGE * i, len=1)
    await tb.bench.clock(40)
    tb.bench.write("io_stop", 1)
    await tb.bench.clock(3)
    begun = len(tb.slave.bursts)
    assert begun == 16
    tb.slave.hold_data = False
    await tb.bench.clock(200)
    assert len(tb.slave.bursts) == begun and not tb.slave.outstanding
    assert sum(len(r.taken) for r in tb.r) == 2 * begun
    assert tb.failure()[0] == 0


def test_memory_read_arbiter(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("MemoryReadArbiter")
