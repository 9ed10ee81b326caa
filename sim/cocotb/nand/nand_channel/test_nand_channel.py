# SPDX-License-Identifier: Apache-2.0
"""Tests of NandChannel against the NAND port model.

They cover data through the buffers, order within a die, dies in parallel, and every failure.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.geometry import (
    BUFFERS,
    DIE_QUEUE_DEPTH,
    DIES_PER_CHANNEL,
    OOB_WORDS,
    PAGES_PER_BLOCK,
    READ_RETRIES,
    SLOTS_PER_PAGE,
    WORDS_PER_SLOT,
    SlotAddress,
)
from sim.cocotb.support.nand import NandClient, NandOp, NandPortModel, NandStatus, Page, RequestOp
from sim.cocotb.support.orm_formats import SLOT_BYTES
from sim.cocotb.support.peers import BufferReadPeer, Buffers, BufferWritePeer
from sim.cocotb.support.stream import Sink, Transaction, inputs_of

OOB_BYTES = 32


class Requests:
    """Sends requests as the scheduler does: in order, and one only when its die has a place for it. `gaps`: share of
    idle cycles."""

    def __init__(self, bench: Bench, prefix: str, gaps: float) -> None:
        self.bench = bench
        self.gaps = gaps
        self._queue: deque[Transaction] = deque()
        self._places = [0] * DIES_PER_CHANNEL  # in use, by die
        self._valid = bench.input(prefix + "_valid")
        self._bits = inputs_of(bench, prefix)
        bench.add(self)

    def send(self, **fields: int) -> None:
        self._queue.append(fields)

    async def drained(self) -> None:
        await self.bench.until(lambda: not self._queue, "all requests to go")

    def drive(self) -> None:
        goes = bool(self._queue) and self.bench.rng.random() >= self.gaps
        if goes:
            die = SlotAddress.of(self._queue[0]["slot"]).die
            goes = self._places[die] < DIE_QUEUE_DEPTH
        if goes:
            self._places[die] += 1
            fields = self._queue.popleft()
            for name, port in self._bits.items():
                port.set(fields.get(name, 0))
        self._valid.set(int(goes))

    def sample(self) -> None:
        if self.bench.read("io_done_valid") and self.bench.read("io_done_ready"):
            self._places[SlotAddress.of(self.bench.read("io_done_bits_slot")).die] -= 1


class TB:
    """Requests -> NandChannel -> NandPortModel; Buffers behind bufRead/bufWrite; Sink done."""

    def __init__(
        self,
        dut: Any,
        stalls: float = 0.0,
        read_cycles: int = 60,
        program_cycles: int = 200,
        erase_cycles: int = 400,
    ) -> None:
        self.bench = Bench(dut)
        self.buffers = Buffers()
        self.req = Requests(self.bench, "io_req", gaps=stalls)
        self.done = Sink(self.bench, "io_done", stalls=stalls)
        BufferReadPeer(self.bench, "io_bufRead", self.buffers, stalls=stalls, gaps=stalls)
        BufferWritePeer(self.bench, "io_bufWrite", self.buffers, stalls=stalls)
        self.nand = NandPortModel(
            self.bench,
            stalls=stalls,
            gaps=stalls,
            read_cycles=read_cycles,
            program_cycles=program_cycles,
            erase_cycles=erase_cycles,
        )

    def ask(self, op: RequestOp, die: int, block: int, page: int = 0, buf: int = 0, sub: int = 0) -> int:
        """Queues a request of one slot, or an erase. Returns its slot."""
        slot = SlotAddress(superblock=block, page=page, die=die, channel=0, sub=sub).slot
        self.req.send(op=op, client=NandClient.GC, slot=slot, buf=buf)
        return slot

    def program(self, die: int, block: int, page: int, bufs: list[int], slots: Page) -> int:
        """Queues the program of a page, from a buffer for each of its slots. Returns its first slot."""
        slot = SlotAddress(superblock=block, page=page, die=die, channel=0).slot
        oobs = [int.from_bytes(spare, "little") for _, spare in slots]
        rest = {f"rest_{i}_buf": buf for i, buf in enumerate(bufs[1:])}
        rest |= {f"rest_{i}_oob": oob for i, oob in enumerate(oobs[1:])}
        self.req.send(op=RequestOp.PROGRAM, client=NandClient.GC, slot=slot, buf=bufs[0], oob=oobs[0], **rest)
        return slot

    def fill(self, bufs: list[int]) -> Page:
        """Random data in the buffers of a page, and random spare bytes."""
        slots = self.random_page()
        for buf, (data, _) in zip(bufs, slots, strict=True):
            self.buffers.pages[buf][:] = data
        return slots

    def preload(self, die: int, block: int, page: int) -> Page:
        slots = self.random_page()
        self.nand.preload(die, block, page, slots)
        return slots

    def random_page(self) -> Page:
        rng = self.bench.rng
        return [(rng.randbytes(SLOT_BYTES), rng.randbytes(OOB_BYTES)) for _ in range(SLOTS_PER_PAGE)]


def spare_of(done: Transaction) -> bytes:
    return done["oob"].to_bytes(OOB_BYTES, "little")


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.3])
async def programs_then_reads_back(dut: Any, stalls: float) -> None:
    tb = TB(dut, stalls)
    await tb.bench.start()
    bufs = tb.bench.rng.sample(range(BUFFERS - 1), SLOTS_PER_PAGE)
    slots = tb.fill(bufs)
    slot = tb.program(die=1, block=5, page=0, bufs=bufs, slots=slots)
    done = await tb.done.get()
    assert done["status"] == NandStatus.OK and done["slot"] == slot and done["buf"] == bufs[0]
    assert [done[f"rest_{i}"] for i in range(SLOTS_PER_PAGE - 1)] == bufs[1:]
    assert done["op"] == RequestOp.PROGRAM and done["client"] == NandClient.GC
    assert tb.nand.pages[1, 5, 0] == slots
    for sub, (data, spare) in enumerate(slots):
        tb.ask(RequestOp.READ, die=1, block=5, buf=BUFFERS - 1, sub=sub)
        done = await tb.done.get()
        assert done["status"] == NandStatus.OK and spare_of(done) == spare
        assert tb.buffers.pages[BUFFERS - 1] == data
    await tb.bench.until(lambda: bool(tb.bench.read("io_quiet")), "quiet", timeout=10)


@cocotb.test()
async def probe_gives_the_spare_only(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    slots = tb.preload(0, 2, 0)
    before = bytes(tb.buffers.pages[0])
    for sub, (_, spare) in enumerate(slots):
        tb.ask(RequestOp.PROBE, die=0, block=2, page=0, sub=sub)
        done = await tb.done.get()
        assert done["status"] == NandStatus.OK and spare_of(done) == spare
    assert tb.buffers.pages[0] == before, "a probe touched a buffer"
    tb.ask(RequestOp.PROBE, die=0, block=2, page=1)
    assert (await tb.done.get())["status"] == NandStatus.ERASED


@cocotb.test()
async def failures_come_back_without_data(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.preload(0, 1, 0)
    tb.nand.uncorrectable.add((0, 1, 0))
    slots = tb.preload(0, 2, 0)
    tb.nand.spare_only.add((0, 2, 0))
    tb.nand.fail_program.add((1, 1, 0))
    tb.nand.fail_erase.add((1, 7))
    before = bytes(tb.buffers.pages[2])
    tb.ask(RequestOp.READ, die=0, block=1, page=0, buf=2)
    assert (await tb.done.get())["status"] == NandStatus.UNCORRECTABLE
    assert tb.buffers.pages[2] == before
    tb.ask(RequestOp.PROBE, die=0, block=1, page=0)
    assert (await tb.done.get())["status"] == NandStatus.UNCORRECTABLE
    tb.ask(RequestOp.READ, die=0, block=2, page=0, buf=2)
    assert (await tb.done.get())["status"] == NandStatus.UNCORRECTABLE
    assert tb.buffers.pages[2] == before
    tb.ask(RequestOp.PROBE, die=0, block=2, page=0)
    done = await tb.done.get()
    assert done["status"] == NandStatus.FAILED and spare_of(done) == slots[0][1], "its spare is good"
    tb.program(die=1, block=1, page=0, bufs=[2] * SLOTS_PER_PAGE, slots=tb.random_page())
    assert (await tb.done.get())["status"] == NandStatus.FAILED
    tb.ask(RequestOp.ERASE, die=1, block=7)
    assert (await tb.done.get())["status"] == NandStatus.FAILED
    tb.ask(RequestOp.ERASE, die=1, block=8)
    assert (await tb.done.get())["status"] == NandStatus.OK


@cocotb.test()
async def reads_that_nearly_fail_are_told(dut: Any) -> None:
    """Marginal reads are reported by superblock: after a retry, and when the NAND reports a read near the ECC limit."""
    tb = TB(dut)
    await tb.bench.start()
    told: list[int] = []
    retried = 0

    class Told:
        def drive(self) -> None:
            pass

        def sample(self) -> None:
            nonlocal retried
            retried += tb.bench.read("io_retried")
            if tb.bench.read("io_weak_valid"):
                told.append(tb.bench.read("io_weak_bits"))

    tb.bench.add(Told())
    for block in (3, 4, 5, 6):
        tb.preload(1, block, 0)
    tb.nand.weak.add((1, 3, 0))
    for block, level in ((4, 1), (5, READ_RETRIES)):
        tb.nand.uncorrectable.add((1, block, 0))
        tb.nand.cured_by[1, block, 0] = level
    tb.nand.uncorrectable.add((1, 6, 0))
    for block in (3, 4, 5, 6):
        tb.ask(RequestOp.READ, die=1, block=block, buf=block)
        ok = (await tb.done.get())["status"] == NandStatus.OK
        assert ok == (block != 6)
        if ok:
            assert tb.buffers.pages[block] == tb.nand.pages[1, block, 0][0][0]
    assert told == [3, 4, 5]
    assert retried == len(tb.nand.retries) == 1 + 2 * READ_RETRIES


@cocotb.test()
async def dies_work_at_the_same_time(dut: Any) -> None:
    tb = TB(dut, read_cycles=2000)
    await tb.bench.start()
    for die in range(DIES_PER_CHANNEL):
        tb.preload(die, 0, 0)
        tb.ask(RequestOp.READ, die=die, block=0, buf=die)
    start = tb.bench.cycle
    for _ in range(DIES_PER_CHANNEL):
        await tb.done.get()
    assert tb.nand.max_busy == DIES_PER_CHANNEL
    assert tb.bench.cycle - start < 2 * 2000


@cocotb.test()
async def bus_goes_on_while_arrays_work(dut: Any) -> None:
    """A read of one die starts while another die's program holds the bus, and its array works meanwhile."""
    array = 200
    tb = TB(dut, read_cycles=array, program_cycles=5000)
    await tb.bench.start()
    tb.preload(1, 0, 0)
    tb.program(die=0, block=4, page=0, bufs=[0] * SLOTS_PER_PAGE, slots=tb.random_page())
    tb.ask(RequestOp.READ, die=1, block=0, buf=1)
    start = tb.bench.cycle
    assert (await tb.done.get())["op"] == RequestOp.READ
    phases = (SLOTS_PER_PAGE + 1) * (WORDS_PER_SLOT + OOB_WORDS)
    assert tb.bench.cycle - start < phases + array // 2, "the array waited for the bus"
    assert (await tb.done.get())["op"] == RequestOp.PROGRAM


