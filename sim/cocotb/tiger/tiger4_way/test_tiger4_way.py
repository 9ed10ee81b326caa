# SPDX-License-Identifier: Apache-2.0
"""Tests of Tiger4Way: the commands of each operation, for each outcome of them."""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.codes import NandOp, NandStatus, Tiger4Op
from sim.cocotb.support.stream import Pulse, Sink

WAY = 1  # what Emit builds it with
READY, FAIL, BUSY = 0xE0, 0xE1, 0x80
ROW = 0x2ABC05
LAST, FIRST = ROW | 0xFF, ROW & ~0xFF

Step = tuple[Tiger4Op, int | None]  # command and row; None: no matter


class TB:
    """start, filled, events -> Tiger4Way -> command, result"""

    def __init__(self, dut: Any, stalls: float = 0.0) -> None:
        self.bench = Bench(dut)
        self.start = Pulse(self.bench, "io_start")
        self.command = Sink(self.bench, "io_command", stalls, stable=True)
        self.ready = Pulse(self.bench, "io_ready")
        self.status = Pulse(self.bench, "io_status")
        self.moved = Pulse(self.bench, "io_moved")
        self.seen = Pulse(self.bench, "io_seen")
        self.filled = Pulse(self.bench, "io_filled")
        self.result = Sink(self.bench, "io_result", stalls, stable=True)

    async def expect(self, op: Tiger4Op, row: int | None = None) -> None:
        t = await self.command.get()
        assert (Tiger4Op(t["op"]), t["way"]) == (op, WAY)
        assert row is None or t["row"] == row, f"{op.name} of row {t['row']:x}"
        await self.bench.clock(self.bench.rng.randrange(1, 6))

    async def report(self, status: int, busy: int = 0) -> None:
        """Answers the status command, after `busy` times that the die was busy."""
        await self.expect(Tiger4Op.STATUS)
        for _ in range(busy):
            self.status.send(bits=BUSY)
            await self.bench.until(lambda: bool(self.bench.read("io_waits")), "the way to wait")
            self.ready.send(bits=0)
            await self.bench.clock(5)
            assert not self.command.taken
            self.ready.send(bits=1)
            await self.expect(Tiger4Op.STATUS)
        self.status.send(bits=status)

    async def reset(self) -> None:
        await self.bench.start()
        await self.bench.clock(10)
        assert not self.command.taken, "the controller is not idle"
        self.bench.write("io_go", 1)
        await self.bench.until(lambda: bool(self.bench.read("io_waits")), "the way to wait for its pin")
        self.ready.send(bits=1)
        await self.expect(Tiger4Op.RESET)
        await self.report(READY, busy=1)
        await self.expect(Tiger4Op.FEATURES)
        await self.report(READY)
        await self.bench.until(lambda: bool(self.bench.read("io_idle")), "the end of the start")

    async def look(self, row: int, first: bool = False) -> None:
        await self.expect(Tiger4Op.TRIGGER, row)
        await self.report(READY, busy=int(first))

    async def ends(self, status: NandStatus, weak: bool = False) -> None:
        t = await self.result.get()
        assert t == {"status": status, "weak": int(weak)}
        await self.bench.until(lambda: bool(self.bench.read("io_idle")), "idle")


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.7])
async def reads_end_with_the_verdict(dut: Any, stalls: float) -> None:
    tb = TB(dut, stalls)
    await tb.reset()
    for op in (NandOp.READ, NandOp.PROBE):
        for weak in (0, 1):
            tb.start.send(op=op, row=ROW, first=0)
            await tb.look(ROW, first=True)
            await tb.expect(Tiger4Op.TRANSFER, ROW)
            tb.moved.send(**{"pass": 1, "spare": 1, "weak": weak})
            await tb.ends(NandStatus.OK, bool(weak) and op == NandOp.READ)
            assert tb.bench.read("io_short") == int(op == NandOp.PROBE) and not tb.bench.read("io_blank")
    for spare in (0, 1):
        tb.start.send(op=NandOp.READ, row=ROW)
        await tb.look(ROW)
        await tb.expect(Tiger4Op.TRANSFER)
        tb.moved.send(spare=spare, weak=1)
        await tb.ends(NandStatus.UNCORRECTABLE)
    tb.start.send(op=NandOp.PROBE, row=ROW)
    await tb.look(ROW)
    await tb.expect(Tiger4Op.TRANSFER)
    tb.moved.send(spare=1)
    await tb.ends(NandStatus.FAILED)


@cocotb.test()
@cocotb.parametrize(first=[False, True])
async def probes_look_at_raw_rows(dut: Any, first: bool) -> None:
    """What its own row, the last and the first one show decides."""
    tb = TB(dut)
    await tb.reset()
    bad = NandStatus.FAILED
    for own_erased in (0, 1):
        for own_mark in (0, 1):
            for last_mark in (0, 1):
                for first_shows in ((0, 0), (0, 1), (1, 0), (1, 1)):
                    row = FIRST if first else ROW
                    tb.start.send(op=NandOp.PROBE, row=row, first=int(first))
                    await tb.look(row)
                    await tb.expect(Tiger4Op.TRANSFER, row)
                    tb.moved.send()
                    await tb.expect(Tiger4Op.RAW)
                    tb.seen.send(erased=own_erased, marked=own_mark)
                    marked = first and own_erased and own_mark
                    if not marked:
                        await tb.look(LAST)
                        await tb.expect(Tiger4Op.RAW)
                        tb.seen.send(erased=tb.bench.rng.randrange(2), marked=last_mark)
                        marked = bool(last_mark)
                        if not first and not marked:
                            await tb.look(FIRST)
                            await tb.expect(Tiger4Op.RAW)
                            tb.seen.send(erased=first_shows[0], marked=first_shows[1])
                            marked = first_shows == (1, 1)
                    await tb.ends(bad if marked else NandStatus.ERASED if own_erased else NandStatus.UNCORRECTABLE)
                    assert tb.bench.read("io_blank") == int(bool(marked))


@cocotb.test()
async def programs_and_erases_end_with_their_status(dut: Any) -> None:
    """A program frees its buffer with the first report after it, also if that says busy."""
    tb = TB(dut)
    await tb.reset()
    for status, busy in ((READY, 0), (FAIL, 0), (READY, 2), (0xE2, 1)):
        expected = NandStatus.OK if status == READY else NandStatus.FAILED
        tb.start.send(op=NandOp.PROGRAM, row=ROW)
        await tb.bench.clock(20)
        assert not tb.command.taken, "no page has come"
        tb.filled.send(bits=busy % 2)
        t = await tb.command.get()
        assert (t["op"], t["row"], t["buf"]) == (Tiger4Op.PROGRAM, ROW, busy % 2)
        freed = 0
        asking = cocotb.start_soon(tb.report(status, busy))
        while not asking.done() or not tb.result.taken:
            await tb.bench.clock()
            if tb.bench.read("io_freed_valid"):
                freed += 1
                assert tb.bench.read("io_freed_bits") == busy % 2
        assert freed == 1
        await tb.ends(expected)
        tb.start.send(op=NandOp.ERASE, row=FIRST)
        await tb.expect(Tiger4Op.ERASE, FIRST)
        await tb.report(status, busy)
        await tb.ends(expected)


def test_tiger4_way(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("Tiger4Way", config="cosmos2")
