# SPDX-License-Identifier: Apache-2.0
"""Tests of MapUnit against a Python reference: L2P and REF in DRAM, VALID by its pulses, and every answer."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.axi import AxiMemory, Memory
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.codes import MapOp
from sim.cocotb.support.geometry import L2P_BASE, LPNS, REF_BASE, REF_LIMIT, SLOTS, SLOTS_PER_SB
from sim.cocotb.support.orm_formats import UNMAPPED
from sim.cocotb.support.params import param
from sim.cocotb.support.stream import Sink, Source, Transaction, Watch

CLIENTS = 5
READ, WRITE, TRIM, REMAP, GC = range(CLIENTS)  # MapUnit.Client
LPNS_PER_WAY = 32 * param("mapCacheSets") // 4  # LPNs of one way of the cache: line x sets / entry


class Reference:
    """The expected effect of the unit, one request after the other."""

    def __init__(self) -> None:
        self.l2p: dict[int, int] = {}
        self.ref: Counter[int] = Counter()
        self.valid: Counter[int] = Counter()

    def _gain(self, slot: int) -> None:
        self.valid[slot // SLOTS_PER_SB] += self.ref[slot] == 0
        self.ref[slot] += 1

    def _lose(self, slot: int) -> None:
        self.ref[slot] -= 1
        assert self.ref[slot] >= 0
        self.valid[slot // SLOTS_PER_SB] -= self.ref[slot] == 0

    def _move(self, lpn: int, slot: int) -> None:
        old = self.l2p.get(lpn)
        self.l2p[lpn] = slot
        self._gain(slot)
        if old is not None:
            self._lose(old)

    def apply(self, op: MapOp, lpn: int, slot: int, expect: int) -> Transaction:
        """Executes the request. Returns the fields of the answer that this operation defines."""
        old = self.l2p.get(lpn)
        before: Transaction = {"mapped": int(old is not None)} | ({} if old is None else {"slot": old})
        if op == MapOp.LOOKUP:
            return {"ok": 1} | before
        if op == MapOp.SET:
            self._move(lpn, slot)
            return {"ok": 1} | before
        if op == MapOp.UNMAP:
            if old is not None:
                del self.l2p[lpn]
                self._lose(old)
            return {"ok": 1} | before
        if op == MapOp.RESERVE:
            if self.ref[slot] == REF_LIMIT:
                return {"ok": 0}
            self._gain(slot)
            return {"ok": 1}
        if op == MapOp.SHARE:
            if old is None or self.ref[old] == REF_LIMIT:
                return {"ok": 0} | before
            self._gain(old)
            return {"ok": 1} | before
        if op == MapOp.PEEK:
            return before if old is None else before | {"count": self.ref[old]}
        if op == MapOp.RELEASE:
            self._lose(slot)
            return {"ok": 1}
        if op == MapOp.LINK:
            self.l2p[lpn] = slot
            if old is not None:
                self._lose(old)
            return {"ok": 1} | before
        if op == MapOp.CAS:
            if old is None or old != expect:
                return {"ok": 0}
            self._move(lpn, slot)
            return {"ok": 1}
        return {"ok": 1, "count": self.ref[slot]}


class TB:
    """Source/Sink client[2] -> MapUnit -> AxiMemory (DRAM: of the L2P, of REF), Watch valid.inc/dec"""

    def __init__(self, dut: Any, stalls: float = 0.0, latency: int = 4) -> None:
        self.bench = Bench(dut)
        self.memory = Memory()
        # The L2P of a formatted device: nothing is mapped. Guard bytes around what the tests use stay as they are.
        self.memory.write(L2P_BASE, b"\xff" * (4 * LPNS))
        self.ports = [
            AxiMemory(self.bench, f"io_{table}", self.memory, stalls=stalls, gaps=stalls, latency=latency)
            for table in ("l2p", "ref")
        ]
        self.req = [Source(self.bench, f"io_client_{i}_req", gaps=stalls) for i in range(CLIENTS)]
        self.resp = [Sink(self.bench, f"io_client_{i}_resp", stalls=stalls) for i in range(CLIENTS)]
        self.valid: defaultdict[int, int] = defaultdict(int)
        Watch(self.bench, "io_valid_inc", on_seen=lambda t: self._count(t, 1))
        Watch(self.bench, "io_valid_dec", on_seen=lambda t: self._count(t, -1))
        self.reference = Reference()

    def _count(self, t: Transaction, step: int) -> None:
        self.valid[t["bits"]] += step

    def hold_resp(self, hold: bool) -> None:
        """DRAM answers no write as long as it holds the answers back."""
        for port in self.ports:
            port.wr.hold_resp = hold

    def hold_writes(self, hold: bool) -> None:
        """DRAM takes no write."""
        for port in self.ports:
            port.wr.aw.hold = port.wr.w.hold = hold

    def send(self, op: MapOp, lpn: int = 0, slot: int = 0, expect: int = 0, client: int = READ) -> None:
        self.req[client].send(op=op, lpn=lpn, slot=slot, expect=expect)

    async def run(self, op: MapOp, lpn: int = 0, slot: int = 0, expect: int = 0, client: int = READ) -> Transaction:
        """Runs one request and checks it against the reference."""
        self.send(op, lpn, slot, expect, client)
        answer = await self.resp[client].get()
        wanted = self.reference.apply(op, lpn, slot, expect)
        got = {name: answer[name] for name in wanted}
        assert got == wanted, f"{op.name} lpn {lpn} slot {slot} expect {expect}: {got} instead of {wanted}"
        return answer

    async def settled(self) -> None:
        await self.bench.until(lambda: bool(self.bench.read("io_quiet")), "the unit to be quiet")

    async def check(self, lpns: range = range(64)) -> None:
        """Compares DRAM and VALID with the reference, and checks I1 of the device contract."""
        await self.settled()
        sharers: Counter[int] = Counter(self.reference.l2p.values())
        for lpn in lpns:
            got = self.memory.read_int(L2P_BASE + 4 * lpn, 4)
            wanted = self.reference.l2p.get(lpn, UNMAPPED)
            assert got == wanted, f"L2P[{lpn}] is {got:#x} instead of {wanted:#x}"
        for slot in self.reference.ref:
            got = self.memory.read_int(REF_BASE + slot, 1)
            assert got == self.reference.ref[slot], f"REF[{slot}] is {got} instead of {self.reference.ref[slot]}"
            assert got >= sharers[slot]
        for sb in set(self.valid) | set(self.reference.valid):
            assert self.valid[sb] == self.reference.valid[sb], f"VALID[{sb}]"


@cocotb.test()
async def maps_overwrites_and_unmaps(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    await tb.run(MapOp.LOOKUP, lpn=5)
    await tb.run(MapOp.SET, lpn=5, slot=100)
    await tb.run(MapOp.LOOKUP, lpn=5)
    await tb.run(MapOp.SET, lpn=5, slot=200)
    await tb.run(MapOp.UNMAP, lpn=5)
    await tb.run(MapOp.UNMAP, lpn=5)
    await tb.check()
    assert tb.memory.read(L2P_BASE + 16, 4) == b"\xff" * 4 and tb.memory.read(L2P_BASE + 24, 4) == b"\xff" * 4


@cocotb.test()
async def shares_a_slot_up_to_the_limit(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    await tb.run(MapOp.SET, lpn=0, slot=7)
    for lpn in range(1, REF_LIMIT):
        await tb.run(MapOp.RESERVE, slot=7)
        await tb.run(MapOp.LINK, lpn=lpn, slot=7)
    refused = await tb.run(MapOp.RESERVE, slot=7)
    assert not refused["ok"]
    assert (await tb.run(MapOp.REFS, slot=7))["count"] == REF_LIMIT
    await tb.check()
    for lpn in range(REF_LIMIT):
        await tb.run(MapOp.UNMAP, lpn=lpn)
    await tb.check()
    assert tb.reference.ref[7] == 0 and tb.valid[0] == 0


@cocotb.test()
async def tells_sharers_and_hits(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    pulses = {
        name: Watch(tb.bench, f"io_event_{name}")
        for name in ("sharers2", "sharers4", "sharers8", "sharersMore", "l2pHit", "l2pMiss", "lookup")
    }

    async def seen() -> dict[str, int]:
        await tb.settled()
        counts = {name: len(watch.seen) for name, watch in pulses.items()}
        for watch in pulses.values():
            watch.seen.clear()
        return {name: count for name, count in counts.items() if count}

    await tb.run(MapOp.SET, lpn=0, slot=7)
    assert await seen() == {"l2pMiss": 1}, "the first sharer is a write's"
    for sharers in range(2, REF_LIMIT + 1):
        await tb.run(MapOp.SHARE, lpn=0)
        name = next((f"sharers{most}" for most in (2, 4, 8) if sharers <= most), "sharersMore")
        assert await seen() == {"l2pHit": 1, name: 1}, sharers
    await tb.run(MapOp.SHARE, lpn=0)
    assert await seen() == {"l2pHit": 1}, "refused at the limit"
    await tb.run(MapOp.RELEASE, slot=7)
    assert await seen() == {}, "neither an access to L2P nor a sharer more"
    await tb.run(MapOp.SET, lpn=1, slot=8)
    assert await seen() == {"l2pHit": 1}, "of the same line"
    await tb.run(MapOp.SHARE, lpn=LPNS_PER_WAY)
    assert await seen() == {"l2pMiss": 1}, "not mapped: nothing to share"
    await tb.run(MapOp.LOOKUP, lpn=1)
    assert await seen() == {"l2pHit": 1, "lookup": 1}
    await tb.run(MapOp.PEEK, lpn=1)
    assert await seen() == {"l2pHit": 1}, "an access that nobody asked for"
    await tb.run(MapOp.PEEK, lpn=2 * LPNS_PER_WAY)
    assert await seen() == {"l2pMiss": 1}, "brings a line"


@cocotb.test()
async def same_slot_again_changes_no_count(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    await tb.run(MapOp.SET, lpn=9, slot=300)
    await tb.run(MapOp.SET, lpn=9, slot=300)
    await tb.run(MapOp.RESERVE, slot=300)
    await tb.run(MapOp.LINK, lpn=9, slot=300)
    await tb.run(MapOp.CAS, lpn=9, slot=300, expect=300)
    await tb.check()
    assert tb.memory.read_int(REF_BASE + 300, 1) == 1 and tb.valid[300 // SLOTS_PER_SB] == 1


@cocotb.test()
async def cas_loses_against_a_newer_mapping(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    await tb.run(MapOp.SET, lpn=3, slot=10)
    await tb.run(MapOp.SET, lpn=3, slot=20)
    assert not (await tb.run(MapOp.CAS, lpn=3, slot=500, expect=10))["ok"]
    assert (await tb.run(MapOp.CAS, lpn=3, slot=500, expect=20))["ok"]
    await tb.run(MapOp.UNMAP, lpn=3)
    assert not (await tb.run(MapOp.CAS, lpn=3, slot=600, expect=500))["ok"]
    await tb.check()


@cocotb.test()
async def released_reservation_leaves_nothing(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    await tb.run(MapOp.SET, lpn=1, slot=40)
    await tb.run(MapOp.RESERVE, slot=40)
    await tb.run(MapOp.UNMAP, lpn=1)
    assert tb.reference.valid[0] == 1, "a reserved slot is valid"
    await tb.run(MapOp.RELEASE, slot=40)
    await tb.check()
    assert tb.valid[0] == 0


async def evict(tb: TB, lpn: int) -> None:
    """Looks up as many other lines of `lpn`'s set as the set has room for, twice."""
    for other in range(1, 9):
        await tb.run(MapOp.LOOKUP, lpn=lpn + other * LPNS_PER_WAY)


