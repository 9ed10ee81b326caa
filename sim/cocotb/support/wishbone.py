# SPDX-License-Identifier: Apache-2.0
"""A Wishbone master (bundle Wishbone of hw/src/soc/Wishbone.scala): one access at a time, held until it is answered."""

from __future__ import annotations

from sim.cocotb.support.bench import DEFAULT_TIMEOUT, Bench

INCREMENTING = 2
END = 7
WORD = 4  # bytes


class BusError(Exception):
    """The access was answered with `err`."""


class WishboneMaster:
    """Drives the port `prefix`. Addresses are of bytes. `gaps`: share of idle cycles before an access."""

    def __init__(self, bench: Bench, prefix: str, gaps: float = 0.0) -> None:
        self.bench = bench
        self.gaps = gaps
        self._p = prefix
        for name in ("cyc", "stb", "we", "adr", "datW", "sel", "cti"):
            self._set(name, 0)

    async def read(self, addr: int, timeout: int = DEFAULT_TIMEOUT) -> int:
        """A single word. Raises BusError."""
        await self._gap()
        value = await self._access(addr, cti=0, timeout=timeout)
        self._release()
        return value

    async def read_line(self, addr: int, words: int = 8) -> list[int]:
        """A burst of ascending words. Raises BusError."""
        await self._gap()
        values = []
        for i in range(words):
            values.append(await self._access(addr + WORD * i, cti=END if i == words - 1 else INCREMENTING))
        self._release()
        return values

    async def write(self, addr: int, value: int, sel: int = 0xF) -> None:
        """Bytes `sel` of a word. Raises BusError."""
        await self._gap()
        self._offer_write(value, sel)
        await self._access(addr, cti=0)
        self._release()

    def offer_read(self, addr: int) -> None:
        """Begins a read that may be given up: `answered` tells whether it is over."""
        self._offer(addr, 0)

    def offer_write(self, addr: int, value: int) -> None:
        """Begins a write that may be given up."""
        self._offer_write(value, 0xF)
        self._offer(addr, 0)

    def answered(self) -> bool:
        """Whether the access that is offered was answered, as of the last settled moment."""
        return bool(self.bench.read(f"{self._p}_ack") or self.bench.read(f"{self._p}_err"))

    def give_up(self) -> None:
        self._release()

    def _set(self, name: str, value: int) -> None:
        if self.bench.has(f"{self._p}_{name}"):
            self.bench.write(f"{self._p}_{name}", value)

    async def _gap(self) -> None:
        while self.bench.rng.random() < self.gaps:
            await self.bench.clock()

    def _offer_write(self, value: int, sel: int) -> None:
        self._set("we", 1)
        self._set("datW", value)
        self._set("sel", sel)

    def _offer(self, addr: int, cti: int) -> None:
        self._set("cyc", 1)
        self._set("stb", 1)
        self._set("adr", addr // WORD)
        self._set("cti", cti)

    async def _access(self, addr: int, cti: int, timeout: int = DEFAULT_TIMEOUT) -> int:
        self._offer(addr, cti)
        sampled = _Answer(self.bench, self._p)
        self.bench.add(sampled)
        try:
            await self.bench.until(lambda: sampled.over, f"an answer for {addr:#x}", timeout)
        finally:
            self.bench.agents.remove(sampled)
        if sampled.failed:
            self._release()
            raise BusError(hex(addr))
        return sampled.data

    def _release(self) -> None:
        for name in ("cyc", "stb", "we", "cti"):
            self._set(name, 0)


class _Answer:
    """Watches for the answer of one access."""

    def __init__(self, bench: Bench, prefix: str) -> None:
        self.bench = bench
        self._p = prefix
        self.over = False
        self.failed = False
        self.data = 0

    def drive(self) -> None:
        pass

    def sample(self) -> None:
        ack = self.bench.read(f"{self._p}_ack")
        err = self.bench.read(f"{self._p}_err") if self.bench.has(f"{self._p}_err") else 0
        if self.over or not (ack or err):
            return
        assert not (ack and err), "an access has one answer"
        self.over, self.failed = True, bool(err)
        self.data = self.bench.read(f"{self._p}_datR") if self.bench.has(f"{self._p}_datR") else 0
