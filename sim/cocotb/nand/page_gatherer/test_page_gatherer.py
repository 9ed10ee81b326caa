# SPDX-License-Identifier: Apache-2.0
"""Tests of PageGatherer.

Slots become pages in order. A page that must not wait is padded once, and nothing of it is lost. A page is read only
when it is on its way to flash.
"""

from __future__ import annotations

import enum
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.codes import NandClient, NandStatus, RequestOp
from sim.cocotb.support.geometry import BUFFERS, OOB_BITS, PLACEMENT_HANDLES, SLOTS_PER_PAGE, WRITE_BUFFERS
from sim.cocotb.support.orm_formats import FORMAT_VERSION, STREAM_HANDLE, UNMAPPED, OobRecord
from sim.cocotb.support.stream import Sink, Source, Transaction, Watch

ENTRIES = PLACEMENT_HANDLES  # what Emit builds it with
READERS = 2
LIMIT = 400  # cycles within which a page that must not wait leaves


@dataclass
class Held:
    """An incomplete page: its accepted slots, in order."""

    stream: int
    slots: list[Transaction] = field(default_factory=list)
    wanted: bool = False  # it may be closed
    due: int | None = None  # it must not wait: it leaves before this cycle
    closed: bool = False
    orphan: bool = False  # its stream continued elsewhere


class Hand(enum.Enum):
    """What the client does with its slot."""

    EMPTY, LOCK, COMMITTED, OFFERED = range(4)


class Reader:
    """Offers requests, which stand until they are taken, and are taken only while the unit says that they may go on."""

    def __init__(self, bench: Bench, prefix: str, stalls: float, on_take: Callable[[Transaction], None]) -> None:
        self.bench, self.prefix, self.stalls, self.on_take = bench, prefix, stalls, on_take
        self.hold = False
        self.count = 0  # taken
        self.offered: Transaction | None = None
        self._queue: deque[Transaction] = deque()
        self._taken = self._might = False
        bench.add(self)

    def send(self, op: RequestOp, slot: int) -> None:
        self._queue.append({"op": op, "slot": slot})

    @property
    def pending(self) -> int:
        return len(self._queue) + (self.offered is not None)

    def drive(self) -> None:
        if self.offered is None and self._queue:
            self.offered = self._queue.popleft()
        may = bool(self.bench.read(f"{self.prefix}_may"))  # a register's output
        assert may or not self._might, "what may go on may go on until it is taken"
        assert not may or self.offered, "nothing may go on"
        self._taken = may and not self.hold and self.bench.rng.random() >= self.stalls
        self._might = may and not self._taken
        self.bench.write(f"{self.prefix}_offer_valid", int(self.offered is not None))
        for name, value in (self.offered or {}).items():
            self.bench.write(f"{self.prefix}_offer_bits_{name}", value)
        self.bench.write(f"{self.prefix}_taken", int(self._taken))

    def sample(self) -> None:
        if self._taken:
            assert self.offered
            self.on_take(self.offered)
            self.offered = None
            self.count += 1