@cocotb.test()
async def miss_waits_for_the_write_before_it(dut: Any) -> None:
    """A slow DRAM answers writes late and serves reads at once: only waiting for B gives the right answer."""
    tb = TB(dut, latency=1)
    await tb.bench.start()
    tb.hold_resp(True)
    await tb.run(MapOp.SET, lpn=4, slot=77)
    await tb.run(MapOp.LOOKUP, lpn=4)  # from the cache
    await evict(tb, 4)
    tb.resp[0].taken.clear()
    tb.send(MapOp.LOOKUP, lpn=4)
    await tb.bench.clock(60)
    assert not tb.resp[0].taken, "the miss overtook the response of the write"
    assert not tb.bench.read("io_quiet")
    tb.hold_resp(False)
    assert (await tb.resp[0].get())["slot"] == 77


@cocotb.test()
async def miss_of_another_line_does_not_wait(dut: Any) -> None:
    tb = TB(dut, latency=1)
    await tb.bench.start()
    tb.hold_resp(True)
    await tb.run(MapOp.SET, lpn=4, slot=77)
    await tb.run(MapOp.LOOKUP, lpn=4 + 8)
    tb.hold_resp(False)
    await tb.check()


@cocotb.test()
async def writes_reach_dram_when_lines_are_given_up(dut: Any) -> None:
    """More lines of a set than fit, all changed, are read again: no change of a replaced line is lost."""
    tb = TB(dut, latency=7)
    await tb.bench.start()
    for step in range(3):
        for line in range(10):
            await tb.run(MapOp.SET, lpn=line * LPNS_PER_WAY + step, slot=300 + 10 * step + line)
    for step in range(3):
        for line in range(10):
            await tb.run(MapOp.LOOKUP, lpn=line * LPNS_PER_WAY + step)
    await tb.check(range(0, 10 * LPNS_PER_WAY, 1))


