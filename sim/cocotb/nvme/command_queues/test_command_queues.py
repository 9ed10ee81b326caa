# SPDX-License-Identifier: Apache-2.0
"""Tests of CommandQueues.

A class of commands waits only for itself. Commands of deleted queues are aborted, each exactly once.
"""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.codes import IoOp
from sim.cocotb.support.geometry import COMMANDS_WAITING, QUEUES
from sim.cocotb.support.nvme import Status
from sim.cocotb.support.stream import Sink, Source, Transaction

READ, WRITE, TRIM, COPY = range(4)
OPS = (IoOp.READ, IoOp.WRITE, IoOp.DEALLOCATE)
ALL_ALIVE = (1 << QUEUES) - 1


def cid_of(command: Transaction) -> int:
    return command["cid"] if "cid" in command else command["sqe"] >> 16 & 0xFFFF


class TB:
    """Sources in, rangesIn, firmwareIn, refused -> CommandQueues -> Sinks out, rangesOut, firmwareOut, cpl"""

    def __init__(self, dut: Any, gaps: float = 0.0, stalls: float = 0.0) -> None:
        self.bench = Bench(dut)
        inputs = [*(f"io_in_{i}" for i in range(3)), "io_rangesIn"]
        self.input = [Source(self.bench, name, gaps=gaps) for name in inputs]
        outputs = [*(f"io_out_{i}" for i in range(3)), "io_rangesOut"]
        self.out = [Sink(self.bench, name, stalls=stalls) for name in outputs]
        self.fw_in = Source(self.bench, "io_firmwareIn", gaps=gaps)
        self.fw_out = Sink(self.bench, "io_firmwareOut", stalls=stalls, stable=True)
        self.refused = Source(self.bench, "io_refused", gaps=gaps)
        self.cpl = Sink(self.bench, "io_cpl", stalls=stalls)
        self.alive = ALL_ALIVE

    async def start(self) -> None:
        self.show(ALL_ALIVE)
        await self.bench.start()

    def show(self, alive: int) -> None:
        """Sets which submission queues exist, as a bit mask."""
        self.alive = alive
        for i in range(QUEUES):
            self.bench.write(f"io_alive_{i}", alive >> i & 1)

    def command(self, which: int, qid: int, cid: int) -> Transaction:
        rng = self.bench.rng
        if which == COPY:
            sqe = rng.getrandbits(512) & ~(0xFFFF << 16) | cid << 16
            self.input[which].send(qid=qid, sqe=sqe)
            return {"qid": qid, "sqe": sqe}
        sent = {
            "qid": qid,
            "cid": cid,
            "op": OPS[which],
            "slba": rng.getrandbits(32),
            "pages": rng.randrange(1, 1 << 17),
            "fua": rng.getrandbits(1),
            "handle": rng.getrandbits(2),
            "prp1": rng.getrandbits(64),
            "prp2": rng.getrandbits(64),
        }
        self.input[which].send(**sent)
        return sent


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.6])
async def each_class_in_order_and_unchanged(dut: Any, stalls: float) -> None:
    tb = TB(dut, gaps=stalls, stalls=stalls)
    await tb.start()
    sent: list[list[Transaction]] = [[], [], [], []]
    for cid in range(300):
        which = tb.bench.rng.randrange(4)
        sent[which].append(tb.command(which, tb.bench.rng.randrange(1, QUEUES), cid))
    entries = [tb.bench.rng.getrandbits(512) for _ in range(100)]
    for sqe in entries:
        tb.fw_in.send(qid=0, sqe=sqe)
    statuses = [tb.bench.rng.getrandbits(15) for _ in range(50)]
    for cid, status in enumerate(statuses):
        tb.refused.send(qid=1, cid=cid, status=status, dw0=0)
    await tb.bench.until(lambda: [len(o.taken) for o in tb.out] == [len(s) for s in sent], "all commands", 20_000)
    await tb.bench.until(
        lambda: len(tb.fw_out.taken) == len(entries) and len(tb.cpl.taken) == len(statuses), "the rest"
    )
    assert [list(o.taken) for o in tb.out] == sent
    assert [t["sqe"] for t in tb.fw_out.taken] == entries
    assert [t["status"] for t in tb.cpl.taken] == statuses
    await tb.bench.clock(2)
    assert tb.bench.read("io_quiet")


