# SPDX-License-Identifier: Apache-2.0
"""Tests of RemapStarter.

One command runs at a time. Outcome and ranges go to the client that started it. The settled seq is one that firmware
may rely on.
"""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.axi import AxiReadMemory, Memory
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.stream import Pulse, Sink, Source, Transaction, Watch

CLIENTS = ("firmware", "hardware")


class EnginePeer:
    """The remap engine: takes a command, reads part of its list, draws seqs, and ends it after a while."""

    def __init__(self, bench: Bench, stalls: float) -> None:
        self.bench = bench
        self.began: list[Transaction] = []
        self.read: list[bytes] = []  # what it found at the head of each list
        self.hold = False  # commands do not end
        self.seq, self.first = 1000, 0  # of the next event; of the command under way
        self.now: Transaction | None = None
        self._due = 0
        self._ending = False  # the outcome is on its way
        self._start = Sink(bench, "io_engine_start", stalls=stalls, on_take=self._started)
        self.outcome = Pulse(bench, "io_engine_outcome")
        self._ar = Source(bench, "io_ranges_ar", gaps=stalls)
        self._r = Sink(bench, "io_ranges_r", on_take=self._beat)
        self._beats: list[bytes] = []
        bench.add(self)

    def _started(self, t: Transaction) -> None:
        assert self.now is None, "two commands at a time"
        self.now, self.first = t, self.seq
        self._start.hold = True
        self.began.append(t)
        self._beats = []
        self._ar.send(addr=t["list"], len=1)
        self._due = self.bench.cycle + self.bench.rng.randrange(20, 60)

    def _beat(self, t: Transaction) -> None:
        self._beats.append(t["data"].to_bytes(16, "little"))
        assert t["last"] == (len(self._beats) == 2)

    def drive(self) -> None:
        self.bench.write("io_seq", self.seq)
        self._start.hold = self.now is not None or self._ending
        self._ending = False
        if self.now is None or self.hold or self._due > self.bench.cycle or len(self._beats) < 2:
            return
        self.read.append(b"".join(self._beats))
        self.outcome.send(result=0, range=self.now["ranges"], pages=len(self.began))
        self.now, self._ending = None, True

    def sample(self) -> None:
        if self.bench.rng.random() < 0.3:  # the host's events go on all the time
            self.seq += 1


class TB:
    """Sources firmware_start, hardware_start -> RemapStarter -> EnginePeer; a memory behind each list port"""

    def __init__(self, dut: Any, stalls: float = 0.0) -> None:
        self.bench = bench = Bench(dut)
        self.start = {name: Source(bench, f"io_{name}_start", gaps=stalls) for name in CLIENTS}
        self.outcome = {name: Watch(bench, f"io_{name}_outcome") for name in CLIENTS}
        self.memory = {name: Memory() for name in CLIENTS}
        AxiReadMemory(bench, "io_dram", self.memory["firmware"], stalls=stalls, gaps=stalls)
        AxiReadMemory(bench, "io_onChip", self.memory["hardware"], stalls=stalls, gaps=stalls)
        self.engine = EnginePeer(bench, stalls)


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.5])
async def each_gets_its_own(dut: Any, stalls: float) -> None:
    """Commands of both clients at once: in order, each with its ranges and its outcome."""
    tb = TB(dut, stalls)
    await tb.bench.start()
    rng = tb.bench.rng
    for name in CLIENTS:
        for i in range(40):
            data = rng.randbytes(32)
            tb.memory[name].write(64 * i, data)
            tb.start[name].send(list=64 * i, ranges=i, move=int(name == "firmware"), copy=int(name == "hardware"))
    await tb.bench.until(lambda: all(len(w.seen) == 40 for w in tb.outcome.values()), "all outcomes", 40_000)
    order = ["hardware" if t["copy"] else "firmware" for t in tb.engine.began]
    for name in CLIENTS:
        assert [t["range"] for t in tb.outcome[name].seen] == list(range(40))
        assert [t["pages"] for t in tb.outcome[name].seen] == [i + 1 for i, who in enumerate(order) if who == name]
    for who, t, data in zip(order, tb.engine.began, tb.engine.read, strict=True):
        assert data == tb.memory[who].read(t["list"], 32)
    if stalls == 0.0:
        assert "firmware,firmware" not in ",".join(order) and "hardware,hardware" not in ",".join(order), (
            "they take turns"
        )


@cocotb.test()
async def what_is_settled(dut: Any) -> None:
    """Idle: every seq that was drawn. Busy: those drawn before the command began."""
    tb = TB(dut)
    await tb.bench.start()
    for name in CLIENTS:
        await tb.bench.clock(10)
        assert tb.bench.read("io_settled") == tb.bench.read("io_seq")
        tb.engine.hold = True
        tb.start[name].send(list=0, ranges=1, copy=int(name == "hardware"))
        await tb.bench.until(lambda: tb.engine.now is not None, "the command to begin")
        await tb.bench.clock(50)
        assert tb.bench.read("io_settled") == tb.engine.first < tb.bench.read("io_seq")
        other = CLIENTS[1 - CLIENTS.index(name)]
        tb.start[other].send(list=0, ranges=2, copy=int(other == "hardware"))
        await tb.bench.clock(50)
        assert tb.start[other].pending == 1 and tb.bench.read("io_settled") == tb.engine.first
        tb.engine.hold = False
        assert (await tb.outcome[name].get())["range"] == 1
        assert (await tb.outcome[other].get())["range"] == 2
        assert not tb.outcome[name].seen


def test_remap_starter(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("RemapStarter")
