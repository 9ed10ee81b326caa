# SPDX-License-Identifier: Apache-2.0
"""Tests of FlashFormatter: after a reset DRAM has either the flash that was there, or an empty one, all of it."""

from __future__ import annotations

import random
from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.axi import AxiMemory, Memory
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.geometry import DIES_PER_CHANNEL, SUPERBLOCKS
from sim.cocotb.support.params import flash

BEAT = 16
BAD = 1 << 33  # hw/src/board/FlashLayout.scala, FlashBlockRecord: bad, half, generation


class TB:
    """FlashFormatter -> AxiMemory."""

    def __init__(self, dut: Any, memory: Memory, stalls: float = 0.0, latency: int = 4) -> None:
        self.bench = Bench(dut)
        self.memory = memory
        self.axi = AxiMemory(self.bench, "io_axi", memory, stalls, stalls, latency)
        self.bench.write("io_forget", 0)

    async def restart(self, forget: bool = False) -> None:
        self.bench.dut.reset.value = 1
        for _ in range(2):  # the outputs end with the next clock edge
            await self.bench.clock(1)
            self.axi.power_cut()
        self.bench.write("io_forget", int(forget))
        self.bench.dut.reset.value = 0
        await self.bench.clock(2)

    async def ready(self) -> None:
        await self.bench.until(lambda: bool(self.bench.read("io_ready")), "ready", 100_000)
        assert self.axi.wr.outstanding == 0

    def check_empty(self) -> None:
        """A block's record of the first generation, marked where it shall be; none of a page."""
        blocks = [
            self.memory.read_int(flash("blockBase") + n * BEAT, BEAT) for n in range(SUPERBLOCKS * DIES_PER_CHANNEL)
        ]
        marked = [n for n, record in enumerate(blocks) if record & BAD]
        assert len(marked) == flash("markedBlocks")
        assert all(record & ~BAD == 1 for record in blocks)
        pages = self.memory.read(flash("pageBase"), flash("spareBase") - flash("pageBase"))
        assert pages == bytes(len(pages))

    @property
    def header(self) -> int:
        return self.memory.read_int(flash("base"), BEAT)


def garbage(seed: int) -> Memory:
    memory = Memory()
    memory.write(flash("base"), random.Random(seed).randbytes(flash("spareBase") - flash("base") + 4096))
    return memory


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.4], latency=[3, 300])
async def garbage_becomes_an_empty_flash(dut: Any, stalls: float, latency: int) -> None:
    memory = garbage(1)
    beyond = memory.read(flash("spareBase"), 4096)
    tb = TB(dut, memory, stalls, latency)
    await tb.bench.start()
    await tb.ready()
    tb.check_empty()
    assert tb.header != 0 and memory.read(flash("spareBase"), 4096) == beyond
    lowest, highest = min(a for a, _ in tb.axi.wr.bursts), max(a for a, _ in tb.axi.wr.bursts)
    assert lowest == flash("base") and highest < flash("spareBase")
    # The header: erased first, written last.
    assert [a for a, _ in tb.axi.wr.bursts].count(flash("base")) == 2
    assert tb.axi.wr.bursts[0][0] == tb.axi.wr.bursts[-1][0] == flash("base")


@cocotb.test()
async def a_flash_is_kept(dut: Any) -> None:
    tb = TB(dut, garbage(2))
    await tb.bench.start()
    await tb.ready()
    record = flash("pageBase") + 3 * BEAT
    tb.memory.write_int(record, 0x100000001, BEAT)
    tb.axi.wr.bursts.clear()
    await tb.restart()
    await tb.ready()
    assert not tb.axi.wr.bursts and tb.memory.read_int(record, BEAT) == 0x100000001
    await tb.restart(forget=True)
    await tb.ready()
    tb.check_empty()


@cocotb.test()
async def a_header_that_cannot_be_read_is_none(dut: Any) -> None:
    tb = TB(dut, garbage(3))
    await tb.bench.start()
    await tb.ready()
    tb.axi.rd.fail(flash("base"))
    await tb.restart()
    await tb.ready()
    assert len(tb.axi.wr.bursts) > 100
    tb.check_empty()


@cocotb.test()
async def an_error_begins_again(dut: Any) -> None:
    """Wherever it is, until there is none. Until then there is no flash."""
    tb = TB(dut, garbage(4))
    await tb.bench.start()
    for addr in (flash("base"), flash("blockBase") + 256, flash("spareBase") - 16):
        tb.axi.wr.fail(addr)
        await tb.restart(forget=True)
        await tb.bench.clock(20_000)
        assert not tb.bench.read("io_ready")
        tb.axi.wr.heal()
        await tb.ready()
        tb.check_empty()


@cocotb.test()
async def a_reset_in_between_begins_again(dut: Any) -> None:
    tb = TB(dut, garbage(5))
    await tb.bench.start()
    await tb.ready()
    magic = tb.header
    for cycles in (20, 100, 2000):
        await tb.restart(forget=True)
        await tb.bench.clock(cycles)
        assert not tb.bench.read("io_ready") and tb.header == 0
        await tb.restart()
        await tb.ready()
        tb.check_empty()
        assert tb.header == magic


def test_flash_formatter(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("FlashFormatter")
