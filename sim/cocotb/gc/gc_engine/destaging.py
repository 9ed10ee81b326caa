# SPDX-License-Identifier: Apache-2.0
"""Cases of GcEngine that destage chains and collect their superblocks, with a power cut possible at any moment
(world.py).
"""

from __future__ import annotations

from typing import Any

import cocotb

from sim.cocotb.gc.gc_engine.world import PROGRAM, TARGETS, VICTIM, World, data_of, live_entries, outcome_of
from sim.cocotb.support.destaged import DESTAGE_ENTRIES, DESTAGE_LPN, destage_lpn
from sim.cocotb.support.geometry import SLOTS_PER_SB
from sim.cocotb.support.nvram_layout import ENTRIES_PER_SEG
from sim.cocotb.support.stream import Transaction


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.3])
async def a_chain_goes_to_flash_and_its_superblock_is_collected_all_the_same(dut: Any, stalls: float) -> None:
    """Done twice, with remaps and a compaction in between. Power may go at any moment (world.py)."""
    world = World(dut, stalls)
    world.live_before(120, fill=90)
    await world.begin()
    before = data_of(world)
    segments = -(-len(world.chain_of(VICTIM)) // ENTRIES_PER_SEG)
    live = len(live_entries(world))
    assert live and segments
    assert await world.destage() == outcome_of(ok=1, segments=segments)
    assert world.parts[VICTIM] == (1, -(-live // DESTAGE_ENTRIES), -(-live // ENTRIES_PER_SEG))
    assert data_of(world) == before and not world.chain_of(VICTIM)
    assert world.mapping.l2p[destage_lpn(VICTIM, 1, 0)] // SLOTS_PER_SB == TARGETS[0]
    for lpn in world.bench.rng.sample(sorted(before), 40):
        world.remap(lpn, 300 + lpn)
    for lpn in range(300, 310):
        world.trim(lpn)
    await world.compact()
    assert world.parts[VICTIM][0] == world.set[VICTIM] == 1, "a compaction leaves the destaged part alone"
    before = data_of(world)
    for _ in range(ENTRIES_PER_SEG):
        world.remap(world.bench.rng.choice(sorted(before)), 700)
    before = data_of(world)
    assert (await world.destage())["ok"]
    assert world.parts[VICTIM][0] == world.set[VICTIM] == 2 and destage_lpn(VICTIM, 1, 0) not in world.mapping.l2p
    assert data_of(world) == before
    for lpn in world.bench.rng.sample(sorted(before), 20):
        world.remap(lpn, 800 + lpn)
    before = data_of(world)
    world.log.clear()
    world._seen = 0
    assert (await world.collect())["ok"]
    assert data_of(world) == before and not [lpn for lpn in world.mapping.l2p if lpn >= DESTAGE_LPN]
    world.check_emptied()


@cocotb.test()
async def the_host_goes_on_while_a_chain_is_destaged(dut: Any) -> None:
    world = World(dut, 0.2)
    world.live_before(80, fill=90)
    await world.begin()
    lpns = sorted(data_of(world))

    def on_nand(t: Transaction) -> None:
        if t["op"] == PROGRAM:
            for lpn in world.bench.rng.sample(lpns, 10):
                world.trim(lpn)

    world.on_nand = on_nand
    assert (await world.destage())["ok"]
    world.on_nand = None
    before = data_of(world)
    world.log.clear()
    world._seen = 0
    assert (await world.collect())["ok"]
    assert data_of(world) == before
    world.check_emptied()


@cocotb.test()
async def overwriting_data_is_durable_before_entries_go(dut: Any) -> None:
    """The stale entry of an LPN whose new data is still volatile may be left out only after a fence."""
    world = World(dut)
    world.live_before(80, fill=90)
    await world.begin()
    for lpn in sorted({lpn for _, lpn in live_entries(world)})[:5]:
        world.write_volatile(lpn)
    world.fence.open = False
    world.log.clear()
    world._seen = 0
    world.start.send(sb=VICTIM, chain=1, destage=1)
    await world.bench.clock(6000)
    assert not world.places("nand", "journal", "aside")
    world.land()
    world.fence.open = True
    await world.bench.until(lambda: bool(world.outcome.seen), "the outcome", 50_000)
    assert world.outcome.seen.popleft()["ok"]


@cocotb.test()
async def a_set_that_could_not_be_programmed_is_none(dut: Any) -> None:
    world = World(dut)
    world.live_before(120, fill=90)
    await world.begin()
    before, mapped = data_of(world), dict(world.mapping.l2p)
    world.fail_programs = {0}
    assert await world.destage() == outcome_of(ok=0)
    assert world.mapping.l2p == mapped and not world.parts and world.set[VICTIM] == 0
    assert (await world.destage())["ok"]
    assert data_of(world) == before


@cocotb.test()
async def without_the_destaged_part_nothing_is_moved(dut: Any) -> None:
    world = World(dut)
    world.live_before(120, fill=90)
    await world.begin()
    assert await world.destage() != outcome_of(ok=0)
    before = dict(world.mapping.l2p)
    page = world.flash[world.mapping.l2p[destage_lpn(VICTIM, 1, 0)]]
    page.readable = False
    programs = len(world.programs)
    assert await world.collect() == outcome_of(ok=0)
    for lpn in range(40):
        world.remap(lpn, 400 + lpn)
    assert await world.destage() == outcome_of(ok=0)
    assert len(world.programs) == programs and before.items() <= world.mapping.l2p.items()
    page.readable = True
    world.log.clear()
    world._seen = 0
    assert (await world.collect())["ok"]
    world.check_emptied()


@cocotb.test()
async def a_destaged_part_that_is_lost_matters_to_nobody_where_nothing_is_valid(dut: Any) -> None:
    world = World(dut)
    world.live_before(40, fill=90)
    await world.begin()
    assert await world.destage() != outcome_of(ok=0)
    world.flash[world.mapping.l2p[destage_lpn(VICTIM, 1, 0)]].readable = False
    for lpn in [lpn for lpn, slot in world.mapping.l2p.items() if slot // SLOTS_PER_SB == VICTIM]:
        world.trim(lpn)
    assert world.mapping.valid(VICTIM) == 0
    world.log.clear()
    world._seen = 0
    assert (await world.collect())["ok"]
    world.check_emptied()


@cocotb.test()
async def a_chain_without_segments_is_not_destaged(dut: Any) -> None:
    world = World(dut)
    world.write(1)
    await world.begin()
    assert await world.destage() == outcome_of(ok=0, refused=1)
    assert not world.programs
