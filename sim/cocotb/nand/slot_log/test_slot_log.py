# SPDX-License-Identifier: Apache-2.0
"""Tests of SlotLog.

Each program has a record at its place in DRAM. A log is due only when nothing of its superblock is missing. In every
case a reference model checks each cycle: which superblock has which log, what is written and in which order, when a log
is due.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.axi import OKAY, AxiWriteMemory, Memory
from sim.cocotb.support.bench import DEFAULT_TIMEOUT, Bench
from sim.cocotb.support.codes import NandStatus, RequestOp
from sim.cocotb.support.geometry import (
    DATA_SLOTS,
    LOG_BASE,
    LOG_BYTES,
    PLACEMENT_HANDLES,
    SLOT_LOGS,
    SLOTS_PER_SB,
)
from sim.cocotb.support.orm_formats import FORMAT_VERSION, STREAM_GC, STREAM_HANDLE, OobRecord, SlotRecord
from sim.cocotb.support.stream import Pulse

HOST, GC = 0, 1  # clients
CLIENTS = (HOST, GC)
QUEUE = 4  # records of a client that wait
RECORDS_HELD = 16 + 2 + QUEUE  # accepted of one client while DRAM answers none: under way, and in queues
REQUEST = ("op", "client", "slot", "buf", "oob")


class State(Enum):
    FREE = auto()
    FILLING = auto()
    ENDING = auto()
    DUE = auto()


@dataclass
class Filling:
    """One use of a superblock, from its opening on: what a log of it must contain."""

    asked: dict[int, bytes] = field(default_factory=dict)  # by offset: the record
    landed: set[int] = field(default_factory=set)
    written: set[int] = field(default_factory=set)  # DRAM has answered
    closed_whole: bool = False


@dataclass
class Log:
    state: State = State.FREE
    sb: int = 0
    stream: int = 0
    spoiled: bool = False
    programs: int = 0
    records: int = 0
    filling: Filling = field(default_factory=Filling)


class Model:
    """The unit's rules, as its header and docs/design/nand.md have them.

    The unit shows what is due two cycles after its cause, and nothing for two cycles after a release.
    """

    def __init__(self, bench: Bench, memory: Memory) -> None:
        self.bench = bench
        self.memory = memory
        self.logs = [Log() for _ in range(SLOT_LOGS)]
        self.taken: list[deque[tuple[int, int, bytes]]] = [deque(), deque()]  # log, offset, record: not yet at DRAM
        self.words: deque[bytes] = deque()
        self.order: deque[tuple[int, int]] = deque()  # log, offset: without a response
        self.unlogged = self.spoiled = self.dues = 0
        self.due_before: deque[dict[str, int] | None] = deque([None, None])  # what was due in the last two cycles
        self.released_before = deque([False, False])
        bench.add(self)

    def drive(self) -> None:
        pass

    def _fires(self, port: str) -> bool:
        return bool(self.bench.read(f"{port}_valid") and self.bench.read(f"{port}_ready"))

    def sample(self) -> None:
        self._shown()
        read = self.bench.read
        changes = [(0, 0) for _ in self.logs]  # programs, records
        spoils: set[int] = set()

        def change(log: int, programs: int, records: int) -> None:
            changes[log] = (changes[log][0] + programs, changes[log][1] + records)

        for client in CLIENTS:
            if not read(f"io_taken_{client}_valid"):
                continue
            request = {name: read(f"io_taken_{client}_bits_{name}") for name in REQUEST}
            sb, offset = divmod(request["slot"], SLOTS_PER_SB)
            if request["op"] != RequestOp.PROGRAM or (log := self._of(sb, State.FILLING)) is None:
                continue
            oob = OobRecord.unpack(request["oob"].to_bytes(OobRecord.BYTES, "little"))
            record = SlotRecord(lpn=oob.lpn, gen=oob.gen, seq=oob.seq, sb=sb).pack()
            self.taken[client].append((log, offset, record))
            self.logs[log].stream = oob.stream
            self.logs[log].filling.asked[offset] = record
            change(log, 1, 1)

        for client in CLIENTS:
            if not read(f"io_done_{client}_valid") or read(f"io_done_{client}_bits_op") != RequestOp.PROGRAM:
                continue
            sb, offset = divmod(read(f"io_done_{client}_bits_slot"), SLOTS_PER_SB)
            for i, of in enumerate(self.logs):
                if of.sb == sb and of.programs:
                    change(i, -1, 0)
                    if read(f"io_done_{client}_bits_status") == NandStatus.OK:
                        of.filling.landed.add(offset)
                    else:
                        spoils.add(i)

        self._to_dram(change, spoils)
        opened = read("io_opened_bits") if read("io_opened_valid") else None
        closed = read("io_closed_bits") if read("io_closed_valid") else None
        released = read("io_release_bits") if read("io_release_valid") else None
        self._remember(released is not None)
        self._step(changes, spoils, opened, closed, released)

    def _remember(self, released: bool) -> None:
        due = next((i for i, log in enumerate(self.logs) if log.state is State.DUE), None)
        shown = None
        if due is not None:
            log = self.logs[due]
            shown = {"sb": log.sb, "log": due, "stream": log.stream}
        self.due_before.append(shown)
        self.released_before.append(released)
        self.due_before.popleft()
        self.released_before.popleft()

    def _of(self, sb: int, state: State) -> int | None:
        found = [i for i, log in enumerate(self.logs) if log.state is state and log.sb == sb]
        assert len(found) <= 1
        return found[0] if found else None

    def _to_dram(self, change: Any, spoils: set[int]) -> None:
        read = self.bench.read
        if read("io_dram_b_valid"):
            log, offset = self.order.popleft()
            change(log, 0, -1)
            if read("io_dram_b_bits_resp") == OKAY:
                self.logs[log].filling.written.add(offset)
            else:
                spoils.add(log)
        if self._fires("io_dram_w"):
            assert read("io_dram_w_bits_data").to_bytes(16, "little") == self.words.popleft()
        if self._fires("io_dram_aw"):
            log, place = divmod(read("io_dram_aw_bits_addr") - LOG_BASE, LOG_BYTES)
            mine = [t for t in self.taken if t and t[0][:2] == (log, place // SlotRecord.BYTES)]
            assert mine, f"a record that nobody has given, or out of turn: log {log}, byte {place}"
            _, offset, record = mine[0].popleft()
            self.order.append((log, offset))
            self.words.append(record)

    def _step(
        self,
        changes: list[tuple[int, int]],
        spoils: set[int],
        opened: int | None,
        closed: int | None,
        released: int | None,
    ) -> None:
        whole = self.bench.read("io_whole")
        known = any(log.state is not State.FREE and log.sb == opened for log in self.logs)
        free = [i for i, log in enumerate(self.logs) if log.state is State.FREE]
        for i, log in enumerate(self.logs):
            state, ended = log.state, log.state is State.ENDING and not log.programs and not log.records
            again = state is State.ENDING and log.sb == opened
            log.programs += changes[i][0]
            log.records += changes[i][1]
            assert min(log.programs, log.records) >= 0
            log.spoiled |= i in spoils or again
            if state is State.FILLING and log.sb == closed:
                log.state = State.ENDING
                log.spoiled |= not whole
                log.filling.closed_whole = bool(whole)
            if ended:
                log.state = State.FREE if log.spoiled else State.DUE
                self.spoiled += log.spoiled
            if released == i:
                assert state is State.DUE, "the bench releases what is not due"
                log.state = State.FREE
        if opened is not None:
            if known or not free:
                self.unlogged += 1
            else:
                self.logs[free[0]] = Log(state=State.FILLING, sb=opened)

    def _shown(self) -> None:
        """The unit shows the lowest log that is due, and nothing of its superblock is missing."""
        expected = None if any(self.released_before) else self.due_before[0]
        assert bool(self.bench.read("io_due_valid")) == bool(expected), [log.state for log in self.logs]
        if not expected:
            return
        shown = {name: self.bench.read(f"io_due_bits_{name}") for name in ("sb", "log", "stream")}
        assert shown == expected
        log = self.logs[shown["log"]]
        filling = log.filling
        self.dues += 1
        assert filling.closed_whole and set(filling.asked) == filling.landed == filling.written
        for offset, record in filling.asked.items():
            assert self.memory.read(LOG_BASE + shown["log"] * LOG_BYTES + 16 * offset, 16) == record


class Client:
    """Offers requests to the NAND, which takes them while the unit has room for the record of a program (NandGate).

    `gaps`: share of cycles without an offer; `stalls`: share of cycles in which the NAND takes nothing.
    """

    def __init__(self, bench: Bench, number: int, gaps: float, stalls: float) -> None:
        self.bench, self.number, self.gaps, self.stalls = bench, number, gaps, stalls
        self.hold = False  # the NAND takes nothing
        self.sent = 0
        self._queue: deque[dict[str, int]] = deque()
        self._offered: dict[str, int] | None = None
        bench.add(self)

    def send(self, **fields: int) -> None:
        self._queue.append(fields)

    @property
    def pending(self) -> int:
        return len(self._queue) + (self._offered is not None)

    async def drained(self, timeout: int = DEFAULT_TIMEOUT) -> None:
        await self.bench.until(lambda: self.pending == 0, "the NAND to take everything", timeout)

    def drive(self) -> None:
        rng, port = self.bench.rng, f"io_taken_{self.number}"
        if self._offered is None and self._queue and rng.random() >= self.gaps:
            self._offered = self._queue.popleft()
        room = self.bench.read(f"io_room_{self.number}")  # a register's output
        waits = self._offered is None or (self._offered["op"] == RequestOp.PROGRAM and not room)
        self._takes = not waits and not self.hold and rng.random() >= self.stalls
        self.bench.write(f"{port}_valid", int(self._takes))
        for name, value in (self._offered or {}).items():
            self.bench.write(f"{port}_bits_{name}", value)

    def sample(self) -> None:
        if self._takes:
            self._offered = None
            self.sent += 1


class TB:
    """Clients -> NAND, watched by SlotLog, and DRAM; openings and closings as the allocator has them."""

    def __init__(self, dut: Any, stalls: float = 0.0) -> None:
        self.bench = Bench(dut)
        self.memory = Memory()
        self.model = Model(self.bench, self.memory)
        self.asks = [Client(self.bench, i, stalls, stalls) for i in CLIENTS]
        self.done = [Pulse(self.bench, f"io_done_{i}") for i in CLIENTS]
        self.opened = Pulse(self.bench, "io_opened")
        self.closed = Pulse(self.bench, "io_closed")
        self.release = Pulse(self.bench, "io_release")
        self.dram = AxiWriteMemory(self.bench, "io_dram", self.memory, stalls=stalls, gaps=stalls)
        self.seq = 0

    async def open(self, *superblocks: int) -> None:
        for sb in superblocks:
            self.opened.send(bits=sb)
            await self.opened.sent()

    async def close(self, sb: int, whole: bool = True) -> None:
        self.bench.write("io_whole", int(whole))
        self.closed.send(bits=sb)
        await self.closed.sent()

    def ask(self, sb: int, offset: int, client: int = HOST, stream: int = 0, op: int = RequestOp.PROGRAM) -> SlotRecord:
        """Requests a program. Returns its record."""
        rng = self.bench.rng
        self.seq += rng.randrange(1, 1 << 20)
        slot = sb * SLOTS_PER_SB + offset
        record = SlotRecord(lpn=rng.getrandbits(32), gen=rng.getrandbits(32), seq=self.seq, sb=sb)
        oob = OobRecord(
            lpn=record.lpn, gen=record.gen, seq=record.seq, stream=stream, version=FORMAT_VERSION, slot=slot
        )
        self.asks[client].send(
            op=op, client=client, slot=slot, buf=rng.randrange(8), oob=int.from_bytes(oob.pack(), "little")
        )
        return record

    async def program(self, sb: int, offsets: range, client: int = HOST, stream: int = 0) -> list[SlotRecord]:
        """Requests a program, and waits until it is accepted."""
        records = [self.ask(sb, offset, client, stream) for offset in offsets]
        await self.asks[client].drained()
        return records

    async def answer(self, sb: int, offsets: range, client: int = HOST, status: int = NandStatus.OK) -> None:
        for offset in offsets:
            self.done[client].send(op=RequestOp.PROGRAM, slot=sb * SLOTS_PER_SB + offset, status=status)
        await self.done[client].sent()

    async def fill(self, sb: int, slots: int = 4, client: int = HOST, stream: int = 0) -> None:
        """Opens, programs some slots, closes; nothing is missing."""
        await self.open(sb)
        await self.program(sb, range(slots), client, stream)
        await self.answer(sb, range(slots), client)
        await self.close(sb)

    def due(self) -> tuple[int, int] | None:
        """Superblock and log."""
        if not self.bench.read("io_due_valid"):
            return None
        return self.bench.read("io_due_bits_sb"), self.bench.read("io_due_bits_log")

    async def until_due(self, sb: int) -> int:
        await self.bench.until(lambda: (self.due() or (None,))[0] == sb, f"the log of superblock {sb}", timeout=500)
        return self.bench.read("io_due_bits_log")

    async def let_go(self, log: int) -> None:
        self.release.send(bits=log)
        await self.release.sent()

    async def nothing_due(self) -> None:
        await self.bench.clock(60)
        assert self.due() is None

    def record(self, log: int, offset: int) -> bytes:
        return self.memory.read(LOG_BASE + log * LOG_BYTES + 16 * offset, 16)


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.5])
async def each_program_has_its_record(dut: Any, stalls: float) -> None:
    """At its offset, with the stream of the last program.

    Records of slots without a request keep the old content of DRAM.
    """
    tb = TB(dut, stalls)
    skipped = 5
    old = bytes(range(16))
    await tb.bench.start()
    tb.memory.write(LOG_BASE + 16 * skipped, old)
    await tb.open(7)
    stream = STREAM_HANDLE * (PLACEMENT_HANDLES - 1)
    first = await tb.program(7, range(skipped), stream=stream)
    rest = await tb.program(7, range(skipped + 1, DATA_SLOTS), stream=stream)
    await tb.close(7)
    await tb.answer(7, range(skipped))
    await tb.answer(7, range(skipped + 1, DATA_SLOTS))
    assert await tb.until_due(7) == 0
    assert tb.bench.read("io_due_bits_stream") == stream
    for offset, record in zip((o for o in range(DATA_SLOTS) if o != skipped), first + rest, strict=True):
        assert tb.record(0, offset) == record.pack()
    assert tb.record(0, skipped) == old
    assert len(tb.dram.bursts) == DATA_SLOTS - 1 and all(beats == 1 for _, beats in tb.dram.bursts)
    await tb.let_go(0)
    await tb.nothing_due()


@cocotb.test()
async def one_request_a_cycle_of_each_client(dut: Any) -> None:
    """While DRAM is fast nothing waits: both clients together are as fast as DRAM's port."""
    tb = TB(dut)
    await tb.bench.start()
    await tb.open(1)
    begin = tb.bench.cycle
    await tb.program(1, range(60))
    assert tb.bench.cycle - begin < 60 + 5
    await tb.answer(1, range(60))


