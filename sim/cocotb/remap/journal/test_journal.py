# SPDX-License-Identifier: Apache-2.0
"""Tests of Journal.

Trim ring, commit pointer and generations are right as bytes in NVRAM. `done` comes only when they are durable.
"""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.axi import AxiWriteMemory, Memory
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.codes import JournalOp
from sim.cocotb.support.geometry import JOURNAL_RECORDS, SUPERBLOCKS
from sim.cocotb.support.nvram_layout import BLOCK_TABLE_BASE, COMMIT_ADDR, JOURNAL_BASE
from sim.cocotb.support.orm_formats import BlockRecord, JournalRecord, PointerWord
from sim.cocotb.support.stream import Pulse, Source, Watch

TRIM, COMMIT, BLOCK = JournalOp.TRIM, JournalOp.COMMIT, JournalOp.BLOCK


CLIENTS = 3  # Journal.Client


class JournalBench(Bench):
    """The unit with NVRAM behind it, and the ports of its two clients."""

    def __init__(self, dut: Any, stalls: float = 0.0) -> None:
        super().__init__(dut)
        self.memory = Memory()
        self.nvram = AxiWriteMemory(self, "io_nvram", self.memory, stalls=stalls, gaps=stalls)
        self.req = [Source(self, f"io_client_{i}_req", gaps=stalls) for i in range(CLIENTS)]
        self.done = [Watch(self, f"io_client_{i}_done") for i in range(CLIENTS)]
        self.tail = Pulse(self, "io_tail")
        self.load = Pulse(self, "io_load")

    async def ask(self, client: int, **request: int) -> None:
        """Runs one request and waits for its answer."""
        self.req[client].send(**request)
        await self.done[client].get()

    def record(self, index: int) -> bytes:
        return self.memory.read(JOURNAL_BASE + 16 * (index % JOURNAL_RECORDS), 16)


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.5])
async def records_are_the_documented_bytes(dut: Any, stalls: float) -> None:
    bench = JournalBench(dut, stalls)
    await bench.start()
    seq = bench.rng.randrange(1, 1 << 40)
    for i in range(40):
        client = bench.rng.randrange(CLIENTS)
        seq += bench.rng.randrange(1, 100)
        lpn, pages = bench.rng.getrandbits(32), bench.rng.randrange(1, 65536)
        await bench.ask(client, op=TRIM, lpn=lpn, pages=pages, seq=seq)
        assert bench.record(i) == JournalRecord(lpn=lpn, pages=pages, seq=seq).pack()
        if bench.rng.random() < 0.5:
            await bench.ask(client, op=COMMIT, seq=seq)
            assert bench.memory.read(COMMIT_ADDR, 8) == PointerWord(seq=seq).pack()
        sb, gen, epoch = bench.rng.randrange(SUPERBLOCKS), bench.rng.getrandbits(32), bench.rng.getrandbits(16)
        set_ = bench.rng.randrange(3)
        await bench.ask((client + 1) % CLIENTS, op=BLOCK, lpn=sb, gen=gen, epoch=epoch, set=set_)
        assert bench.memory.read(BLOCK_TABLE_BASE + 8 * sb, 8) == BlockRecord(gen=gen, epoch=epoch, set=set_).pack(sb)


@cocotb.test()
async def neighbours_of_an_8_byte_record_stay(dut: Any) -> None:
    bench = JournalBench(dut)
    await bench.start()
    guard = bytes(range(1, 17))
    for sb in (4, 7):
        pair = BLOCK_TABLE_BASE + 16 * (sb // 2)
        bench.memory.write(pair, guard)
        await bench.ask(0, op=BLOCK, lpn=sb, gen=0xABCD)
        mine = 8 * (sb % 2)
        assert bench.memory.read(pair + mine, 8) == BlockRecord(gen=0xABCD).pack(sb)
        assert bench.memory.read(pair + 8 - mine, 8) == guard[8 - mine : 16 - mine]
    # Firmware's checkpoint pointer lies beside the commit pointer.
    bench.memory.write(COMMIT_ADDR, guard)
    await bench.ask(0, op=COMMIT, seq=9)
    assert bench.memory.read(COMMIT_ADDR + 8, 8) == guard[8:]


@cocotb.test()
async def done_means_durable(dut: Any) -> None:
    bench = JournalBench(dut)
    await bench.start()
    bench.nvram.hold_resp = True
    bench.req[0].send(op=TRIM, lpn=1, pages=1, seq=1)
    await bench.req[0].drained()
    bench.req[1].send(op=COMMIT, seq=1)
    await bench.clock(200)
    assert not bench.done[0].seen and not bench.done[1].seen
    assert len(bench.nvram.bursts) == 1, "the commit pointer was written before the record was durable"
    bench.nvram.hold_resp = False
    await bench.done[0].get()
    await bench.done[1].get()
    assert [addr for addr, _ in bench.nvram.bursts] == [JOURNAL_BASE, COMMIT_ADDR]


@cocotb.test()
async def full_ring_keeps_trims_waiting_but_nobody_else(dut: Any) -> None:
    bench = JournalBench(dut)
    await bench.start()
    start = JOURNAL_RECORDS - 5  # so that the ring wraps
    bench.load.send(bits=start)
    await bench.load.sent()
    await bench.clock()
    assert bench.read("io_room") == JOURNAL_RECORDS - 1 and bench.read("io_used") == 0
    for i in range(JOURNAL_RECORDS - 1):
        await bench.ask(0, op=TRIM, lpn=i, pages=1, seq=i + 1)
    await bench.clock()
    assert bench.read("io_room") == 0 and bench.read("io_used") == JOURNAL_RECORDS - 1
    first = bench.record(start)

    bench.req[0].send(op=TRIM, lpn=7777, pages=1, seq=99999)
    await bench.ask(1, op=COMMIT, seq=JOURNAL_RECORDS - 1)
    await bench.ask(1, op=BLOCK, lpn=3, gen=1)
    assert not bench.done[0].seen and bench.record(start) == first, "a full ring was written over"

    bench.tail.send(bits=(start + 3) % JOURNAL_RECORDS)
    await bench.done[0].get()
    await bench.clock()
    assert bench.read("io_room") == 2
    assert JournalRecord.unpack(bench.record(start + JOURNAL_RECORDS - 1)).lpn == 7777


@cocotb.test()
async def the_tail_may_move_at_any_moment(dut: Any) -> None:
    """Before, while and after a record is written: no update is lost."""
    bench = JournalBench(dut)
    await bench.start()
    for delay in range(24):
        bench.req[0].send(op=TRIM, lpn=delay, pages=1, seq=delay + 1)
        await bench.clock(delay)
        bench.tail.send(bits=delay)  # everything before the record that lands
        await bench.done[0].get()
        await bench.tail.sent()
        await bench.clock()
        assert (bench.read("io_head"), bench.read("io_used")) == (delay + 1, 1)


@cocotb.test()
async def quiet_only_when_nothing_is_under_way(dut: Any) -> None:
    bench = JournalBench(dut)
    await bench.start()
    assert bench.read("io_quiet") == 1
    bench.req[0].send(op=COMMIT, seq=5)
    await bench.clock(2)
    assert bench.read("io_quiet") == 0
    await bench.done[0].get()
    await bench.clock(2)
    assert bench.read("io_quiet") == 1


def test_journal(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("Journal")
