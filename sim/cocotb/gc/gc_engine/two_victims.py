# SPDX-License-Identifier: Apache-2.0
"""Cases of GcEngine with two victims: one is fenced, erased and given back while the next one is loaded and moved."""

from __future__ import annotations

from typing import Any

import cocotb

from sim.cocotb.gc.gc_engine.world import CLOSED, ERASE, NEXT, OPEN, READ, TARGETS, VICTIM, World, data_of, outcome_of
from sim.cocotb.support.geometry import SLOTS_PER_SB


async def both_are_emptied(world: World, second: int, before: object) -> None:
    """VICTIM and `second` are collected. Every LPN reads as `before`."""
    assert (await world.end(VICTIM))["ok"] == 1
    assert (await world.end(second))["ok"] == 1
    assert data_of(world) == before
    world.check_emptied(VICTIM)
    world.check_emptied(second)


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.3], erase_delay=[1, 3_000])
async def the_next_victim_is_moved_while_one_is_erased(dut: Any, stalls: float, erase_delay: int) -> None:
    """Both keep the crash-safe order. The power is cut after every event of either."""
    world = World(dut, stalls)
    world.live_before(60)
    world.live_before(60, sb=NEXT)
    world.nand.erase_delay = erase_delay
    await world.begin()
    before = data_of(world)
    world.start.send(sb=VICTIM, chain=0)
    await world.handed_over()
    assert not world.outcome.seen and world.mapping.valid(VICTIM) == 0
    world.start.send(sb=NEXT, chain=0)
    await both_are_emptied(world, NEXT, before)

    def asked(op: int, sb: int) -> list[int]:
        return [
            i
            for i, (kind, t) in enumerate(world.log)
            if kind == "nand" and t["op"] == op and t["slot"] // SLOTS_PER_SB == sb
        ]

    done = [i for i in world.places("erase") if world.log[i][1]["slot"] // SLOTS_PER_SB == VICTIM]
    if erase_delay > 1:
        assert asked(READ, NEXT)[0] < max(done), "they are under way together"
    assert max(done) < min(asked(ERASE, NEXT)), "one erase after the other"


@cocotb.test()
async def an_erase_begins_beside_reads(dut: Any) -> None:
    """The first victim waits for host programs while the second one is already read."""
    world = World(dut, stalls=0.5)
    world.live_before(60)
    world.live_before(60, sb=NEXT)
    world.fence.open = False
    await world.begin()
    before = data_of(world)
    world.start.send(sb=VICTIM, chain=0)
    await world.handed_over()
    world.start.send(sb=NEXT, chain=0)
    first = NEXT * SLOTS_PER_SB
    await world.bench.until(
        lambda: any(kind == "nand" and t["op"] == READ and t["slot"] >= first for kind, t in world.log),
        "a read",
        10_000,
    )
    assert not world.places("erase")
    world.nand.requests.hold = True
    world.fence.open = True
    await world.bench.clock(400)  # both ask by now, and another request is in the register before them
    world.nand.requests.hold = False
    await both_are_emptied(world, NEXT, before)


@cocotb.test()
async def an_emptied_victim_waits_for_the_erase_before(dut: Any) -> None:
    world = World(dut)
    world.live_before(40, fill=30)
    world.write(200, NEXT)
    world.trim(200)
    world.nand.erase_delay = 3_000
    await world.begin()
    world.start.send(sb=VICTIM, chain=0)
    await world.handed_over()
    world.start.send(sb=NEXT, chain=0)
    assert (await world.end(VICTIM))["ok"] == 1
    assert await world.end(NEXT) == outcome_of(ok=1)
    world.check_emptied(VICTIM)
    world.check_emptied(NEXT)


@cocotb.test()
async def a_target_may_be_the_next_victim(dut: Any) -> None:
    """Slots copied out of one victim are moved again while that one is erased."""
    world = World(dut)
    for lpn in range(SLOTS_PER_SB):
        world.write(lpn)
        if lpn % 9 == 0:
            world.remap(lpn, 300 + lpn)
    world.nand.erase_delay = 4_000
    await world.begin()
    before = data_of(world)
    world.start.send(sb=VICTIM, chain=0)
    await world.handed_over()
    world.state[TARGETS[0]] = CLOSED
    world.start.send(sb=TARGETS[0], chain=0)
    await both_are_emptied(world, TARGETS[0], before)


@cocotb.test()
async def outcomes_come_in_the_order_of_the_starts(dut: Any) -> None:
    """The second one is refused, or stays, long before the erase of the first one fails."""
    world = World(dut)
    world.live_before(40, fill=30)
    world.live_before(40, fill=30, sb=NEXT)
    world.nand.erase_delay = 6_000
    world.fail_erase = True
    world.state[NEXT] = OPEN
    await world.begin()
    world.start.send(sb=VICTIM, chain=0)
    await world.handed_over()
    world.start.send(sb=NEXT, chain=0)
    await world.bench.clock(200)
    assert not world.outcome.seen and not world.bench.read("io_start_ready")
    await world.bench.until(lambda: world.bench.read("io_quiet") == 1, "rest")
    assert (await world.end(VICTIM))["ok"] == 0
    assert await world.end(NEXT) == outcome_of(ok=0, refused=1)
    world.state[NEXT] = CLOSED
    world.fail_erase = False
    world.start.send(sb=NEXT, chain=0)
    assert (await world.end(NEXT))["ok"] == 1
    world.check_emptied(NEXT)


@cocotb.test()
async def a_compaction_waits_for_an_erase(dut: Any) -> None:
    world = World(dut)
    world.live_before(40, fill=30)
    world.write(1, NEXT)
    world.remap(1, 9)
    world.trim(9)
    world.nand.erase_delay = 5_000
    await world.begin()
    world.start.send(sb=VICTIM, chain=0)
    await world.handed_over()
    world.start.send(sb=NEXT, chain=1)
    assert (await world.end(VICTIM))["ok"] == 1
    assert await world.end(NEXT, chain=1) == outcome_of(ok=1, segments=1)
    assert max(world.places("freed")) < min(world.places("aside"))
    assert world.places("lock")[-1] > max(world.places("freed")), "remaps need not wait with it"
    world.check_emptied()