@cocotb.test()
async def writes_that_dram_does_not_take_pile_up_and_wait(dut: Any) -> None:
    """The bus accepts no write for a while, then no answer comes: requests wait, and none is lost."""
    tb = TB(dut, latency=1)
    await tb.bench.start()
    requests = [(MapOp.SET, 8 * i, 40 + 32 * i, 0) for i in range(60)]
    tb.hold_writes(True)
    for op, lpn, slot, _ in requests:
        tb.reference.apply(op, lpn, slot, 0)
        tb.send(op, lpn, slot)
    await tb.bench.clock(400)
    assert 0 < tb.resp[0].count < len(requests)
    tb.hold_resp(True)
    tb.hold_writes(False)
    await tb.bench.clock(400)
    assert tb.resp[0].count < len(requests)
    tb.hold_resp(False)
    await tb.bench.until(lambda: tb.resp[0].count == len(requests), "all answers")
    await tb.check(range(512))


@cocotb.test()
async def the_l2p_stage_waits_for_the_ref_stage(dut: Any) -> None:
    """L2P lines hit and REF lines miss in a slow DRAM: the first stage runs ahead until the queue between is full."""
    tb = TB(dut, latency=200)
    await tb.bench.start()
    pages = 64
    await pipelined(tb, [(MapOp.SET, lpn, 40 * lpn, 0) for lpn in range(pages)])
    await pipelined(tb, [(MapOp.SET, lpn, 4000 + 40 * lpn, 0) for lpn in range(pages)])
    await tb.check(range(pages))