@cocotb.test()
async def what_is_not_logged_passes(dut: Any) -> None:
    """Other operations, and programs of superblocks without a log, pass in any state of DRAM, and leave no trace."""
    tb = TB(dut)
    await tb.bench.start()
    await tb.open(3)
    for channel in (tb.dram.aw, tb.dram.w):
        channel.hold = True
    for client in CLIENTS:
        for op in (RequestOp.READ, RequestOp.PROBE, RequestOp.ERASE):
            tb.ask(3, 9, client, op=op)
            tb.ask(4, DATA_SLOTS, client, op=op)  # the summary is read and erased like any other slot
        for offset in range(30):
            tb.ask(5, offset, client)
    for source in tb.asks:
        await source.drained(timeout=100)
    for client, op in ((HOST, RequestOp.READ), (GC, RequestOp.ERASE)):
        tb.done[client].send(op=op, slot=3 * SLOTS_PER_SB, status=NandStatus.FAILED)
        await tb.done[client].sent()
    await tb.answer(5, range(30))
    await tb.close(3)
    assert await tb.until_due(3) == 0, "an empty log: no program failed"
    assert not tb.dram.bursts


@cocotb.test()
async def programs_wait_for_dram_that_takes_no_records(dut: Any) -> None:
    """Each client has separate room. Nothing is lost, and all continues with DRAM."""
    tb = TB(dut)
    await tb.bench.start()
    await tb.open(1, 2)
    tb.dram.hold_resp = True
    for offset in range(60):
        tb.ask(1, offset)
    await tb.bench.clock(100)
    assert tb.asks[HOST].sent == RECORDS_HELD
    for offset in range(10):
        tb.ask(2, offset, GC, STREAM_GC)
    await tb.bench.clock(50)
    assert tb.asks[GC].sent == QUEUE
    tb.ask(2, 0, GC, op=RequestOp.READ)
    tb.dram.hold_resp = False
    for source in tb.asks:
        await source.drained(timeout=300)
    await tb.answer(1, range(60))
    await tb.answer(2, range(10), GC)
    for sb in (1, 2):
        await tb.close(sb)
        await tb.let_go(await tb.until_due(sb))
    assert len(tb.dram.bursts) == 70


