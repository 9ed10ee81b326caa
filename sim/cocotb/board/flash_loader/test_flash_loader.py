# SPDX-License-Identifier: Apache-2.0
"""Tests of FlashLoader: a slot's words come from their place in DRAM, each once and in order, or the slot is lost."""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.axi import AxiReadMemory, Memory
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.flash import DATA_BYTES, SPARE_BYTES
from sim.cocotb.support.geometry import (
    DIES_PER_CHANNEL,
    OOB_WORDS,
    PAGES_PER_BLOCK,
    SLOTS_PER_PAGE,
    SUPERBLOCKS,
    WORD_BYTES,
    WORDS_PER_SLOT,
)
from sim.cocotb.support.params import flash
from sim.cocotb.support.stream import Source, Transaction, Watch

SLOTS = SUPERBLOCKS * DIES_PER_CHANNEL * PAGES_PER_BLOCK * SLOTS_PER_PAGE


class TB:
    """Source load -> FlashLoader -> AxiReadMemory; Watch write, loaded."""

    def __init__(self, dut: Any, stalls: float, latency: int) -> None:
        self.bench = Bench(dut)
        self.memory = Memory()
        self.load = Source(self.bench, "io_load")
        self.rd = AxiReadMemory(self.bench, "io_rd", self.memory, stalls, stalls, latency)
        self.write = Watch(self.bench, "io_write")
        self.loaded = Watch(self.bench, "io_loaded")

    async def fetch(self, die: int, slot: int, spare_only: bool) -> tuple[bytes, int]:
        """The bytes that come, and whether the slot is lost."""
        self.load.send(die=die, slot=slot, spareOnly=int(spare_only))
        lost = (await self.loaded.get())["bits"]
        words: list[Transaction] = [*self.write.seen]
        self.write.seen.clear()
        data = [] if spare_only else [(0, n) for n in range(WORDS_PER_SLOT)]
        places = [*data, *((1, n) for n in range(OOB_WORDS))]
        assert [(w["at_spare"], w["at_word"]) for w in words] == places
        assert all(w.get("die", 0) == die for w in words)
        return b"".join(w["data"].to_bytes(WORD_BYTES, "little") for w in words), lost


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.4])
async def words_of_a_slot(dut: Any, stalls: float) -> None:
    tb = TB(dut, stalls, latency=20)
    await tb.bench.start()
    rng = tb.bench.rng
    for slot in [0, SLOTS - 1, *rng.sample(range(SLOTS), 6)]:
        data, spare = rng.randbytes(DATA_BYTES), rng.randbytes(SPARE_BYTES)
        tb.memory.write(flash("dataBase") + slot * DATA_BYTES, data)
        tb.memory.write(flash("spareBase") + slot * SPARE_BYTES, spare)
        for spare_only in (False, True):
            die = rng.randrange(DIES_PER_CHANNEL)
            assert await tb.fetch(die, slot, spare_only) == (spare if spare_only else data + spare, 0)


@cocotb.test()
async def it_asks_ahead(dut: Any) -> None:
    """A slot takes little longer than its words, whatever the latency of DRAM."""
    tb = TB(dut, 0.0, latency=100)
    await tb.bench.start()
    began = tb.bench.cycle
    await tb.fetch(0, 1, spare_only=False)
    assert tb.bench.cycle - began < WORDS_PER_SLOT + 100 + 40


@cocotb.test()
async def an_error_loses_the_slot(dut: Any) -> None:
    tb = TB(dut, 0.0, latency=4)
    await tb.bench.start()
    slot = 5
    data, spare = flash("dataBase") + slot * DATA_BYTES, flash("spareBase") + slot * SPARE_BYTES
    for addr, spare_lost in ((data, 0), (data + DATA_BYTES - 16, 0), (spare, 1), (spare + SPARE_BYTES - 16, 1)):
        tb.rd.fail(addr)
        assert (await tb.fetch(0, slot, spare_only=False))[1] == 1
        assert (await tb.fetch(0, slot, spare_only=True))[1] == spare_lost
        assert (await tb.fetch(0, slot + 1, spare_only=False))[1] == 0
        tb.rd.heal()
        assert (await tb.fetch(0, slot, spare_only=False))[1] == 0


def test_flash_loader(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("FlashLoader")