async def pipelined(tb: TB, requests: list[tuple[MapOp, int, int, int]]) -> int:
    """Sends all requests back to back from the client that may have many in flight. Returns the cycles that it took."""
    begin = tb.bench.cycle
    wanted = []
    for op, lpn, slot, expect in requests:
        wanted.append((op, lpn, slot, tb.reference.apply(op, lpn, slot, expect)))
        tb.send(op, lpn, slot, expect, REMAP)
    for op, lpn, slot, fields in wanted:
        answer = await tb.resp[REMAP].get()
        got = {name: answer[name] for name in fields}
        assert got == fields, f"{op.name} lpn {lpn} slot {slot}: {got} instead of {fields}"
    return tb.bench.cycle - begin


@cocotb.test()
@cocotb.parametrize((("stalls", "latency"), [(0.0, 1), (0.0, 40), (0.4, 3)]))
async def random_operations_under_way_together(dut: Any, stalls: float, latency: int) -> None:
    """As random_operations, with many requests of a client in flight: they take effect, and are answered, in order."""
    tb = TB(dut, stalls, latency)
    await tb.bench.start()
    rng = tb.bench.rng
    slots = [rng.randrange(SLOTS) for _ in range(6)] + [SLOTS - 1, 0, 1]
    lpns = [*range(6), *(k * LPNS_PER_WAY for k in range(1, 7))]  # some of one word, some that compete for a set
    for _ in range(12):
        reserved: Counter[int] = Counter()
        requests: list[tuple[MapOp, int, int, int]] = []
        ahead = Reference()  # what the reference will be when the request is reached
        ahead.l2p, ahead.ref = dict(tb.reference.l2p), Counter(tb.reference.ref)
        while len(requests) < 60:
            lpn, slot, op = rng.choice(lpns), rng.choice(slots), rng.choice(list(MapOp))
            expect = rng.choice([ahead.l2p.get(lpn, 0), rng.choice(slots)])
            if op in (MapOp.RELEASE, MapOp.LINK):
                if not reserved[slot]:
                    continue
                reserved[slot] -= 1
            if op in (MapOp.SET, MapOp.CAS) and ahead.ref[slot] == REF_LIMIT:
                continue
            answer = ahead.apply(op, lpn, slot, expect)
            reserved[slot] += op == MapOp.RESERVE and answer["ok"]
            if op == MapOp.SHARE and answer["ok"]:
                reserved[answer["slot"]] += 1
            requests.append((op, lpn, slot, expect))
        requests += [(MapOp.RELEASE, 0, slot, 0) for slot, count in reserved.items() for _ in range(count)]
        await pipelined(tb, requests)
        await tb.check(range(16))


