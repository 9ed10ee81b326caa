# SPDX-License-Identifier: Apache-2.0
"""Tests of GcMover: copies have the right identity, and a slot's sharers are re-pointed once the copy is durable."""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.gc.gc_mover.tb import FIRST, OTHER, TARGETS, TB, VICTIM
from sim.cocotb.support.codes import MapOp, NandStatus, RequestOp
from sim.cocotb.support.geometry import GC_BUFFERS, LPNS, REF_LIMIT, SLOTS_PER_PAGE, SLOTS_PER_SB
from sim.cocotb.support.nvram_layout import CHAIN_ENTRIES
from sim.cocotb.support.orm_formats import FORMAT_VERSION, STREAM_GC, UNMAPPED, OobRecord


@cocotb.test()
async def copies_keep_identity_and_seq(dut: Any) -> None:
    tb = TB(dut)
    slots = [tb.write(10 + i) for i in range(3)]
    await tb.begin()
    before = tb.data()
    done = await tb.batch()
    assert (done.next, done.lost, done.stop) == (SLOTS_PER_SB, 0, 0)
    assert [t["slot"] for t in done.programs] == [TARGETS[0] * SLOTS_PER_SB + i for i in range(3)]
    for old, new in zip(slots, (t["slot"] for t in done.programs), strict=True):
        was, now = tb.flash[old].oob, tb.flash[new].oob
        assert (now.lpn, now.seq) == (was.lpn, was.seq), "a copy is no new event"
        assert (now.gen, now.stream, now.version) == (1000 + TARGETS[0], STREAM_GC, FORMAT_VERSION)
        assert now.slot == new
    assert tb.data() == before and not any(tb.mapping.ref[slot] for slot in slots)
    assert (tb.count("moved"), tb.count("repointed"), tb.count("movedShared")) == (3, 3, 0)
    assert not tb.append.entries


@cocotb.test()
async def other_sharers_become_entries(dut: Any) -> None:
    """One sharer is in the spare area. Each other one is an entry of the copy's chain, with its old seq."""
    tb = TB(dut)
    slot = tb.write(1)
    for lpn in range(2, 6):
        tb.share(slot, lpn)
    tb.write(50)
    seqs = {1: tb.flash[slot].oob.seq} | {c.lpn: c.seq for c in tb.look_up.lists[0]}
    await tb.begin()
    assert len((await tb.batch()).programs) == 2
    target = TARGETS[0] * SLOTS_PER_SB
    named = [(tb.flash[target].oob.lpn, tb.flash[target].oob.seq)]
    named += [(e["lpn"], e["seq"]) for e in tb.append.entries]
    assert sorted(named) == sorted(seqs.items())
    assert all((e["sb"], e["offset"]) == (TARGETS[0], 0) for e in tb.append.entries)
    assert tb.mapping.sharers(target) == set(seqs)
    assert (tb.count("moved"), tb.count("movedShared"), tb.count("repointed")) == (2, 1, 6)


@cocotb.test()
async def as_many_sharers_as_a_slot_can_have(dut: Any) -> None:
    tb = TB(dut)
    slot = tb.write(0)
    for lpn in range(1, REF_LIMIT):
        tb.share(slot, lpn)
    await tb.begin()
    await tb.batch()
    assert len(tb.append.entries) == REF_LIMIT - 1
    assert tb.mapping.sharers(TARGETS[0] * SLOTS_PER_SB) == set(range(REF_LIMIT))


@cocotb.test()
async def a_turn_is_as_long_as_there_are_buffers(dut: Any) -> None:
    """While a client waits for the lock. Unmapped slots are not read; the next turn continues behind the last slot."""
    tb = TB(dut)
    for lpn in range(30):
        tb.write(lpn)
    for lpn in (0, 3, 4, 11, 29):
        tb.leave(lpn)
    await tb.begin()
    next_, copied = 0, []
    while next_ < SLOTS_PER_SB:
        expected = tb.wanted(next_)
        done = await tb.batch(next_)
        reads = [t for kind, t in tb.log if kind == "nand" and t["op"] == RequestOp.READ]
        assert [t["slot"] for t in reads] == expected
        assert len({t["buf"] for t in reads}) == len(reads)
        full = len(expected) == GC_BUFFERS
        assert done.next == (expected[-1] + 1 - FIRST if full else SLOTS_PER_SB)
        copied += expected
        next_ = done.next
    assert len(copied) == 25 and tb.mapping.valid(VICTIM) == 0
    assert tb.count("moved") == 25


