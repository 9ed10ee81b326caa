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
from sim.cocotb.support.stream import Pulse, Source, Watch

ALLOCATOR, GC, GC_ERASE, FIRMWARE = READERS = range(4)  # SuperblockTable.Reader


class TB:
    def __init__(self, dut: Any) -> None:
        self.bench = Bench(dut)
        ports = ("fwWrite", "opened", "closed", "erased", "compacted", "valid_inc", "valid_dec")
        self.fw, self.opened, self.closed, self.erased, self.compacted, self.inc, self.dec = (
            Pulse(self.bench, f"io_{name}") for name in ports
        )
        self.ask = [Source(self.bench, f"io_read_{i}_ask") for i in READERS]
        self.answer = [Watch(self.bench, f"io_read_{i}_answer") for i in READERS]
        self.salt, self.salted = Pulse(self.bench, "io_salt_ask"), Watch(self.bench, "io_salt_answer")
        self.valid = [0] * SUPERBLOCKS

    async def start(self) -> None:
        """Firmware's part: loads a record for each superblock."""
        await self.cleared()
        for sb in range(SUPERBLOCKS):
            self.fw.send(sb=sb, gen=1000 + sb, valid=0, state=SbState.FREE)
        await self.fw.sent()

    async def look(self, sb: int, port: int = ALLOCATOR) -> tuple[int, int, SbState]:
        """valid, gen, state"""
        found = await self.record(sb, port)
        return found["valid"], found["gen"], SbState(found["state"])

    async def record(self, sb: int, port: int = ALLOCATOR) -> dict[str, int]:
        """All of it; RemapTable's port says the same of what it has."""
        self.ask[port].send(bits=sb)
        found = await self.answer[port].get(timeout=20)
        self.salt.send(bits=sb)
        salt = await self.salted.get(timeout=20)
        assert salt == {name: found[name] for name in ("gen", "epoch")}
        return found

    async def epoch(self, sb: int) -> int:
        return (await self.record(sb))["epoch"]

    async def cleared(self) -> None:
        """Resets the table. It is ready when it has made each record a bad superblock's."""
        await self.bench.start()
        assert not self.bench.read("io_ready")
        await self.bench.until(lambda: bool(self.bench.read("io_ready")), "the table", timeout=SUPERBLOCKS + 5)


@cocotb.test()
async def unknown_superblocks_are_bad_until_firmware_says(dut: Any) -> None:
    tb = TB(dut)
    await tb.cleared()
    for sb in (0, 17, SUPERBLOCKS - 1):
        found = await tb.record(sb)
        assert found["state"] == SbState.BAD and not found["marks_failed"] and not found["marks_weak"]


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
    assert await tb.look(5, port=GC) == (SLOTS_PER_SB, 1005, SbState.OPEN)
    tb.closed.send(bits=5)
    await tb.closed.sent()
    assert (await tb.look(5))[2] == SbState.CLOSED
    for _ in range(SLOTS_PER_SB):
        tb.dec.send(bits=5)
    await tb.dec.sent()
    tb.erased.send(sb=5, gen=1006)
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
            record = await tb.record(sb, FIRMWARE)
            found += [sb] * record[f"marks_{mark}"]
            assert not record["marks_weak" if mark == "failed" else "marks_failed"], "the other mark"
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
    tb.erased.send(sb=4, gen=2)
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
    for gen in (8, 9):  # one that is bad may be emptied once more
        tb.erased.send(sb=9, gen=gen, retires=1)
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
            port.send(**({"sb": sb, "gen": 1001 + sb} if port is tb.erased else {"bits": sb}))
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
    for epoch in (41, 42, 43):
        tb.compacted.send(sb=5, epoch=epoch)
    await tb.compacted.sent()
    assert (await tb.epoch(5), await tb.epoch(4)) == (43, 0)
    assert await tb.look(5) == (0, 7, SbState.CLOSED)
    tb.erased.send(sb=5, gen=8)
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


@cocotb.test()
async def answers_contain_the_updates_before_their_questions(dut: Any) -> None:
    """Questions in each cycle about superblocks that change all the time: the unit's assertions compare each answer.

    Erases and openings in one cycle, on four superblocks. RemapTable asks in half of the cycles.
    """
    tb = TB(dut)
    await tb.start()
    rng = tb.bench.rng
    state, gen, epoch = [SbState.FREE] * 4, [1000 + sb for sb in range(4)], [0] * 4
    rested = emptied = True  # a cycle between two of Allocator's events, and between two erases
    asked = 0
    for _ in range(4000):
        busy: set[int] = set()  # one event of a superblock a cycle

        def some(*may: bool, busy: set[int] = busy) -> int | None:
            left = [sb for sb in range(4) if may[sb] and sb not in busy]
            found = rng.choice(left) if left and rng.random() < 0.6 else None
            busy |= {found} if found is not None else set()
            return found

        empty = [v == 0 for v in tb.valid[:4]]
        erases = some(*(s == SbState.CLOSED and e for s, e in zip(state, empty, strict=True))) if emptied else None
        opens = some(*(s == SbState.FREE for s in state)) if rested else None
        closes = some(*(s == SbState.OPEN for s in state)) if rested and opens is None else None
        compacts = some(*(s == SbState.CLOSED for s in state)) if erases is None else None
        rested, emptied = opens is None and closes is None, erases is None
        if erases is not None:
            gen[erases], epoch[erases], state[erases] = gen[erases] + 1, 0, SbState.FREE
            tb.erased.send(sb=erases, gen=gen[erases])
        if opens is not None:
            state[opens] = SbState.OPEN
            tb.opened.send(bits=opens)
        if closes is not None:
            state[closes] = SbState.CLOSED
            tb.closed.send(bits=closes)
        if compacts is not None:
            epoch[compacts] += 1
            tb.compacted.send(sb=compacts, epoch=epoch[compacts])
        inc = some(*(s == SbState.OPEN and v < 3 for s, v in zip(state, tb.valid[:4], strict=True)))
        dec = some(*(v != 0 for v in tb.valid[:4]))
        for port, sb, more in ((tb.inc, inc, 1), (tb.dec, dec, -1)):
            if sb is not None:
                port.send(bits=sb)
                tb.valid[sb] += more
        if rng.random() < 0.5:
            tb.salt.send(bits=rng.randrange(4))
            asked += 1
        for question, answer in zip(tb.ask, tb.answer, strict=True):
            if not question.pending and len(answer.seen) == question.sent:
                question.send(bits=rng.randrange(4))
        await tb.bench.clock()
    await tb.bench.clock(20)
    assert len(tb.salted.seen) == asked
    answered = [len(answer.seen) for answer in tb.answer]
    assert answered == [port.sent for port in tb.ask] and min(answered) > 100
    for answer in tb.answer:
        answer.seen.clear()
    tb.salted.seen.clear()
    for sb in range(4):
        found = await tb.record(sb)
        assert (found["gen"], found["epoch"], found["valid"]) == (gen[sb], epoch[sb], tb.valid[sb])
        assert found["state"] == state[sb]


def test_superblock_table(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("SuperblockTable")
