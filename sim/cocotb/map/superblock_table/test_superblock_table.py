# SPDX-License-Identifier: Apache-2.0
"""Tests of SuperblockTable.

They cover VALID under increments and decrements in one cycle, and the states and generations of a superblock's life.
"""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.codes import SbState
from sim.cocotb.support.geometry import SLOTS_PER_SB, SUPERBLOCKS
from sim.cocotb.support.stream import Pulse

ALLOCATOR, REMAP_TABLE, GC, GC_ERASE, FIRMWARE = range(5)  # SuperblockTable.Reader


class TB:
    def __init__(self, dut: Any) -> None:
        self.bench = Bench(dut)
        ports = ("fwWrite", "opened", "closed", "erased", "compacted", "valid_inc", "valid_dec")
        self.fw, self.opened, self.closed, self.erased, self.compacted, self.inc, self.dec = (
            Pulse(self.bench, f"io_{name}") for name in ports
        )
        self.valid = [0] * SUPERBLOCKS

    async def start(self) -> None:
        """Firmware's part: loads a record for each superblock."""
        await self.bench.start()
        for sb in range(SUPERBLOCKS):
            self.fw.send(sb=sb, gen=1000 + sb, valid=0, state=SbState.FREE)
        await self.fw.sent()

    async def look(self, sb: int, port: int = ALLOCATOR) -> tuple[int, int, SbState]:
        """valid, gen, state"""
        self.bench.write(f"io_read_{port}_sb", sb)
        await self.bench.clock()
        read = [self.bench.read(f"io_read_{port}_{name}") for name in ("valid", "gen", "state")]
        return read[0], read[1], SbState(read[2])

    async def epoch(self, sb: int) -> int:
        await self.look(sb)
        return self.bench.read(f"io_read_{ALLOCATOR}_epoch")


