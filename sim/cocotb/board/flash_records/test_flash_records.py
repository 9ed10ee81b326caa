# SPDX-License-Identifier: Apache-2.0
"""Tests of FlashRecords: each job's answer and effect follow from the records in DRAM.

The reference is the table of docs/design/nand-in-dram.md. What is not legal is tried in the bench of NandInDram.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.axi import AxiMemory, Memory
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.codes import FlashJobOp, NandStatus
from sim.cocotb.support.geometry import DIES_PER_CHANNEL, PAGES_PER_BLOCK, SLOTS_PER_PAGE, SUPERBLOCKS
from sim.cocotb.support.params import flash
from sim.cocotb.support.stream import Pulse, Sink, Source, Transaction, Watch

BEAT = 16
HALF, BAD = 1 << 32, 1 << 33  # of a block's record, over its generation
PROGRAMMED = 1 << 32  # of a page's record, over its generation


@dataclass
class Block:
    generation: int = 1
    half: bool = False
    pages: list[bool] = field(default_factory=list)  # torn or programmed, in order


class TB:
    """Source job -> FlashRecords -> Watch answer
    |  AxiMemory; load, loaded: this
    """

    def __init__(self, dut: Any, stalls: float = 0.0, latency: int = 4) -> None:
        self.bench = Bench(dut)
        self.memory = Memory()
        self.job = Source(self.bench, "io_job")
        self.answer = Watch(self.bench, "io_answer")
        self.load = Sink(self.bench, "io_load", stalls, stable=True, on_take=self._load)
        self.loaded = Pulse(self.bench, "io_loaded")
        self.axi = AxiMemory(self.bench, "io_axi", self.memory, stalls, stalls, latency)
        self.loads: list[Transaction] = []
        self.lost = False

    def _load(self, t: Transaction) -> None:
        self.loads.append(t)
        self.loaded.send(bits=int(self.lost))

    async def do(self, op: FlashJobOp, die: int, block: int, page: int = 0, sub: int = 0) -> NandStatus:
        self.loads.clear()
        self.axi.wr.bursts.clear()
        self.job.send(op=op, die=die, block=block, page=page, sub=sub)
        answer = await self.answer.get()
        self.blank = answer["blank"]
        return NandStatus(answer["status"])

    @staticmethod
    def block_at(die: int, block: int) -> int:
        return flash("blockBase") + (block * DIES_PER_CHANNEL + die) * BEAT

    @staticmethod
    def page_at(die: int, block: int, page: int) -> int:
        return flash("pageBase") + ((block * DIES_PER_CHANNEL + die) * PAGES_PER_BLOCK + page) * BEAT

    def put(self, die: int, number: int, block: Block, bad: bool = False) -> None:
        """A block's records, among those of earlier generations."""
        self.memory.write_int(self.block_at(die, number), block.generation | HALF * block.half | BAD * bad, BEAT)
        for page in range(PAGES_PER_BLOCK):
            record = self.bench.rng.choice([0, max(block.generation - 1, 0), block.generation + 1 << 8])
            if page < len(block.pages):
                record = block.generation | PROGRAMMED * block.pages[page]
            self.memory.write_int(self.page_at(die, number, page), record, BEAT)


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.5])
async def the_life_of_blocks(dut: Any, stalls: float) -> None:
    """Programs, erases, and what a probe sees, of several blocks; some end early, as by a power cut."""
    tb = TB(dut, stalls)
    await tb.bench.start()
    rng = tb.bench.rng
    state: dict[tuple[int, int], Block] = {}
    for die in range(DIES_PER_CHANNEL):
        for number in (0, 5, SUPERBLOCKS - 1):
            block = state[die, number] = Block(rng.getrandbits(32) | 1)
            tb.put(die, number, block)
    for _ in range(120):
        (die, number), block = rng.choice([*state.items()])
        if ((block.half or len(block.pages) > 6) and rng.random() < 0.7) or rng.random() < 0.1:
            assert await tb.do(FlashJobOp.OPEN, die, number) == NandStatus.OK
            assert tb.axi.wr.bursts == [(tb.block_at(die, number), 1)]
            block.half = True
            if rng.random() < 0.7:
                assert await tb.do(FlashJobOp.CLOSE, die, number) == NandStatus.OK
                block.generation = (block.generation + 1) % (1 << 32)
                block.half, block.pages = False, []
            record = block.generation | HALF * block.half
            assert tb.memory.read_int(tb.block_at(die, number), BEAT) == record
        elif not block.half:
            page = len(block.pages)
            assert await tb.do(FlashJobOp.ADMIT, die, number, page) == NandStatus.OK
            assert not tb.axi.wr.bursts
            assert await tb.do(FlashJobOp.TEAR, die, number, page) == NandStatus.OK
            at = tb.page_at(die, number, page)
            assert tb.axi.wr.bursts == [(at, 1)] and tb.memory.read_int(at, BEAT) == block.generation
            block.pages.append(rng.random() < 0.7)
            if block.pages[-1]:
                assert await tb.do(FlashJobOp.SEAL, die, number, page) == NandStatus.OK
                assert tb.memory.read_int(at, BEAT) == block.generation | PROGRAMMED
        page, sub = rng.randrange(len(block.pages) + 1), rng.randrange(SLOTS_PER_PAGE)
        there = page < len(block.pages)
        tb.lost = rng.random() < 0.2
        op = FlashJobOp.READ if there and not block.half and rng.random() < 0.5 else FlashJobOp.PROBE
        status = await tb.do(op, die, number, page, sub)
        good = there and block.pages[page]
        wanted = NandStatus.ERASED if not there else NandStatus.OK if good and not tb.lost else NandStatus.UNCORRECTABLE
        assert status == wanted or (block.half and status in (NandStatus.ERASED, NandStatus.UNCORRECTABLE))
        assert not tb.axi.wr.bursts
        if not block.half:
            assert len(tb.loads) == good
        for load in tb.loads:
            slot = ((number * DIES_PER_CHANNEL + die) * PAGES_PER_BLOCK + page) * SLOTS_PER_PAGE + sub
            assert (load["slot"], load.get("die", 0)) == (slot, die) and load["spareOnly"] == (op == FlashJobOp.PROBE)


