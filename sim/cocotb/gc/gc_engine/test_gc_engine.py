# SPDX-License-Identifier: Apache-2.0
"""Tests of GcEngine in a Python device (world.py).

Every collection must leave the data unchanged, and so must a power cut at any moment of it.
"""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.gc.gc_engine.world import (
    BAD,
    CLOSED,
    FREE,
    HOST,
    OPEN,
    PROGRAM,
    READ,
    TARGETS,
    VICTIM,
    World,
    data_of,
    live_entries,
    outcome_of,
)
from sim.cocotb.support.geometry import GC_BUF_BASE, GC_BUFFERS, REF_LIMIT, SLOTS_PER_SB
from sim.cocotb.support.mapping import MapOp
from sim.cocotb.support.nvram_layout import CHAIN_ENTRIES, ENTRIES_PER_SEG
from sim.cocotb.support.stream import Transaction, Watch

FIRST = VICTIM * SLOTS_PER_SB  # first slot of the victim


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.3], lpns=[40, 150])
async def a_random_victim_is_emptied(dut: Any, stalls: float, lpns: int) -> None:
    world = World(dut, stalls)
    world.live_before(lpns)
    await world.begin()
    before = data_of(world)
    slots = {
        slot: len(world.mapping.sharers(slot)) for slot in world.mapping.l2p.values() if slot // SLOTS_PER_SB == VICTIM
    }
    assert slots and max(slots.values()) > 1
    outcome = await world.collect()
    assert outcome == outcome_of(ok=1, moved=len(slots), shared=sum(n > 1 for n in slots.values()))
    assert data_of(world) == before
    assert len(world.programs) == len(slots), "a slot is copied once, however many share it"
    assert len(world.repointed.seen) == sum(slots.values()) and not world.lost_races.seen
    # One sharer is in the spare, the others are entries.
    assert len(world.append.entries) == sum(slots.values()) - len(slots)
    world.check_emptied()