class TB:
    """Client with an allocator -> PageGatherer -> scheduler, with readers.

    This class is all of them, and the reference: which slots are held, why a page may be padded, what each answer must
    be. In a random run the client takes slots of random streams, waits for a lock (where `closing` takes the slot
    away), keeps it for a while (`hold`) and offers it.
    """

    def __init__(
        self, dut: Any, stalls: float = 0.0, fences: float = 0.0, reads: float = 0.0, leaves: float = 0.0
    ) -> None:
        self.bench = bench = Bench(dut)
        self.fences, self.reads, self.leaves = fences, reads, leaves
        self.running = False
        self.hand = Hand.EMPTY
        self.offer: Transaction = {}
        self.stream = 0
        self.next = [0] * PLACEMENT_HANDLES  # slot, by stream
        self.fresh = 0  # first page that no stream has had
        self.free = set(range(WRITE_BUFFERS))
        self.held: dict[int, Held] = {}  # by page
        self.flying: list[tuple[Transaction, list[Transaction]]] = []  # what the scheduler took, and whose slots
        self.answers: list[Transaction] = []  # that the client must get, each once
        self.foreign = 0  # requests that are no programs
        self.padded = 0  # padding slots that have landed, as the unit says
        self.pads = 0  # that were sent
        self.pages = 0
        self.lost: list[int] = []  # slots that were taken back
        self.closings: list[int] = []
        self.accepted: list[int] = []
        self.programmed: list[int] = []
        self.fence = False  # in this cycle
        self.fence_with_slot = False  # in the cycle in which the next slot is accepted
        self.begins_to_hold = False  # in this cycle
        self.stalls = stalls
        for stream in range(PLACEMENT_HANDLES):
            self._new_page(stream)
        self.done = Source(bench, "io_pageDone", gaps=stalls)
        self.reader = [Reader(bench, f"io_reader_{i}", stalls, self._read) for i in range(READERS)]
        self.page = Sink(bench, "io_page", stalls, on_take=self._page)
        self.slot_done = Sink(bench, "io_slotDone", stalls, on_take=self._answered)
        bench.add(self)
        Watch(bench, "io_closing", on_seen=self._closing)

    # ---- client and allocator
    def _new_page(self, stream: int) -> None:
        self.next[stream] = self.fresh * SLOTS_PER_PAGE
        self.fresh += 1

    def take(self, stream: int) -> None:
        """The client gets the next slot of the stream."""
        assert self.hand == Hand.EMPTY and self.free
        slot, self.stream = self.next[stream], stream
        oob = OobRecord(
            lpn=self.bench.rng.randrange(1 << 20),
            gen=1000 + stream,
            seq=1 + self.bench.rng.randrange(1 << 40),
            stream=STREAM_HANDLE * stream,
            version=FORMAT_VERSION,
            slot=slot,
        )
        self.offer = {
            "op": RequestOp.PROGRAM,
            "client": NandClient.HOST_WRITE,
            "slot": slot,
            "buf": self.bench.rng.choice(sorted(self.free)),
            "oob": int.from_bytes(oob.pack(), "little"),
        }
        self.next[stream] += 1
        if self.next[stream] % SLOTS_PER_PAGE == 0:
            self._new_page(stream)
        self.hand = Hand.LOCK

    def leave(self, stream: int) -> None:
        """Firmware ends the stream's superblock, possibly in the middle of a page."""
        for page in self.held.values():
            page.orphan |= page.stream == stream
        self._new_page(stream)

    def _step(self) -> None:
        """A step of the client in a random run."""
        rng = self.bench.rng
        if self.hand == Hand.EMPTY and self.free and rng.random() < 0.7:
            if rng.random() < 0.1:
                self.foreign += 1
                op = rng.choice([RequestOp.READ, RequestOp.PROBE, RequestOp.ERASE])
                self.offer = {"op": op, "client": NandClient.HOST_WRITE, "slot": rng.randrange(1 << 13)}
                self.offer |= {"buf": rng.randrange(BUFFERS), "oob": rng.getrandbits(OOB_BITS)}
                self.hand = Hand.OFFERED
                return
            stream = rng.choice([0, 0, rng.randrange(PLACEMENT_HANDLES)])
            if rng.random() < self.leaves:
                self.leave(stream)
            self.take(stream)
        elif self.hand == Hand.LOCK and rng.random() < 0.5:
            self.hand = Hand.COMMITTED
            self.begins_to_hold = True
        elif self.hand == Hand.COMMITTED and rng.random() < 0.5:
            self.hand = Hand.OFFERED

    # ---- what the unit does
    def drive(self) -> None:
        rng = self.bench.rng
        self.begins_to_hold = False
        if self.fence_with_slot and self.bench.read("io_slot_ready"):
            self.fence, self.fence_with_slot = True, False
        if self.running:
            self._step()
            self.fence = rng.random() < self.fences
            for reader in self.reader:
                if not reader.pending and rng.random() < self.reads:
                    recent = [s["slot"] for page in self.held.values() for s in page.slots] or [0]
                    # Who reads a slot has found it in the mapping: its page has been begun, or is of long ago.
                    old = rng.randrange(1 << 12, 1 << 13)
                    assert self.fresh * SLOTS_PER_PAGE < 1 << 12
                    reader.send(RequestOp.READ, rng.choice(recent) if rng.random() < 0.3 else old)
            if self.flying and rng.random() < 0.3:
                self.land()
        offered = self.hand == Hand.OFFERED
        hold = self.hand == Hand.COMMITTED or (offered and self.offer["op"] == RequestOp.PROGRAM)
        self.bench.write("io_hold", int(hold))
        self.bench.write("io_slot_valid", int(offered))
        for name in ("op", "client", "slot", "buf", "oob"):
            self.bench.write(f"io_slot_bits_{name}", self.offer.get(name, 0) if offered else 0)
        self.bench.write("io_closeAll", int(self.fence))

    def land(self, status: NandStatus | None = None) -> None:
        """The NAND answers one of its operations."""
        rng = self.bench.rng
        page, slots = self.flying.pop(rng.randrange(len(self.flying)))
        status = rng.choice([NandStatus.OK, NandStatus.OK, NandStatus.FAILED]) if status is None else status
        rest = {f"rest_{i}": page[f"rest_{i}_buf"] for i in range(SLOTS_PER_PAGE - 1)}
        same = {name: page[name] for name in ("op", "client", "slot", "buf", "oob", "last")}
        self.done.send(**same, **rest, status=status)
        if page["op"] == RequestOp.PROGRAM:
            self.answers += [s | {"status": status} for s in slots]
        else:
            self.answers.append(
                {name: page[name] for name in ("op", "client", "slot", "buf", "oob")} | {"status": status}
            )

    def _wait_for(self, pages: list[Held]) -> None:
        for page in pages:
            page.wanted = True
            page.due = page.due or self.bench.cycle + LIMIT

    def sample(self) -> None:
        offered = self.hand == Hand.OFFERED
        program = offered and self.offer["op"] == RequestOp.PROGRAM
        number, sub = divmod(self.offer.get("slot", 0), SLOTS_PER_PAGE)
        if program and sub == 0 and number not in self.held and len(self.held) == ENTRIES:
            for other in self.held.values():
                other.wanted = True  # one of them is enough
        if offered and self.bench.read("io_slot_ready"):
            self.hand = Hand.EMPTY
            if program:
                self.accepted.append(self.offer["slot"])
                self.free.discard(self.offer["buf"])
                if sub < SLOTS_PER_PAGE - 1:
                    page = self.held.setdefault(number, Held(self.stream))
                    assert not page.closed, "a slot of a page that was closed"
                    assert len(page.slots) == sub
                    page.slots.append(self.offer)
                    assert len(self.held) <= ENTRIES
        if self.fence:
            self._wait_for(list(self.held.values()))
        self.fence = False
        for reader in self.reader:
            wanted = reader.offered
            held = self.held.get(wanted["slot"] // SLOTS_PER_PAGE) if wanted else None
            if wanted and held and wanted["op"] == RequestOp.READ:
                self._wait_for([held])
        self.padded += self.bench.read("io_padded")
        late = [number for number, page in self.held.items() if page.due and page.due < self.bench.cycle]
        assert not late, f"pages {late} do not leave"

    def _closing(self, t: Transaction) -> None:
        number = t["bits"] // SLOTS_PER_PAGE
        self.closings.append(number)
        page = self.held[number]
        assert page.wanted, "a page was closed for which nobody waits"
        assert not any(other.closed for other in self.held.values()), "one page at a time"
        page.closed = True
        mine = self.hand != Hand.EMPTY and self.offer["slot"] // SLOTS_PER_PAGE == number
        if mine and self.offer["op"] == RequestOp.PROGRAM:
            assert self.hand == Hand.LOCK or self.begins_to_hold, (
                "a page was closed under a slot that the client cannot give up"
            )
            self.lost.append(self.offer["slot"])
            self.hand = Hand.EMPTY
        if self.next[page.stream] // SLOTS_PER_PAGE == number and self.next[page.stream] % SLOTS_PER_PAGE:
            self._new_page(page.stream)

    def _page(self, t: Transaction) -> None:
        assert t["client"] == NandClient.HOST_WRITE
        if t["op"] != RequestOp.PROGRAM:
            assert {name: t[name] for name in self.offer} == self.offer, "what is no program passes as it is"
            self.flying.append((t, []))
            return
        self.pages += 1
        number, sub = divmod(t["slot"], SLOTS_PER_PAGE)
        assert sub == 0
        page = self.held.pop(number)
        passed = [
            n for n, other in self.held.items() if other.stream == page.stream and not other.orphan and n < number
        ]
        assert not passed, f"page {number} overtakes {passed} of its stream"
        sent = [(t["buf"], t["oob"])]
        sent += [(t[f"rest_{i}_buf"], t[f"rest_{i}_oob"]) for i in range(SLOTS_PER_PAGE - 1)]
        if not page.closed:
            page.slots.append(self.offer)
            assert len(page.slots) == SLOTS_PER_PAGE, "a page that is not full, and nobody was told"
        real = len(page.slots)
        assert sent[:real] == [(s["buf"], s["oob"]) for s in page.slots]
        assert t["last"] == real - 1
        first = OobRecord.unpack(page.slots[0]["oob"].to_bytes(OobRecord.BYTES, "little"))
        for i, (buf, oob) in enumerate(sent[real:], real):
            wanted = OobRecord(
                lpn=UNMAPPED, gen=first.gen, seq=0, stream=first.stream, version=first.version, slot=t["slot"] + i
            )
            assert oob.to_bytes(OobRecord.BYTES, "little") == wanted.pack(), f"padding slot {i}"
            assert buf == page.slots[-1]["buf"], "padding of another buffer"
        self.pads += SLOTS_PER_PAGE - real
        self.programmed += [s["slot"] for s in page.slots]
        self.flying.append((t, page.slots))

    def _answered(self, t: Transaction) -> None:
        names = ("op", "client", "slot", "buf", "status")
        fits = [a for a in self.answers if all(a[name] == t[name] for name in names)]
        assert fits, f"an answer that nobody waits for: {t}"
        self.answers.remove(fits[0])
        if t["op"] == RequestOp.PROGRAM:
            self.free.add(t["buf"])
        else:
            assert t["oob"] == fits[0]["oob"]

    def _read(self, t: Transaction) -> None:
        held = t["slot"] // SLOTS_PER_PAGE in self.held
        assert t["op"] != RequestOp.READ or not held, "a read passes the program of its page"

    # ---- for directed cases
    async def offers(self, stream: int) -> None:
        """Offers a slot of a stream from the next cycle on. The client holds for a cycle before."""
        self.take(stream)
        self.hand = Hand.COMMITTED
        await self.bench.clock()
        self.hand = Hand.OFFERED

    async def program(self, stream: int, count: int = 1) -> None:
        """Programs `count` slots of a stream; all are accepted."""
        for _ in range(count):
            await self.offers(stream)
            await self.bench.until(lambda: self.hand == Hand.EMPTY, "the slot to be accepted", LIMIT)

    async def all_landed(self) -> None:
        while self.flying:
            self.land()
        await self.bench.until(lambda: not self.answers, "all answers")
        await self.bench.clock(2)
        assert self.padded == self.pads and self.bench.read("io_quiet")
        assert sorted(self.accepted) == sorted(
            self.programmed + [s["slot"] for h in self.held.values() for s in h.slots]
        )


@cocotb.test()
async def full_pages_need_no_padding(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    await tb.program(0, 3 * SLOTS_PER_PAGE)
    assert (tb.pages, tb.pads, tb.closings) == (3, 0, [])
    await tb.all_landed()


@cocotb.test()
async def last_slot_waits_for_the_scheduler(dut: Any) -> None:
    """A read of a mapped slot must queue behind its program, so the last slot is not accepted before its page is."""
    tb = TB(dut)
    await tb.bench.start()
    tb.page.hold = True
    await tb.program(0, SLOTS_PER_PAGE - 1)
    await tb.offers(0)
    await tb.bench.clock(20)
    assert tb.hand == Hand.OFFERED and tb.pages == 0
    tb.page.hold = False
    await tb.bench.until(lambda: tb.hand == Hand.EMPTY, "the last slot", 5)
    assert tb.pages == 1
    await tb.all_landed()


@cocotb.test()
@cocotb.parametrize(count=list(range(1, SLOTS_PER_PAGE)))
async def a_fence_pads(dut: Any, count: int) -> None:
    """Every page that gathers is padded. Those that begin after it stay."""
    tb = TB(dut)
    await tb.bench.start()
    for stream in range(PLACEMENT_HANDLES):
        await tb.program(stream, count)
    await tb.bench.clock(50)
    assert tb.pages == 0, "nobody waits"
    tb.fence = True
    await tb.bench.until(lambda: not tb.held, "all pages to leave", LIMIT)
    assert tb.pads == PLACEMENT_HANDLES * (SLOTS_PER_PAGE - count)
    await tb.program(1)
    await tb.bench.clock(50)
    assert tb.pages == PLACEMENT_HANDLES and len(tb.held) == 1
    await tb.all_landed()


@cocotb.test()
@cocotb.parametrize(begins=[False, True])
async def a_fence_counts_the_slot_of_its_cycle(dut: Any, begins: bool) -> None:
    tb = TB(dut)
    await tb.bench.start()
    if not begins:
        await tb.program(2)
    tb.fence_with_slot = True
    await tb.offers(2)
    await tb.bench.until(lambda: tb.hand == Hand.EMPTY, "the slot to be accepted", 5)
    assert not tb.fence_with_slot
    await tb.bench.until(lambda: tb.pages == 1, "its page", LIMIT)
    await tb.all_landed()


@cocotb.test()
@cocotb.parametrize(reader=list(range(READERS)))
async def a_reader_goes_on_in_the_second_cycle(dut: Any, reader: int) -> None:
    """While no page that it reads is begun, and while no scheduler is in its way."""
    tb = TB(dut)
    await tb.bench.start()
    await tb.program(0)
    for slot in range(10):
        tb.reader[reader].send(RequestOp.READ, 100 * SLOTS_PER_PAGE + slot)
    begin = tb.bench.cycle
    await tb.bench.until(lambda: not tb.reader[reader].pending, "the reads to go on", 30)
    assert tb.bench.cycle - begin <= 2 * 10 + 1
    await tb.all_landed()


@cocotb.test()
@cocotb.parametrize(reader=list(range(READERS)))
async def a_reader_waits_for_its_page_only(dut: Any, reader: int) -> None:
    tb = TB(dut)
    await tb.bench.start()
    await tb.program(0)
    await tb.program(1, 2)
    wanted = tb.accepted[1]
    tb.page.hold = True
    tb.reader[reader].send(RequestOp.READ, wanted)
    tb.reader[1 - reader].send(RequestOp.READ, wanted + 100 * SLOTS_PER_PAGE)
    tb.reader[1 - reader].send(RequestOp.PROBE, wanted)
    await tb.bench.clock(30)
    assert tb.reader[reader].count == 0, "its page is not on its way"
    assert tb.reader[1 - reader].count == 2, "others pass"
    tb.page.hold = False
    await tb.bench.until(lambda: not tb.reader[reader].pending, "the read to go on", LIMIT)
    assert list(tb.held) == [tb.accepted[0] // SLOTS_PER_PAGE], "the other page stays"
    await tb.all_landed()


@cocotb.test()
async def a_slot_on_its_way_comes_in(dut: Any) -> None:
    """The client has drawn the slot's seq: the page waits for the slot, and is padded behind it."""
    tb = TB(dut)
    await tb.bench.start()
    await tb.program(0)
    tb.take(0)
    tb.hand = Hand.COMMITTED
    tb.fence = True
    await tb.bench.clock(50)
    assert not tb.closings
    tb.hand = Hand.OFFERED
    await tb.bench.until(lambda: tb.pages == 1, "the page", LIMIT)
    assert len(tb.programmed) == 2
    await tb.all_landed()


@cocotb.test()
async def a_slot_that_waits_for_the_lock_is_taken_back(dut: Any) -> None:
    """The owner of the mapLock may be the one that waits for the fence."""
    tb = TB(dut)
    await tb.bench.start()
    await tb.program(0)
    tb.take(0)
    tb.fence = True
    await tb.bench.until(lambda: tb.pages == 1, "the page", LIMIT)
    assert tb.lost == [tb.accepted[0] + 1] and len(tb.programmed) == 1
    await tb.program(0, SLOTS_PER_PAGE)
    assert tb.pages == 2
    await tb.all_landed()


@cocotb.test()
async def streams_that_went_on_elsewhere_leave_their_pages(dut: Any) -> None:
    """With all entries in use the next page still finds a place, though its slot is already offered."""
    tb = TB(dut, leaves=1.0)
    await tb.bench.start()
    for stream in range(PLACEMENT_HANDLES):
        await tb.program(stream)
    tb.leave(1)
    await tb.program(1)
    assert tb.closings
    await tb.bench.until(lambda: len(tb.held) == 1, "the old pages", LIMIT)
    await tb.all_landed()


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.4], busy=[False, True])
async def random_streams(dut: Any, stalls: float, busy: bool) -> None:
    """`busy`: a page must not wait nearly all the time."""
    often = 5 if busy else 1
    tb = TB(dut, stalls, fences=0.01 * often, reads=0.02 * often, leaves=0.02)
    await tb.bench.start()
    tb.running = True
    await tb.bench.clock(3000)
    tb.running = False
    await tb.bench.until(lambda: not any(reader.pending for reader in tb.reader), "the readers", LIMIT)
    if tb.hand == Hand.OFFERED:
        await tb.bench.until(lambda: tb.hand == Hand.EMPTY, "the client", LIMIT)
    tb.hand = Hand.EMPTY
    tb.fence = True
    await tb.bench.clock(2)
    await tb.bench.until(lambda: not tb.held, "all pages to leave", LIMIT)
    await tb.all_landed()
    assert tb.pages > 60 and tb.pads > 20 and tb.foreign > 10 and tb.lost
    full = tb.pages * SLOTS_PER_PAGE - tb.pads
    assert full == len(tb.accepted) and len(set(tb.programmed)) == full


def test_page_gatherer(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("PageGatherer", config="wide")