@cocotb.test()
async def a_cut_erase_mixes(dut: Any) -> None:
    """About a quarter of the pages each is erased and torn; the rest is as it was. It stays so."""
    tb = TB(dut)
    await tb.bench.start()
    for generation in (1, 2, 3, 4):
        tb.put(0, 7, Block(generation, half=True, pages=[True] * PAGES_PER_BLOCK))
        seen = [await tb.do(FlashJobOp.PROBE, 0, 7, page) for page in range(PAGES_PER_BLOCK)]
        counts = Counter(seen)
        assert counts[NandStatus.ERASED] == counts[NandStatus.UNCORRECTABLE] == PAGES_PER_BLOCK // 4
        assert counts[NandStatus.OK] == PAGES_PER_BLOCK // 2
        assert seen == [await tb.do(FlashJobOp.PROBE, 0, 7, page) for page in range(PAGES_PER_BLOCK)]


@cocotb.test()
async def marked_blocks_are_blank(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.put(0, 2, Block(), bad=True)
    for page in (0, PAGES_PER_BLOCK - 1):
        assert await tb.do(FlashJobOp.PROBE, 0, 2, page) == NandStatus.FAILED
        assert tb.blank and not tb.loads
    tb.put(0, 3, Block(pages=[True]))
    assert await tb.do(FlashJobOp.PROBE, 0, 3, 0) == NandStatus.OK and not tb.blank


@cocotb.test()
async def errors(dut: Any) -> None:
    """A record that DRAM does not give, or does not take."""
    tb = TB(dut, latency=9)
    await tb.bench.start()
    op = FlashJobOp
    tb.put(0, 4, Block(pages=[True, True]))
    block, page, prior = tb.block_at(0, 4), tb.page_at(0, 4, 2), tb.page_at(0, 4, 1)
    for addr, broken in (
        (block, {op.READ, op.PROBE, op.ADMIT, op.TEAR, op.SEAL, op.OPEN, op.CLOSE}),
        (page, {op.ADMIT}),
        (prior, {op.READ, op.PROBE, op.ADMIT}),
    ):
        tb.axi.rd.fail(addr)
        for what in broken:
            senses = what in (op.READ, op.PROBE)
            status = await tb.do(what, 0, 4, 1 if senses else 2)
            unsure = senses or what == op.ADMIT
            assert status == (NandStatus.UNCORRECTABLE if unsure else NandStatus.FAILED)
            assert not tb.axi.wr.bursts and not tb.loads
        tb.axi.rd.heal()
    tb.axi.wr.fail(0, 1 << 32)
    for what in (op.TEAR, op.SEAL, op.OPEN, op.CLOSE):
        assert await tb.do(what, 0, 4, 2) == NandStatus.FAILED
    tb.axi.wr.heal()
    assert await tb.do(op.PROBE, 0, 4, 1) == NandStatus.OK


def test_flash_records(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("FlashRecords")
