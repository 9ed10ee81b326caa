# SPDX-License-Identifier: Apache-2.0
"""Tests of WriteEngine.

They check what reaches flash and the mapping, and in which order. Further cases: Flush and FUA, host data that cannot
be read, failed programs.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.codes import IoOp, MapOp, NandClient, NandStatus, RequestOp
from sim.cocotb.support.geometry import SLOTS_PER_PAGE, SLOTS_PER_SB, WORDS_PER_SLOT, WRITE_BUFFERS
from sim.cocotb.support.nvme import Status
from sim.cocotb.support.orm_formats import FORMAT_VERSION, SLOT_BYTES, STREAM_HANDLE, STREAM_HOST, OobRecord
from sim.cocotb.support.peers import (
    Buffers,
    BufferWritePeer,
    FencePeer,
    HostReadPeer,
    LockPeer,
    Log,
    MapPeer,
    NandRequestPeer,
    PoolPeer,
    SeqPeer,
)
from sim.cocotb.support.stream import Sink, Source, Transaction

WRITE, FLUSH = IoOp.WRITE, IoOp.FLUSH
FIRST_SLOT = 3 * SLOTS_PER_SB
GEN = 9


class TB:
    """Source cmd -> WriteEngine -> Sink cpl; all neighbours are stand-ins that share one log."""

    def __init__(self, dut: Any, stalls: float = 0.0, nand_delay: int = 400) -> None:
        self.bench = Bench(dut)
        self.log: Log = []
        self.buffers = Buffers()
        self.host: dict[int, tuple[bytes, int | None, int]] = {}  # by PRP1
        self.flash: dict[int, tuple[bytes, bytes]] = {}
        self.failing: set[int] = set()  # slots whose program fails
        self.cmd = Source(self.bench, "io_cmd")
        self.cpl = Sink(self.bench, "io_cpl", stalls=stalls)
        self.dma = HostReadPeer(self.bench, lambda t: self.host[t["prp1"]], gaps=stalls)
        self.pool = PoolPeer(self.bench, 0, WRITE_BUFFERS)
        BufferWritePeer(self.bench, "io_bufWrite", self.buffers, stalls=stalls)
        self.alloc = Source(self.bench, "io_alloc", gaps=stalls)
        self.slots = 0
        self.handles: list[int] = []  # of the granted requests
        self.closings = 0.0  # share of cycles in which the page of the last allocated slot is closed, where possible
        self.held = 0  # `hold` of the cycle before: no page is closed behind it
        self.at_the_lock = False  # it is closed when the lock is granted
        self.given = FIRST_SLOT  # last slot
        self.waits = False  # the engine has a slot without a seq
        self.taken_back: list[int] = []
        self.lock = LockPeer(self.bench, log=self.log)
        self.seq = SeqPeer(self.bench, self.lock)
        self.l2p: dict[int, int] = {}
        self.peeks: list[int] = []  # LPNs whose lines were fetched ahead of time
        self.map = MapPeer(self.bench, self._map, stalls=stalls, gaps=stalls)
        self.nand = NandRequestPeer(
            self.bench, self._program, stalls=stalls, delay=nand_delay, shuffle=stalls > 0, log=self.log
        )
        self.fence = FencePeer(self.bench, log=self.log)
        self.lends = False  # urgent slots are of the next handle's stream
        self.urgent = 0  # such slots given
        self.events: Counter[str] = Counter()
        self.epochs_out: list[int] = []
        self.epochs_back: list[int] = []
        self.bench.add(self)

    def _program(self, t: Transaction) -> NandStatus:
        assert t["op"] == RequestOp.PROGRAM and t["client"] == NandClient.HOST_WRITE
        if t["slot"] in self.failing:
            return NandStatus.FAILED
        self.flash[t["slot"]] = (bytes(self.buffers.pages[t["buf"]]), t["oob"].to_bytes(32, "little"))
        return NandStatus.OK

    def _map(self, t: Transaction) -> Transaction:
        if t["op"] == MapOp.PEEK:
            self.peeks.append(t["lpn"])
            return {"ok": 0, "slot": 0x155}
        self.log.append(("map", t))
        hit = t["op"] == MapOp.SET or self.l2p.get(t["lpn"]) == t["expect"]
        if hit:
            self.l2p[t["lpn"]] = t["slot"]
        return {"ok": int(hit)}

    def drive(self) -> None:
        lent = self.lends and self.bench.read("io_allocUrgent")
        handle = self.bench.read("io_allocHandle")
        self.bench.write("io_allocStream", (handle + 1) % 4 if lent else handle)
        self.bench.write("io_epoch", self.bench.rng.getrandbits(1))
        # Where pages have several slots, a page is chosen in the cycle before.
        hold = self.held if SLOTS_PER_PAGE > 1 else self.bench.read("io_hold")
        strikes = self.closings and self.bench.rng.random() < self.closings and not hold
        self.close(bool(strikes or (self.at_the_lock and self.lock.owned and self.waits)))

    def close(self, now: bool, page: int | None = None) -> None:
        """Closes a page in this cycle, by default that of the last allocated slot."""
        self.bench.write("io_closing_valid", int(now))
        first = self.given // SLOTS_PER_PAGE if page is None else page
        self.bench.write("io_closing_bits", first * SLOTS_PER_PAGE + self.bench.rng.randrange(SLOTS_PER_PAGE))
        self.closes = now and self.waits and first == self.given // SLOTS_PER_PAGE

    def sample(self) -> None:
        """A program belongs to the epoch in which it is issued, and returns with it."""
        hold = self.bench.read("io_hold")
        assert hold or not (self.bench.read("io_seq_take") or self.bench.read("io_nand_valid"))
        maps = self.bench.read("io_map_req_valid") and self.bench.read("io_map_req_bits_op") != MapOp.PEEK
        assert not hold or not (self.bench.read("io_alloc_ready") or maps)
        if self.closes:
            self.taken_back.append(self.given)
            self.waits = self.at_the_lock = False
        if hold:
            self.waits = False
        self.held = hold
        if self.bench.read("io_alloc_ready") and self.bench.read("io_alloc_valid"):
            self.handles.append(self.bench.read("io_allocHandle"))
            self.urgent += self.bench.read("io_allocUrgent")
            self.given, self.waits = self.bench.read("io_alloc_bits_slot"), True
        self.events.update(name for name in ("programFailed", "saved") if self.bench.read(f"io_event_{name}"))
        if self.bench.read("io_issued"):
            self.epochs_out.append(self.bench.read("io_epoch"))
        if self.bench.read("io_landed"):
            self.epochs_back.append(self.bench.read("io_landedEpoch"))

    def supply(self, slots: int) -> None:
        for _ in range(slots):
            self.alloc.send(slot=FIRST_SLOT + self.slots, gen=GEN)
            self.slots += 1

    def write(
        self,
        cid: int,
        lpn: int,
        pages: int,
        fua: bool = False,
        bad_from: int | None = None,
        status: int = 0,
        handle: int = 0,
    ) -> bytes:
        data = self.bench.rng.randbytes(pages * SLOT_BYTES)
        self.host[cid << 12] = (data, bad_from, status)
        self.cmd.send(qid=1, cid=cid, op=WRITE, slba=lpn, pages=pages, fua=int(fua), handle=handle, prp1=cid << 12)
        return data

    def names(self) -> list[str]:
        return [name for name, _ in self.log]

    async def landed(self) -> None:
        await self.bench.until(lambda: self.pool.all_free, "all buffers to be free")


def page_of(data: bytes, page: int) -> bytes:
    return data[page * SLOT_BYTES : (page + 1) * SLOT_BYTES]


@cocotb.test()
async def order_of_one_page(dut: Any) -> None:
    """Lock, seq, program accepted, mapping, unlock; completion while the program still runs."""
    tb = TB(dut)
    await tb.bench.start()
    tb.supply(1)
    data = tb.write(cid=7, lpn=1234, pages=1)
    cpl = await tb.cpl.get()
    assert (cpl["cid"], cpl["qid"], cpl["status"]) == (7, 1, Status.SUCCESS)
    assert not tb.pool.all_free, "the completion waited for flash"
    assert tb.names() == ["lock", "seq", "nand", "map", "unlock"]
    mapped = tb.log[3][1]
    assert (mapped["op"], mapped["lpn"], mapped["slot"]) == (MapOp.SET, 1234, FIRST_SLOT)
    assert tb.peeks == [1234], "the map unit fetches the page's lines while its data comes"
    await tb.landed()
    stored, spare = tb.flash[FIRST_SLOT]
    assert stored == data
    oob = OobRecord(lpn=1234, gen=GEN, seq=1000, stream=STREAM_HOST, version=FORMAT_VERSION, slot=FIRST_SLOT)
    assert spare == oob.pack()


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.3])
async def many_commands(dut: Any, stalls: float) -> None:
    """Every page of every command is in flash once, with its LPN, in the order of the seqs. No buffer is lost."""
    tb = TB(dut, stalls, nand_delay=150)
    await tb.bench.start()
    sizes = [1, 3, 2, 5, 1]
    tb.supply(sum(sizes))
    wanted: dict[int, bytes] = {}
    lpn = 40
    for cid, pages in enumerate(sizes):
        data = tb.write(cid, lpn, pages)
        wanted |= {lpn + i: page_of(data, i) for i in range(pages)}
        lpn += pages
    for cid in range(len(sizes)):
        assert (await tb.cpl.get())["cid"] == cid
    await tb.landed()
    oobs = {slot: spare for slot, (_, spare) in tb.flash.items()}
    assert all(OobRecord(lpn=40 + i, gen=GEN, seq=1000 + i, version=FORMAT_VERSION, slot=FIRST_SLOT + i).pack()
               == oobs[FIRST_SLOT + i] for i in range(sum(sizes)))  # fmt: skip
    assert {40 + i: tb.flash[FIRST_SLOT + i][0] for i in range(sum(sizes))} == wanted
    assert sorted(tb.epochs_out) == sorted(tb.epochs_back)


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.3])
async def placement_handles(dut: Any, stalls: float) -> None:
    """Each page requests a slot of its command's handle, and its spare area names it."""
    tb = TB(dut, stalls, nand_delay=150)
    await tb.bench.start()
    commands = [(1, 2), (3, 0), (2, 3), (1, 1), (4, 2)]  # pages, handle
    tb.supply(sum(pages for pages, _ in commands))
    for cid, (pages, handle) in enumerate(commands):
        tb.write(cid, 100 * cid, pages, handle=handle)
    for cid in range(len(commands)):
        assert (await tb.cpl.get())["cid"] == cid
    await tb.landed()
    wanted = [handle for pages, handle in commands for _ in range(pages)]
    assert tb.handles == wanted
    spares = [OobRecord.unpack(tb.flash[FIRST_SLOT + i][1]) for i in range(len(wanted))]
    assert [spare.stream for spare in spares] == [STREAM_HOST + STREAM_HANDLE * handle for handle in wanted]