@cocotb.test()
async def the_end_of_a_turn_ends_its_page(dut: Any) -> None:
    """The page is completed while its programs are awaited, and not before all of them were requested."""
    tb = TB(dut)
    tb.write(1)
    tb.write(2)
    await tb.begin()
    tb.start_.send(sb=VICTIM)
    await tb.bench.until(lambda: tb.nand.req.count == 3, "the first program")
    assert tb.closes == 0
    tb.nand.delay = 500
    await tb.bench.until(lambda: bool(tb.closes), "the page to be closed", 2000)
    assert tb.nand.req.count == 4
    seen = tb.closes
    await tb.bench.clock(50)
    assert tb.closes >= seen + 49, "for as long as a program has not landed"
    await tb.done.get(10_000)


@cocotb.test()
async def an_empty_rest_is_a_batch_too(dut: Any) -> None:
    tb = TB(dut)
    tb.write(1)
    await tb.begin()
    done = await tb.batch(from_=1)
    assert (done.next, done.lost, done.stop, done.programs) == (SLOTS_PER_SB, 0, 0, [])
    assert tb.mapping.l2p[1] == FIRST, "slots before `from` are not its business"


@cocotb.test()
async def unreadable_slots_stay(dut: Any) -> None:
    tb = TB(dut)
    slots = [tb.write(lpn) for lpn in range(6)]
    tb.flash[slots[2]].status = NandStatus.UNCORRECTABLE
    await tb.begin()
    done = await tb.batch()
    assert (done.next, done.lost, done.stop) == (SLOTS_PER_SB, 1, 0)
    assert len(done.programs) == 5 and tb.mapping.l2p[2] == slots[2]
    assert tb.mapping.valid(VICTIM) == 1


@cocotb.test()
async def a_slot_whose_program_failed_is_left_to_who_saves_it(dut: Any) -> None:
    """GC waits until the mapping names another slot. Then nothing is left of the old one."""
    tb = TB(dut)
    slots = [tb.write(lpn) for lpn in range(4)]
    tb.flash[slots[2]].status = NandStatus.UNCORRECTABLE
    tb.bench.write("io_unsaved", 1)
    await tb.begin()
    tb.bench.write("io_unsaved", 1)
    batch = cocotb.start_soon(tb.batch())
    await tb.bench.clock(3000)
    assert not batch.done() and tb.bench.read("io_waiting")
    tb.leave(2)
    tb.bench.write("io_unsaved", 0)
    done = await batch
    assert (done.next, done.lost, done.stop) == (SLOTS_PER_SB, 0, 0)
    assert len(done.programs) == 3 and tb.mapping.valid(VICTIM) == 0


@cocotb.test()
@cocotb.parametrize(name=["slot", "gen", "version", "lpn", "crc"], value=[LPNS + 3])
async def a_foreign_spare_names_nobody(dut: Any, name: str, value: int) -> None:
    """Without a chain entry the sharer is unknown, and the slot stays. With one it moves."""
    tb = TB(dut)
    slots = [tb.write(lpn) for lpn in range(2)]
    tb.share(slots[1], 9)
    tb.leave(1)
    for slot in slots:
        if name == "crc":
            first = 8 * OobRecord.BYTES - 32 if slot == slots[0] else 0  # of its CRC, or of anything
            tb.flipped[slot] = 1 << tb.bench.rng.randrange(first, 8 * OobRecord.BYTES)
        else:
            setattr(tb.flash[slot].oob, name, FORMAT_VERSION + 1 if name == "version" else value)
    await tb.begin()
    done = await tb.batch()
    assert done.lost == 1 and tb.mapping.l2p[0] == slots[0]
    assert tb.mapping.l2p[9] == done.programs[0]["slot"] and len(done.programs) == 1


@cocotb.test()
@cocotb.parametrize(name=["slot", "crc"], in_chain=[1, 3])
async def sharers_that_nobody_names_keep_their_slot(dut: Any, name: str, in_chain: int) -> None:
    """A bad spare area names one of the sharers, and the chain the others: none of them leaves the slot."""
    tb = TB(dut)
    slots = [tb.write(lpn) for lpn in range(3)]
    for lpn in range(20, 20 + in_chain):
        tb.share(slots[1], lpn)
    if name == "crc":
        tb.flipped[slots[1]] = 1 << tb.bench.rng.randrange(8 * OobRecord.BYTES)
    else:
        tb.flash[slots[1]].oob.slot = slots[2]
    await tb.begin()
    done = await tb.batch()
    assert (done.next, done.lost, done.stop) == (SLOTS_PER_SB, 1, 0)
    assert len(done.programs) == 2 and not tb.append.entries
    assert tb.mapping.sharers(slots[1]) == {1, *range(20, 20 + in_chain)} and tb.mapping.valid(VICTIM) == 1
    tb.mapping.check()


