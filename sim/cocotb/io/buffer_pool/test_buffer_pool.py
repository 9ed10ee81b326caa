# SPDX-License-Identifier: Apache-2.0
"""Tests of BufferPool: each buffer is given out once at a time, and all come back."""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.geometry import READ_BUF_BASE, READ_BUFFERS
from sim.cocotb.support.stream import Pulse, Sink

ALL = set(range(READ_BUF_BASE, READ_BUF_BASE + READ_BUFFERS))


@cocotb.test()
async def hands_out_each_buffer_once_then_waits(dut: Any) -> None:
    bench = Bench(dut)
    alloc, free = Sink(bench, "io_alloc"), Pulse(bench, "io_free")
    await bench.start()
    await bench.clock(READ_BUFFERS + 10)
    assert sorted(t["bits"] for t in alloc.taken) == sorted(ALL)
    alloc.taken.clear()
    free.send(bits=READ_BUF_BASE + 3)
    assert (await alloc.get())["bits"] == READ_BUF_BASE + 3


@cocotb.test()
@cocotb.parametrize(stalls=[0.1, 0.8])
async def random_use(dut: Any, stalls: float) -> None:
    bench = Bench(dut)
    alloc, free = Sink(bench, "io_alloc", stalls=stalls), Pulse(bench, "io_free")
    alloc.hold = True
    await bench.start()
    assert bench.read("io_allFree")
    alloc.hold = False
    held: list[int] = []
    for _ in range(500):
        await bench.clock()
        while alloc.taken:
            buf = alloc.taken.popleft()["bits"]
            assert buf in ALL and buf not in held
            held.append(buf)
        if held and bench.rng.random() < 0.5:
            free.send(bits=held.pop(bench.rng.randrange(len(held))))
    alloc.hold = True
    await bench.clock(2)
    held += [t["bits"] for t in alloc.taken]
    assert not bench.read("io_allFree") or not held
    for buf in held:
        free.send(bits=buf)
    await free.sent()
    assert bench.read("io_allFree")


def test_buffer_pool(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("BufferPool")