@cocotb.test()
async def more_pages_than_buffers(dut: Any) -> None:
    """A command larger than the cache continues as buffers become free."""
    tb = TB(dut, nand_delay=60)
    await tb.bench.start()
    pages = 2 * WRITE_BUFFERS
    tb.supply(pages)
    tb.write(0, 0, pages)
    assert (await tb.cpl.get())["status"] == Status.SUCCESS
    await tb.landed()
    assert len(tb.flash) == pages


@cocotb.test()
async def flush_waits_for_the_fence_and_write_does_not(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.fence.open = False
    tb.supply(2)
    tb.write(1, 5, 1)
    tb.cmd.send(qid=2, cid=2, op=FLUSH)
    tb.write(3, 6, 1)
    assert (await tb.cpl.get())["cid"] == 1
    await tb.bench.clock(1500)
    assert not tb.cpl.taken, "Flush completed before its fence"
    assert tb.bench.read("io_quiet"), "waiting for the fence is quiet"
    tb.fence.open = True
    flush = await tb.cpl.get()
    assert (flush["cid"], flush["qid"], flush["status"]) == (2, 2, Status.SUCCESS)
    assert (await tb.cpl.get())["cid"] == 3
    assert tb.dma.transfers == 2, "Flush moves no data"


@cocotb.test()
async def fua_waits_for_the_fence(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.fence.open = False
    tb.supply(1)
    tb.write(1, 5, 1, fua=True)
    await tb.bench.until(lambda: "unlock" in tb.names(), "the mapping")
    await tb.bench.clock(600)
    assert not tb.cpl.taken
    tb.fence.open = True
    assert (await tb.cpl.get())["cid"] == 1
    assert tb.names()[-1] == "fence"


@cocotb.test()
async def pages_without_data_are_not_mapped(dut: Any) -> None:
    """Data stops in the middle of the third page of five: two pages are written, and the status is the transfer's."""
    tb = TB(dut)
    await tb.bench.start()
    tb.supply(3)
    data = tb.write(1, 100, 5, bad_from=2 * WORDS_PER_SLOT + 17, status=Status.DATA_TRANSFER_ERROR)
    assert (await tb.cpl.get())["status"] == Status.DATA_TRANSFER_ERROR
    after = tb.write(2, 200, 1)
    assert (await tb.cpl.get())["status"] == Status.SUCCESS
    await tb.landed()
    assert [t["lpn"] for name, t in tb.log if name == "map"] == [100, 101, 200]
    assert tb.flash[FIRST_SLOT][0] == page_of(data, 0) and tb.flash[FIRST_SLOT + 1][0] == page_of(data, 1)
    assert tb.flash[FIRST_SLOT + 2][0] == after


@cocotb.test()
async def first_word_bad(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.write(1, 100, 2, bad_from=0, status=Status.INVALID_PRP_OFFSET)
    assert (await tb.cpl.get())["status"] == Status.INVALID_PRP_OFFSET
    assert tb.names() == [] and tb.pool.all_free


@cocotb.test()
async def a_late_look_up_delays_its_page(dut: Any) -> None:
    """The map unit has not answered the look-up of a page when the page is mapped: the answers keep their order."""
    tb = TB(dut)
    await tb.bench.start()
    tb.supply(1)
    tb.map.resp.gaps = 1.0
    data = tb.write(cid=3, lpn=77, pages=1)
    await tb.bench.until(lambda: "map" in tb.names(), "the mapping to be asked for")
    await tb.bench.clock(30)
    assert not tb.cpl.taken and tb.names() == ["lock", "seq", "nand", "map"]
    tb.map.resp.gaps = 0.0
    assert (await tb.cpl.get())["status"] == Status.SUCCESS
    await tb.landed()
    check_mapped(tb, 77, data)


@cocotb.test()
async def slot_before_lock(dut: Any) -> None:
    """Without a free slot the engine must not hold the mapLock: GC, which frees slots, may wait for its owner."""
    tb = TB(dut)
    await tb.bench.start()
    tb.write(1, 5, 1)
    await tb.bench.until(lambda: bool(tb.bench.read("io_event_stallAlloc")), "the engine to want a slot")
    await tb.bench.clock(50)
    assert tb.names() == [] and not tb.bench.read("io_mapLock_want")
    assert tb.bench.read("io_quiet")
    tb.supply(1)
    await tb.cpl.get()


@cocotb.test()
@cocotb.parametrize(as_the_lock_comes=[False, True])
async def a_slot_whose_page_is_closed_is_given_up(dut: Any, as_the_lock_comes: bool) -> None:
    """Before it has a seq: the mapLock is released and taken again with another slot. A slot of another page stays."""
    tb = TB(dut)
    await tb.bench.start()
    later = FIRST_SLOT + SLOTS_PER_PAGE
    for slot in (FIRST_SLOT, later):
        tb.alloc.send(slot=slot, gen=GEN)
    tb.lock.busy = not as_the_lock_comes
    tb.at_the_lock = as_the_lock_comes
    data = tb.write(cid=1, lpn=5, pages=1)
    if not as_the_lock_comes:
        await tb.bench.until(lambda: bool(tb.bench.read("io_event_stallLock")), "the engine to want the lock")
        tb.closings = 1.0
        await tb.bench.until(lambda: tb.given == later, "another slot", 20)
        tb.closings = 0.0
        tb.lock.busy = False
    assert (await tb.cpl.get())["status"] == Status.SUCCESS
    await tb.landed()
    assert tb.taken_back == [FIRST_SLOT] and list(tb.flash) == [later]
    assert tb.flash[later][0] == data and tb.names().count("seq") == 1
    assert tb.names()[-5:] == ["lock", "seq", "nand", "map", "unlock"]


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.3])
async def closings_at_any_time(dut: Any, stalls: float) -> None:
    """Every page gets a slot that was not taken back, with its data and its LPN."""
    tb = TB(dut, stalls, nand_delay=100)
    await tb.bench.start()
    tb.closings = 0.3
    pages = 24
    tb.supply(20 * pages)
    data = tb.write(1, 300, pages)
    assert (await tb.cpl.get())["status"] == Status.SUCCESS
    await tb.landed()
    assert tb.taken_back and not set(tb.taken_back) & set(tb.flash)
    mapped = [t["slot"] for name, t in tb.log if name == "map"]
    assert mapped == sorted(tb.flash) and len(mapped) == pages
    for page, slot in enumerate(mapped):
        assert tb.flash[slot][0] == page_of(data, page)
        assert OobRecord.unpack(tb.flash[slot][1]).lpn == 300 + page


@cocotb.test()
async def waits_for_lock_buffer_and_die(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.supply(2)
    tb.pool.hold = True
    tb.write(1, 5, 1)
    await tb.bench.clock(50)
    assert tb.bench.read("io_event_stallBuffer")
    tb.pool.hold = False
    tb.lock.busy = True
    await tb.bench.until(lambda: bool(tb.bench.read("io_event_stallLock")), "the engine to want the lock")
    await tb.bench.clock(50)
    assert tb.bench.read("io_quiet") and not tb.log
    tb.nand.req.hold = True
    tb.lock.busy = False
    await tb.bench.clock(50)
    assert tb.names() == ["lock", "seq"], "the mapping must not show a slot whose program is not queued"
    tb.nand.req.hold = False
    await tb.cpl.get()


@cocotb.test()
async def data_waits_while_somebody_else_has_the_mapping(dut: Any) -> None:
    """Few pages are held between their data and their mapping. The last word of the next one waits and is not lost."""
    tb = TB(dut)
    await tb.bench.start()
    tb.supply(6)
    tb.lock.busy = True
    data = tb.write(cid=1, lpn=50, pages=6)
    await tb.bench.clock(6 * WORDS_PER_SLOT + 100)
    assert WRITE_BUFFERS - len(tb.pool.free) < 6 and not tb.cpl.taken and not tb.names()
    tb.lock.busy = False
    assert (await tb.cpl.get())["status"] == Status.SUCCESS
    await tb.landed()
    assert all(tb.flash[FIRST_SLOT + page][0] == page_of(data, page) for page in range(6))


def maps(tb: TB) -> list[tuple[MapOp, int, int]]:
    return [(MapOp(t["op"]), t["lpn"], t["slot"]) for name, t in tb.log if name == "map"]


def check_mapped(tb: TB, lpn: int, data: bytes, seq: int | None = None) -> None:
    """The slot that the mapping names holds this page, and its spare area says so."""
    stored, spare = tb.flash[tb.l2p[lpn]]
    oob = OobRecord.unpack(spare)
    assert stored == data and (oob.lpn, oob.slot) == (lpn, tb.l2p[lpn])
    assert seq is None or oob.seq == seq


@cocotb.test()
@cocotb.parametrize(failures=[1, 4])
async def a_page_whose_program_fails_is_saved(dut: Any, failures: int) -> None:
    """Also when the program that saves it fails.

    The page keeps its seq and lands once, in its epoch. The host is not told.
    """
    tb = TB(dut, nand_delay=60)
    await tb.bench.start()
    tb.supply(1 + failures)
    tb.failing |= set(range(FIRST_SLOT, FIRST_SLOT + failures))
    data = tb.write(1, 5, 1)
    assert (await tb.cpl.get())["status"] == Status.SUCCESS
    assert not tb.bench.read("io_unsaved")
    await tb.bench.until(lambda: bool(tb.bench.read("io_unsaved")), "the program to fail")
    assert not tb.epochs_back and not tb.pool.all_free, "it counts as under way"
    await tb.landed()
    await tb.bench.clock(2)
    assert maps(tb) == [
        (MapOp.SET, 5, FIRST_SLOT),
        *((MapOp.CAS, 5, slot) for slot in range(FIRST_SLOT + 1, FIRST_SLOT + failures + 1)),
    ]
    assert [t["expect"] for name, t in tb.log if name == "map"][1:] == [FIRST_SLOT + i for i in range(failures)]
    assert tb.names() == ["lock", "seq", "nand", "map", "unlock", *["lock", "nand", "map", "unlock"] * failures]
    check_mapped(tb, 5, data, seq=1000)
    assert tb.urgent == failures and tb.events == {"programFailed": failures, "saved": failures}
    assert tb.epochs_out == tb.epochs_back and len(tb.epochs_out) == 1
    assert not tb.bench.read("io_unsaved") and not tb.bench.read("io_busy")
    tb.cmd.send(qid=1, cid=2, op=FLUSH)
    assert (await tb.cpl.get())["status"] == Status.SUCCESS


@cocotb.test()
async def a_program_fails_while_another_page_is_saved(dut: Any) -> None:
    """That page is saved after the first one."""
    tb = TB(dut, nand_delay=30)
    await tb.bench.start()
    tb.nand.hold = True
    tb.supply(4)
    tb.failing |= {FIRST_SLOT, FIRST_SLOT + 1}
    data = tb.write(1, 5, 2)
    await tb.cpl.get()
    tb.lock.busy = True
    tb.nand.hold = False
    await tb.bench.until(lambda: tb.events["programFailed"] == 2, "both programs to fail")
    await tb.bench.clock(20)
    assert tb.urgent == 1 and not tb.epochs_back
    tb.lock.busy = False
    await tb.landed()
    await tb.bench.clock(2)
    assert [t["expect"] for name, t in tb.log if name == "map"][2:] == [FIRST_SLOT, FIRST_SLOT + 1]
    for page in range(2):
        check_mapped(tb, 5 + page, page_of(data, page), seq=1000 + page)
    assert sorted(tb.epochs_out) == sorted(tb.epochs_back)


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.3])
async def many_programs_fail(dut: Any, stalls: float) -> None:
    """Programs of parallel pages fail. What the mapping names in the end is there, and no buffer is lost."""
    tb = TB(dut, stalls, nand_delay=150)
    await tb.bench.start()
    rng = tb.bench.rng
    tb.failing |= set(rng.sample(range(FIRST_SLOT, FIRST_SLOT + 60), 25))
    tb.supply(80)
    newest: dict[int, bytes] = {}
    for cid in range(10):
        lpn, pages = rng.randrange(20), rng.randrange(1, 6)
        data = tb.write(cid, lpn, pages, fua=rng.random() < 0.3)
        newest |= {lpn + i: page_of(data, i) for i in range(pages)}
    for cid in range(10):
        cpl = await tb.cpl.get()
        assert (cpl["cid"], cpl["status"]) == (cid, Status.SUCCESS)
    await tb.landed()
    await tb.bench.until(lambda: not tb.lock.owned, "the last page to be mapped")
    for lpn, data in newest.items():
        check_mapped(tb, lpn, data)
    assert tb.events["programFailed"] == tb.events["saved"] == tb.urgent > 5
    assert sorted(tb.epochs_out) == sorted(tb.epochs_back)


