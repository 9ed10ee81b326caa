# SPDX-License-Identifier: Apache-2.0
"""Tests of ReadEngine.

Pages reach the host in order, whatever the order of flash. Further cases: unmapped pages, read errors, the erase
window.
"""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.codes import IoOp, MapOp, NandClient, RequestOp
from sim.cocotb.support.geometry import READ_BUF_BASE, READ_BUFFERS, WORDS_PER_SLOT
from sim.cocotb.support.nvme import Status
from sim.cocotb.support.orm_formats import SLOT_BYTES
from sim.cocotb.support.peers import BufferReadPeer, Buffers, HostWritePeer, Log, MapPeer, NandReadPeer, PoolPeer
from sim.cocotb.support.stream import Sink, Source, Transaction

FOREIGN = b"\xa5" * SLOT_BYTES  # old content of a buffer


class TB:
    """Source cmd -> ReadEngine -> Sink cpl, HostWritePeer; mapping and flash are dicts."""

    def __init__(self, dut: Any, stalls: float = 0.0, nand_delay: int = 100) -> None:
        self.bench = Bench(dut)
        self.log: Log = []
        self.buffers = Buffers()
        for page in self.buffers.pages:
            page[:] = FOREIGN
        self.l2p: dict[int, int] = {}
        self.flash: dict[int, bytes] = {}
        self.uncorrectable: set[int] = set()
        self.unsaved = False
        self.cmd = Source(self.bench, "io_cmd")
        self.cpl = Sink(self.bench, "io_cpl", stalls=stalls)
        self.host = HostWritePeer(self.bench, stalls=stalls)
        self.pool = PoolPeer(self.bench, READ_BUF_BASE, READ_BUFFERS)
        BufferReadPeer(self.bench, "io_bufRead", self.buffers, stalls=stalls, gaps=stalls)
        self.map = MapPeer(self.bench, self._lookup, stalls=stalls, gaps=stalls, log=self.log)
        self.nand = NandReadPeer(
            self.bench, self.buffers, self._read, stalls=stalls, delay=nand_delay, shuffle=stalls > 0, log=self.log
        )
        self.freed = 0  # buffers
        self.in_window = False
        self.window_gaps = 0  # cycles without window between pages
        self.bench.add(self)

    def _lookup(self, t: Transaction) -> Transaction:
        assert t["op"] == MapOp.LOOKUP
        slot = self.l2p.get(t["lpn"])
        return {"ok": 1, "mapped": int(slot is not None), "slot": 0x155 if slot is None else slot}

    def _read(self, t: Transaction) -> bytes | None:
        assert t["op"] == RequestOp.READ and t["client"] == NandClient.HOST_READ
        if t["slot"] in self.uncorrectable:
            return None
        return self.flash[t["slot"]]

    def drive(self) -> None:
        self.bench.write("io_unsaved", int(self.unsaved))

    def sample(self) -> None:
        """From the look-up until NAND has the request, GC's erase must be held off."""
        window = bool(self.bench.read("io_window"))
        if self.bench.read("io_map_req_valid") or self.bench.read("io_nand_valid"):
            assert window, "an erase could get between the lookup and the read"
        self.window_gaps += self.in_window and not window
        self.in_window = window
        self.freed += self.bench.read("io_bufFree_valid")

    async def at_rest(self) -> None:
        """Waits until all buffers are free but the one that is taken ahead of time."""
        await self.bench.until(lambda: len(self.pool.free) == READ_BUFFERS - 1, "buffers to be free", timeout=1000)

    def store(self, lpn: int, slot: int) -> bytes:
        data = self.bench.rng.randbytes(SLOT_BYTES)
        self.l2p[lpn] = slot
        self.flash[slot] = data
        return data

    def read(self, cid: int, lpn: int, pages: int) -> None:
        self.cmd.send(qid=1, cid=cid, op=IoOp.READ, slba=lpn, pages=pages, prp1=cid << 12)

    def expected(self, lpn: int, pages: int) -> bytes:
        zero = bytes(SLOT_BYTES)
        slots = [self.l2p.get(lpn + i) for i in range(pages)]
        return b"".join(zero if s is None or s in self.uncorrectable else self.flash[s] for s in slots)


