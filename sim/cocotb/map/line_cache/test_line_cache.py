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
from sim.cocotb.support.stream import Source, Watch

SETS = param("mapCacheSets")
LINE = 32  # bytes
WAY = SETS * LINE  # lines this far apart share a set
ENTRY = 4  # bytes; the shape that Emit has
Update = int | None


class TB:
    """Claims and accesses of one client, in order.

    Updates come in the cycle of `entry`, as those of the hardware client do.
    """

    def __init__(self, dut: Any, stalls: float = 0.0, latency: int = 4) -> None:
        self.bench = bench = Bench(dut)
        self.memory = Memory()
        self.dram = AxiMemory(bench, "io_dram", self.memory, stalls=stalls, gaps=stalls, latency=latency)
        self.claim = Source(bench, "io_claim", gaps=stalls)
        self.stalls = stalls
        self.model = Memory()  # what the client must read
        self.claimed: deque[tuple[int, Update]] = deque()
        self.entries = 0
        self._asking: deque[tuple[int, Update]] = deque()
        self._offered = False
        self._stages: list[tuple[int, Update] | None] = [None, None]  # accesses: of the last cycle, whose entry is here
        bench.add(self)

    def fill(self, addr: int, data: bytes) -> None:
        self.memory.write(addr, data)
        self.model.write(addr, data)

    def use(self, addr: int, update: Update = None) -> None:
        self.claim.send(bits=addr)
        self._asking.append((addr, update))

    def drive(self) -> None:
        write = self.bench.write
        here = self._stages[1]
        update = here[1] if here else None
        write("io_update_valid", int(update is not None))
        if update is not None:
            write("io_update_bits", update)
        if not self._offered and self.claimed and self.bench.rng.random() >= self.stalls:
            self._offered = True
        write("io_access_valid", int(self._offered))
        if self._offered:
            write("io_access_bits", self.claimed[0][0])

    def sample(self) -> None:
        read = self.bench.read
        here = self._stages[1]
        assert bool(read("io_entry_valid")) == (here is not None)
        if here:
            addr, update = here
            base = addr // ENTRY * ENTRY
            got, wanted = read("io_entry_bits"), self.model.read_int(base, ENTRY)
            assert got == wanted, f"entry at {base:#x} is {got:#x} instead of {wanted:#x}"
            self.entries += 1
            if update is not None:
                self.model.write_int(base, update, ENTRY)
        began = None
        if self._offered and read("io_access_ready"):
            began = self.claimed.popleft()
            self._offered = False
        self._stages = [began, self._stages[0]]
        if read("io_claim_valid") and read("io_claim_ready"):
            self.claimed.append(self._asking.popleft())

    async def settled(self, entries: int) -> None:
        await self.bench.until(lambda: self.entries == entries, "all accesses", 40000)
        await self.bench.until(lambda: self.bench.read("io_quiet") == 1, "the writes to be answered")

    def check(self, addrs: set[int]) -> None:
        for addr in addrs:
            base = addr // LINE * LINE
            assert self.memory.read(base, LINE) == self.model.read(base, LINE), f"DRAM at {base:#x}"


@cocotb.test()
@cocotb.parametrize((("stalls", "latency"), [(0.0, 1), (0.0, 40), (0.4, 4)]))
async def random_accesses(dut: Any, stalls: float, latency: int) -> None:
    """Hits, misses, sets that overflow, an entry twice in a row: all see the last write, and so does DRAM."""
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
        tb.use(addr, rng.getrandbits(32) if rng.random() < 0.5 else None)
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
        tb.use(i % LINE, i)
    await tb.bench.until(lambda: tb.entries == 201, "all accesses")
    cocotb.log.info(f"200 accesses: {tb.bench.cycle - begin} cycles")
    assert tb.bench.cycle - begin <= 208
    await tb.settled(201)
    tb.check({0})


@cocotb.test()
async def writes_to_one_word_become_one(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.use(0)
    await tb.settled(1)
    for i in range(BEAT):
        tb.use(i, 0xA5A50000 + i)
    await tb.settled(1 + BEAT)
    assert tb.dram.wr.bursts == [(0, 1)]
    tb.check({0})


@cocotb.test()
async def a_claim_waits_when_its_set_is_claimed(dut: Any) -> None:
    """Five lines of a set of four: the fifth gets a place when one of the others has been accessed."""
    tb = TB(dut)
    await tb.bench.start()
    places = Watch(tb.bench, "io_event_miss")
    tb.stalls = 1.0  # no access
    for i in range(5):
        tb.use(i * WAY)
    await tb.bench.clock(200)
    assert len(places.seen) == 4 and not tb.entries
    tb.stalls = 0.0
    await tb.settled(5)
    assert len(places.seen) == 5


@cocotb.test()
async def a_line_claimed_twice_stays_for_both(dut: Any) -> None:
    tb = TB(dut, latency=2)
    await tb.bench.start()
    rng = tb.bench.rng
    for round_ in range(8):
        tb.use(0, rng.getrandbits(32))
        tb.use(0)
        for i in range(1, 6):
            tb.use(i * WAY + round_)
    await tb.settled(8 * 7)
    tb.check({0})


def test_line_cache(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("LineCache")