@cocotb.test()
async def all_that_are_left_are_in_the_chain(dut: Any) -> None:
    """The sharer that the spare area named before it went bad has left: the chain names all others."""
    tb = TB(dut)
    slot = tb.write(1)
    for lpn in range(20, 24):
        tb.share(slot, lpn)
    tb.flash[slot].oob.slot = slot + 1
    tb.on_read = lambda read: tb.leave(1) if read == slot else None
    await tb.begin()
    done = await tb.batch()
    assert (done.lost, len(done.programs), len(tb.append.entries)) == (0, 1, 3)
    assert tb.mapping.sharers(done.programs[0]["slot"]) == set(range(20, 24)) and tb.mapping.valid(VICTIM) == 0


@cocotb.test()
async def what_died_while_it_was_read_is_not_copied(dut: Any) -> None:
    tb = TB(dut)
    slots = [tb.write(lpn) for lpn in range(4)]
    tb.on_read = lambda slot: tb.leave(slot - FIRST) if slot in slots[1:3] else None
    await tb.begin()
    done = await tb.batch()
    assert (done.lost, len(done.programs)) == (0, 2)
    assert tb.mapping.valid(VICTIM) == 0


@cocotb.test()
@cocotb.parametrize(fails=[(0,), (1, 2), tuple(range(GC_BUFFERS))])
async def a_failed_program_moves_nobody(dut: Any, fails: tuple[int, ...]) -> None:
    tb = TB(dut)
    slots = [tb.write(lpn) for lpn in range(GC_BUFFERS + 4)]
    tb.share(slots[0], 100)
    tb.fail_programs = {TARGETS[0] * SLOTS_PER_SB + i for i in fails}
    await tb.begin()
    done = await tb.batch()
    assert (done.lost, done.stop) == (1, 1)
    n = len(done.programs)
    assert max(fails[:1]) < n <= GC_BUFFERS, "nothing is begun after it"
    for i in range(GC_BUFFERS):
        assert tb.mapping.l2p[i] == (slots[i] if i in fails or i >= n else done.programs[i]["slot"])
    assert tb.mapping.l2p[100] == tb.mapping.l2p[0]
    assert len(tb.append.entries) == (0 not in fails)


