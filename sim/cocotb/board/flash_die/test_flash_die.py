# SPDX-License-Identifier: Apache-2.0
"""Tests of FlashDie: each operation has its jobs done in their order, takes its time, and ends with one result."""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.codes import FlashJobOp, NandOp, NandStatus
from sim.cocotb.support.flash import Times
from sim.cocotb.support.geometry import DIES_PER_CHANNEL, PAGES_PER_BLOCK, SLOTS_PER_PAGE, SUPERBLOCKS
from sim.cocotb.support.stream import Pulse, Sink, Source, Transaction

DIE = DIES_PER_CHANNEL - 1
FIRST = {
    NandOp.READ: FlashJobOp.READ,
    NandOp.PROBE: FlashJobOp.PROBE,
    NandOp.PROGRAM: FlashJobOp.ADMIT,
    NandOp.ERASE: FlashJobOp.OPEN,
}


class TB:
    """Source cmd -> FlashDie -> Sink result
                      |  job, answer; stream, stored
                     this: records and words, each with a random delay

    `log` has what happened in which cycle: a job's code, "stream" or "stored".
    """

    def __init__(self, dut: Any, times: Times, stalls: float, delay: int) -> None:
        self.bench = Bench(dut)
        self.times = times
        self.delay = delay
        self.cmd = Source(self.bench, "io_cmd")
        self.job = Sink(self.bench, "io_job", stalls, stable=True, on_take=self._job)
        self.answer = Pulse(self.bench, "io_answer")
        self.stream = Sink(self.bench, "io_stream", stalls, stable=True, on_take=self._stream)
        self.stored = Pulse(self.bench, "io_stored")
        self.result = Sink(self.bench, "io_result", stalls, stable=True)
        self.released = Pulse(self.bench, "io_released")
        self.log: list[tuple[int, FlashJobOp | str]] = []
        self.fails: set[FlashJobOp | str] = set()
        self.refuses = False
        self.senses = NandStatus.OK
        self.blank = False
        self.at: Transaction = {}
        self._due: list[tuple[int, Pulse, Transaction]] = []
        self.bench.add(self)
        times.drive(self.bench)

    def _later(self, pulse: Pulse, **fields: int) -> None:
        self._due.append((self.bench.cycle + self.bench.rng.randint(1, self.delay), pulse, fields))

    def _job(self, t: Transaction) -> None:
        op = FlashJobOp(t["op"])
        self.log.append((self.bench.cycle, op))
        for name in ("block", "page", "sub"):
            assert t.get(name, 0) == self.at.get(name, 0)
        assert t.get("die", 0) == DIE
        status = NandStatus.OK
        if op in (FlashJobOp.READ, FlashJobOp.PROBE):
            status = self.senses
        elif op in self.fails:
            status = NandStatus.UNCORRECTABLE if op == FlashJobOp.ADMIT else NandStatus.FAILED
        if op == FlashJobOp.ADMIT and self.refuses:
            status = NandStatus.FAILED
        self._later(self.answer, status=status, blank=int(self.blank))

    def _stream(self, t: Transaction) -> None:
        self.log.append((self.bench.cycle, "stream"))
        assert t["page"] == (self.at["block"] * DIES_PER_CHANNEL + DIE) * PAGES_PER_BLOCK + self.at["page"]
        assert t["dropped"] == int(self.refuses or FlashJobOp.ADMIT in self.fails)
        self._later(self.stored, bits=int("stored" in self.fails))

    def drive(self) -> None:
        for entry in [e for e in self._due if e[0] <= self.bench.cycle]:
            self._due.remove(entry)
            entry[1].send(**entry[2])
            if entry[1] is self.stored:
                self.log.append((self.bench.cycle, "stored"))

    def sample(self) -> None:
        pass

    async def run(self, op: NandOp, retry: int = 0) -> tuple[NandStatus, list[FlashJobOp | str]]:
        """One operation: its status, and what was done."""
        rng = self.bench.rng
        self.log.clear()
        self.at = {
            "block": rng.randrange(SUPERBLOCKS),
            "page": rng.randrange(PAGES_PER_BLOCK),
            "sub": rng.randrange(SLOTS_PER_PAGE) if op in (NandOp.READ, NandOp.PROBE) else 0,
        }
        self.cmd.send(op=op, die=DIE, retry=retry, **self.at)
        await self.cmd.drained()
        began = self.bench.cycle
        status = NandStatus((await self.result.get())["bits"])
        ended = self.bench.cycle
        stored = next((cycle for cycle, what in self.log if what == "stored"), None)
        if op == NandOp.PROGRAM:
            assert stored is not None
            least = 0 if self.refuses else self.times.program
            assert ended - stored >= least
            last = [cycle for cycle, what in self.log if what == FlashJobOp.SEAL]
            assert all(cycle - stored >= least for cycle in last), "the page is good too early"
        else:
            least = self.times.erase if op == NandOp.ERASE else self.times.retry if retry else self.times.read
            assert ended - began >= least
            assert all(cycle - began >= least for cycle, what in self.log if what == FlashJobOp.CLOSE)
        self.cmd.send(op=NandOp.READ, die=DIE)  # it takes none before its result has been taken
        await self.bench.clock(5)
        assert self.cmd.pending == 1
        self.cmd.clear()
        await self.bench.clock(1)
        self.released.send()
        await self.released.sent()
        return status, [what for _, what in self.log]


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.5], delay=[2, 150])
async def operations_and_their_jobs(dut: Any, stalls: float, delay: int) -> None:
    """With jobs that are faster than the array, and slower."""
    tb = TB(dut, Times(read=40, retry=70, program=90, erase=120), stalls, delay)
    await tb.bench.start()
    job = FlashJobOp
    for status in NandStatus:
        tb.senses = status
        for op in (NandOp.READ, NandOp.PROBE):
            tb.blank = op == NandOp.PROBE and status == NandStatus.FAILED
            for retry in (0, 3):
                assert await tb.run(op, retry) == (status, [FIRST[op]])
                assert tb.bench.read("io_content_spareOnly") == (op == NandOp.PROBE)
                assert tb.bench.read("io_content_blank") == tb.blank
    tb.blank = False
    failures: list[set[FlashJobOp | str]]
    failures = [set(), {job.ADMIT}, {"stored"}, {job.TEAR}, {job.SEAL}, {"stored", job.TEAR}]
    for fails in failures:
        tb.fails = fails
        seals = not fails - {job.SEAL}
        wanted = [job.ADMIT, "stream", "stored", job.TEAR, *([job.SEAL] if seals else [])]
        assert await tb.run(NandOp.PROGRAM) == (NandStatus.FAILED if fails else NandStatus.OK, wanted)
    failures = [set(), {job.OPEN}, {job.CLOSE}]
    for fails in failures:
        tb.fails = fails
        wanted = [job.OPEN, *([] if job.OPEN in fails else [job.CLOSE])]
        assert await tb.run(NandOp.ERASE) == (NandStatus.FAILED if fails else NandStatus.OK, wanted)


@cocotb.test()
async def a_program_that_is_refused_leaves_its_page(dut: Any) -> None:
    """Its words are taken, because the controller sends them."""
    tb = TB(dut, Times(), 0.2, 10)
    await tb.bench.start()
    tb.refuses = True
    assert await tb.run(NandOp.PROGRAM) == (NandStatus.FAILED, [FlashJobOp.ADMIT, "stream", "stored"])
    tb.refuses = False
    assert (await tb.run(NandOp.PROGRAM))[0] == NandStatus.OK


@cocotb.test()
async def times_may_be_nothing(dut: Any) -> None:
    tb = TB(dut, Times(read=0, retry=0, program=0, erase=0), 0.0, 3)
    await tb.bench.start()
    for op in (NandOp.READ, NandOp.PROGRAM, NandOp.ERASE, NandOp.PROBE):
        assert (await tb.run(op))[0] == NandStatus.OK


def test_flash_die(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("FlashDie")