@cocotb.test()
async def copies_keep_the_largest_seq_of_an_lpn(dut: Any) -> None:
    """An LPN that left its slot and came back has a small seq in the spare area and a larger one in the chain."""
    world = World(dut)
    for lpn in range(4):
        world.write(lpn)
    world.remap(0, 10)
    world.write(0, HOST)
    world.remap(10, 0)  # LPN 0 is back on its old slot
    world.remap(1, 11)
    world.remap(2, 11)
    world.remap(1, 11)  # twice in the chain, for the same slot
    back = world.entries[1].seq
    last = world.entries[-1].seq
    await world.begin()
    assert (await world.collect())["ok"]
    world.check_emptied()
    seqs = {page.oob.lpn: page.oob.seq for page in world.flash.values() if page.oob.slot // SLOTS_PER_SB == TARGETS[0]}
    seqs |= {e["lpn"]: e["seq"] for e in world.append.entries}
    assert seqs[0] == back and seqs[11] == last
    assert len(world.append.entries) == 2


@cocotb.test()
async def an_empty_victim_is_only_erased(dut: Any) -> None:
    world = World(dut)
    for lpn in range(SLOTS_PER_SB):
        world.write(lpn)
    for lpn in range(SLOTS_PER_SB):
        world.trim(lpn)
    await world.begin()
    assert await world.collect() == outcome_of(ok=1, moved=0, shared=0)
    assert not world.programs
    world.check_emptied()


@cocotb.test()
async def as_many_sharers_as_a_slot_can_have(dut: Any) -> None:
    world = World(dut)
    for slot in range(3):
        world.write(100 * slot)
        for i in range(1, REF_LIMIT):
            world.remap(100 * slot, 100 * slot + i)
    await world.begin()
    before = data_of(world)
    assert await world.collect() == outcome_of(ok=1, moved=3, shared=3)
    assert data_of(world) == before and len(before) == 3 * REF_LIMIT
    world.check_emptied()


@cocotb.test()
@cocotb.parametrize(moment=["read", "program", "cas"])
async def the_host_may_win_every_race(dut: Any, moment: str) -> None:
    """LPNs are overwritten or trimmed while their slots are read, programmed or re-pointed. The host's change stays."""
    world = World(dut)
    world.live_before(60, fill=80)
    await world.begin()
    rng = world.bench.rng
    changed: set[int] = set()

    def strike(slot: int) -> None:
        for lpn in world.mapping.sharers(slot):
            if rng.random() < 0.4:
                changed.add(lpn)
                if rng.random() < 0.5 and world.next_slot[HOST] < (HOST + 1) * SLOTS_PER_SB:
                    world.write(lpn, HOST)
                else:
                    world.trim(lpn)

    def on_nand(t: Transaction) -> None:
        if moment == "read" and t["op"] == READ:
            strike(t["slot"])
        elif moment == "program" and t["op"] == PROGRAM:
            source = world.buffers[t["buf"]]
            for slot in {s for s in world.mapping.l2p.values() if world.flash[s].data == source}:
                strike(slot)

    def on_map(t: Transaction) -> None:
        if moment == "cas" and t["op"] == MapOp.CAS:
            strike(t["expect"])

    world.on_nand, world.on_map = on_nand, on_map
    outcome = await world.collect()
    assert outcome["ok"] == 1 and changed
    if moment != "read":
        assert world.lost_races.seen
    assert all(world.mapping.l2p.get(lpn, FIRST - 1) // SLOTS_PER_SB not in TARGETS for lpn in changed)
    world.check_emptied()


@cocotb.test()
async def a_whole_slot_may_die_while_it_is_read(dut: Any) -> None:
    world = World(dut)
    for lpn in range(10):
        world.write(lpn)
    await world.begin()
    world.on_nand = lambda t: world.trim(t["slot"] - FIRST) if t["op"] == READ else None
    assert await world.collect() == outcome_of(ok=1, moved=0, shared=0)
    assert not world.programs, "what nobody shares is not copied"
    world.check_emptied()


@cocotb.test()
async def an_unreadable_slot_keeps_the_victim(dut: Any) -> None:
    """Everything else is moved, nothing is erased, everything is released."""
    world = World(dut, stalls=0.2)
    world.live_before(60)
    await world.begin()
    live = sorted({s for s in world.mapping.l2p.values() if s // SLOTS_PER_SB == VICTIM})
    for slot in (live[3], live[-2]):
        world.flash[slot].readable = False
    before = data_of(world)
    outcome = await world.collect()
    assert (outcome["ok"], outcome["moved"]) == (0, len(live) - 2)
    assert data_of(world) == before and world.mapping.valid(VICTIM) == 2
    assert not world.places("erase", "journal", "chain", "erased", "freed")
    assert not world.lock.owned
    world.mapping.check()
    # The host trims them, and a second collection ends well.
    for slot in (live[3], live[-2]):
        for lpn in world.mapping.sharers(slot):
            world.trim(lpn)
    assert (await world.collect())["ok"] == 1
    world.check_emptied()


@cocotb.test()
async def a_foreign_spare_names_nobody(dut: Any) -> None:
    """Spare areas that are not the slot's (another slot, generation or format) give no candidates."""
    world = World(dut)
    for lpn in range(12):
        world.write(lpn)
        world.remap(lpn, 100 + lpn)
        world.write(lpn, HOST)  # the sharer in the chain keeps the slot alive
    for i, (field, value) in enumerate((("slot", FIRST + 9), ("gen", 1), ("version", 9), ("lpn", 1 << 20))):
        setattr(world.flash[FIRST + i].oob, field, value)
    await world.begin()
    assert await world.collect() == outcome_of(ok=1, moved=12, shared=0)
    # Only the spare area knew the sharer of slot 20.
    assert not world.append.entries


@cocotb.test()
async def a_slot_whose_sharer_nobody_names_stays(dut: Any) -> None:
    world = World(dut)
    for lpn in range(12):
        world.write(lpn)
    world.flash[FIRST + 5].oob.slot = 1
    world.nameless = {5}
    await world.begin()
    outcome = await world.collect()
    assert (outcome["ok"], outcome["moved"]) == (0, 11)
    assert not world.places("erase") and world.mapping.l2p[5] == FIRST + 5


@cocotb.test()
@cocotb.parametrize(fails=[(0,), (3, 4), (7,)])
async def a_failed_program_moves_nobody(dut: Any, fails: tuple[int, ...]) -> None:
    world = World(dut, nand_delay=400)  # more programs are under way than fail
    world.live_before(60)
    world.fail_programs = set(fails)
    await world.begin()
    before = data_of(world)
    outcome = await world.collect()
    assert len(world.programs) > max(fails)
    assert (outcome["ok"], outcome["moved"]) == (0, len(world.programs) - len(fails)), "what is under way is finished"
    assert len(world.programs) <= max(fails) + GC_BUFFERS, "nothing more is begun"
    assert data_of(world) == before
    assert not world.places("erase", "journal") and not world.lock.owned
    world.mapping.check()
    world.fail_programs = set()
    assert (await world.collect())["ok"] == 1
    world.check_emptied()


@cocotb.test()
async def a_failed_erase_keeps_the_superblock_out(dut: Any) -> None:
    world = World(dut)
    world.live_before(40, fill=30)
    world.fail_erase = True
    await world.begin()
    assert (await world.collect())["ok"] == 0
    assert not world.places("chain", "erased", "freed")
    assert world.mapping.valid(VICTIM) == 0
    world.mapping.check()
    world.state[VICTIM] = BAD  # firmware has recorded it
    assert (await world.collect())["ok"] == 1
    assert world.places("chain") and world.places("retired") and not world.places("erased", "freed")


@cocotb.test()
async def a_bad_superblock_is_emptied_and_left_alone(dut: Any) -> None:
    world = World(dut)
    world.live_before(40, fill=30)
    world.state[VICTIM] = BAD
    await world.begin()
    assert (await world.collect())["ok"] == 1
    assert world.mapping.valid(VICTIM) == 0
    assert world.places("chain") and world.places("retired") and not world.places("erase", "erased", "freed")


@cocotb.test()
async def a_retired_superblock_is_erased_and_left_alone(dut: Any) -> None:
    """Programs in it have failed. Its data is where it was moved to, and the superblock does not come back."""
    world = World(dut)
    world.live_before(40, fill=30)
    await world.begin()
    assert (await world.collect(retire=True))["ok"] == 1
    assert world.mapping.valid(VICTIM) == 0 and world.state[VICTIM] == BAD
    assert world.places("erase") and world.places("chain") and world.places("retired")
    assert not world.places("erased", "freed")


@cocotb.test()
async def only_closed_superblocks_are_collected(dut: Any) -> None:
    world = World(dut)
    world.live_before(40, fill=30)
    await world.begin()
    for state in (OPEN, FREE):
        world.state[VICTIM] = state
        assert await world.collect() == outcome_of(ok=0, refused=1)
    assert not world.log
    world.state[VICTIM] = CLOSED
    assert (await world.collect())["ok"] == 1


@cocotb.test()
async def a_remap_that_waits_gets_its_turn_between_batches(dut: Any) -> None:
    """The lock is released, sharers come and go meanwhile, and the chain is loaded again."""
    world = World(dut)
    world.live_before(60)
    await world.begin()
    world.bench.write("io_shareLock_contended", 1)
    rng = world.bench.rng
    turns = 0

    class Others:
        """Remaps in the cycles in which GC does not own the lock."""

        owned = False

        def drive(self) -> None:
            nonlocal turns
            if self.owned and not world.lock.owned and not world.places("fence"):
                turns += 1
                for _ in range(5):
                    world.remap(rng.randrange(60), rng.randrange(60))
            self.owned = world.lock.owned

        def sample(self) -> None:
            pass

    world.bench.add(Others())
    assert (await world.collect())["ok"] == 1
    assert turns >= 3
    world.check_emptied()


@cocotb.test()
async def a_wish_for_the_lock_that_is_given_up_costs_nothing(dut: Any) -> None:
    """A unit wants the lock, and gives up before the batch is over: GC goes on with the batch and keeps the lock."""
    world = World(dut)
    world.live_before(60)
    await world.begin()
    world.bench.write("io_shareLock_contended", 1)

    class Wish:
        """Ends when half of the first slots have been re-pointed."""

        def drive(self) -> None:
            if len(world.map_places(MapOp.CAS)) >= GC_BUFFERS // 2:
                world.bench.write("io_shareLock_contended", 0)

        def sample(self) -> None:
            """It only drives."""

    world.bench.add(Wish())
    assert (await world.collect())["ok"] == 1
    assert len(world.places("lock")) == 1
    world.check_emptied()


@cocotb.test()
async def targets_change_when_their_chain_is_full(dut: Any) -> None:
    """Sharers that do not fit one target's chain go to the next superblock.

    The slots in between are filled with copies.
    """
    world = World(dut)
    for lpn in range(4):
        world.write(lpn)
        world.remap(lpn, 100 + lpn)
        world.remap(lpn, 200 + lpn)
    world.capacity.used[TARGETS[0]] = CHAIN_ENTRIES - 5  # room for two slots' sharers
    await world.begin()
    before = data_of(world)
    assert await world.collect() == outcome_of(ok=1, moved=4, shared=4)
    assert data_of(world) == before
    world.check_emptied()
    assert len(world.programs) == SLOTS_PER_SB + 2
    assert {slot // SLOTS_PER_SB for slot in world.mapping.l2p.values()} == set(TARGETS[:2])
    assert all(world.capacity.used[sb] <= CHAIN_ENTRIES for sb in TARGETS)


@cocotb.test()
@cocotb.parametrize(free=[0, 1, 2], stalls=[0.0, 0.3])
async def without_segments_a_collection_stops_and_is_taken_up_again(dut: Any, free: int, stalls: float) -> None:
    """It ends before the slot whose sharers find no room.

    Everything is released, and no segment is requested in vain.
    """
    world = World(dut, stalls)
    for lpn in range(20):
        world.write(lpn)
        for i in range(1, 10 if lpn >= 3 else 1):  # the first three have one sharer: they need no segment
            world.remap(lpn, 100 * i + lpn)
    world.append.segments = world.capacity
    world.capacity.free = free
    await world.begin()
    before = data_of(world)
    outcome = await world.collect()
    assert (outcome["ok"], outcome["full"], outcome["refused"]) == (0, 1, 0)
    # 10 sharers a slot are 9 entries, 31 entries are a segment.
    most = 3 + 31 * free // 9
    assert most - 1 <= outcome["moved"] <= most if stalls else outcome["moved"] == most
    assert data_of(world) == before and not world.lock.owned
    assert not world.places("erase", "journal", "chain") and world.capacity.free >= 0
    world.mapping.check()
    world.check_recovery()
    world.capacity.free = 40
    outcome = await world.collect()
    assert (outcome["ok"], outcome["full"]) == (1, 0)
    assert data_of(world) == before
    world.check_emptied()


@cocotb.test()
async def segments_of_a_batch_with_two_targets_are_counted_together(dut: Any) -> None:
    """A slot's sharers go to the next superblock, where a chain begins.

    Its segment adds to those of the first target.
    """
    world = World(dut)
    for lpn in range(4):
        world.write(lpn)
        for i in range(1, 4):
            world.remap(lpn, 100 * i + lpn)
    world.append.segments = world.capacity
    world.capacity.used[TARGETS[0]] = CHAIN_ENTRIES - 31  # room for more than all, but for one segment
    del world.target_slots[: SLOTS_PER_SB - 2]  # two slots are left in the first target
    world.capacity.free = 1
    await world.begin()
    outcome = await world.collect()
    assert outcome == outcome_of(ok=0, full=1, moved=2, shared=2)
    world.capacity.free = 1
    outcome = await world.collect()
    assert outcome == outcome_of(ok=1, moved=2, shared=2)


@cocotb.test()
async def the_erase_waits_for_host_programs_and_readers(dut: Any) -> None:
    world = World(dut)
    world.live_before(40, fill=40)
    await world.begin()
    world.fence.open = False
    world.bench.write("io_readWindow", 1)
    world.start.send(sb=VICTIM, chain=0)
    await world.bench.until(lambda: world.bench.read("io_fence_req") == 1, "the fence", 100_000)
    await world.bench.clock(300)
    assert world.bench.read("io_quiet") == 1 and not world.lock.owned
    world.fence.open = True
    await world.bench.until(lambda: bool(world.places("fence")), "the end of the fence")
    await world.bench.clock(300)
    assert world.bench.read("io_quiet") == 1 and not world.places("erase")
    world.bench.write("io_readWindow", 0)
    await world.bench.until(lambda: bool(world.outcome.seen), "the outcome")
    assert world.outcome.seen[0]["ok"] == 1
    await world.bench.clock(3)
    world.check_emptied()


@cocotb.test()
async def slots_are_read_and_programmed_side_by_side(dut: Any) -> None:
    """As many slots are under way as there are buffers. GC is quiet meanwhile."""
    world = World(dut)
    for lpn in range(2 * GC_BUFFERS):
        world.write(lpn)
    await world.begin()
    world.nand.held = {READ}
    world.start.send(sb=VICTIM, chain=0)

    def asked(op: int) -> int:
        return sum(kind == "nand" and t["op"] == op for kind, t in world.log)

    await world.bench.clock(1000)
    assert asked(READ) == GC_BUFFERS and world.bench.read("io_quiet") == 1
    assert {t["buf"] for kind, t in world.log if kind == "nand"} == set(range(GC_BUF_BASE, GC_BUF_BASE + GC_BUFFERS))
    world.nand.held = {PROGRAM}
    await world.bench.clock(1500)
    assert asked(PROGRAM) == asked(READ) == GC_BUFFERS and world.bench.read("io_quiet") == 1
    world.nand.held = set()
    await world.bench.until(lambda: bool(world.outcome.seen), "the outcome", 100_000)
    await world.bench.clock(3)
    world.check_emptied()


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.3])
async def a_compacted_chain_holds_what_is_live(dut: Any, stalls: float) -> None:
    world = World(dut, stalls)
    world.live_before(40)
    for _ in range(3 * ENTRIES_PER_SEG):  # entries that die at once
        world.remap(world.bench.rng.randrange(40), 900)
    world.check_recovery()
    await world.begin()
    data, live, before = data_of(world), live_entries(world), len(world.chain_of(VICTIM))
    saved = -(-before // ENTRIES_PER_SEG) - -(-len(live) // ENTRIES_PER_SEG)
    assert live and saved > 0
    dropped: list[int] = []
    Watch(world.bench, "io_event_dropped", on_seen=lambda _: dropped.append(world.bench.read("io_event_dropped")))
    assert await world.compact() == outcome_of(ok=1, segments=saved)
    assert {(e.slot, e.lpn): e.seq for e in world.chain_of(VICTIM)} == live and len(world.chain_of(VICTIM)) == len(live)
    assert dropped == [before - len(live)]
    assert data_of(world) == data and not world.programs and world.table_epoch[VICTIM] == world.epoch[VICTIM] == 1
    world.check_compaction_order()
    # The victim is collected as any other, by what the new chain says.
    assert (await world.collect())["ok"]
    assert data_of(world) == data and world.epoch[VICTIM] == 0
    world.mapping.check()
    world.check_recovery()


@cocotb.test()
async def a_chain_without_a_live_entry_goes(dut: Any) -> None:
    world = World(dut)
    world.write(1)
    for _ in range(5):
        world.remap(1, 9)
    world.trim(9)
    await world.begin()
    assert await world.compact() == outcome_of(ok=1, segments=1)
    assert not world.chain_of(VICTIM)
    world.check_compaction_order()
    assert await world.compact() == outcome_of(ok=0, refused=1), "there is no chain"


@cocotb.test()
async def what_made_an_entry_stale_is_durable_before_it_goes(dut: Any) -> None:
    """The host overwrites a page. Until that is in flash a power cut must find the page as it was."""
    world = World(dut)
    for lpn in range(8):
        world.write(lpn)
    for i in range(ENTRIES_PER_SEG + 3):
        world.remap(i % 8, 100 + i % 16)
    world.write_volatile(105)
    await world.begin()
    world.fence.open = False
    world.start.send(sb=VICTIM, chain=1)
    await world.bench.clock(4000)
    assert not world.places("aside", "append", "journal") and world.bench.read("io_quiet") == 1
    world.land()
    world.fence.open = True
    await world.bench.until(lambda: bool(world.outcome.seen), "the outcome")
    assert await world.end(chain=1) == outcome_of(ok=1, segments=1)
    assert all(e.lpn != 105 for e in world.chain_of(VICTIM))
    world.check_compaction_order()


@cocotb.test()
async def a_chain_stays_when_there_is_nothing_to_gain_or_no_room(dut: Any) -> None:
    world = World(dut)
    for lpn in range(20):
        world.write(lpn)
    for i in range(ENTRIES_PER_SEG + 1):
        world.remap(i % 20, 100 + i)
    await world.begin()
    assert await world.compact() == outcome_of(ok=0, refused=1)
    world.trim(100)
    world.capacity.free = 0
    assert await world.compact() == outcome_of(ok=0, full=1)
    assert not world.places("aside", "append", "journal", "fence")
    world.capacity.free = 1
    world.table_epoch[VICTIM] = world.epoch[VICTIM] = 0xFFFF
    for e in world.entries:
        e.epoch = 0xFFFF
    assert await world.compact() == outcome_of(ok=0, refused=1), "no epoch is left"
    world.table_epoch[VICTIM] = world.epoch[VICTIM] = 0xFFFE
    for e in world.entries:
        e.epoch = 0xFFFE
    assert await world.compact() == outcome_of(ok=1, segments=1)
    world.check_compaction_order()


@cocotb.test()
@cocotb.parametrize(free=[1, 100])
async def the_last_entry_of_a_chain_is_counted(dut: Any, free: int) -> None:
    """The chain's last entry joins two others in its slot's list, which takes time.

    With it a second segment is needed.
    """
    world = World(dut)
    for lpn in range(9):
        world.write(lpn)
    for i in range(67):
        if 28 <= i < ENTRIES_PER_SEG:
            world.remap(0, 100 + i)  # the last one that a walk returns, as it begins with the newest segment
        elif i < 28 or i >= 60:
            world.remap(1, 300)  # stale with the next one
        else:
            world.remap(1 + i % 8, 200 + i)
    world.trim(300)
    assert len(live_entries(world)) == ENTRIES_PER_SEG + 1
    world.capacity.free = free
    await world.begin()
    assert await world.compact() == (outcome_of(ok=1, segments=1) if free > 1 else outcome_of(ok=0, full=1))
    assert len(world.append.entries) == (ENTRIES_PER_SEG + 1 if free > 1 else 0)


@cocotb.test()
async def a_compaction_waits_for_a_remap_and_holds_the_next_one_up(dut: Any) -> None:
    world = World(dut)
    world.write(1)
    world.remap(1, 9)
    world.trim(9)
    await world.begin()
    world.lock.busy = True
    world.start.send(sb=VICTIM, chain=1)
    await world.bench.clock(200)
    assert not world.log and world.bench.read("io_quiet") == 1
    world.lock.busy = False
    await world.bench.until(lambda: bool(world.outcome.seen), "the outcome")
    await world.bench.clock(3)
    kinds = [kind for kind, _ in world.log]
    assert kinds[0] == "lock" and kinds[-1] == "unlock" and kinds.count("lock") == 1


def test_gc_engine(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("GcEngine")


def test_gc_engine_two_victims(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("GcEngine", module="two_victims")


def test_gc_engine_destaging(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("GcEngine", module="destaging")
