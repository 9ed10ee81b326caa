# SPDX-License-Identifier: Apache-2.0
"""Tests of NandDie: requests run one at a time in order, each with the commands that its kind and outcome need."""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.codes import NandClient, NandOp, NandStatus, RequestOp
from sim.cocotb.support.geometry import (
    BUFFERS,
    DIE_QUEUE_DEPTH,
    OOB_BITS,
    READ_RETRIES,
    SLOTS,
    SLOTS_PER_PAGE,
    SlotAddress,
)
from sim.cocotb.support.stream import Pulse, Sink, Source, Transaction

DIE = 1  # what Emit builds it with
COMMAND = {
    RequestOp.READ: NandOp.READ,
    RequestOp.PROBE: NandOp.PROBE,
    RequestOp.PROGRAM: NandOp.PROGRAM,
    RequestOp.ERASE: NandOp.ERASE,
}
OUTCOMES = {
    RequestOp.READ: [NandStatus.OK, NandStatus.UNCORRECTABLE],
    RequestOp.PROBE: [NandStatus.OK, NandStatus.FAILED, NandStatus.UNCORRECTABLE, NandStatus.ERASED],
    RequestOp.PROGRAM: [NandStatus.OK, NandStatus.FAILED],
    RequestOp.ERASE: [NandStatus.OK, NandStatus.FAILED],
}


def sends(op: int, status: int) -> bool:
    """Whether the NAND has data to transfer."""
    if op == RequestOp.PROBE:
        return status in (NandStatus.OK, NandStatus.FAILED)
    return op == RequestOp.READ and status == NandStatus.OK


def losses(op: int) -> list[NandStatus]:
    """Outcomes that lead to another read while there are read-retry levels."""
    return [NandStatus.UNCORRECTABLE] if op in (RequestOp.READ, RequestOp.PROBE) else []


class TB:
    """Source req -> NandDie -> Sink done
                       |  cmd, moved, spare, result
                     this: the channel's bus and the array

    The reference is the list of requests: the head's next command is known from its kind and the status it was given.
    """

    def __init__(self, dut: Any, gaps: float = 0.0, stalls: float = 0.0, array: int = 10, bus: int = 5) -> None:
        self.bench = Bench(dut)
        self.array, self.bus = array, bus  # longest times, cycles
        self.req = Source(self.bench, "io_req", gaps)
        self.cmd = Sink(self.bench, "io_cmd", stalls, stable=True, on_take=self._command)
        self.moved = Pulse(self.bench, "io_moved")
        self.result = Pulse(self.bench, "io_result")
        self.done = Sink(self.bench, "io_done", stalls, stable=True, on_take=self._done)
        self.queue: list[dict[str, Any]] = []  # requests not done, with the outcome that each will have
        self.finished = 0
        self.commands: list[NandOp] = []
        self._expect: list[NandOp] | None = None  # commands of the head still to come; None: not begun
        self._level = 0  # read-retry level of the head's next sensing
        self.weak: list[int] = []  # superblocks of marginal reads, in the order of their reports
        self.told: list[int] = []
        self._event: tuple[int, str] | None = None  # cycle, result or moved
        self._waits = False  # for the array: the die's word for it is quiet
        self.bench.add(self)

    def send(self, op: RequestOp, status: NandStatus = NandStatus.OK, lost: int = 0, weak: bool = False) -> None:
        """`status` is that of the last command on the array, after `lost` others that lost data.

        If it is itself a loss, every level has it.
        """
        rng = self.bench.rng
        before = losses(op)
        if status in before:
            lost = READ_RETRIES
        results = [rng.choice(before) for _ in range(lost)] if before else []
        request = {
            "op": op,
            "client": rng.choice(list(NandClient)),
            "slot": rng.randrange(SLOTS),
            "buf": rng.randrange(BUFFERS),
            "oob": rng.getrandbits(OOB_BITS),
        }
        self.req.send(**request)
        outcome: dict[str, Any] = {
            "status": status,
            "results": [*results, status],
            "weak": int(weak),
            "spare": rng.getrandbits(OOB_BITS),
        }
        self.queue.append(request | outcome)

    def _command(self, t: Transaction) -> None:
        head = self.queue[0]
        op = NandOp(t["op"])
        assert self._event is None, f"{op.name} while the one before is under way"
        if self._expect is None:
            self._expect, self._level = [COMMAND[RequestOp(head["op"])]], 0
        assert self._expect and op == self._expect.pop(0), f"{op.name} for a request {RequestOp(head['op']).name}"
        at = SlotAddress.of(head["slot"])
        assert (t.get("die"), t["block"], t["page"]) == (DIE, at.superblock, at.page)
        if SLOTS_PER_PAGE > 1:
            assert t["sub"] == (at.sub if head["op"] in (RequestOp.READ, RequestOp.PROBE) else 0)
        assert t["retry"] == (self._level if op in (NandOp.READ, NandOp.PROBE) else 0)
        self.commands.append(op)
        self._later("moved" if op in (NandOp.TRANSFER, NandOp.PROGRAM) else "result")

    def _later(self, what: str) -> None:
        longest = self.bus if what == "moved" else self.array
        self._event = (self.bench.cycle + self.bench.rng.randrange(2, 3 + longest), what)

    def drive(self) -> None:
        # While it has the bus, the die must show its head to the channel.
        self.bench.write("io_spare", self.bench.rng.getrandbits(OOB_BITS))
        if self._event is None or self._event[0] > self.bench.cycle:
            return
        head, what = self.queue[0], self._event[1]
        self._event = None
        if what == "moved":
            assert all(self.bench.read(f"io_current_{name}") == head[name] for name in ("op", "client", "slot", "buf"))
            assert self.bench.read("io_current_oob") == head["oob"]
            self.bench.write("io_spare", head["spare"])
            self.moved.send()
            self.moved.drive()
            if head["op"] == RequestOp.PROGRAM:
                self._later("result")
        else:
            assert self.bench.read("io_quiet"), "while the array works only the NAND can change anything"
            assert self._expect is not None
            status = head["results"].pop(0)
            good = head["op"] == RequestOp.READ and status == NandStatus.OK
            self.result.send(status=status, weak=head["weak"] if good else 0)
            self.result.drive()
            if good and (head["weak"] or self._level > 0):
                self.weak.append(SlotAddress.of(head["slot"]).superblock)
            if head["results"]:
                self._level += 1
                self._expect.append(COMMAND[RequestOp(head["op"])])
            elif sends(head["op"], head["status"]):
                self._expect.append(NandOp.TRANSFER)

    def sample(self) -> None:
        if self.bench.read("io_weak_valid"):
            self.told.append(self.bench.read("io_weak_bits"))

    def _done(self, t: Transaction) -> None:
        head = self.queue.pop(0)
        assert self._event is None and self._expect == [], "done before its last command ended"
        self._expect = None
        names = ["op", "client", "slot", "buf", "status"]
        assert {name: t[name] for name in names} == {name: head[name] for name in names}
        if sends(head["op"], head["status"]):
            assert t["oob"] == head["spare"]
        self.finished += 1

    async def all_done(self) -> None:
        await self.bench.until(lambda: not self.queue, "all requests")
        await self.bench.clock(2)
        assert self.bench.read("io_quiet")
        assert self.told == self.weak