@cocotb.test()
async def one_page(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    data = tb.store(10, 4321)
    tb.read(3, 10, 1)
    cpl = await tb.cpl.get()
    assert (cpl["cid"], cpl["qid"], cpl["status"]) == (3, 1, Status.SUCCESS)
    assert tb.host.written == [(3 << 12, data)]
    await tb.at_rest()


@cocotb.test()
async def words_go_on_while_others_come(dut: Any) -> None:
    """Cut-through: the host has most of a page when the last of its words leaves flash."""
    tb = TB(dut)
    await tb.bench.start()
    data = tb.store(0, 7)
    tb.read(1, 0, 1)
    await tb.bench.until(lambda: tb.nand.words == WORDS_PER_SLOT, "the whole page", timeout=2000)
    seen = tb.host.data.count
    assert seen >= WORDS_PER_SLOT - 16
    await tb.cpl.get()
    assert tb.host.written == [(1 << 12, data)]


@cocotb.test()
async def the_last_word_does_not_wait_for_nand(dut: Any) -> None:
    """A page whose words have all been sent keeps its buffer until NAND is done with it; no page follows before."""
    tb = TB(dut)
    await tb.bench.start()
    tb.nand.spare = 400
    first, second = tb.store(0, 7), tb.store(1, 8)
    tb.read(1, 0, 1)
    tb.read(2, 1, 1)
    assert (await tb.cpl.get())["cid"] == 1 and tb.host.written == [(1 << 12, first)]
    assert tb.freed == 0, "NAND still has the buffer"
    await tb.bench.until(lambda: tb.freed == 1, "the buffer to be free", timeout=1000)
    assert tb.host.data.count == WORDS_PER_SLOT
    assert (await tb.cpl.get())["cid"] == 2 and tb.host.written[1:] == [(2 << 12, second)]
    await tb.at_rest()


@cocotb.test()
@cocotb.parametrize(left=list(range(4, 24)))
async def flash_ends_a_page_at_any_time_of_the_one_before(dut: Any, left: int) -> None:
    """The host is late with a page by almost all of the next one, whose last words come as its turn comes."""
    tb = TB(dut)
    await tb.bench.start()
    data = tb.store(0, 7) + tb.store(1, 8)
    tb.read(1, 0, 2)
    await tb.bench.until(lambda: tb.host.data.count >= WORDS_PER_SLOT - 8, "most of a page", timeout=3000)
    tb.host.data.hold = True
    await tb.bench.until(lambda: tb.nand.words >= 2 * WORDS_PER_SLOT - left, "most of the next page", timeout=3000)
    tb.host.data.hold = False
    await tb.cpl.get()
    assert b"".join(words for _, words in tb.host.written) == data
    await tb.at_rest()


@cocotb.test()
async def unmapped_pages_read_as_zeroes(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    pages = 20  # more than there are buffers
    tb.store(105, 1)
    tb.read(1, 100, pages)
    assert (await tb.cpl.get())["status"] == Status.SUCCESS
    assert tb.host.written == [(1 << 12, tb.expected(100, pages))]
    assert len(tb.nand.requests) == 1
    # A buffer taken for a page that is unmapped is kept for the next page.
    assert len(tb.pool.free) >= READ_BUFFERS - 1


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.3])
async def random_commands(dut: Any, stalls: float) -> None:
    """Flash answers in any order. The host gets data and completions in order."""
    tb = TB(dut, stalls)
    await tb.bench.start()
    rng = tb.bench.rng
    for slot, lpn in enumerate(rng.sample(range(40), 28)):
        tb.store(lpn, slot)
    commands = [(cid, rng.randrange(32), rng.randrange(1, 8)) for cid in range(8)]
    for cid, lpn, pages in commands:
        tb.read(cid, lpn, pages)
    for cid, _, _ in commands:
        cpl = await tb.cpl.get()
        assert (cpl["cid"], cpl["status"]) == (cid, Status.SUCCESS)
    assert tb.host.written == [(cid << 12, tb.expected(lpn, pages)) for cid, lpn, pages in commands]
    assert tb.window_gaps >= sum(pages for *_, pages in commands) - 1, "GC must find the window closed between pages"


@cocotb.test()
async def a_late_answer_holds_nobody(dut: Any) -> None:
    """While the host has not answered the last writes of a command, the next one's data goes out.

    Errors stay separate.
    """
    tb = TB(dut, nand_delay=20)
    tb.host.delay = 600
    await tb.bench.start()
    for lpn in range(4):
        tb.store(lpn, 60 + lpn)
    tb.uncorrectable.add(61)
    for cid in range(4):
        tb.read(cid, cid, 1)
    statuses = [(await tb.cpl.get())["status"] for _ in range(4)]
    assert statuses == [Status.SUCCESS, Status.UNRECOVERED_READ_ERROR, Status.SUCCESS, Status.SUCCESS]
    assert tb.host.overlaps >= 2
    assert tb.host.written == [(cid << 12, tb.expected(cid, 1)) for cid in range(4)]