@cocotb.test()
@cocotb.parametrize(ends_meanwhile=[False, True])
async def a_flush_waits_while_a_page_is_saved(dut: Any, ends_meanwhile: bool) -> None:
    """Its fence included, which may just then end for another epoch."""
    tb = TB(dut, nand_delay=30)
    await tb.bench.start()
    tb.nand.hold = True
    tb.fence.open = False
    tb.supply(1)
    tb.failing.add(FIRST_SLOT)
    data = tb.write(1, 5, 1)
    tb.cmd.send(qid=1, cid=2, op=FLUSH)
    assert (await tb.cpl.get())["cid"] == 1
    await tb.bench.until(lambda: bool(tb.bench.read("io_fence_req")), "the fence")
    tb.nand.hold = False
    await tb.bench.until(lambda: bool(tb.bench.read("io_allocUrgent")), "the page to be saved")
    assert tb.bench.read("io_fence_req"), "a fence is not given up"
    tb.fence.open = ends_meanwhile
    await tb.bench.clock(20)
    assert not tb.cpl.taken
    tb.supply(1)
    await tb.landed()
    if not ends_meanwhile:
        await tb.bench.clock(50)
        assert not tb.cpl.taken
        tb.fence.open = True
    assert (await tb.cpl.get())["status"] == Status.SUCCESS
    check_mapped(tb, 5, data, seq=1000)
    assert tb.names().count("fence") == 1


