# SPDX-License-Identifier: Apache-2.0
"""Tests of FwNand.

At most one operation a die is under way. Each result is delivered with its operation, even if the firmware takes it
late.
"""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.codes import NandClient
from sim.cocotb.support.geometry import DIES, FW_BUF, FW_BUFFERS, SLOTS, WORD_BYTES, WORDS_PER_SLOT
from sim.cocotb.support.orm_formats import SLOT_BYTES
from sim.cocotb.support.orm_regs import FwNandOp
from sim.cocotb.support.peers import BufferReadPeer, Buffers
from sim.cocotb.support.stream import Pulse, Sink, Source


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.6])
async def results_match_their_operations(dut: Any, stalls: float) -> None:
    bench = Bench(dut)
    start = Source(bench, "io_start", gaps=stalls)
    outcome = Sink(bench, "io_outcome", stalls=stalls)
    nand = Sink(bench, "io_nand", stalls=stalls)
    done = Source(bench, "io_nandDone", gaps=stalls)
    await bench.start()
    jobs = [(bench.rng.randrange(SLOTS), bench.rng.choice((FwNandOp.PROBE, FwNandOp.ERASE))) for _ in range(40)]
    for slot, op in jobs:
        start.send(slot=slot, op=op)
    for slot, op in jobs:
        request = await nand.get()
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
        start.send(slot=slot, op=FwNandOp.PROBE)
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


@cocotb.test()
async def one_more_starts_before_the_scheduler_has_taken_the_first(dut: Any) -> None:
    bench = Bench(dut)
    start = Source(bench, "io_start")
    nand = Sink(bench, "io_nand")
    await bench.start()
    nand.hold = True
    for slot in range(3):
        start.send(slot=slot, op=FwNandOp.ERASE)
    await bench.clock(20)
    assert (start.pending, bench.read("io_start_ready")) == (1, 0)
    nand.hold = False
    assert [(await nand.get())["slot"] for _ in range(3)] == [0, 1, 2]


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.6])
async def what_was_read_is_taken_out_word_by_word(dut: Any, stalls: float) -> None:
    bench = Bench(dut)
    buffers = Buffers()
    start = Source(bench, "io_start")
    outcome = Sink(bench, "io_outcome")
    nand = Sink(bench, "io_nand", stalls=stalls)
    done = Source(bench, "io_nandDone", gaps=stalls)
    at = Pulse(bench, "io_at")
    BufferReadPeer(bench, "io_bufRead", buffers, stalls=stalls, gaps=stalls)
    await bench.start()
    for _ in range(3):
        slot = bench.rng.randrange(SLOTS)
        start.send(slot=slot, op=FwNandOp.READ)
        request = await nand.get()
        assert (request["slot"], request["op"], request["buf"]) == (slot, FwNandOp.READ, FW_BUF)
        buffers.pages[FW_BUF][:] = bench.rng.randbytes(SLOT_BYTES)
        done.send(op=FwNandOp.READ, client=NandClient.FIRMWARE, slot=slot, buf=FW_BUF, status=0, oob=slot)
        assert await outcome.get() == {"slot": slot, "status": 0, "oob": slot}
        for word in (0, WORDS_PER_SLOT - 1, *bench.rng.sample(range(WORDS_PER_SLOT), 10)):
            at.send(bits=word)
            await bench.clock(2)
            await bench.until(lambda: bench.read("io_word_valid") == 1, "the word")
            data = buffers.pages[FW_BUF][WORD_BYTES * word : WORD_BYTES * (word + 1)]
            assert bench.read("io_word_bits") == int.from_bytes(data, "little") and bench.read("io_quiet")


@cocotb.test()
@cocotb.parametrize(op=[FwNandOp.READ, FwNandOp.PROGRAM])
async def each_buffer_has_a_use_of_its_own(dut: Any, op: FwNandOp) -> None:
    bench = Bench(dut)
    start = Source(bench, "io_start")
    outcome = Sink(bench, "io_outcome")
    nand = Sink(bench, "io_nand")
    done = Source(bench, "io_nandDone")
    await bench.start()
    used = [bench.signal(f"io_used_{i}") for i in range(FW_BUFFERS)]
    buffers = bench.rng.sample(range(FW_BUFFERS), min(FW_BUFFERS, DIES))
    for _ in range(2):
        for slot, buf in enumerate(buffers):
            start.send(slot=slot, op=op, buf=buf)
            request = await nand.get()
            assert (request["op"], request["slot"], request["buf"]) == (op, slot, FW_BUF + buf)
            assert request["oob"] == 0, "no start takes it for data"
        await bench.clock(2)
        assert [int(u.value) for u in used] == [int(i in buffers) for i in range(FW_BUFFERS)]
        for slot, buf in enumerate(buffers):
            done.send(op=op, client=NandClient.FIRMWARE, slot=slot, buf=FW_BUF + buf, status=0)
            assert (await outcome.get())["slot"] == slot
        assert not any(int(u.value) for u in used)


def test_fw_nand(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("FwNand")
