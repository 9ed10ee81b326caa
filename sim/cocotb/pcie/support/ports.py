# SPDX-License-Identifier: Apache-2.0
"""The controller's side of the PCIe endpoint: an AXI master of host memory, and registers in BAR0."""

from __future__ import annotations

from collections import deque

from cocotb.triggers import Event

from sim.cocotb.support.axi import BEAT, OKAY, SLVERR
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.stream import Sink, Source, Transaction


class Pending:
    """An access whose answer is to come."""

    def __init__(self, beats: int) -> None:
        self.beats = beats
        self.data = b""
        self.resps: list[int] = []
        self._done = Event()

    def end(self) -> None:
        self._done.set()

    @property
    def is_done(self) -> bool:
        return self._done.is_set()

    async def wait(self) -> Pending:
        await self._done.wait()
        return self


class HostMaster:
    """Master of a `Flipped(new Axi4)` port; bursts may be under way in any number."""

    def __init__(self, bench: Bench, prefix: str = "io_host", stalls: float = 0.0, gaps: float = 0.0) -> None:
        self.bench = bench
        self._ar = Source(bench, prefix + "_rd_ar", gaps)
        self.r = Sink(bench, prefix + "_rd_r", stalls, stable=True, on_take=self._read_beat)
        self._aw = Source(bench, prefix + "_wr_aw", gaps)
        self._w = Source(bench, prefix + "_wr_w", gaps)
        self.b = Sink(bench, prefix + "_wr_b", stalls, stable=True, on_take=self._answer)
        self.reads: deque[Pending] = deque()
        self.writes: deque[Pending] = deque()

    def read(self, addr: int, beats: int) -> Pending:
        self._ar.send(addr=addr, len=beats - 1)
        self.reads.append(Pending(beats))
        return self.reads[-1]

    def write(self, addr: int, data: bytes, strobes: list[int] | None = None) -> Pending:
        """`data` has whole beats."""
        beats = len(data) // BEAT
        self._aw.send(addr=addr, len=beats - 1)
        for i in range(beats):
            strb = (1 << BEAT) - 1 if strobes is None else strobes[i]
            word = int.from_bytes(data[BEAT * i : BEAT * (i + 1)], "little")
            self._w.send(data=word, strb=strb, last=int(i == beats - 1))
        self.writes.append(Pending(beats))
        return self.writes[-1]

    def write_bytes(self, addr: int, data: bytes) -> Pending:
        """Writes any bytes inside 4 KiB."""
        lead = addr % BEAT
        whole = bytes(lead) + data
        whole += bytes(-len(whole) % BEAT)
        strobes = [0] * (len(whole) // BEAT)
        for i in range(lead, lead + len(data)):
            strobes[i // BEAT] |= 1 << i % BEAT
        return self.write(addr - lead, whole, strobes)

    def _read_beat(self, t: Transaction) -> None:
        first = self.reads[0]
        first.data += t["data"].to_bytes(BEAT, "little")
        first.resps.append(t["resp"])
        assert t["resp"] in (OKAY, SLVERR)
        assert t["resp"] == OKAY or t["data"] == 0, "data with an error"
        assert t["last"] == int(len(first.resps) == first.beats), "last in the wrong beat"
        if t["last"]:
            self.reads.popleft().end()

    def _answer(self, t: Transaction) -> None:
        first = self.writes.popleft()
        first.resps.append(t["resp"])
        first.end()


class BarRegisters:
    """Slave of an AxiLite port: words that can be written and read. `fail`: addresses that answer an error."""

    def __init__(self, bench: Bench, prefix: str = "io_bar", stalls: float = 0.0, gaps: float = 0.0,
                 latency: int = 1) -> None:  # fmt: skip
        self.bench = bench
        self.words: dict[int, int] = {}
        self.fail: set[int] = set()
        self.writes: list[tuple[int, int, int]] = []  # address, data, strobes
        self.reads: list[int] = []
        self.hold = False
        self.latency = latency
        self._due: deque[tuple[int, int, int]] = deque()  # cycle, data, resp
        self._aw: deque[int] = deque()
        self._w: deque[Transaction] = deque()
        self._has = {"r": bench.has(prefix + "_r_valid"), "w": bench.has(prefix + "_b_valid")}
        if bench.has(prefix + "_aw_valid"):
            Sink(bench, prefix + "_aw", stalls, stable=True, on_take=lambda t: self._write(addr=t["addr"]))
            Sink(bench, prefix + "_w", stalls, stable=True, on_take=lambda t: self._write(data=t))
        if bench.has(prefix + "_ar_valid"):
            Sink(bench, prefix + "_ar", stalls, stable=True, on_take=self._read)
        bench.add(self)
        self._b = Source(bench, prefix + "_b", gaps)
        self._r = Source(bench, prefix + "_r", gaps)

    def _write(self, addr: int | None = None, data: Transaction | None = None) -> None:
        if addr is not None:
            self._aw.append(addr)
        if data is not None:
            self._w.append(data)
        if self._aw and self._w:
            at, t = self._aw.popleft(), self._w.popleft()
            self.writes.append((at, t["data"], t["strb"]))
            old = self.words.get(at, 0)
            mask = sum(0xFF << 8 * i for i in range(4) if t["strb"] >> i & 1)
            self.words[at] = old & ~mask | t["data"] & mask
            self._b.send(resp=OKAY)

    def _read(self, t: Transaction) -> None:
        self.reads.append(t["addr"])
        resp = SLVERR if t["addr"] in self.fail else OKAY
        self._due.append((self.bench.cycle + self.latency, self.words.get(t["addr"], 0), resp))

    def drive(self) -> None:
        while self._due and not self.hold and self._due[0][0] <= self.bench.cycle:
            _, data, resp = self._due.popleft()
            self._r.send(data=data, resp=resp)

    def sample(self) -> None:
        pass