@cocotb.test()
async def the_host_may_win(dut: Any) -> None:
    """LPNs that change after they were judged keep the host's new mapping."""
    tb = TB(dut)
    slots = [tb.write(lpn) for lpn in range(5)]
    tb.share(slots[3], 40)

    def strike(slot: int) -> None:
        for lpn in (1, 3):
            if tb.flash[slot].data == tb.flash[slots[lpn]].data:
                tb.leave(lpn)

    tb.on_program = strike
    await tb.begin()
    done = await tb.batch()
    assert (done.lost, done.stop) == (0, 0)
    assert tb.count("lostRace") == 2 and tb.count("repointed") == 4
    assert {tb.mapping.l2p[lpn] // SLOTS_PER_SB for lpn in (1, 3)} == {OTHER}
    assert tb.mapping.l2p[40] // SLOTS_PER_SB == TARGETS[0] and tb.mapping.valid(VICTIM) == 0


@cocotb.test()
async def a_full_chain_sends_them_to_the_next_superblock(dut: Any) -> None:
    """The slots in between are filled with copies that no LPN maps."""
    tb = TB(dut)
    slots = [tb.write(lpn) for lpn in range(3)]
    for i, slot in enumerate(slots):
        tb.share(slot, 100 + i)
        tb.share(slot, 200 + i)
    tb.capacity.used[TARGETS[0]] = CHAIN_ENTRIES - 5
    await tb.begin()
    before = tb.data()
    done = await tb.batch()
    assert (done.lost, done.stop) == (0, 0) and tb.data() == before
    assert len(done.programs) == SLOTS_PER_SB + 1
    assert [tb.mapping.l2p[lpn] // SLOTS_PER_SB for lpn in range(3)] == [TARGETS[0], TARGETS[0], TARGETS[1]]
    assert all(tb.capacity.used[sb] <= CHAIN_ENTRIES for sb in TARGETS)
    assert tb.capacity.used[TARGETS[0]] == CHAIN_ENTRIES - 1
    copies = [tb.mapping.l2p[lpn] for lpn in range(3)]
    spares = {t["slot"]: tb.flash[t["slot"]].oob for t in done.programs}
    assert all((spare.lpn == UNMAPPED) == (slot not in copies) for slot, spare in spares.items())
    assert all(spare.seq == 0 for slot, spare in spares.items() if slot not in copies)


@cocotb.test()
async def it_waits_for_the_nand_and_for_slots(dut: Any) -> None:
    tb = TB(dut)
    for lpn in range(4):
        tb.write(lpn)
    await tb.begin(slots=0)
    tb.nand.hold = True
    tb.start_.send(sb=VICTIM)
    await tb.bench.clock(400)
    assert tb.bench.read("io_waiting") and len(tb.nand.requests) == 4, "all reads are under way together"
    tb.nand.hold = False
    await tb.bench.clock(300)
    assert tb.bench.read("io_waiting") and len(tb.nand.requests) == 4, "no slot to program"
    tb.nand.hold = True
    for i in range(4):
        tb.alloc.send(slot=TARGETS[0] * SLOTS_PER_SB + i, gen=1)
    await tb.bench.clock(300)
    assert tb.bench.read("io_waiting") and len(tb.nand.requests) == 8, "all programs are under way together"
    assert tb.closes
    assert not any(kind == "map" and t["op"] == MapOp.CAS for kind, t in tb.log)
    tb.nand.hold = False
    await tb.done.get()
    await tb.bench.clock(3)
    assert tb.mapping.valid(VICTIM) == 0


@cocotb.test()
async def the_remap_table_may_be_slow(dut: Any) -> None:
    """No sharer is re-pointed before its entry is durable."""
    tb = TB(dut)
    tb.share(tb.write(1), 2)
    tb.append.hold = True
    await tb.begin()
    tb.start_.send(sb=VICTIM)
    await tb.bench.until(lambda: bool(tb.append.entries), "the entry")
    await tb.bench.clock(300)
    assert {tb.mapping.l2p[1], tb.mapping.l2p[2]} == {FIRST} and not tb.done.seen
    tb.append.hold = False
    await tb.done.get()
    assert {tb.mapping.l2p[1], tb.mapping.l2p[2]} == {TARGETS[0] * SLOTS_PER_SB}


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.4], lpns=[30, 120], yields=[0, 1])
async def random_victims(dut: Any, stalls: float, lpns: int, yields: int) -> None:
    """Turn by turn until no slot is left. The host takes LPNs away at any moment, and nothing else changes."""
    tb = TB(dut, stalls)
    tb.yields = yields
    tb.history(lpns, SLOTS_PER_SB // 2)
    rng = tb.bench.rng

    def strike(_: int) -> None:
        if rng.random() < 0.2:
            tb.leave(rng.randrange(lpns))

    tb.on_read = tb.on_program = strike
    await tb.begin()
    before = tb.data()
    next_ = 0
    while next_ < SLOTS_PER_SB:
        done = await tb.batch(next_)
        assert (done.lost, done.stop) == (0, 0) and done.next > next_
        next_ = done.next
    assert tb.mapping.valid(VICTIM) == 0
    tb.mapping.check()
    after = tb.data()
    assert all(before[lpn] == data for lpn, data in after.items()), "whoever the host left alone has the same data"
    gone = before.keys() - after.keys()
    assert all(tb.mapping.l2p[lpn] // SLOTS_PER_SB == OTHER for lpn in gone)
    named = {(o.lpn, o.slot) for o in (p.oob for s, p in tb.flash.items() if s // SLOTS_PER_SB in TARGETS)}
    named |= {(e["lpn"], e["sb"] * SLOTS_PER_SB + e["offset"]) for e in tb.append.entries}
    assert all((lpn, slot) in named for lpn, slot in tb.mapping.l2p.items() if slot // SLOTS_PER_SB in TARGETS)


@cocotb.test()
@cocotb.parametrize(latency=[20, 300])
async def reads_programs_and_entries_overlap(dut: Any, latency: int) -> None:
    """No client waits for the lock: a place is reused as soon as its slot is finished."""
    tb = TB(dut)
    tb.append.latency = latency
    tb.yields = 0
    slots = [tb.write(lpn) for lpn in range(4 * GC_BUFFERS)]
    for slot in slots[::3]:
        tb.share(slot, 200 + slot % 100)
    await tb.begin()
    before = tb.data()
    done = await tb.batch()
    assert (done.next, done.lost, done.stop, len(done.programs)) == (SLOTS_PER_SB, 0, 0, len(slots))
    assert tb.data() == before and tb.mapping.valid(VICTIM) == 0

    def places(kind: str, op: int) -> list[int]:
        return [i for i, (k, t) in enumerate(tb.log) if k == kind and t.get("op") == op]

    reads, programs = places("nand", RequestOp.READ), places("nand", RequestOp.PROGRAM)
    cas = places("map", MapOp.CAS)
    assert [tb.log[i][1]["slot"] for i in reads] == slots
    assert reads[GC_BUFFERS] < programs[GC_BUFFERS] < cas[-1] and cas[0] < reads[GC_BUFFERS]
    most = under_way = 0
    for kind, t in tb.log:
        under_way += (kind == "nand" and t["op"] == RequestOp.PROGRAM) - (kind == "programmed")
        most = max(most, under_way)
    assert most > 1


@cocotb.test()
async def what_the_map_was_offered_stays(dut: Any) -> None:
    """Even if a client requests the lock meanwhile; the batch then ends without that slot."""
    tb = TB(dut)
    tb.yields = 0
    slots = [tb.write(lpn) for lpn in range(4 * GC_BUFFERS)]
    await tb.begin()
    tb.start_.send(sb=VICTIM, **{"from": 0})

    def read() -> list[int]:
        return [t["slot"] for kind, t in tb.log if kind == "nand" and t["op"] == RequestOp.READ]

    def asks() -> bool:
        return bool(tb.bench.read("io_map_req_valid")) and tb.bench.read("io_map_req_bits_op") == MapOp.REFS

    await tb.bench.until(lambda: len(read()) > GC_BUFFERS, "places that are used again", 20_000)
    while True:
        tb.map.req.hold = True
        await tb.bench.clock()
        await tb.bench.until(lambda: tb.bench.read("io_map_req_valid") == 1, "a question", 2_000)
        if asks():
            break
        tb.map.req.hold = False
        await tb.bench.clock()
    await tb.bench.clock()  # an edge has seen the offer
    tb.bench.write("io_yields", 1)
    for _ in range(20):
        await tb.bench.clock()
        assert asks()
    tb.map.req.hold = False
    end = await tb.done.get(20_000)
    assert (end["next"], end["lost"], end["stop"]) == (read()[-1] + 1 - FIRST, 0, 0)
    assert read() == slots[: len(read())] and len(read()) < len(slots)
    assert tb.mapping.valid(VICTIM) == len(slots) - len(read())


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.4])
async def promises_are_to_one_target_at_a_time(dut: Any, stalls: float) -> None:
    """The chains of both are counted right: the second target's slots wait until the first one has all its entries."""
    tb = TB(dut, stalls, nand_delay=400)
    tb.yields = 0
    slots = [tb.write(lpn) for lpn in range(6)]
    for i, slot in enumerate(slots):
        for k in range(1, 9):
            tb.share(slot, 100 * k + i)
    tb.append.segments = tb.capacity
    tb.capacity.free = 3  # 24 entries, then 24
    await tb.begin(slots=0)
    for slot in (*range(3), *range(SLOTS_PER_SB, SLOTS_PER_SB + 3)):
        tb.alloc.send(slot=TARGETS[0] * SLOTS_PER_SB + slot, gen=1)
    await tb.bench.clock(2)
    done = await tb.batch()
    assert (done.lost, done.stop) == (0, 0) and tb.mapping.valid(VICTIM) == 0
    assert tb.capacity.free == 1
    kinds = [(kind, t["sb"]) for kind, t in tb.log if kind in ("append", "durable")]
    assert kinds.index(("append", TARGETS[1])) > max(i for i, k in enumerate(kinds) if k == ("append", TARGETS[0]))


@cocotb.test()
async def the_end_of_a_victim_may_be_in_a_page_that_a_full_ring_keeps_open(dut: Any) -> None:
    """Slots of a page wait for a fourth one, whose place is held by later slots that have died meanwhile."""
    tb = TB(dut)
    tb.yields = 0
    slots = [tb.write(lpn) for lpn in range(GC_BUFFERS + 6)]
    tb.on_read = lambda slot: tb.leave(slot - FIRST) if slots[2] < slot < slots[GC_BUFFERS] else None
    await tb.begin()
    tb.start_.send(sb=VICTIM, **{"from": 0})
    await tb.bench.until(lambda: tb.nand.req.count == GC_BUFFERS, "the reads")
    tb.nand.delay = 3_000
    await tb.bench.clock(1_500)
    assert sum(t["op"] == RequestOp.PROGRAM for t in tb.nand.requests) == 3
    assert bool(tb.closes) == (SLOTS_PER_PAGE > 1)
    tb.nand.delay = 30
    await tb.done.get(20_000)
    assert tb.mapping.valid(VICTIM) == 0


def test_gc_mover(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("GcMover")


def test_gc_mover_wide(cocotb_unit: CocotbUnit) -> None:
    """The cases that depend on the page size."""
    cocotb_unit("GcMover", config="wide", cases="turn|overlap|page|identity")
