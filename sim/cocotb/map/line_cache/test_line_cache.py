# SPDX-License-Identifier: Apache-2.0
"""Tests of LineCache against a byte array: each access sees the last write, and DRAM receives all writes."""

from __future__ import annotations

from collections import deque
from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.axi import BEAT, AxiMemory, Memory
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.params import param
from sim.cocotb.support.stream import Source

SETS = param("mapCacheSets")
LINE = 32  # bytes
WAY = SETS * LINE  # lines this far apart share a set
Update = tuple[int, int] | None  # data, strobe


class TB:
    """Claims and accesses of one client, in order.

    Updates come in the cycle of `row`, as those of the hardware client do.
    """

    def __init__(self, dut: Any, stalls: float = 0.0, latency: int = 4) -> None:
        self.bench = bench = Bench(dut)
        self.memory = Memory()
        self.dram = AxiMemory(bench, "io_dram", self.memory, stalls=stalls, gaps=stalls, latency=latency)
        self.claim = Source(bench, "io_claim", gaps=stalls)
        self.stalls = stalls
        self.model = Memory()  # what the client must read
        self.wanted: deque[tuple[int, Update]] = deque()  # claims to come
        self.claimed: deque[tuple[int, int, Update]] = deque()  # line, address, update
        self.rows = 0
        self._asking: deque[tuple[int, Update]] = deque()
        self._offered = False
        self._active: tuple[int, Update] | None = None
        bench.add(self)

    def fill(self, addr: int, data: bytes) -> None:
        self.memory.write(addr, data)
        self.model.write(addr, data)

    def use(self, addr: int, update: Update = None) -> None:
        self.claim.send(bits=addr)
        self._asking.append((addr, update))

    def drive(self) -> None:
        write = self.bench.write
        update = self._active[1] if self._active else None
        write("io_update_valid", int(update is not None))
        if self._active and update:
            # The client writes the whole word back, with its bytes changed.
            data, strobe = update
            word = bytearray(self.model.read(self._active[0] // BEAT * BEAT, BEAT))
            new = data.to_bytes(BEAT, "little")
            for i in range(BEAT):
                if strobe >> i & 1:
                    word[i] = new[i]
            write("io_update_bits_data", int.from_bytes(word, "little"))
            write("io_update_bits_strb", strobe)
        if not self._offered and self.claimed and self.bench.rng.random() >= self.stalls:
            self._offered = True
        write("io_access_valid", int(self._offered))
        if self._offered:
            write("io_access_bits_line", self.claimed[0][0])
            write("io_access_bits_addr", self.claimed[0][1])

    def sample(self) -> None:
        read = self.bench.read
        assert bool(read("io_row_valid")) == (self._active is not None)
        if self._active:
            addr, update = self._active
            base = addr // BEAT * BEAT
            got, wanted = read("io_row_bits"), self.model.read_int(base, BEAT)
            assert got == wanted, f"word at {base:#x} is {got:#x} instead of {wanted:#x}"
            self.rows += 1
            if update:
                data, strobe = update
                for i in range(BEAT):
                    if strobe >> i & 1:
                        self.model.write(base + i, data.to_bytes(BEAT, "little")[i : i + 1])
        self._active = None
        if self._offered and read("io_access_ready"):
            _, addr, update = self.claimed.popleft()
            self._active = (addr, update)
            self._offered = False
        if read("io_claim_valid") and read("io_claim_ready"):
            addr, update = self._asking.popleft()
            self.claimed.append((read("io_line"), addr, update))

    async def settled(self, rows: int) -> None:
        await self.bench.until(lambda: self.rows == rows, "all accesses", 40000)
        await self.bench.until(lambda: self.bench.read("io_quiet") == 1, "the writes to be answered")

    def check(self, addrs: set[int]) -> None:
        for addr in addrs:
            base = addr // LINE * LINE
            assert self.memory.read(base, LINE) == self.model.read(base, LINE), f"DRAM at {base:#x}"


@cocotb.test()
@cocotb.parametrize((("stalls", "latency"), [(0.0, 1), (0.0, 40), (0.4, 4)]))
async def random_accesses(dut: Any, stalls: float, latency: int) -> None:
    """Hits, misses, sets that overflow, the same word twice in a row: all see the last write, and so does DRAM."""
    tb = TB(dut, stalls, latency)
    await tb.bench.start()
    rng = tb.bench.rng
    places = [rng.randrange(4) * LINE + rng.randrange(7) * WAY for _ in range(12)] + [LINE * i for i in range(6)]
    for place in places:
        tb.fill(place, rng.randbytes(LINE))
    count, used = 1500, set()
    for _ in range(count):
        addr = rng.choice(places) + rng.randrange(LINE)
        used.add(addr)
        tb.use(addr, (rng.getrandbits(128), rng.getrandbits(16)) if rng.random() < 0.5 else None)
    await tb.settled(count)
    tb.check(used)


@cocotb.test()
async def an_access_a_cycle_from_the_cache(dut: Any) -> None:
    tb = TB(dut, latency=40)
    await tb.bench.start()
    tb.use(0)
    await tb.settled(1)
    begin = tb.bench.cycle
    for i in range(200):
        tb.use(i % LINE, (i, 0xFFFF))
    await tb.bench.until(lambda: tb.rows == 201, "all accesses")
    assert tb.bench.cycle - begin <= 206
    await tb.settled(201)
    tb.check({0})


@cocotb.test()
async def writes_to_one_word_become_one(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.use(0)
    await tb.settled(1)
    for i in range(BEAT):
        tb.use(i, (0xA5 << 8 * i, 1 << i))
    await tb.settled(1 + BEAT)
    assert tb.dram.wr.bursts == [(0, 1)]
    tb.check({0})


@cocotb.test()
async def a_claim_waits_when_its_set_is_claimed(dut: Any) -> None:
    """Five lines of a set of four: the fifth is accepted when one of the others has been accessed."""
    tb = TB(dut)
    await tb.bench.start()
    tb.stalls = 1.0  # no access
    for i in range(5):
        tb.use(i * WAY)
    await tb.bench.clock(200)
    assert tb.claim.sent == 4 and not tb.rows
    tb.stalls = 0.0
    await tb.settled(5)
    assert tb.claim.sent == 5


@cocotb.test()
async def a_line_claimed_twice_stays_for_both(dut: Any) -> None:
    tb = TB(dut, latency=2)
    await tb.bench.start()
    rng = tb.bench.rng
    for round_ in range(8):
        tb.use(0, (rng.getrandbits(128), 0xFFFF))
        tb.use(0)
        for i in range(1, 6):
            tb.use(i * WAY + round_)
    await tb.settled(8 * 7)
    tb.check({0})


def test_line_cache(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("LineCache")
