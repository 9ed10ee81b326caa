# SPDX-License-Identifier: Apache-2.0
"""Tests of Tiger4Memory: bursts of the data port; what is kept of them, and what is only looked at."""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.geometry import DIES_PER_CHANNEL, OOB_WORDS, SLOTS_PER_PAGE, WORD_BYTES, WORDS_PER_SLOT
from sim.cocotb.support.orm_tiger4 import (
    ECC_CRC,
    ECC_SPARE,
    ECC_WORST,
    SIZE_MARK_OFFSET,
    SIZE_ROW_BYTES,
    SIZE_WARNING,
    WORD_DONE,
    WORD_FEATURE_01,
    WORD_FEATURE_02,
    WORD_FEATURE_10,
)
from sim.cocotb.support.stream import Pulse, Sink, Source, Watch

WAY = 1 << 15  # a part's room for a way or a buffer
PAGE, RAW, PROGRAM, FEATURES = (part << 18 for part in range(4))
SPARE, ECC, DONE, REPORT, RAW_DONE = 0x4000, 0x4100, 0x4180, 0x4190, 0x4700  # Tiger4Layout
MOST_SPOTS = 64
SLOT_BYTES = WORDS_PER_SLOT * WORD_BYTES
OOB_BYTES = OOB_WORDS * WORD_BYTES
FIELDS = {"crc": ECC_CRC, "spare": ECC_SPARE, "worst": ECC_WORST}


class TB:
    """This: the controller's data port, and the NAND port's side <-> Tiger4Memory"""

    def __init__(self, dut: Any, gaps: float = 0.0, stalls: float = 0.0) -> None:
        self.bench = Bench(dut)
        self.rng = self.bench.rng
        self.aw = Source(self.bench, "io_bus_wr_aw", gaps)
        self.w = Source(self.bench, "io_bus_wr_w", gaps)
        self.b = Sink(self.bench, "io_bus_wr_b", stalls, stable=True)
        self.ar = Source(self.bench, "io_bus_rd_ar", gaps)
        self.r = Sink(self.bench, "io_bus_rd_r", stalls, stable=True)
        self.status = Watch(self.bench, "io_status")
        self.moved = Watch(self.bench, "io_moved")
        self.seen = Watch(self.bench, "io_seen")
        self.store = Pulse(self.bench, "io_store")
        self.load = Pulse(self.bench, "io_load")

    async def write(self, address: int, data: bytes) -> None:
        """In bursts of 32 beats and fewer."""
        words = [int.from_bytes(data[i : i + 4], "little") for i in range(0, len(data), 4)]
        answers = 0
        for at in range(0, len(words), 32):
            part = words[at : at + 32]
            self.aw.send(addr=address + 4 * at, len=len(part) - 1)
            for i, word in enumerate(part):
                self.w.send(data=word, strb=15, last=int(i == len(part) - 1))
            answers += 1
        await self.bench.until(lambda: len(self.b.taken) == answers, "answers", 100_000)
        assert all(t.get("resp", 0) == 0 for t in self.b.taken)
        self.b.taken.clear()

    async def word(self, address: int, value: int) -> None:
        await self.write(address, value.to_bytes(4, "little"))

    async def read(self, address: int, words: int) -> bytes:
        for at in range(0, words, 32):
            self.ar.send(addr=address + 4 * at, len=min(32, words - at) - 1)
        await self.bench.until(lambda: len(self.r.taken) == words, "read data", 100_000)
        beats = [self.r.taken.popleft() for _ in range(words)]
        assert [t["last"] for t in beats] == [int(i % 32 == 31 or i == words - 1) for i in range(words)]
        return b"".join(t["data"].to_bytes(4, "little") for t in beats)

    async def loaded(self, way: int, words: list[int]) -> list[int]:
        """Words of the way's slot; from WORDS_PER_SLOT on spare words."""
        got = []
        for word in words:
            spare, at = divmod(word, WORDS_PER_SLOT)
            self.load.send(way=way, spare=spare, word=at)
            await self.load.sent()
            await self.bench.clock(3)
            got.append(self.bench.read("io_loaded"))
        return got

    async def ecc(self, way: int, first: int, chunks: int) -> dict[str, int]:
        await self.word(PAGE + way * WAY + ECC, first)
        await self.word(PAGE + way * WAY + ECC + 4, chunks)
        await self.word(PAGE + way * WAY + ECC + 8, self.rng.getrandbits(32))
        await self.word(PAGE + way * WAY + DONE, WORD_DONE)
        return await self.moved.get()


def word_of(**fields: int) -> int:
    return sum(value << FIELDS[name][0] for name, value in fields.items())


