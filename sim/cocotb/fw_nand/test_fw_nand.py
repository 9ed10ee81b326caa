# SPDX-License-Identifier: Apache-2.0
"""FwNand: one operation a die, every result in its place although firmware is slow to take it."""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.cocotb_unit import CocotbUnit
from sim.cocotb.lib.bench import Bench
from sim.cocotb.lib.codes import NandClient
from sim.cocotb.lib.geometry import DIES, SLOTS
from sim.cocotb.lib.orm_regs import FwNandOp
from sim.cocotb.lib.stream import Sink, Source


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.6])
async def results_match_their_operations(dut: Any, stalls: float) -> None:
    bench = Bench(dut)
    start = Source(bench, "io_start", gaps=stalls)
    outcome = Sink(bench, "io_outcome", stalls=stalls)
    nand = Sink(bench, "io_nand", stalls=stalls)
    done = Source(bench, "io_nandDone", gaps=stalls)
    await bench.start()
    jobs = [(bench.rng.randrange(SLOTS), bench.rng.randrange(2)) for _ in range(40)]
    for slot, erase in jobs:
        start.send(slot=slot, erase=erase)
    for slot, erase in jobs:
        request = await nand.get()
        op = FwNandOp.ERASE if erase else FwNandOp.PROBE
        assert (request["slot"], request["op"], request["client"]) == (slot, op, NandClient.FIRMWARE)
        spare, status = bench.rng.getrandbits(256), bench.rng.randrange(4)
        done.send(op=op, client=NandClient.FIRMWARE, slot=slot, status=status, oob=spare)
        assert await outcome.get() == {"slot": slot, "status": status, "oob": spare}


@cocotb.test()
async def as_many_as_there_are_dies(dut: Any) -> None:
    bench = Bench(dut)
    start = Source(bench, "io_start")
    outcome = Sink(bench, "io_outcome")
    nand = Sink(bench, "io_nand")
    done = Source(bench, "io_nandDone")
    await bench.start()
    outcome.hold = True
    for slot in range(DIES + 2):
        start.send(slot=slot)
    await bench.clock(20)
    assert (nand.count, start.pending) == (DIES, 2)
    for slot in range(DIES):
        done.send(op=FwNandOp.PROBE, client=NandClient.FIRMWARE, slot=slot)
    await done.drained()
    await bench.clock(20)
    assert start.pending == 2, "a result that firmware has not taken keeps its place"
    outcome.hold = False
    assert [(await outcome.get())["slot"] for _ in range(DIES)] == list(range(DIES))
    await start.drained()


def test_fw_nand(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("FwNand")