@cocotb.test()
async def reads_ahead_over_commands(dut: Any) -> None:
    """While flash works on the first command, the pages of the second one are requested, too."""
    tb = TB(dut, nand_delay=3000)
    await tb.bench.start()
    for lpn in range(4):
        tb.store(lpn, lpn)
    tb.read(0, 0, 2)
    tb.read(1, 2, 2)
    await tb.bench.until(lambda: len(tb.nand.requests) == 4, "all four requests", timeout=1000)
    await tb.bench.clock(20)
    assert tb.bench.read("io_quiet"), "waiting for flash is quiet"
    await tb.cpl.get()
    await tb.cpl.get()


@cocotb.test()
async def single_pages_fill_the_buffers(dut: Any) -> None:
    """As many single-page commands are under way as there are buffers, though none has been sent yet."""
    tb = TB(dut, nand_delay=4000)
    await tb.bench.start()
    for lpn in range(READ_BUFFERS + 2):
        tb.store(lpn, lpn)
        tb.read(lpn, lpn, 1)
    await tb.bench.until(lambda: len(tb.nand.requests) == READ_BUFFERS, "a request for each buffer", timeout=2000)
    assert not tb.cpl.taken and not tb.pool.free
    for lpn in range(READ_BUFFERS + 2):
        assert (await tb.cpl.get())["cid"] == lpn
    assert tb.host.written == [(lpn << 12, tb.expected(lpn, 1)) for lpn in range(READ_BUFFERS + 2)]


@cocotb.test()
async def uncorrectable_page(dut: Any) -> None:
    """All data is sent, the lost page as zeroes and never as old buffer content.

    The error follows, and the next command is clean.
    """
    tb = TB(dut)
    await tb.bench.start()
    for lpn in range(4):
        tb.store(lpn, 50 + lpn)
    tb.uncorrectable.add(51)
    tb.read(1, 0, 4)
    tb.read(2, 2, 2)
    assert (await tb.cpl.get())["status"] == Status.UNRECOVERED_READ_ERROR
    assert (await tb.cpl.get())["status"] == Status.SUCCESS
    assert tb.host.written == [(1 << 12, tb.expected(0, 4)), (2 << 12, tb.expected(2, 2))]
    assert FOREIGN not in tb.host.written[0][1]
    await tb.at_rest()


@cocotb.test()
@cocotb.parametrize(failures=[1, 3])
async def a_page_that_was_saved(dut: Any, failures: int) -> None:
    """The program of its slot failed: it is read at its new slot, and if that failed, too, once more."""
    tb = TB(dut)
    await tb.bench.start()
    for lpn in range(4):
        tb.store(lpn, 50 + lpn)
    tb.unsaved = True
    tb.uncorrectable |= {51, *(70 + i for i in range(failures - 1))}
    tb.read(1, 0, 4)
    for i in range(failures):
        await tb.bench.until(lambda: tb.bench.read("io_event_uncorrectable") == 1, "the error")
        await tb.bench.clock(1500)  # all others have come
        assert tb.bench.read("io_quiet") and not tb.bench.read("io_window"), "nothing is looked up before it is saved"
        assert not tb.cpl.taken and len(tb.nand.requests) == 4 + i
        data = tb.store(1, 70 + i)
        tb.unsaved = False
        await tb.bench.until(lambda: bool(tb.bench.read("io_nand_valid")), "it to be read again")
        tb.unsaved = i + 1 < failures
    assert (await tb.cpl.get())["status"] == Status.SUCCESS
    assert tb.host.written == [(1 << 12, tb.expected(0, 4))] and data in tb.host.written[0][1]
    await tb.at_rest()


@cocotb.test()
@cocotb.parametrize(good=[True, False])
async def a_slot_that_was_given_out_again_meanwhile(dut: Any, good: bool) -> None:
    """While pages were saved, its superblock may have been erased, and the slot allocated to the LPN again."""
    tb = TB(dut)
    await tb.bench.start()
    tb.store(5, 50)
    tb.unsaved = True
    tb.uncorrectable.add(50)
    tb.read(1, 5, 1)
    await tb.bench.until(lambda: tb.bench.read("io_event_uncorrectable") == 1, "the error")
    await tb.bench.clock(100)
    if good:
        tb.uncorrectable.clear()
        tb.store(5, 50)
    tb.unsaved = False
    assert (await tb.cpl.get())["status"] == (Status.SUCCESS if good else Status.UNRECOVERED_READ_ERROR)
    assert len(tb.nand.requests) == 2, "once more, and not for ever"
    assert tb.host.written == [(1 << 12, tb.expected(5, 1))]
    await tb.at_rest()