@cocotb.test()
@cocotb.parametrize(op=[int(op) for op in RequestOp])
async def every_outcome_of_every_request(dut: Any, op: int) -> None:
    """Read data is fetched only after a good status."""
    tb = TB(dut)
    await tb.bench.start()
    for status in OUTCOMES[RequestOp(op)]:
        tb.commands.clear()
        tb.send(RequestOp(op), status)
        await tb.all_done()
        fetched = [NandOp.TRANSFER] if sends(RequestOp(op), status) else []
        times = 1 + READ_RETRIES if status in losses(op) else 1
        assert tb.commands == [COMMAND[RequestOp(op)]] * times + fetched


@cocotb.test()
@cocotb.parametrize(op=[int(RequestOp.READ), int(RequestOp.PROBE)])
async def another_level_gives_what_was_lost(dut: Any, op: int) -> None:
    """At each level. The next request begins at the first level again. Repeated and marginal reads are reported."""
    tb = TB(dut)
    await tb.bench.start()
    for lost in (0, *range(1, READ_RETRIES + 1), 0):
        for weak in (False, True):
            tb.commands.clear()
            tb.send(RequestOp(op), NandStatus.OK, lost, weak)
            await tb.all_done()
            assert tb.commands == [COMMAND[RequestOp(op)]] * (1 + lost) + [NandOp.TRANSFER]
    assert len(tb.told) == (2 * READ_RETRIES + 2 if op == RequestOp.READ else 0)


@cocotb.test()
@cocotb.parametrize(gaps=[0.0, 0.5], stalls=[0.0, 0.6])
async def random_requests(dut: Any, gaps: float, stalls: float) -> None:
    tb = TB(dut, gaps, stalls)
    await tb.bench.start()
    rng = tb.bench.rng
    for _ in range(150):
        op = rng.choice(list(RequestOp))
        tb.send(op, rng.choice(OUTCOMES[op]), rng.choice([0, 0, rng.randrange(READ_RETRIES + 1)]), rng.random() < 0.2)
    await tb.all_done()
    assert tb.finished == 150


@cocotb.test()
async def as_many_requests_wait_as_the_queue_holds(dut: Any) -> None:
    """The request at work keeps its place. A result that is not taken stops the die."""
    tb = TB(dut)
    await tb.bench.start()
    tb.done.hold = True
    for _ in range(DIE_QUEUE_DEPTH + 3):
        tb.send(RequestOp.ERASE)
    await tb.bench.clock(200)
    assert tb.req.sent == DIE_QUEUE_DEPTH
    assert tb.commands == [NandOp.ERASE], "one at a time"
    tb.done.hold = False
    await tb.all_done()


@cocotb.test()
@cocotb.parametrize(op=[int(RequestOp.READ), int(RequestOp.PROGRAM)])
async def the_bus_may_be_somebody_elses(dut: Any, op: int) -> None:
    """A program waits with its command, a read with its transfer, while the channel serves other dies."""
    tb = TB(dut)
    await tb.bench.start()
    tb.cmd.hold = op == RequestOp.PROGRAM
    tb.send(RequestOp(op))
    await tb.bench.clock(3)
    if op == RequestOp.READ:
        await tb.bench.until(lambda: bool(tb.commands), "the read")
        tb.cmd.hold = True
    await tb.bench.clock(200)
    assert tb.bench.read("io_cmd_valid") and not tb.bench.read("io_quiet")
    assert tb.finished == 0 and NandOp.TRANSFER not in tb.commands
    tb.cmd.hold = False
    await tb.all_done()


def test_nand_die(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("NandDie")