@cocotb.test()
@cocotb.parametrize(slow=[READ, WRITE, TRIM, COPY])
async def a_slow_class_holds_no_other(dut: Any, slow: int) -> None:
    tb = TB(dut)
    await tb.start()
    tb.out[slow].hold = True
    for cid in range(COMMANDS_WAITING + 1):
        tb.command(slow, 1, cid)
    await tb.bench.until(lambda: tb.input[slow].pending == 1, "one more than has room")
    assert not tb.out[slow].taken
    for which in {READ, WRITE, TRIM, COPY} - {slow}:
        tb.command(which, 2, 7)
        assert cid_of(await tb.out[which].get()) == 7
    tb.fw_in.send(qid=3, sqe=5)
    assert (await tb.fw_out.get())["sqe"] == 5
    assert tb.input[slow].pending == 1
    tb.out[slow].hold = False
    await tb.bench.until(lambda: len(tb.out[slow].taken) == COMMANDS_WAITING + 1, "the slow ones")
    assert [cid_of(t) for t in tb.out[slow].taken] == list(range(COMMANDS_WAITING + 1))


@cocotb.test()
async def firmware_may_be_slow(dut: Any) -> None:
    tb = TB(dut)
    await tb.start()
    tb.fw_out.hold = True
    for i in range(COMMANDS_WAITING + 1):
        tb.fw_in.send(qid=i % QUEUES, sqe=i)
    await tb.bench.until(lambda: tb.fw_in.pending == 1, "one more than has room")
    await tb.bench.clock(4)
    assert tb.bench.read("io_quiet"), "nothing moves until firmware does"
    tb.show(1)  # firmware aborts what waits for it itself
    await tb.bench.clock(10)
    assert not tb.cpl.taken
    tb.fw_out.hold = False
    await tb.fw_in.drained()
    await tb.bench.until(lambda: len(tb.fw_out.taken) == COMMANDS_WAITING + 1, "all of them")
    assert [t["sqe"] for t in tb.fw_out.taken] == list(range(COMMANDS_WAITING + 1))


@cocotb.test()
@cocotb.parametrize(reset=[False, True], stalls=[0.0, 0.7])
async def commands_of_absent_queues_are_aborted(dut: Any, reset: bool, stalls: float) -> None:
    """Deletion of one queue, or of all. Waiting commands of the others are unaffected."""
    tb = TB(dut, stalls=stalls)
    await tb.start()
    for out in tb.out:
        out.hold = True
    sent: list[list[Transaction]] = [[], [], [], []]
    for cid in range(150):
        which = tb.bench.rng.randrange(4)
        sent[which].append(tb.command(which, tb.bench.rng.randrange(1, QUEUES), cid))
    tb.refused.send(qid=4, cid=1000, status=Status.INVALID_FIELD, dw0=0)
    await tb.bench.clock(200)
    tb.show(0 if reset else ALL_ALIVE & ~(1 << 3 | 1 << 5))
    await tb.bench.clock(2)  # what an engine takes in the cycle of the deletion is in its hand
    gone = [cid_of(t) for s in sent for t in s if not tb.alive >> t["qid"] & 1]
    for out in tb.out:
        out.hold = False
    await tb.bench.until(
        lambda: len(tb.cpl.taken) + sum(len(o.taken) for o in tb.out) == 151, "each command somewhere", 20_000
    )
    await tb.bench.clock(20)
    assert [list(o.taken) for o in tb.out] == [[t for t in s if tb.alive >> t["qid"] & 1] for s in sent]
    status = {t["cid"]: t["status"] for t in tb.cpl.taken}
    assert status.pop(1000) == Status.INVALID_FIELD
    assert sorted(status) == sorted(gone) and len(tb.cpl.taken) == len(gone) + 1
    assert set(status.values()) == {Status.ABORT_SQ_DELETION}
    assert tb.bench.read("io_quiet")


def test_command_queues(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("CommandQueues")