@cocotb.test()
async def a_page_that_was_dropped_meanwhile(dut: Any) -> None:
    """It reads as zeroes, which is no error."""
    tb = TB(dut)
    await tb.bench.start()
    tb.store(5, 50)
    tb.unsaved = True
    tb.uncorrectable.add(50)
    tb.read(1, 5, 1)
    await tb.bench.until(lambda: tb.bench.read("io_event_uncorrectable") == 1, "the error")
    del tb.l2p[5]
    tb.unsaved = False
    assert (await tb.cpl.get())["status"] == Status.SUCCESS
    assert tb.host.written == [(1 << 12, bytes(SLOT_BYTES))]
    await tb.at_rest()


@cocotb.test()
async def the_next_command_waits_while_a_page_is_saved(dut: Any) -> None:
    """There is one port for look-ups, and the page's look-up comes first."""
    tb = TB(dut)
    await tb.bench.start()
    for lpn in range(2):
        tb.store(lpn, 50 + lpn)
    tb.unsaved = True
    tb.uncorrectable.add(50)
    tb.read(1, 0, 1)
    await tb.bench.until(lambda: tb.bench.read("io_event_uncorrectable") == 1, "the error")
    await tb.bench.clock(20)
    tb.read(2, 1, 1)
    await tb.bench.clock(50)
    tb.store(0, 70)
    tb.unsaved = False
    assert [(await tb.cpl.get())["status"] for _ in range(2)] == [Status.SUCCESS] * 2
    assert tb.host.written == [(1 << 12, tb.expected(0, 1)), (2 << 12, tb.expected(1, 1))]
    assert [t["lpn"] for name, t in tb.log if name == "map"] == [0, 0, 1]
    await tb.at_rest()


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.3])
async def reads_beside_pages_that_are_saved(dut: Any, stalls: float) -> None:
    """Pages move to other slots when their programs fail, while look-ups ahead of the host continue."""
    tb = TB(dut, stalls)
    await tb.bench.start()
    rng = tb.bench.rng
    for lpn in range(40):
        tb.store(lpn, lpn)
    commands = [(cid, rng.randrange(32), rng.randrange(1, 8)) for cid in range(12)]
    wanted = [(cid << 12, tb.expected(lpn, pages)) for cid, lpn, pages in commands]
    for cid, lpn, pages in commands:
        tb.read(cid, lpn, pages)
    moved = 100
    while tb.cpl.count < len(commands):
        lpn = rng.randrange(40)
        tb.unsaved = True
        tb.uncorrectable.add(tb.l2p[lpn])
        await tb.bench.clock(rng.randrange(1, 400))
        tb.flash[moved] = tb.flash[tb.l2p[lpn]]
        tb.l2p[lpn] = moved
        moved += 1
        tb.unsaved = False
        await tb.bench.clock(rng.randrange(1, 200))
    assert all(cpl["status"] == Status.SUCCESS for cpl in tb.cpl.taken)
    assert tb.host.written == wanted
    await tb.at_rest()


@cocotb.test()
async def host_memory_error(dut: Any) -> None:
    """The transfer's error takes precedence over the flash error, because the host got no valid data."""
    tb = TB(dut)
    await tb.bench.start()
    tb.store(0, 9)
    tb.uncorrectable.add(9)
    tb.host.status = Status.DATA_TRANSFER_ERROR
    tb.read(1, 0, 1)
    assert (await tb.cpl.get())["status"] == Status.DATA_TRANSFER_ERROR
    tb.host.status = Status.SUCCESS
    tb.read(2, 1, 1)
    assert (await tb.cpl.get())["status"] == Status.SUCCESS


@cocotb.test()
async def waits_for_buffers(dut: Any) -> None:
    tb = TB(dut, nand_delay=20)
    await tb.bench.start()
    for lpn in range(READ_BUFFERS + 4):
        tb.store(lpn, lpn)
    tb.host.data.hold = True
    tb.read(1, 0, READ_BUFFERS + 4)
    await tb.bench.until(lambda: not tb.pool.free, "the buffers to run out", timeout=2000)
    await tb.bench.clock(50)
    assert len(tb.nand.requests) == READ_BUFFERS
    assert not tb.bench.read("io_window"), "waiting for a buffer must not hold erases off"
    tb.host.data.hold = False
    await tb.cpl.get()
    assert tb.host.written == [(1 << 12, tb.expected(0, READ_BUFFERS + 4))]


def test_read_engine(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("ReadEngine")