@cocotb.test()
@cocotb.parametrize(gaps=[0.0, 0.4], stalls=[0.0, 0.4])
async def keeps_the_slot_that_is_wanted(dut: Any, gaps: float, stalls: float) -> None:
    """Of a page one slot and its record, for each way."""
    tb = TB(dut, gaps, stalls)
    await tb.bench.start()
    pages = {}
    ways = tb.rng.sample(range(DIES_PER_CHANNEL), 2)
    for way in ways:
        sub = tb.rng.randrange(SLOTS_PER_PAGE)
        tb.bench.write(f"io_wanted_{way}", sub)
        data, spare = tb.rng.randbytes(SLOTS_PER_PAGE * SLOT_BYTES), tb.rng.randbytes(256)
        await tb.write(PAGE + way * WAY, data)
        await tb.write(PAGE + way * WAY + SPARE, spare)
        pages[way] = data[sub * SLOT_BYTES :][:SLOT_BYTES] + spare[sub * OOB_BYTES :][:OOB_BYTES]
    for way in ways:
        words = [0, 1, WORDS_PER_SLOT - 1, WORDS_PER_SLOT, WORDS_PER_SLOT + 1]
        words += [tb.rng.randrange(WORDS_PER_SLOT) for _ in range(10)]
        expected = [int.from_bytes(pages[way][w * WORD_BYTES :][:WORD_BYTES], "little") for w in words]
        assert await tb.loaded(way, words) == expected


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.5])
async def gives_the_pages_to_be_programmed(dut: Any, stalls: float) -> None:
    """Of either buffer, with zeroes behind the records; and the features."""
    tb = TB(dut, stalls, stalls)
    await tb.bench.start()
    for buf in (1, 0):
        data, spare = tb.rng.randbytes(SLOTS_PER_PAGE * SLOT_BYTES), tb.rng.randbytes(SLOTS_PER_PAGE * OOB_BYTES)
        for sub in range(SLOTS_PER_PAGE):
            for word in range(WORDS_PER_SLOT + OOB_WORDS):
                is_spare, at = divmod(word, WORDS_PER_SLOT)
                part = spare[sub * OOB_BYTES :] if is_spare else data[sub * SLOT_BYTES :]
                value = int.from_bytes(part[at * WORD_BYTES :][:WORD_BYTES], "little")
                tb.store.send(buf=buf, sub=sub, spare=is_spare, word=at, data=value)
        await tb.store.sent()
        assert await tb.read(PROGRAM + buf * WAY, len(data) // 4) == data
        assert await tb.read(PROGRAM + buf * WAY + SPARE, 64) == spare + bytes(256 - len(spare))
    features = [WORD_FEATURE_02, WORD_FEATURE_10, WORD_FEATURE_01]
    assert await tb.read(FEATURES, 3) == b"".join(f.to_bytes(4, "little") for f in features)


@cocotb.test()
async def bursts_wait_for_answers_that_nobody_takes(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.b.hold = True
    for n in range(6):
        tb.aw.send(addr=PAGE + 4 * n)
        tb.w.send(data=n, strb=15, last=1)
    await tb.bench.clock(50)
    assert tb.w.pending >= 1 and tb.b.count == 0
    tb.b.hold = False
    await tb.bench.until(lambda: tb.b.count == 6, "all answers")


@cocotb.test()
async def tells_the_verdict_of_a_transfer(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    every = (1 << 32) - 1
    for way, crc, spare, chunks, worst in [
        (0, 1, 1, every, 0),
        (3, 1, 1, every, SIZE_WARNING),
        (7, 1, 1, every, SIZE_WARNING + 1),
        (2, 0, 1, every, 0),
        (2, 1, 0, every, 0),
        (1, 1, 1, every ^ 1 << 17, 28),
        (4, 0, 0, 0, 0),
    ]:
        told = await tb.ecc(way, word_of(crc=crc, spare=spare, worst=worst), chunks)
        good = crc and spare and chunks == every
        expected = (way, int(bool(good)), spare, int(worst > SIZE_WARNING))
        assert tuple(told[name] for name in ("way", "what_pass", "what_spare", "what_weak")) == expected
    for way in range(DIES_PER_CHANNEL):
        status = tb.rng.getrandbits(8)
        await tb.word(PAGE + way * WAY + REPORT, tb.rng.getrandbits(23) << 9 | status << 1 | 1)
        told = await tb.status.get()
        assert (told["way"], told["what"]) == (way, status)
    await tb.word(PAGE + REPORT, 0xE0 << 1)
    await tb.bench.clock(10)
    assert not tb.status.seen, "a report that is not valid"


@cocotb.test()
async def looks_at_raw_rows(dut: Any) -> None:
    """Some bytes may have lost a bit; the mark's bytes do not count as such."""
    tb = TB(dut)
    await tb.bench.start()
    for way, spots, marks in [
        (0, 0, ()),
        (5, MOST_SPOTS, (0,)),
        (6, MOST_SPOTS + 1, ()),
        (1, 3, (1,)),
        (2, 9000, (0, 1)),
    ]:
        row = bytearray(b"\xff" * SIZE_ROW_BYTES)
        for at in tb.rng.sample([i for i in range(SIZE_ROW_BYTES) if i not in (0, SIZE_MARK_OFFSET)], spots):
            row[at] ^= 1 << tb.rng.randrange(8)
        for mark in marks:
            row[mark * SIZE_MARK_OFFSET] = tb.rng.randrange(255)
        await tb.write(RAW + way * WAY, bytes(row))
        await tb.word(RAW + way * WAY + RAW_DONE, WORD_DONE)
        told = await tb.seen.get()
        expected = (way, int(spots <= MOST_SPOTS), int(bool(marks)))
        assert (told["way"], told["what_erased"], told["what_marked"]) == expected


def test_tiger4_memory(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("Tiger4Memory", config="cosmos2")
