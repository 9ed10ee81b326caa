# SPDX-License-Identifier: Apache-2.0
"""An NVMe host for the controller under cocotb: memory, an admin queue pair, I/O queue pairs, commands as coroutines.

Addresses are bus addresses in the host memory (one AXI RAM from 0). Every command returns (status, dw0). The status is
the CQE's status field without the phase bit, 0 for success.
"""

from __future__ import annotations

import struct
from collections.abc import Awaitable
from dataclasses import dataclass, field
from typing import Any

import cocotb
from cocotb.task import Task
from cocotb.triggers import Event, RisingEdge, Timer, with_timeout

from sim.cocotb.support.orm_formats import RemapRange, VendorFlags, VendorOpcodes
from sim.cocotb.support.orm_nvme import AdminOpcode, CompletionEntry, DsmRange, IoOpcode, SubmissionEntry
from sim.cocotb.support.orm_regs import Bar0

PAGE = 4096
TIMEOUT_US = 5000
GUARD = b"\xa5"


@dataclass
class Queue:
    """A queue pair. The completion queue has the number of the submission queue."""

    qid: int
    entries: int
    sq: int
    cq: int
    tail: int = 0
    head: int = 0
    phase: int = 1
    cq_entries: int = 0
    next_cid: int = 0
    ended: int = 0  # completions taken
    most_inside: int = 0  # commands fetched and not completed, as the completions tell (SQHD)
    asleep: bool = False  # the host takes no completions
    waiting: dict[int, Event] = field(default_factory=dict)
    results: dict[int, tuple[int, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.cq_entries = self.cq_entries or self.entries


class NvmeError(Exception):
    """A command that should have succeeded did not."""


class NvmeHost:
    """Driver over BAR0 (an AXI4-Lite master) and host memory (an AXI RAM). `clock`: that of the interrupts, if it is
    not the unit's only one."""

    def __init__(self, dut: Any, bar: Any, mem: Any, clock: Any = None) -> None:
        self.dut = dut
        self._clock = clock
        self.bar = bar
        self.mem = mem
        self.queues: dict[int, Queue] = {}
        self._free = PAGE  # address 0 stays unused, so that a null PRP shows
        self._msix_task = cocotb.start_soon(self._watch_msix())

    def stop(self) -> None:
        """Stops listening to interrupts."""
        self._msix_task.cancel()

    def alloc(self, size: int, align: int = PAGE) -> int:
        """Allocates `size` bytes of host memory, which are never freed."""
        at = (self._free + align - 1) // align * align
        self._free = at + size
        return at

    async def _watch_msix(self) -> None:
        clock = self.dut.clock if self._clock is None else self._clock
        while True:
            await RisingEdge(clock)
            if self.dut.msix_valid.value == 1 and self.dut.msix_ready.value == 1:
                queue = self.queues.get(int(self.dut.msix_bits.value))
                if queue is not None and not queue.asleep:
                    cocotb.start_soon(self._drain(queue))

    async def _drain(self, q: Queue) -> None:
        moved = False
        while True:
            entry = CompletionEntry.unpack(self.mem.read(q.cq + CompletionEntry.BYTES * q.head, CompletionEntry.BYTES))
            if entry.status & 1 != q.phase:
                break
            assert entry.sqid == q.qid, f"completion of queue {entry.sqid} in queue {q.qid}"
            q.head = (q.head + 1) % q.cq_entries
            q.phase ^= q.head == 0
            moved = True
            assert entry.cid in q.waiting, f"completion of unknown command {entry.cid}"
            q.results[entry.cid] = (entry.status >> 1, entry.dw0)
            q.most_inside = max(q.most_inside, (entry.sqhd - q.ended) % q.entries)
            q.ended += 1
            q.waiting.pop(entry.cid).set()
        if moved:
            await self.bar.write_dword(Bar0.DOORBELL + 4 * (2 * q.qid + 1), q.head)

    async def wake(self, qid: int) -> None:
        """Takes the pending completions of a sleeping queue, and from now on all new ones."""
        self.queues[qid].asleep = False
        await self._drain(self.queues[qid])

    async def submit(self, qid: int, entry: SubmissionEntry) -> tuple[int, int]:
        """Runs one command and fills in its identifier."""
        q = self.queues[qid]
        entry.cid = q.next_cid
        q.next_cid = (q.next_cid + 1) & 0xFFFF
        done = Event()
        q.waiting[entry.cid] = done
        self.mem.write(q.sq + SubmissionEntry.BYTES * q.tail, entry.pack())
        q.tail = (q.tail + 1) % q.entries
        await self.bar.write_dword(Bar0.DOORBELL + 8 * q.qid, q.tail)
        return await self._result(q, entry.cid, done)

    async def submit_all(self, qid: int, commands: list[SubmissionEntry]) -> list[Task[tuple[int, int]]]:
        """Submits commands with one doorbell write, and returns a task for each."""
        q = self.queues[qid]
        tasks = []
        for entry in commands:
            entry.cid = q.next_cid
            q.next_cid = (q.next_cid + 1) & 0xFFFF
            done = q.waiting[entry.cid] = Event()
            self.mem.write(q.sq + SubmissionEntry.BYTES * q.tail, entry.pack())
            q.tail = (q.tail + 1) % q.entries
            tasks.append(cocotb.start_soon(self._result(q, entry.cid, done)))
        await self.bar.write_dword(Bar0.DOORBELL + 8 * qid, q.tail)
        return tasks

    @staticmethod
    async def _result(q: Queue, cid: int, done: Event) -> tuple[int, int]:
        await with_timeout(done.wait(), TIMEOUT_US, "us")
        return q.results.pop(cid)

    def page_write(self, slba: int, page: bytes) -> SubmissionEntry:
        """A durable write of one page from newly allocated memory."""
        at = self.alloc(PAGE)
        self.mem.write(at, page)
        return self.io(IoOpcode.WRITE, slba, 1, at, 0, 1 << 30)

    async def enable(self, entries: int = 16, cq_entries: int = 16) -> None:
        """Sets CC.EN with an admin queue pair. Returns when CSTS.RDY is 1."""
        sq, cq = self.alloc(64 * entries), self.alloc(16 * cq_entries)
        self.mem.write(cq, bytes(16 * cq_entries))
        self.queues = {0: Queue(0, entries, sq, cq, cq_entries=cq_entries)}
        await self.bar.write_dword(Bar0.AQA, (cq_entries - 1) << 16 | (entries - 1))
        for reg, value in ((Bar0.ASQ_LO, sq), (Bar0.ASQ_HI, 0), (Bar0.ACQ_LO, cq), (Bar0.ACQ_HI, 0)):
            await self.bar.write_dword(reg, value)
        await self.bar.write_dword(Bar0.CC, 6 << 16 | 4 << 20 | 1)
        await self.wait_ready(1)

    async def disable(self) -> None:
        """Resets the controller. Returns when CSTS.RDY is 0."""
        await self.bar.write_dword(Bar0.CC, 0)
        await self.wait_ready(0)

    async def shut_down(self) -> None:
        """Shuts the controller down (CC.SHN normal). Returns when CSTS.SHST reports completion."""
        await self.bar.write_dword(Bar0.CC, 6 << 16 | 4 << 20 | 1 << 14 | 1)
        for _ in range(TIMEOUT_US):
            if await self.bar.read_dword(Bar0.CSTS) >> 2 & 3 == 2:
                return
            await Timer(1, "us")
        raise NvmeError("shutdown does not end")

    async def wait_ready(self, rdy: int) -> None:
        for _ in range(2000):
            if await self.bar.read_dword(Bar0.CSTS) & 1 == rdy:
                return
            await Timer(1, "us")
        raise NvmeError(f"CSTS.RDY did not become {rdy}")

    async def create_io_queue(self, qid: int, entries: int = 32) -> None:
        sq, cq = self.alloc(64 * entries), self.alloc(16 * entries)
        self.mem.write(cq, bytes(16 * entries))
        size = (entries - 1) << 16 | qid
        create_cq = SubmissionEntry(AdminOpcode.CREATE_IO_CQ, prp1=cq, cdw10=size, cdw11=qid << 16 | 3)
        create_sq = SubmissionEntry(AdminOpcode.CREATE_IO_SQ, prp1=sq, cdw10=size, cdw11=qid << 16 | 1)
        await self.ok(self.submit(0, create_cq))
        await self.ok(self.submit(0, create_sq))
        self.queues[qid] = Queue(qid, entries, sq, cq)

    async def delete_queue(self, opcode: int, qid: int) -> int:
        """Status of Delete I/O SQ or CQ."""
        return (await self.submit(0, SubmissionEntry(opcode, cdw10=qid)))[0]

    @staticmethod
    async def ok(command: Awaitable[tuple[int, int]]) -> int:
        """Returns the command's dw0. Raises unless the command succeeded."""
        status, dw0 = await command
        if status != 0:
            raise NvmeError(f"status {status & 0x7FF:#x}")
        return dw0

    def prps(self, addr: int, size: int) -> tuple[int, int]:
        """PRP1 and PRP2 for `size` contiguous bytes at `addr`, with a list for more than two pages."""
        first = PAGE - addr % PAGE
        if size <= first:
            return addr, 0
        rest = [addr + first + i for i in range(0, size - first, PAGE)]
        if len(rest) == 1:
            return addr, rest[0]
        table = self.alloc(8 * len(rest))
        self.mem.write(table, struct.pack(f"<{len(rest)}Q", *rest))
        return addr, table

    @staticmethod
    def io(opcode: int, slba: int, pages: int, prp1: int = 0, prp2: int = 0, cdw12: int = 0) -> SubmissionEntry:
        """Runs an I/O command over a range of LBAs."""
        low, high = slba & 0xFFFFFFFF, slba >> 32
        return SubmissionEntry(opcode, nsid=1, prp1=prp1, prp2=prp2, cdw10=low, cdw11=high, cdw12=(pages - 1) | cdw12)

    async def write(self, slba: int, data: bytes, qid: int = 1, fua: bool = False, offset: int = 0, at: int = 0) -> int:
        """Status of a write of whole pages from a buffer (new, or `at`), which starts `offset` bytes into a page."""
        at = (at or self.alloc(len(data) + PAGE)) + offset
        self.mem.write(at, data)
        prp1, prp2 = self.prps(at, len(data))
        entry = self.io(IoOpcode.WRITE, slba, len(data) // PAGE, prp1, prp2, int(fua) << 30)
        return (await self.submit(qid, entry))[0]

    async def read(self, slba: int, pages: int = 1, qid: int = 1, offset: int = 0) -> tuple[int, bytes]:
        """Status and data. Checks that the bytes around the buffer are unchanged."""
        size = pages * PAGE
        area = self.alloc(size + 3 * PAGE)
        self.mem.write(area, GUARD * (size + 3 * PAGE))
        at = area + PAGE + offset
        prp1, prp2 = self.prps(at, size)
        status, _ = await self.submit(qid, self.io(IoOpcode.READ, slba, pages, prp1, prp2))
        assert self.mem.read(at - 64, 64) == GUARD * 64, "bytes before the buffer were written"
        assert self.mem.read(at + size, 64) == GUARD * 64, "bytes behind the buffer were written"
        return status, bytes(self.mem.read(at, size))

    async def flush(self, qid: int = 1) -> int:
        return (await self.submit(qid, SubmissionEntry(IoOpcode.FLUSH, nsid=1)))[0]

    async def deallocate(self, ranges: list[tuple[int, int]], qid: int = 1) -> int:
        """`ranges` are (first LPN, pages)."""
        at = self.alloc(DsmRange.BYTES * len(ranges))
        self.mem.write(at, b"".join(DsmRange(nlb=n, slba=lpn).pack() for lpn, n in ranges))
        entry = SubmissionEntry(IoOpcode.DATASET_MANAGEMENT, nsid=1, prp1=at, cdw10=len(ranges) - 1, cdw11=4)
        return (await self.submit(qid, entry))[0]

    async def remap(self, src: int, dst: int, pages: int = 1, flags: int = 0, qid: int = 1) -> int:
        entry = SubmissionEntry(VendorOpcodes.REMAP, nsid=1, cdw14=pages, cdw15=flags)
        entry.cdw10, entry.cdw11 = src & 0xFFFFFFFF, src >> 32
        entry.cdw12, entry.cdw13 = dst & 0xFFFFFFFF, dst >> 32
        return (await self.submit(qid, entry))[0]

    async def remap_vector(self, ranges: list[RemapRange], flags: int = 0, qid: int = 1) -> int:
        at = self.alloc(RemapRange.BYTES * max(1, len(ranges)))
        self.mem.write(at, b"".join(r.pack() for r in ranges))
        entry = SubmissionEntry(VendorOpcodes.REMAP_VECTOR, nsid=1, prp1=at, cdw10=len(ranges), cdw15=flags)
        return (await self.submit(qid, entry))[0]

    async def move(self, src: int, dst: int, pages: int = 1) -> int:
        return await self.remap(src, dst, pages, VendorFlags.MOVE)

    async def log_page(self, lid: int, size: int) -> bytes:
        at = self.alloc(size)
        entry = SubmissionEntry(AdminOpcode.GET_LOG_PAGE, nsid=0xFFFFFFFF, prp1=at, cdw10=(size // 4 - 1) << 16 | lid)
        await self.ok(self.submit(0, entry))
        return bytes(self.mem.read(at, size))