@cocotb.test()
async def full_queue_of_a_die_blocks_only_that_die(dut: Any) -> None:
    tb = TB(dut, erase_cycles=5000)
    await tb.bench.start()
    for block in range(DIE_QUEUE_DEPTH):
        tb.ask(RequestOp.ERASE, die=0, block=block)
    await tb.req.drained()
    tb.preload(1, 0, 0)
    tb.ask(RequestOp.READ, die=1, block=0, buf=0)
    done = await tb.done.get(timeout=1000)
    assert SlotAddress.of(done["slot"]).die == 1
    assert tb.bench.read("io_quiet") or not tb.nand.idle


@cocotb.test()
async def answers_wait_for_each_other(dut: Any) -> None:
    """While the scheduler takes no answer, those of all dies wait, and none is lost."""
    tb = TB(dut, erase_cycles=50)
    await tb.bench.start()
    tb.done.hold = True
    slots = [tb.ask(RequestOp.ERASE, die=die, block=1) for die in range(DIES_PER_CHANNEL)]
    await tb.bench.clock(200)
    assert tb.nand.idle and not tb.done.taken
    tb.done.hold = False
    assert sorted([(await tb.done.get())["slot"] for _ in slots]) == sorted(slots)


@cocotb.test()
async def quiet_while_only_the_array_works(dut: Any) -> None:
    tb = TB(dut, erase_cycles=500)
    await tb.bench.start()
    assert tb.bench.read("io_quiet")
    tb.ask(RequestOp.ERASE, die=0, block=1)
    await tb.bench.clock(20)
    assert tb.bench.read("io_quiet"), "nothing to do until the erase ends"
    await tb.done.get()
    tb.preload(0, 3, 0)
    tb.done.hold = True
    tb.ask(RequestOp.READ, die=0, block=3, buf=0)
    await tb.bench.clock(100)
    assert not tb.bench.read("io_quiet"), "a transfer is under way"


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.3])
async def random_traffic_keeps_the_order_of_a_die(dut: Any, stalls: float) -> None:
    """Programs, reads of just queued data, probes and erases. The flash is modelled in the order of the requests."""
    tb = TB(dut, stalls, read_cycles=30, program_cycles=60, erase_cycles=80)
    await tb.bench.start()
    rng = tb.bench.rng
    flash: dict[tuple[int, int], list[Page]] = {}
    blocks = [(die, block) for die in range(DIES_PER_CHANNEL) for block in (0, 9)]
    wanted: dict[int, list[tuple[RequestOp, int, NandStatus, bytes, bytes]]] = {d: [] for d in range(DIES_PER_CHANNEL)}
    free = set(range(BUFFERS))
    total = 60

    async def collect() -> None:
        done = await tb.done.get()
        die = SlotAddress.of(done["slot"]).die
        op, slot, status, data, spare = wanted[die].pop(0)
        assert (done["op"], done["slot"], done["status"]) == (op, slot, status)
        if status == NandStatus.OK and op in (RequestOp.READ, RequestOp.PROBE):
            assert spare_of(done) == spare
        if status == NandStatus.OK and op == RequestOp.READ:
            assert tb.buffers.pages[done["buf"]] == data
        if op == RequestOp.READ:
            free.add(done["buf"])
        if op == RequestOp.PROGRAM:
            free.update({done["buf"], *(done[f"rest_{i}"] for i in range(SLOTS_PER_PAGE - 1))})

    for _ in range(total):
        while len(free) < SLOTS_PER_PAGE:
            await collect()
        die, block = rng.choice(blocks)
        pages = flash.setdefault((die, block), [])
        kind = rng.random()
        sub = rng.randrange(SLOTS_PER_PAGE)
        if kind < 0.45 and len(pages) < PAGES_PER_BLOCK:
            bufs = [free.pop() for _ in range(SLOTS_PER_PAGE)]
            slots = tb.fill(bufs)
            slot = tb.program(die, block, len(pages), bufs, slots)
            pages.append(slots)
            wanted[die].append((RequestOp.PROGRAM, slot, NandStatus.OK, b"", b""))
        elif kind < 0.8 and pages:
            page = rng.randrange(len(pages))
            slot = tb.ask(RequestOp.READ, die, block, page, free.pop(), sub)
            wanted[die].append((RequestOp.READ, slot, NandStatus.OK, *pages[page][sub]))
        elif kind < 0.93:
            page = rng.randrange(len(pages) + 1)
            slot = tb.ask(RequestOp.PROBE, die, block, page, sub=sub)
            status = NandStatus.OK if page < len(pages) else NandStatus.ERASED
            found = pages[page][sub] if page < len(pages) else (b"", b"")
            wanted[die].append((RequestOp.PROBE, slot, status, *found))
        else:
            slot = tb.ask(RequestOp.ERASE, die, block)
            pages.clear()
            wanted[die].append((RequestOp.ERASE, slot, NandStatus.OK, b"", b""))
    while any(wanted.values()):
        await collect()
    assert len(tb.nand.operations) == total
    assert {op for op, _ in tb.nand.operations} >= {NandOp.READ, NandOp.PROGRAM}


def test_nand_channel(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("NandChannel")


def test_nand_channel_wide(cocotb_unit: CocotbUnit) -> None:
    """The cases that depend on the page size."""
    cocotb_unit("NandChannel", config="wide", cases="reads_back|spare_only|failures|random")