@cocotb.test()
async def unknown_superblocks_are_bad_until_firmware_says(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    assert (await tb.look(17))[2] == SbState.BAD


@cocotb.test()
async def life_of_a_superblock(dut: Any) -> None:
    tb = TB(dut)
    await tb.start()
    assert await tb.look(5) == (0, 1005, SbState.FREE)
    tb.opened.send(bits=5)
    await tb.opened.sent()
    assert await tb.look(5) == (0, 1005, SbState.OPEN)
    for _ in range(SLOTS_PER_SB):
        tb.inc.send(bits=5)
    await tb.inc.sent()
    assert await tb.look(5, port=REMAP_TABLE) == (SLOTS_PER_SB, 1005, SbState.OPEN)
    tb.closed.send(bits=5)
    await tb.closed.sent()
    assert (await tb.look(5))[2] == SbState.CLOSED
    for _ in range(SLOTS_PER_SB):
        tb.dec.send(bits=5)
    await tb.dec.sent()
    tb.erased.send(bits=5)
    await tb.erased.sent()
    assert await tb.look(5) == (0, 1006, SbState.FREE)
    assert await tb.look(4) == (0, 1004, SbState.FREE)


@cocotb.test()
@cocotb.parametrize(what=[("failing", "failed"), ("weak", "weak")])
async def marks_are_remembered_until_the_erase(dut: Any, what: tuple[str, str]) -> None:
    """Failed programs of host and GC, marginal reads of two channels, also in one cycle.

    Firmware can clear them, too.
    """
    event, mark = what
    tb = TB(dut)
    failing = [Pulse(tb.bench, f"io_{event}_{i}") for i in range(2)]
    await tb.start()

    async def failed() -> list[int]:
        found = []
        for sb in range(SUPERBLOCKS):
            tb.bench.write("io_marksOf", sb)
            await tb.bench.clock()
            found += [sb] * tb.bench.read(f"io_marks_{mark}")
            assert not tb.bench.read("io_marks_weak" if mark == "failed" else "io_marks_failed"), "the other mark"
        return found

    for sb in (3, 4, 5):
        tb.fw.send(sb=sb, gen=1, valid=0, state=SbState.CLOSED)
    await tb.fw.sent()
    assert not await failed()
    failing[0].send(bits=3)
    failing[1].send(bits=4)
    failing[0].send(bits=5)
    await failing[0].sent()
    assert await failed() == [3, 4, 5]
    tb.erased.send(bits=4)
    await tb.erased.sent()
    tb.fw.send(sb=5, gen=1, valid=0, state=SbState.CLOSED)
    await tb.fw.sent()
    assert await failed() == [3]


@cocotb.test()
async def a_retired_superblock_is_bad(dut: Any) -> None:
    tb = TB(dut)
    await tb.start()
    tb.fw.send(sb=9, gen=7, epoch=3, valid=0, state=SbState.CLOSED)
    await tb.fw.sent()
    tb.bench.write("io_retires", 1)
    for gen in (8, 9):  # one that is bad may be emptied once more
        tb.erased.send(bits=9)
        await tb.erased.sent()
        assert await tb.look(9) == (0, gen, SbState.BAD)
        assert await tb.epoch(9) == 0


@cocotb.test()
async def every_superblock_has_its_own_state(dut: Any) -> None:
    """Open, close and erase each of them; the others stay as they are."""
    tb = TB(dut)
    await tb.start()
    steps = ((tb.opened, SbState.OPEN), (tb.closed, SbState.CLOSED), (tb.erased, SbState.FREE))
    for sb in tb.bench.rng.sample(range(SUPERBLOCKS), SUPERBLOCKS):
        neighbour = (sb + 1) % SUPERBLOCKS
        before = await tb.look(neighbour)
        for port, state in steps:
            port.send(bits=sb)
            await port.sent()
            for reader in (GC, GC_ERASE, FIRMWARE):
                assert (await tb.look(sb, port=reader))[2] == state
        assert await tb.look(sb) == (0, 1001 + sb, SbState.FREE)
        assert await tb.look(neighbour) == before


@cocotb.test()
async def compactions_count_within_a_generation(dut: Any) -> None:
    tb = TB(dut)
    await tb.start()
    tb.fw.send(sb=5, gen=7, epoch=40, valid=0, state=SbState.CLOSED)
    await tb.fw.sent()
    for _ in range(3):
        tb.compacted.send(bits=5)
    await tb.compacted.sent()
    assert (await tb.epoch(5), await tb.epoch(4)) == (43, 0)
    assert await tb.look(5) == (0, 7, SbState.CLOSED)
    tb.erased.send(bits=5)
    await tb.erased.sent()
    assert await tb.epoch(5) == 0 and await tb.look(5) == (0, 8, SbState.FREE)


@cocotb.test()
async def firmware_restores_what_it_found(dut: Any) -> None:
    """After a power cut: a closed superblock with valid slots, and a bad one. The counters continue from there."""
    tb = TB(dut)
    await tb.start()
    tb.fw.send(sb=9, gen=0xFFFFFFF0, valid=37, state=SbState.CLOSED)
    tb.fw.send(sb=10, gen=1, valid=0, state=SbState.BAD)
    await tb.fw.sent()
    tb.dec.send(bits=9)
    await tb.dec.sent()
    assert await tb.look(9) == (36, 0xFFFFFFF0, SbState.CLOSED)
    assert (await tb.look(10))[2] == SbState.BAD


@cocotb.test()
async def random_counting(dut: Any) -> None:
    """Both ports each cycle, often on the same superblock."""
    tb = TB(dut)
    await tb.start()
    rng = tb.bench.rng
    for _ in range(1500):
        inc = rng.randrange(3) if rng.random() < 0.7 else None
        if inc is not None and tb.valid[inc] == SLOTS_PER_SB:
            inc = None
        some = [sb for sb in range(3) if tb.valid[sb]]
        dec = rng.choice(some) if some and rng.random() < 0.6 else None
        if inc is not None:
            tb.inc.send(bits=inc)
            tb.valid[inc] += 1
        if dec is not None:
            tb.dec.send(bits=dec)
            tb.valid[dec] -= 1
        await tb.bench.clock()
    await tb.bench.clock(2)
    for sb in range(4):
        assert (await tb.look(sb))[0] == tb.valid[sb]


def test_superblock_table(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("SuperblockTable")