@cocotb.test()
async def the_host_was_faster(dut: Any) -> None:
    """A page is written again, or dropped, before it is saved: the mapping stays."""
    tb = TB(dut, nand_delay=30)
    await tb.bench.start()
    tb.nand.hold = True
    tb.supply(5)
    tb.failing |= {FIRST_SLOT, FIRST_SLOT + 1}
    tb.write(1, 5, 2)
    assert (await tb.cpl.get())["status"] == Status.SUCCESS
    newer = tb.write(2, 5, 1)
    assert (await tb.cpl.get())["status"] == Status.SUCCESS
    del tb.l2p[6]
    tb.nand.hold = False
    await tb.landed()
    check_mapped(tb, 5, newer, seq=1002)
    assert 6 not in tb.l2p
    assert len(tb.flash) == 3, "they are programmed all the same: fences promise them"


@cocotb.test()
async def saving_goes_before_what_waits_for_a_slot(dut: Any) -> None:
    """A page without a slot waits for GC. A page to save gets one at once, and then requests the lock."""
    tb = TB(dut, nand_delay=30)
    await tb.bench.start()
    tb.nand.hold = True
    tb.supply(1)
    tb.failing.add(FIRST_SLOT)
    tb.write(1, 5, 1)
    await tb.cpl.get()
    data = tb.write(2, 6, 1)
    await tb.bench.until(lambda: bool(tb.bench.read("io_event_stallAlloc")), "the second page to want a slot")
    assert not tb.bench.read("io_allocUrgent")
    tb.nand.hold = False
    await tb.bench.until(lambda: bool(tb.bench.read("io_allocUrgent")), "the first page to want one")
    await tb.bench.clock(20)
    assert not tb.bench.read("io_mapLock_want")
    tb.supply(2)
    assert (await tb.cpl.get())["cid"] == 2
    await tb.landed()
    assert tb.l2p[5] == FIRST_SLOT + 1
    check_mapped(tb, 6, data)