@cocotb.test()
async def no_record_without_the_request(dut: Any) -> None:
    """A request that the NAND does not accept has no record."""
    tb = TB(dut)
    await tb.bench.start()
    await tb.open(1)
    tb.asks[HOST].hold = True
    tb.ask(1, 0)
    await tb.bench.clock(40)
    assert not tb.dram.bursts and not tb.dram.outstanding
    tb.asks[HOST].hold = False
    await tb.asks[HOST].drained()
    await tb.bench.clock(20)
    assert len(tb.dram.bursts) == 1
    await tb.answer(1, range(1))


@cocotb.test()
@cocotb.parametrize(dram_last=[False, True])
async def due_when_the_last_of_both_has_come(dut: Any, dram_last: bool) -> None:
    """The log is due after the last answer of NAND and the last response of DRAM."""
    tb = TB(dut)
    await tb.bench.start()
    await tb.open(9)
    tb.dram.hold_resp = dram_last
    await tb.program(9, range(8))
    await tb.answer(9, range(8 if dram_last else 7))
    await tb.close(9)
    await tb.nothing_due()
    if dram_last:
        tb.dram.hold_resp = False
    else:
        await tb.answer(9, range(7, 8))
    assert await tb.until_due(9) == 0


@cocotb.test()
async def not_due_before_it_is_closed(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    await tb.open(9)
    await tb.program(9, range(DATA_SLOTS))
    await tb.answer(9, range(DATA_SLOTS))
    await tb.nothing_due()
    await tb.close(9)
    assert await tb.until_due(9) == 0


@cocotb.test()
async def a_superblock_without_a_log_gets_none_later(dut: Any) -> None:
    """With all logs in use. A released log is used again, the lowest number first."""
    tb = TB(dut)
    await tb.bench.start()
    await tb.open(*range(10, 10 + SLOT_LOGS + 1))
    without = 10 + SLOT_LOGS
    for sb in range(10, without + 1):
        await tb.program(sb, range(2))
        await tb.answer(sb, range(2))
    for sb in reversed(range(10, without + 1)):
        await tb.close(sb)
    assert tb.model.unlogged == 1
    await tb.bench.clock(20)
    order = []
    while (due := tb.due()) is not None:
        order.append(due)
        await tb.let_go(due[1])
        await tb.bench.clock(2)  # nothing is shown while a release is on its way
    assert order == [(10 + log, log) for log in range(SLOT_LOGS)]
    await tb.fill(without)
    assert await tb.until_due(without) == 0


@cocotb.test()
async def several_streams_at_once(dut: Any) -> None:
    """Every superblock of host and GC has its log, and records go to the right one."""
    tb = TB(dut, stalls=0.2)
    await tb.bench.start()
    superblocks = {20 + handle: (HOST, STREAM_HANDLE * handle) for handle in range(PLACEMENT_HANDLES)}
    superblocks[40] = (GC, STREAM_GC)
    await tb.open(*superblocks)
    for offset in range(24):
        for sb, (client, stream) in superblocks.items():
            tb.ask(sb, offset, client, stream)
    for source in tb.asks:
        await source.drained()
    for sb, (client, stream) in superblocks.items():
        await tb.answer(sb, range(24), client)
        await tb.close(sb)
        log = await tb.until_due(sb)
        assert tb.bench.read("io_due_bits_stream") == stream
        await tb.let_go(log)


@cocotb.test()
@cocotb.parametrize(client=[HOST, GC])
@cocotb.parametrize(closed=[False, True])
async def a_program_that_fails_spoils_the_log(dut: Any, client: int, closed: bool) -> None:
    """Its superblock gets no summary. The log is free again when all else has ended."""
    tb = TB(dut)
    await tb.bench.start()
    await tb.open(5)
    await tb.program(5, range(6), client)
    if closed:
        await tb.close(5)
    await tb.answer(5, range(2), client)
    await tb.answer(5, range(2, 3), client, NandStatus.FAILED)
    await tb.answer(5, range(3, 5), client)
    if not closed:
        await tb.close(5)
    await tb.open(6)
    await tb.answer(5, range(5, 6), client)
    await tb.nothing_due()
    await tb.open(7)
    for sb, log in ((6, 1), (7, 0)):
        await tb.program(sb, range(3), client)
        await tb.answer(sb, range(3), client)
        await tb.close(sb)
        assert await tb.until_due(sb) == log
        await tb.let_go(log)


@cocotb.test()
async def a_record_that_dram_refuses_spoils_the_log(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.dram.fail(LOG_BASE + 16 * 3)
    await tb.fill(5)
    await tb.nothing_due()
    tb.dram.heal()
    await tb.fill(5)
    assert await tb.until_due(5) == 0


@cocotb.test()
async def a_superblock_that_was_ended_early_is_never_due(dut: Any) -> None:
    """Its log is free again when its programs have ended."""
    tb = TB(dut)
    await tb.bench.start()
    await tb.open(5)
    await tb.program(5, range(6))
    await tb.close(5, whole=False)
    await tb.open(6)
    await tb.answer(5, range(6))
    await tb.nothing_due()
    await tb.fill(7)
    assert await tb.until_due(7) == 0


@cocotb.test()
async def opened_again_before_dram_has_the_records(dut: Any) -> None:
    """The old log is spoiled, and the new use has none. Late answers are ignored."""
    tb = TB(dut)
    await tb.bench.start()
    await tb.open(5)
    tb.dram.hold_resp = True
    await tb.program(5, range(4))
    await tb.answer(5, range(4))
    await tb.close(5)
    await tb.open(5)
    await tb.program(5, range(4))
    await tb.answer(5, range(2))
    tb.dram.hold_resp = False
    await tb.answer(5, range(2, 4))
    await tb.close(5)
    await tb.nothing_due()
    assert len(tb.dram.bursts) == 4 and tb.model.unlogged == 1
    await tb.fill(5)
    assert await tb.until_due(5) == 0


@cocotb.test()
async def opened_again_while_its_log_is_due(dut: Any) -> None:
    """The log stays unchanged until it is released, and the new use has none."""
    tb = TB(dut)
    await tb.bench.start()
    await tb.fill(5)
    assert await tb.until_due(5) == 0
    before = tb.memory.read(LOG_BASE, LOG_BYTES)
    await tb.fill(5)
    await tb.bench.clock(30)
    assert tb.due() == (5, 0) and tb.memory.read(LOG_BASE, LOG_BYTES) == before
    await tb.let_go(0)
    await tb.nothing_due()
    await tb.fill(5)
    assert await tb.until_due(5) == 0


@cocotb.test()
async def quiet_while_nothing_moves(dut: Any) -> None:
    """The unit is quiet also while it waits for NAND, DRAM or firmware."""
    tb = TB(dut)

    async def settles() -> None:
        await tb.bench.until(lambda: bool(tb.bench.read("io_quiet")), "quiet", timeout=40)

    await tb.bench.start()
    await settles()
    await tb.open(5)
    tb.dram.hold_resp = True
    tb.ask(5, 0)
    await tb.bench.until(lambda: not tb.bench.read("io_quiet"), "a record on its way", timeout=10)
    await settles()
    await tb.close(5)
    tb.dram.hold_resp = False
    await tb.bench.clock(20)
    await settles()
    await tb.answer(5, range(1))
    assert await tb.until_due(5) == 0
    await settles()


class Spells:
    """Periods in which DRAM answers nothing."""

    def __init__(self, tb: TB) -> None:
        self.tb = tb
        tb.bench.add(self)

    def drive(self) -> None:
        if self.tb.bench.rng.random() < (0.03 if self.tb.dram.hold_resp else 0.01):
            self.tb.dram.hold_resp = not self.tb.dram.hold_resp

    def sample(self) -> None:
        pass


@dataclass
class Stream:
    client: int
    number: int
    sb: int = -1  # none open
    next: int = 0


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.3, 0.7])
async def as_the_model_says(dut: Any, stalls: float) -> None:
    """Random streams fill superblocks, with a slow firmware.

    Some programs fail, some superblocks end early or are opened again at once.
    """
    tb = TB(dut, stalls)
    rng = tb.bench.rng
    cocotb.log.info("seed %d", tb.bench.seed)
    Spells(tb)
    await tb.bench.start()
    streams = [Stream(HOST, STREAM_HANDLE * handle) for handle in range(PLACEMENT_HANDLES)] + [Stream(GC, STREAM_GC)]
    under_way: list[tuple[int, int, int]] = []  # client, superblock, offset: programs without an answer
    used = range(9)  # few, so that they come again soon
    failing = rng.choice(range(12))  # DRAM has a bad record now and then

    async def answer_some(most: int) -> None:
        rng.shuffle(under_way)
        for _ in range(min(most, len(under_way))):
            client, sb, offset = under_way.pop()
            status = NandStatus.FAILED if rng.random() < 0.01 else NandStatus.OK
            await tb.answer(sb, range(offset, offset + 1), client, status)

    for step in range(400):
        stream = rng.choice(streams)
        if stream.sb < 0:
            busy = {s.sb for s in streams} | {sb for _, sb, _ in under_way}
            stream.sb, stream.next = rng.choice([sb for sb in used if sb not in busy] or [-1]), 0
            if stream.sb >= 0:
                await tb.open(stream.sb)
        else:
            for _ in range(rng.randrange(1, 12)):
                if stream.next < DATA_SLOTS:
                    tb.ask(stream.sb, stream.next, stream.client, stream.number)
                    under_way.append((stream.client, stream.sb, stream.next))
                    stream.next += 1 if rng.random() < 0.9 else rng.randrange(1, 40)  # what closed pages skip
            await tb.asks[stream.client].drained()
            if stream.next >= DATA_SLOTS or rng.random() < 0.02:
                await tb.close(stream.sb, whole=stream.next >= DATA_SLOTS)
                stream.sb = -1
        await answer_some(rng.randrange(12))
        if len(under_way) > 60:
            await answer_some(40)
        if (due := tb.due()) is not None and rng.random() < 0.15:
            await tb.let_go(due[1])
        if step % 50 == 0:
            tb.dram.fail(LOG_BASE + rng.randrange(SLOT_LOGS) * LOG_BYTES + 16 * failing)
        elif step % 50 == 10:
            tb.dram.heal()
    await answer_some(len(under_way))
    await tb.bench.until(lambda: tb.dram.outstanding == 0, "DRAM to have all records")
    await tb.bench.clock(20)
    assert tb.model.dues and tb.model.spoiled, "the case has seen too little"
    assert all(log.state in (State.FREE, State.FILLING, State.DUE) for log in tb.model.logs)


def test_slot_log(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("SlotLog")


def test_slot_log_paired(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("SlotLog", config="paired")
