# SPDX-License-Identifier: Apache-2.0
"""Tests of ResetCrossing: the reset rises without the clock and falls with it."""

from __future__ import annotations

from typing import Any

import cocotb
from cocotb.triggers import Timer

from launcher.hw import rtl
from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.bench import to_int

STAGES = 2  # of the emitted unit


async def edge(dut: Any) -> None:
    for value in (1, 0):
        dut.clock.value = value
        await Timer(5, unit="ns")


@cocotb.test()
async def rises_at_once_and_falls_with_the_clock(dut: Any) -> None:
    dut.clock.value = 0
    dut.reset.value = 0
    await Timer(1, unit="ns")
    for _ in range(STAGES):
        await edge(dut)
    for high in (0, 1):
        assert to_int(dut.io_out) == 0
        dut.clock.value = high  # the clock stands still, at either level
        await Timer(2, unit="ns")
        dut.reset.value = 1
        await Timer(1, unit="ns")
        assert to_int(dut.io_out) == 1, "no edge is needed"
        dut.reset.value = 0
        await Timer(1, unit="ns")
        assert to_int(dut.io_out) == 1, "it does not end without the clock"
        dut.clock.value = 0
        await Timer(1, unit="ns")
        for left in reversed(range(STAGES)):
            await edge(dut)
            assert to_int(dut.io_out) == int(left > 0)


@cocotb.test()
async def lasts_while_the_reset_does(dut: Any) -> None:
    dut.clock.value = 0
    dut.reset.value = 1
    await Timer(1, unit="ns")
    for _ in range(10):
        await edge(dut)
        assert to_int(dut.io_out) == 1
    dut.reset.value = 0
    await edge(dut)
    dut.reset.value = 1  # again, before the end
    await Timer(1, unit="ns")
    dut.reset.value = 0
    await edge(dut)
    assert to_int(dut.io_out) == 1
    await edge(dut)
    assert to_int(dut.io_out) == 0


def test_reset_crossing(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("ResetCrossing")
    text = (rtl.emit_unit("ResetCrossing") / "ResetCrossing.sv").read_text()
    assert text.count('(* ASYNC_REG = "TRUE" *)') == STAGES