@cocotb.test()
async def a_slot_of_another_handle(dut: Any) -> None:
    """The spare area names the handle of the superblock, not that of the page."""
    tb = TB(dut, nand_delay=60)
    await tb.bench.start()
    tb.lends = True
    tb.supply(3)
    tb.failing |= {FIRST_SLOT, FIRST_SLOT + 1}
    tb.write(1, 5, 1, handle=2)
    await tb.cpl.get()
    await tb.landed()
    assert tb.handles == [2, 2, 2], "each time its own handle's slot is wished for"
    spare = OobRecord.unpack(tb.flash[tb.l2p[5]][1])
    assert spare.stream == STREAM_HOST + STREAM_HANDLE * 3


@cocotb.test()
async def the_slot_for_a_page_to_save_is_given_up(dut: Any) -> None:
    """Its page is closed while the engine waits for the mapLock: it gets another one."""
    tb = TB(dut, nand_delay=60)
    await tb.bench.start()
    for slot in (FIRST_SLOT, FIRST_SLOT + SLOTS_PER_PAGE, FIRST_SLOT + 2 * SLOTS_PER_PAGE):
        tb.alloc.send(slot=slot, gen=GEN)
    tb.failing.add(FIRST_SLOT)
    data = tb.write(1, 5, 1)
    await tb.cpl.get()
    tb.lock.busy = True
    await tb.bench.until(lambda: bool(tb.bench.read("io_event_stallLock")), "the page to want the lock")
    tb.at_the_lock = True
    tb.lock.busy = False
    await tb.landed()
    assert tb.taken_back == [FIRST_SLOT + SLOTS_PER_PAGE]
    check_mapped(tb, 5, data, seq=1000)
    assert tb.l2p[5] == FIRST_SLOT + 2 * SLOTS_PER_PAGE