@cocotb.test()
async def looks_up_one_page_a_cycle(dut: Any) -> None:
    """In order, from a DRAM of 40 cycles: one a cycle once the first line has arrived.

    Again from the cache: the same.
    """
    tb = TB(dut, latency=40)
    await tb.bench.start()
    few, many = 128, 640
    cycles = {}
    for first, pages in ((0, few), (2048, many)):
        cycles[pages] = await pipelined(tb, [(MapOp.LOOKUP, first + i, 0, 0) for i in range(pages)])
    warm = await pipelined(tb, [(MapOp.LOOKUP, 2048 + many - 64 + i, 0, 0) for i in range(64)])
    cocotb.log.info(f"lookups in order, DRAM latency 40: {cycles} cycles; 64 from the cache: {warm}")
    assert cycles[many] - cycles[few] <= 1.05 * (many - few) and warm <= 64 + 12


@cocotb.test()
async def a_run_that_is_remapped_reads_each_line_once(dut: Any) -> None:
    """RemapEngine's requests for a run, pass by pass: each line of L2P and REF comes from DRAM once."""
    tb = TB(dut, latency=20)
    pages, src, dst, slot, old = 1024, 0, 4096, 1000, 5000
    for i in range(pages):
        for lpn, holds in ((src + i, slot + i), (dst + i, old + i)):
            tb.memory.write_int(L2P_BASE + 4 * lpn, holds, 4)
            tb.memory.write_int(REF_BASE + holds, 1, 1)
            tb.reference._move(lpn, holds)
    tb.valid.update(tb.reference.valid)
    await tb.bench.start()
    cycles = [
        await pipelined(tb, requests)
        for requests in (
            [(MapOp.SHARE, src + i, 0, 0) for i in range(pages)],
            [(MapOp.PEEK, dst + i, 0, 0) for i in range(0, 512, 8)],  # ahead, while entries go to NVRAM
            [(MapOp.LINK, dst + i, slot + i, 0) for i in range(pages)],
        )
    ]
    lines = [
        *range(L2P_BASE + 4 * src, L2P_BASE + 4 * (src + pages), 32),
        *range(L2P_BASE + 4 * dst, L2P_BASE + 4 * (dst + pages), 32),
        *range((REF_BASE + slot) // 32 * 32, REF_BASE + slot + pages, 32),
        *range((REF_BASE + old) // 32 * 32, REF_BASE + old + pages, 32),
    ]
    await tb.check(range(dst, dst + pages))
    read = Counter(line for port in tb.ports for line, _ in port.rd.bursts)
    twice, missing = read - Counter(lines), Counter(lines) - read
    assert not twice and not missing, (
        f"{sorted(twice.elements())} more than once, {sorted(missing.elements())} not at all"
    )
    cocotb.log.info(f"a run of {pages} pages: {cycles} cycles a pass, {len(lines)} lines read")
    assert cycles[0] <= 1.2 * pages and cycles[2] <= 1.3 * pages


@cocotb.test()
async def random_misses_overlap(dut: Any) -> None:
    tb = TB(dut, latency=40)
    await tb.bench.start()
    pages = 256
    rng = tb.bench.rng
    cycles = await pipelined(tb, [(MapOp.LOOKUP, rng.randrange(LPNS), 0, 0) for _ in range(pages)])
    cocotb.log.info(f"{pages} random lookups, DRAM latency 40: {cycles} cycles")
    assert cycles <= 4 * pages


@cocotb.test()
@cocotb.parametrize((("stalls", "latency"), [(0.0, 1), (0.0, 20), (0.4, 3)]))
async def random_operations(dut: Any, stalls: float, latency: int) -> None:
    """Few LPNs and slots, so that every collision happens. One client; then the state is checked."""
    tb = TB(dut, stalls, latency)
    await tb.bench.start()
    rng = tb.bench.rng
    slots = [rng.randrange(SLOTS) for _ in range(6)] + [SLOTS - 1, 0, 1]
    reserved: Counter[int] = Counter()
    for step in range(400):
        lpn, slot, op = rng.randrange(12), rng.choice(slots), rng.choice(list(MapOp))
        expect = rng.choice([tb.reference.l2p.get(lpn, 0), rng.choice(slots)])
        if op in (MapOp.RELEASE, MapOp.LINK):
            if not reserved[slot]:
                continue
            reserved[slot] -= 1
        if op in (MapOp.SET, MapOp.CAS) and tb.reference.ref[slot] == REF_LIMIT:
            continue  # its clients never do
        answer = await tb.run(op, lpn, slot, expect, client=rng.randrange(CLIENTS))
        reserved[slot] += op == MapOp.RESERVE and answer["ok"]
        if op == MapOp.SHARE and answer["ok"]:
            reserved[answer["slot"]] += 1
        if step % 100 == 99:
            await tb.check()
    await tb.check()


@cocotb.test()
async def clients_at_once_on_their_own_pages(dut: Any) -> None:
    """Requests of two clients interleave. Slots are shared, so REF sees all orders and must still be right."""
    tb = TB(dut, stalls=0.2)
    await tb.bench.start()
    rng = tb.bench.rng
    per_client = 60
    for half, client in enumerate((REMAP, WRITE)):
        for _ in range(per_client):
            lpn = 2 * rng.randrange(8) + half
            op = rng.choice([MapOp.SET, MapOp.UNMAP])
            slot = rng.randrange(4)
            tb.send(op, lpn, slot, client=client)
            # No answer depends on the other client's requests, and the final state is the same in any order.
            tb.reference.apply(op, lpn, slot, 0)
    await tb.bench.until(
        lambda: all(sink.count == per_client for sink in (tb.resp[REMAP], tb.resp[WRITE])), "all answers"
    )
    await tb.settled()
    for lpn in range(16):
        assert tb.memory.read_int(L2P_BASE + 4 * lpn, 4) == tb.reference.l2p.get(lpn, UNMAPPED)
    for slot in range(4):
        assert tb.memory.read_int(REF_BASE + slot, 1) == tb.reference.ref[slot]
    assert tb.valid[0] == tb.reference.valid[0]


def test_map_unit(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("MapUnit")
