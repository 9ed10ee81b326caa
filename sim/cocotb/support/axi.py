# SPDX-License-Identifier: Apache-2.0
"""Memory behind the AXI masters of a unit (bundles AxiRead, AxiWrite, Axi4 of hw/src/lib/Axi4.scala), and an AXI4-Lite
master.

The slaves answer in order (the design uses one ID), after `latency` cycles, with random back-pressure on every channel.
They check the master: bursts within 4 KiB, the promised number of data beats, stable valid and payload. An access to a
range that was given to `fail()` is answered with an error.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from sim.cocotb.support.bench import Bench
from sim.cocotb.support.stream import Sink, Source, Transaction

OKAY = 0
SLVERR = 2
DECERR = 3
PAGE = 4096
BEAT = 16  # bytes: every memory bus of the design is 128 bits wide


class Memory:
    """Sparse byte memory. Bytes that were never written read as zero."""

    def __init__(self) -> None:
        self._pages: dict[int, bytearray] = {}

    def _page(self, number: int) -> bytearray:
        return self._pages.setdefault(number, bytearray(PAGE))

    def write(self, addr: int, data: bytes) -> None:
        at = 0
        while at < len(data):
            page, offset = divmod(addr + at, PAGE)
            part = min(PAGE - offset, len(data) - at)
            self._page(page)[offset : offset + part] = data[at : at + part]
            at += part

    def read(self, addr: int, length: int) -> bytes:
        out = bytearray()
        while len(out) < length:
            page, offset = divmod(addr + len(out), PAGE)
            part = min(PAGE - offset, length - len(out))
            out += self._pages[page][offset : offset + part] if page in self._pages else bytes(part)
        return bytes(out)

    def write_int(self, addr: int, value: int, length: int) -> None:
        self.write(addr, value.to_bytes(length, "little"))

    def read_int(self, addr: int, length: int) -> int:
        return int.from_bytes(self.read(addr, length), "little")


@dataclass
class _Burst:
    addr: int
    beats: int
    due: int  # cycle from which it may be answered

    def check(self, what: str) -> None:
        end = self.addr // BEAT * BEAT + BEAT * self.beats
        assert self.addr // PAGE == (end - 1) // PAGE, f"{what}: burst of {self.beats} at {self.addr:#x} crosses 4 KiB"


class _Failing:
    """Address ranges that answer an error."""

    def __init__(self) -> None:
        self._ranges: list[tuple[int, int, int]] = []

    def fail(self, addr: int, length: int = BEAT, resp: int = SLVERR) -> None:
        """From now on accesses to these bytes are answered with an error."""
        self._ranges.append((addr, addr + length, resp))

    def heal(self) -> None:
        """From now on no access fails."""
        self._ranges.clear()

    def _resp(self, addr: int, length: int) -> int:
        return next((resp for begin, end, resp in self._ranges if addr < end and begin < addr + length), OKAY)


class AxiReadMemory(_Failing):
    """Slave of an AxiRead. `prefix` is the bundle's name, e.g. io_host, or io_dram_rd inside an Axi4.

    `hold_data = True` holds answers back, as a slow bus does. Addresses are still accepted.
    """

    def __init__(
        self, bench: Bench, prefix: str, memory: Memory, stalls: float = 0.0, gaps: float = 0.0, latency: int = 4
    ) -> None:
        super().__init__()
        self.bench = bench
        self.memory = memory
        self.latency = latency
        self.hold_data = False
        self.bursts: list[tuple[int, int]] = []  # (address, beats) of every requested burst
        self._pending: deque[_Burst] = deque()
        self._prefix = prefix
        self.ar = Sink(bench, prefix + "_ar", stalls=stalls, stable=True, on_take=self._address)
        bench.add(self)  # before the data source, which may be fed in the same cycle
        self.r = Source(bench, prefix + "_r", gaps=gaps)

    @property
    def outstanding(self) -> int:
        """Number of bursts that are not completely answered."""
        return len(self._pending) + self.r.pending

    def power_cut(self) -> None:
        """What is under way is not answered."""
        self._pending.clear()
        for port in (self.ar, self.r):
            port.clear()

    def _address(self, t: Transaction) -> None:
        burst = _Burst(t["addr"], t.get("len", 0) + 1, self.bench.cycle + self.latency)
        burst.check(self._prefix)
        self.bursts.append((burst.addr, burst.beats))
        self._pending.append(burst)

    def drive(self) -> None:
        while self._pending and not self.hold_data and self._pending[0].due <= self.bench.cycle:
            burst = self._pending.popleft()
            base = burst.addr // BEAT * BEAT
            for beat in range(burst.beats):
                at = base + beat * BEAT
                resp = self._resp(at, BEAT)
                data = self.memory.read_int(at, BEAT) if resp == OKAY else (1 << 128) - 1
                self.r.send(data=data, resp=resp, last=int(beat == burst.beats - 1))

    def sample(self) -> None:
        pass


class AxiWriteMemory(_Failing):
    """Slave of an AxiWrite. Data reaches the memory with its last beat.

    `hold_resp = True` holds answers back.
    """

    def __init__(
        self, bench: Bench, prefix: str, memory: Memory, stalls: float = 0.0, gaps: float = 0.0, latency: int = 4
    ) -> None:
        super().__init__()
        self.bench = bench
        self.memory = memory
        self.latency = latency
        self.hold_resp = False
        self.bursts: list[tuple[int, int]] = []  # (address, beats) in the order of their completion
        self._addresses: deque[_Burst] = deque()
        self._beats: list[Transaction] = []
        self._done: deque[tuple[int, int]] = deque()  # due, resp
        self._prefix = prefix
        self.aw = Sink(bench, prefix + "_aw", stalls=stalls, stable=True, on_take=self._address)
        self.w = Sink(bench, prefix + "_w", stalls=stalls, stable=True, on_take=self._data)
        bench.add(self)
        self.b = Source(bench, prefix + "_b", gaps=gaps)

    @property
    def outstanding(self) -> int:
        return len(self._addresses) + len(self._done) + self.b.pending

    def power_cut(self) -> None:
        """What is under way is not answered. Of a burst that has not come whole, some beats may be in the memory."""
        if self._addresses:
            base = self._addresses[0].addr // BEAT * BEAT
            for beat, word in enumerate(self._beats[: self.bench.rng.randint(0, len(self._beats))]):
                self._store(base + beat * BEAT, word)
        self._addresses.clear()
        self._beats.clear()
        self._done.clear()
        for port in (self.aw, self.w, self.b):
            port.clear()

    def _store(self, at: int, word: Transaction) -> None:
        data = word["data"].to_bytes(BEAT, "little")
        strb = word.get("strb", (1 << BEAT) - 1)
        if strb == (1 << BEAT) - 1:
            self.memory.write(at, data)
            return
        for byte in range(BEAT):
            if strb >> byte & 1:
                self.memory.write(at + byte, data[byte : byte + 1])

    def _address(self, t: Transaction) -> None:
        burst = _Burst(t["addr"], t.get("len", 0) + 1, 0)
        burst.check(self._prefix)
        self._addresses.append(burst)
        self._finish()

    def _data(self, t: Transaction) -> None:
        self._beats.append(t)
        self._finish()

    def _finish(self) -> None:
        while self._addresses and len(self._beats) >= self._addresses[0].beats:
            burst = self._addresses.popleft()
            mine, self._beats = self._beats[: burst.beats], self._beats[burst.beats :]
            lasts = [beat.get("last", 1) for beat in mine]
            assert lasts == [0] * (burst.beats - 1) + [1], f"{self._prefix}: last at {lasts} of {burst.beats} beats"
            base = burst.addr // BEAT * BEAT
            resp = self._resp(base, BEAT * burst.beats)
            self.bursts.append((burst.addr, burst.beats))
            for beat, word in enumerate(mine):
                at = base + beat * BEAT
                if self._resp(at, BEAT) == OKAY:
                    self._store(at, word)
            self._done.append((self.bench.cycle + self.latency, resp))

    def drive(self) -> None:
        while self._done and not self.hold_resp and self._done[0][0] <= self.bench.cycle:
            self.b.send(resp=self._done.popleft()[1])

    def sample(self) -> None:
        pass


class AxiMemory:
    """Slave of a whole Axi4 bundle: `.rd` and `.wr` share the memory."""

    def __init__(
        self, bench: Bench, prefix: str, memory: Memory, stalls: float = 0.0, gaps: float = 0.0, latency: int = 4
    ) -> None:
        self.rd = AxiReadMemory(bench, prefix + "_rd", memory, stalls, gaps, latency)
        self.wr = AxiWriteMemory(bench, prefix + "_wr", memory, stalls, gaps, latency)

    def power_cut(self) -> None:
        self.rd.power_cut()
        self.wr.power_cut()


class AxiLiteMaster:
    """Master for a `Flipped(new AxiLite)` port: one access at a time, 32 bits."""

    def __init__(self, bench: Bench, prefix: str, stalls: float = 0.0, gaps: float = 0.0) -> None:
        self.bench = bench
        self._aw = Source(bench, prefix + "_aw", gaps)
        self._w = Source(bench, prefix + "_w", gaps)
        self._b = Sink(bench, prefix + "_b", stalls, stable=True)
        self._ar = Source(bench, prefix + "_ar", gaps)
        self._r = Sink(bench, prefix + "_r", stalls, stable=True)

    async def write(self, addr: int, value: int, strb: int = 0xF) -> None:
        self._aw.send(addr=addr)
        self._w.send(data=value, strb=strb)
        answer = await self._b.get()
        assert answer.get("resp", OKAY) == OKAY, f"write of {addr:#x} refused"

    async def read(self, addr: int) -> int:
        self._ar.send(addr=addr)
        answer = await self._r.get()
        assert answer.get("resp", OKAY) == OKAY, f"read of {addr:#x} refused"
        return answer["data"]