@cocotb.test()
async def a_page_that_finds_no_slot_is_lost(dut: Any) -> None:
    """The write was completed long ago. The next Flush reports once that data was lost."""
    tb = TB(dut, nand_delay=30)
    await tb.bench.start()
    tb.bench.write("io_allocNone", 1)
    tb.supply(1)
    tb.failing.add(FIRST_SLOT)
    tb.write(1, 5, 1)
    assert (await tb.cpl.get())["status"] == Status.SUCCESS
    await tb.landed()
    await tb.bench.clock(2)
    assert tb.events == {"programFailed": 1} and not tb.bench.read("io_unsaved")
    assert tb.epochs_out == tb.epochs_back and len(tb.epochs_out) == 1
    tb.supply(1)
    tb.bench.write("io_allocNone", 0)
    tb.write(2, 6, 1)
    assert (await tb.cpl.get())["status"] == Status.SUCCESS, "a plain write promises nothing"
    for cid, wanted in ((3, Status.WRITE_FAULT), (4, Status.SUCCESS)):
        tb.cmd.send(qid=1, cid=cid, op=FLUSH)
        assert (await tb.cpl.get())["status"] == wanted


def test_write_engine(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("WriteEngine")


def test_write_engine_wide(cocotb_unit: CocotbUnit) -> None:
    """The cases that depend on the page size."""
    cocotb_unit("WriteEngine", config="wide", cases="given_up|closings")
