# SPDX-License-Identifier: Apache-2.0
"""Tests of CommandRouter against a model of its rules.

Each command goes to one destination. Invalid commands are completed with the right status.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.codes import IoOp
from sim.cocotb.support.copy_list import copy_entry
from sim.cocotb.support.geometry import MDTS_PAGES
from sim.cocotb.support.nvme import Status
from sim.cocotb.support.orm_formats import REMAP_RANGES_MAX, VendorFlags, VendorOpcodes
from sim.cocotb.support.orm_nvme import Directive, IoOpcode, SubmissionEntry
from sim.cocotb.support.stream import Sink, Source, Transaction, Watch

NSZE = 8192
ENGINES = ("read", "write", "trim")
OPS = {
    IoOpcode.READ: IoOp.READ,
    IoOpcode.WRITE: IoOp.WRITE,
    IoOpcode.FLUSH: IoOp.FLUSH,
    IoOpcode.DATASET_MANAGEMENT: IoOp.DEALLOCATE,
    IoOpcode.WRITE_ZEROES: IoOp.WRITE_ZEROES,
}
DSM_DEALLOCATE = 1 << 2
FUA = 1 << 30
HANDLES = 3  # placement handles that are offered
ALL_NAMESPACES = 0xFFFFFFFF


class TB:
    """Source in -> CommandRouter -> Sink firmware, read, write, trim, cpl"""

    def __init__(self, dut: Any, stalls: float = 0.0) -> None:
        self.bench = Bench(dut)
        self.input = Source(self.bench, "io_in", gaps=stalls)
        self.out = {
            name: Sink(self.bench, f"io_{name}", stalls=stalls) for name in (*ENGINES, "ranges", "firmware", "cpl")
        }
        self.copy_refused = Watch(self.bench, "io_event_copyRefused")

    async def start(self, ready: int = 1, nsze: int = NSZE, formatting: int = 0, protect: int = 0) -> None:
        self.bench.write("io_nsze", nsze)
        self.bench.write("io_nsReady", ready)
        self.bench.write("io_formatting", formatting)
        self.bench.write("io_protect", protect)
        self.bench.write("io_handles", HANDLES)
        await self.bench.start()

    async def route(self, qid: int, entry: SubmissionEntry) -> tuple[str, Transaction]:
        """The destination of a command, and what it becomes."""
        self.input.send(qid=qid, sqe=int.from_bytes(entry.pack(), "little"))
        await self.bench.until(lambda: any(sink.taken for sink in self.out.values()), "the command somewhere")
        await self.bench.clock()
        found = [(name, sink.taken.popleft()) for name, sink in self.out.items() if sink.taken]
        assert len(found) == 1, f"one command, {found}"
        return found[0]

    async def refused(self, entry: SubmissionEntry, qid: int = 1) -> int:
        """The status with which the router completes a command."""
        name, cpl = await self.route(qid, entry)
        assert name == "cpl", f"went to {name}"
        assert (cpl["qid"], cpl["cid"], cpl["dw0"]) == (qid, entry.cid, 0)
        return cpl["status"]


def expected(qid: int, e: SubmissionEntry, ready: bool, formatting: bool, protect: bool) -> tuple[str, int]:
    """The rules, restated: destination, and the status when it is `cpl`."""
    if qid and e.opcode == IoOpcode.COPY:
        return expected_copy(e, ready, formatting, protect)
    if qid and e.opcode in tuple(VendorOpcodes):
        return "ranges" if ready and not protect and for_hardware(e) else "firmware", 0
    if qid == 0 or e.opcode not in OPS:
        return "firmware", 0
    op = IoOpcode(e.opcode)
    pages = (e.cdw12 & 0xFFFF) + 1
    slba = e.cdw11 << 32 | e.cdw10
    deallocate = op == IoOpcode.DATASET_MANAGEMENT and e.cdw11 & DSM_DEALLOCATE
    if e.flags & 0xC3:
        return "cpl", Status.INVALID_FIELD
    if e.nsid != 1 and not (op == IoOpcode.FLUSH and e.nsid == ALL_NAMESPACES):
        return "cpl", Status.INVALID_NAMESPACE
    if op in (IoOpcode.READ, IoOpcode.WRITE) and pages > MDTS_PAGES:
        return "cpl", Status.INVALID_FIELD
    if op == IoOpcode.WRITE and e.cdw12 >> 20 & 0xF not in (Directive.NONE, Directive.DATA_PLACEMENT):
        return "cpl", Status.INVALID_FIELD
    if not ready:
        return "cpl", Status.FORMAT_IN_PROGRESS if formatting else Status.NAMESPACE_NOT_READY
    if protect and (op in (IoOpcode.WRITE, IoOpcode.WRITE_ZEROES) or deallocate):
        return "cpl", Status.WRITE_PROTECTED
    if op in (IoOpcode.READ, IoOpcode.WRITE, IoOpcode.WRITE_ZEROES) and slba + pages > NSZE:
        return "cpl", Status.LBA_OUT_OF_RANGE
    if (op in (IoOpcode.READ, IoOpcode.WRITE) or deallocate) and e.prp1 & 3:
        return "cpl", Status.INVALID_PRP_OFFSET
    if op == IoOpcode.DATASET_MANAGEMENT and not deallocate:
        return "cpl", Status.SUCCESS
    if op == IoOpcode.READ:
        return "read", 0
    return ("write", 0) if op in (IoOpcode.WRITE, IoOpcode.FLUSH) else ("trim", 0)


def expected_copy(e: SubmissionEntry, ready: bool, formatting: bool, protect: bool) -> tuple[str, int]:
    """The part that can be decided without the list."""
    if e.flags:
        return "cpl", Status.INVALID_FIELD
    if e.nsid != 1:
        return "cpl", Status.INVALID_NAMESPACE
    if e.cdw12 >> 8 & 0xF > 1 or e.cdw12 >> 12 & 0xF or e.cdw12 >> 26 & 0xF:
        return "cpl", Status.INVALID_FIELD
    if not ready:
        return "cpl", Status.FORMAT_IN_PROGRESS if formatting else Status.NAMESPACE_NOT_READY
    if protect:
        return "cpl", Status.WRITE_PROTECTED
    if e.cdw12 & 0xFF >= REMAP_RANGES_MAX:
        return "cpl", Status.COPY_SIZE_LIMIT
    if e.cdw11 << 32 | e.cdw10 >= NSZE:
        return "cpl", Status.LBA_OUT_OF_RANGE
    if e.prp1 & 3:
        return "cpl", Status.INVALID_PRP_OFFSET
    return "ranges", 0


def for_hardware(e: SubmissionEntry) -> bool:
    """A REMAP or REMAP VECTOR whose fields are the usual ones. Its ranges are judged by the engine."""
    if e.flags or e.nsid != 1 or e.cdw15 & ~VendorFlags.MOVE:
        return False
    return e.opcode == VendorOpcodes.REMAP or (1 <= e.cdw10 <= REMAP_RANGES_MAX and e.prp1 & 3 == 0)


def check_command(got: Transaction, qid: int, e: SubmissionEntry) -> None:
    op = IoOpcode(e.opcode)
    assert (got["qid"], got["cid"], got["op"]) == (qid, e.cid, OPS[op])
    assert (got["prp1"], got["prp2"]) == (e.prp1, e.prp2)
    if op == IoOpcode.FLUSH:
        assert got["pages"] == 0
    elif op == IoOpcode.DATASET_MANAGEMENT:
        assert got["pages"] == (e.cdw10 & 0xFF) + 1
    else:
        assert (got["slba"], got["pages"]) == (e.cdw10, (e.cdw12 & 0xFFFF) + 1)
    if op == IoOpcode.WRITE:
        assert got["fua"] == e.cdw12 >> 30 & 1
        placed = e.cdw12 >> 20 & 0xF == Directive.DATA_PLACEMENT and e.cdw13 >> 16 < HANDLES
        assert got["handle"] == (e.cdw13 >> 16 if placed else 0)


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.5], ready=[1, 0], formatting=[0, 1], protect=[0, 1])
async def random_commands(dut: Any, stalls: float, ready: int, formatting: int, protect: int) -> None:
    tb = TB(dut, stalls)
    await tb.start(ready, formatting=formatting, protect=protect)
    rng = tb.bench.rng
    opcodes = [*OPS, *OPS, *OPS, *[IoOpcode.COPY] * 4, *tuple(VendorOpcodes) * 3, 0x05, 0x83, 0xFF]
    for cid in range(400):
        pages = rng.choice([1, 8, MDTS_PAGES, MDTS_PAGES + 1, 0x10000])
        slba = rng.choice(
            [0, NSZE - pages, NSZE - pages + 1, NSZE, 1 << 32, (1 << 64) - 1, (1 << 64) - pages, rng.randrange(NSZE)]
        )
        slba = max(slba, 0)
        entry = SubmissionEntry(
            opcode=rng.choice(opcodes),
            flags=rng.choice([0] * 12 + [1, 2, 0x40, 0x80]),
            cid=cid,
            nsid=rng.choice([1] * 8 + [0, 2, ALL_NAMESPACES]),
            prp1=rng.getrandbits(62) << 2 | rng.choice([0] * 8 + [1, 2, 3]),
            prp2=rng.getrandbits(64),
            cdw10=slba & 0xFFFFFFFF,
            cdw11=slba >> 32,
            cdw12=(pages - 1) | rng.choice([0, FUA]) | (rng.choice([0] * 4 + [1, 2, 2, 2, 3]) << 20),
            cdw13=rng.choice([rng.randrange(HANDLES + 2), rng.getrandbits(16)]) << 16 | rng.getrandbits(16),
        )
        if entry.opcode == IoOpcode.DATASET_MANAGEMENT:
            entry = replace(entry, cdw10=rng.getrandbits(8), cdw11=rng.choice([0, DSM_DEALLOCATE, 3, 7]))
        if entry.opcode == IoOpcode.COPY:
            bits = rng.choice([0] * 6 + [1 << 12, 1 << 15, 1 << 26, 1 << 29])
            ranges = rng.choice([1, REMAP_RANGES_MAX, REMAP_RANGES_MAX + 1, 256])
            entry = replace(entry, flags=rng.choice([0] * 8 + [1, 4, 0x20, 0x80]))
            entry = replace(entry, cdw12=ranges - 1 | rng.choice([0, 0, 1, 1, 2, 15]) << 8 | bits)
        if entry.opcode in tuple(VendorOpcodes):
            entry = replace(entry, flags=rng.choice([0] * 8 + [1, 4, 0x20, 0x80]))
            entry = replace(entry, cdw15=rng.choice([0, 0, 1, 1, 2, 1 << 31]))
            ranges = rng.choice([0, 1, REMAP_RANGES_MAX, REMAP_RANGES_MAX + 1, 257, 1 << 16])
            if entry.opcode == VendorOpcodes.REMAP_VECTOR:
                entry = replace(entry, cdw10=ranges)
        qid = rng.choice([0, 1, 2, 3, 4])
        where, status = expected(qid, entry, bool(ready), bool(formatting), bool(protect))
        tb.copy_refused.seen.clear()
        name, got = await tb.route(qid, entry)
        refused = qid and entry.opcode == IoOpcode.COPY and where == "cpl" and ready and not protect
        assert len(tb.copy_refused.seen) == bool(refused), "counted with the refusals of the engine"
        assert name == where, f"{entry} went to {name}, not {where}"
        if name == "cpl":
            assert (got["qid"], got["cid"], got["status"]) == (qid, cid, status), (
                f"{entry}: {got['status']:#x} not {status:#x}"
            )
        elif name in ("firmware", "ranges"):
            assert (got["qid"], got["sqe"]) == (qid, int.from_bytes(entry.pack(), "little"))
        else:
            check_command(got, qid, entry)


@cocotb.test()
async def lba_range_does_not_wrap(dut: Any) -> None:
    """64-bit starting LBAs: sums past 2^32 or 2^64 are out of range, not small."""
    tb = TB(dut)
    await tb.start()
    for slba in (NSZE, 0xFFFFFFFF, 1 << 32, (1 << 32) + 5, (1 << 64) - 1):
        entry = SubmissionEntry(opcode=IoOpcode.READ, nsid=1, cdw10=slba & 0xFFFFFFFF, cdw11=slba >> 32)
        assert await tb.refused(entry) == Status.LBA_OUT_OF_RANGE
    last = SubmissionEntry(opcode=IoOpcode.READ, nsid=1, cdw10=NSZE - 1)
    assert (await tb.route(1, last))[0] == "read"
    assert await tb.refused(replace(last, cdw12=1)) == Status.LBA_OUT_OF_RANGE


@cocotb.test()
async def a_placement_handle_that_is_not_offered_counts_as_none(dut: Any) -> None:
    tb = TB(dut)
    await tb.start()
    for handle in (0, HANDLES - 1, HANDLES, 0xFFFF):
        placed = SubmissionEntry(
            opcode=IoOpcode.WRITE, nsid=1, cdw12=Directive.DATA_PLACEMENT << 20, cdw13=handle << 16
        )
        name, got = await tb.route(1, placed)
        assert name == "write"
        check_command(got, 1, placed)


@cocotb.test()
async def busy_engine_does_not_lose_or_reorder(dut: Any) -> None:
    tb = TB(dut)
    await tb.start()
    tb.out["read"].hold = True
    read = SubmissionEntry(opcode=IoOpcode.READ, nsid=1, cid=1)
    flush = SubmissionEntry(opcode=IoOpcode.FLUSH, nsid=ALL_NAMESPACES, cid=2)
    for entry in (read, flush):
        tb.input.send(qid=1, sqe=int.from_bytes(entry.pack(), "little"))
    await tb.bench.clock(20)
    assert not any(sink.count for sink in tb.out.values())
    tb.out["read"].hold = False
    assert (await tb.out["read"].get())["cid"] == 1
    assert (await tb.out["write"].get())["cid"] == 2


@cocotb.test()
async def a_good_command_waits_one_cycle(dut: Any) -> None:
    """A refused one and a remap two. The settings of the cycle in which a command comes hold for it."""
    tb = TB(dut)
    await tb.start()
    for entry, name, cycles in (
        (SubmissionEntry(opcode=IoOpcode.READ, nsid=1), "read", 1),
        (SubmissionEntry(opcode=IoOpcode.FLUSH, nsid=1), "write", 1),
        (SubmissionEntry(opcode=0x80, nsid=1), "ranges", 2),
        (SubmissionEntry(opcode=0x80, nsid=2), "firmware", 2),
        (SubmissionEntry(opcode=0x82, nsid=1), "firmware", 1),
        (SubmissionEntry(opcode=IoOpcode.READ, nsid=2), "cpl", 2),
    ):
        tb.input.send(qid=1, sqe=int.from_bytes(entry.pack(), "little"))
        await tb.input.drained()
        tb.bench.write("io_nsReady", 0)
        tb.bench.write("io_nsze", 0)
        assert not tb.bench.read("io_quiet")
        await tb.bench.clock(cycles)
        tb.bench.write("io_nsReady", 1)
        tb.bench.write("io_nsze", NSZE)
        assert [sink for sink in tb.out if tb.out[sink].taken] == [name]
        tb.out[name].taken.clear()
        await tb.bench.clock(2)
        assert tb.bench.read("io_quiet")


@cocotb.test()
@cocotb.parametrize(fmt=[0, 1])
async def copies_go_to_their_engine(dut: Any, fmt: int) -> None:
    """Unchanged, because the engine may have to pass one to firmware. Each check is tested separately."""
    tb = TB(dut)
    await tb.start()
    good = copy_entry(7, NSZE - 1, REMAP_RANGES_MAX, fmt, prp1=0x1004, prp2=0x2000)
    name, got = await tb.route(3, good)
    assert (name, got["qid"], got["sqe"]) == ("ranges", 3, int.from_bytes(good.pack(), "little"))
    assert (await tb.route(0, good))[0] == "firmware", "an admin command of that opcode"
    for bad, status in (
        (replace(good, flags=1 << 2), Status.INVALID_FIELD),
        (replace(good, nsid=2), Status.INVALID_NAMESPACE),
        (replace(good, cdw12=good.cdw12 | 1 << 13), Status.INVALID_FIELD),
        (replace(good, cdw12=good.cdw12 | 2 << 8), Status.INVALID_FIELD),
        (replace(good, cdw12=good.cdw12 + 1), Status.COPY_SIZE_LIMIT),
        (replace(good, cdw10=NSZE), Status.LBA_OUT_OF_RANGE),
        (replace(good, cdw11=1), Status.LBA_OUT_OF_RANGE),
        (replace(good, prp1=2), Status.INVALID_PRP_OFFSET),
    ):
        assert await tb.refused(bad) == status
        assert len(tb.copy_refused.seen) == 1
        tb.copy_refused.seen.clear()
    tb.out["ranges"].hold = True
    for _ in range(2):
        tb.input.send(qid=1, sqe=int.from_bytes(good.pack(), "little"))
    await tb.bench.clock(10)
    assert tb.input.pending == 1 and not tb.out["ranges"].taken, "one waits for its engine, the other behind it"
    assert tb.bench.read("io_quiet")
    tb.out["ranges"].hold = False
    for _ in range(2):
        await tb.out["ranges"].get()


@cocotb.test()
@cocotb.parametrize(opcode=list(VendorOpcodes))
async def unusual_remaps_are_firmwares(dut: Any, opcode: int) -> None:
    """Unchanged, whatever is wrong with them: firmware knows the status. Each check is tested separately."""
    tb = TB(dut)
    await tb.start()
    good = SubmissionEntry(opcode=opcode, nsid=1, cid=7, cdw10=REMAP_RANGES_MAX, prp1=0x1004, cdw15=VendorFlags.MOVE)
    assert (await tb.route(3, good))[0] == "ranges"
    assert (await tb.route(0, good))[0] == "firmware", "an admin command of that opcode"
    for bad in (
        replace(good, flags=1),
        replace(good, flags=1 << 2),
        replace(good, flags=1 << 6),
        replace(good, nsid=2),
        replace(good, nsid=ALL_NAMESPACES),
        replace(good, cdw15=1 << 1),
        replace(good, cdw15=1 << 31),
    ):
        name, got = await tb.route(3, bad)
        assert (name, got["qid"], got["sqe"]) == ("firmware", 3, int.from_bytes(bad.pack(), "little"))
    vector = "firmware" if opcode == VendorOpcodes.REMAP_VECTOR else "ranges"
    for other in (replace(good, cdw10=0), replace(good, cdw10=REMAP_RANGES_MAX + 1), replace(good, prp1=2)):
        assert (await tb.route(3, other))[0] == vector
    for setting, value in (("io_nsReady", 0), ("io_protect", 1)):
        before = tb.bench.read(setting)
        tb.bench.write(setting, value)
        await tb.bench.clock()
        assert (await tb.route(3, good))[0] == "firmware"
        tb.bench.write(setting, before)
        await tb.bench.clock()


def test_command_router(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("CommandRouter")
