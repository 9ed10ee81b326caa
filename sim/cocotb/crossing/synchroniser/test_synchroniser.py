# SPDX-License-Identifier: Apache-2.0
"""Tests of Synchroniser: bits are out two edges after they came, and FPGA tools learn what its flip-flops are for."""

from __future__ import annotations

import re
from typing import Any

import cocotb

from launcher.hw import rtl
from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.bench import Bench

STAGES = 2  # of the emitted unit
WIDTH = 4


@cocotb.test()
async def bits_come_out_two_edges_later(dut: Any) -> None:
    bench = Bench(dut)
    await bench.start()
    sent: list[int] = []
    for _ in range(60):
        value = bench.rng.getrandbits(WIDTH)
        bench.write("io_in", value)
        sent.append(value)
        await bench.clock()
        if len(sent) >= STAGES:
            assert bench.read("io_out") == sent[-STAGES]


def test_synchroniser(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("Synchroniser")
    text = (rtl.emit_unit("Synchroniser") / "Synchroniser.sv").read_text()
    marked = re.findall(r'\(\* ASYNC_REG = "TRUE" \*\)\s+reg\s+\[3:0\] (\w+);', text)
    assert marked == [f"stage_{i}" for i in range(STAGES)]
