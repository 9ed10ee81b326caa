# SPDX-License-Identifier: Apache-2.0
"""Tests of FwRegs: every register of the map reads and acts as registers/openremap.rdl says."""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.axi import AxiLiteMaster
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.destaged import DESTAGE_LPN, DESTAGE_SLOTS
from sim.cocotb.support.geometry import (
    CHANNELS,
    DIES,
    DIES_PER_CHANNEL,
    FW_BUF,
    FW_BUFFERS,
    LOG_BASE,
    LOG_BYTES,
    LPNS,
    PAGES_PER_BLOCK,
    PLACEMENT_HANDLES,
    SLOT_LOGS,
    SLOTS_PER_SB,
    SUMMARY_SLOTS,
    SUPERBLOCKS,
)
from sim.cocotb.support.nvme import Status
from sim.cocotb.support.orm_formats import (
    SLOT_BYTES,
    STREAM_GC,
    STREAM_HANDLE,
    STREAM_HOST,
    TRIM_REGION_WORDS,
    TRIM_WORD_LPNS,
)
from sim.cocotb.support.orm_regs import Fw, FwNandOp, MemoryUser, RegField
from sim.cocotb.support.peers import BufferReadPeer, Buffers
from sim.cocotb.support.stream import Pulse, Sink, Source, Watch
from sim.cocotb.support.superblock_peers import SbReadPeer


class Forgets:
    """Cycles in which the list of free superblocks becomes empty."""

    def __init__(self, bench: Bench) -> None:
        self.bench, self.cycles = bench, 0

    def drive(self) -> None:
        """This agent only monitors."""

    def sample(self) -> None:
        self.cycles += self.bench.read("io_allocForget")


class CycleInCc:
    """Puts the number of the cycle into io_cc, and notes the cycles in which io_ccRead is high."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.pulses: list[int] = []
        bench.add(self)

    def drive(self) -> None:
        self.bench.write("io_cc", self.bench.cycle)

    def sample(self) -> None:
        if self.bench.read("io_ccRead"):
            self.pulses.append(self.bench.cycle)


class TB:
    """AxiLiteMaster (firmware) -> FwRegs -> agents in the place of every unit"""

    def __init__(self, dut: Any, stalls: float = 0.0) -> None:
        self.bench = bench = Bench(dut)
        self.bus = AxiLiteMaster(bench, "io_bus", stalls, stalls)
        self.cmd = Source(bench, "io_cmd")
        starters = ("cpl", "dma", "remap", "gc", "nand", "allocFreed", "remapLoad_free")
        self.started = {name: Sink(bench, f"io_{name}", stalls) for name in starters}
        pulses = (
            "sqConfig",
            "cqConfig",
            "sbWrite",
            "allocRestore",
            "allocClose",
            "logRelease",
            "seqLoad",
            "journalTail",
            "journalLoad",
        )
        self.pulsed = {
            name: Watch(bench, f"io_{name}")
            for name in (*pulses, "remapLoad_chain", "remapLoad_link", "remapLoad_part", "counterClear")
        }
        ends = (
            "dmaDone",
            "remapOutcome",
            "gcOutcome",
            "ccChanged",
            "badDoorbell_value",
            "badDoorbell_absent",
            "hostError",
            "remapped",
            "programFailed",
            "weakRead",
        )
        self.happen = {name: Pulse(bench, f"io_{name}") for name in ends}
        self.nand_done = Source(bench, "io_nandDone")
        self.record: dict[str, int] = {}  # of the selected superblock, in SuperblockTable
        self.table = SbReadPeer(bench, "io_sbRead", lambda sb: self.record, stalls)

    async def start(self) -> None:
        self.bench.write("io_sbReady", 1)
        await self.bench.start()
        self.bench.write("io_allocFree", SUPERBLOCKS)

    async def read(self, addr: int, field: RegField | None = None) -> int:
        word = await self.bus.read(addr)
        return word if field is None else field.get(word)

    async def event(self, field: RegField) -> None:
        """Waits for an event bit, checks that the interrupt follows it, and clears it."""
        for _ in range(50):
            if await self.read(Fw.IRQ_STATUS, field):
                break
        else:
            raise AssertionError("the event did not show")
        await self.bus.write(Fw.IRQ_ENABLE, field.put(1))
        await self.bench.clock(3)
        assert self.bench.read("io_irq")
        await self.bus.write(Fw.IRQ_STATUS, field.put(1))
        await self.bench.clock(3)
        assert not await self.read(Fw.IRQ_STATUS, field) and not self.bench.read("io_irq")
        await self.bus.write(Fw.IRQ_ENABLE, 0)


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.5])
async def identification_and_capabilities(dut: Any, stalls: float) -> None:
    tb = TB(dut, stalls)
    await tb.start()
    assert (await tb.read(Fw.ID)).to_bytes(4, "little") == b"ORMP"
    assert await tb.read(Fw.VERSION) == Fw.VERSION_VERSION.reset
    flash = await tb.read(Fw.CAP_FLASH)
    assert Fw.CAP_FLASH_CHANNELS.get(flash) == CHANNELS
    assert Fw.CAP_FLASH_DIES_PER_CHANNEL.get(flash) == DIES_PER_CHANNEL
    assert Fw.CAP_FLASH_PAGES_PER_BLOCK.get(flash) == PAGES_PER_BLOCK
    assert await tb.read(Fw.CAP_SUPERBLOCKS) == SUPERBLOCKS
    assert await tb.read(Fw.CAP_SLOTS_PER_SB) == SLOTS_PER_SB
    assert await tb.read(Fw.CAP_LPNS) == LPNS
    queues = await tb.read(Fw.CAP_QUEUES)
    assert (Fw.CAP_QUEUES_IO_PAIRS.get(queues), Fw.CAP_QUEUES_ENTRIES.get(queues)) == (8, 256)
    segments = await tb.read(Fw.CAP_SEGMENTS)
    assert (Fw.CAP_SEGMENTS_SEGMENTS.get(segments), Fw.CAP_SEGMENTS_PER_CHAIN.get(segments)) == (512, 32)
    limits = await tb.read(Fw.CAP_LIMITS)
    assert Fw.CAP_LIMITS_SHARERS.get(limits) >= 15
    assert Fw.CAP_LIMITS_MDTS_PAGES.get(limits) == 32
    assert Fw.CAP_LIMITS_JOURNAL_RECORDS.get(limits) == 512
    assert await tb.read(Fw.CAP_PLACEMENT) == PLACEMENT_HANDLES
    assert await tb.read(Fw.CAP_DESTAGE) == DESTAGE_SLOTS
    assert await tb.read(Fw.CAP_DESTAGE_LPN) == DESTAGE_LPN == LPNS - 2 * DESTAGE_SLOTS * SUPERBLOCKS
    copy = await tb.read(Fw.CAP_COPY)
    assert (Fw.CAP_COPY_RANGES.get(copy), Fw.CAP_COPY_PAGES.get(copy)) == (128, 256)
    summary = await tb.read(Fw.CAP_SUMMARY)
    assert (Fw.CAP_SUMMARY_SLOTS.get(summary), Fw.CAP_SUMMARY_LOGS.get(summary)) == (SUMMARY_SLOTS, SLOT_LOGS)
    reserve = await tb.read(Fw.CAP_SEG_RESERVE)
    assert (Fw.CAP_SEG_RESERVE_COUNT.get(reserve), Fw.CAP_SEG_RESERVE_SEG_BYTES.get(reserve)) == (34, 512)


@cocotb.test()
async def memory_layout_does_not_overlap(dut: Any) -> None:
    tb = TB(dut)
    await tb.start()
    regions = (Fw.DRAM_L2P, Fw.DRAM_REF, Fw.DRAM_LOG, Fw.DRAM_FW, Fw.DRAM_BYTES)
    l2p, ref, log, fw, dram = [await tb.read(r) for r in regions]
    assert l2p + 4 * LPNS <= ref and ref + LPNS <= log and log + SLOT_LOGS * LOG_BYTES <= fw and fw < dram
    assert log == LOG_BASE and log % 4096 == 0
    header, commit, checkpoint, counters, blocks, journal, bitmap, pointers, segments, nvram = [
        await tb.read(r)
        for r in (
            Fw.NV_HEADER,
            Fw.NV_COMMIT,
            Fw.NV_CHECKPOINT,
            Fw.NV_COUNTERS,
            Fw.NV_BLOCKS,
            Fw.NV_JOURNAL,
            Fw.NV_BITMAP,
            Fw.NV_TRIM_POINTERS,
            Fw.NV_SEGMENTS,
            Fw.NV_BYTES,
        )
    ]
    assert header + 64 <= commit and commit + 8 <= checkpoint and checkpoint + 8 <= counters < blocks
    assert blocks + 8 * SUPERBLOCKS <= journal and journal + 16 * 512 <= bitmap
    assert bitmap + 2 * await tb.read(Fw.NV_BITMAP_BYTES) <= pointers
    assert (segments - pointers) // 8 * TRIM_REGION_WORDS * TRIM_WORD_LPNS >= LPNS
    assert segments + 512 * 512 <= nvram
    assert await tb.read(Fw.NV_BITMAP_BYTES) * 8 >= LPNS


@cocotb.test()
async def controller_state(dut: Any) -> None:
    tb = TB(dut)
    await tb.start()
    tb.bench.write("io_cc", 0xDEADBEEF)
    assert await tb.read(Fw.NVME_CC) == 0xDEADBEEF
    await tb.bus.write(Fw.NVME_CSTS, Fw.NVME_CSTS_RDY.put(1) | Fw.NVME_CSTS_SHST.put(2))
    assert [tb.bench.read(f"io_csts_{f}") for f in ("rdy", "cfs", "shst")] == [1, 0, 2]
    await tb.bus.write(Fw.NVME_CSTS, Fw.NVME_CSTS_CFS.put(1))
    assert [tb.bench.read(f"io_csts_{f}") for f in ("rdy", "cfs", "shst", "dead")] == [0, 1, 0, 0]
    await tb.bus.write(Fw.NVME_CSTS, Fw.NVME_CSTS_CFS.put(1) | Fw.NVME_CSTS_DEAD.put(1))
    assert [tb.bench.read(f"io_csts_{f}") for f in ("rdy", "cfs", "shst", "dead")] == [0, 1, 0, 1]
    await tb.bus.write(Fw.NVME_NSZE, 7777)
    assert tb.bench.read("io_nsze") == 7777 == await tb.read(Fw.NVME_NSZE)
    assert not tb.bench.read("io_nsReady")
    await tb.bus.write(Fw.NVME_STATE, Fw.NVME_STATE_NS_READY.put(1))
    assert tb.bench.read("io_nsReady") and not tb.bench.read("io_formatting")
    await tb.bus.write(Fw.NVME_STATE, Fw.NVME_STATE_FORMATTING.put(1))
    assert tb.bench.read("io_formatting") and not tb.bench.read("io_nsReady")
    assert await tb.read(Fw.NVME_STATE, Fw.NVME_STATE_FORMATTING) == 1
    await tb.bus.write(Fw.NVME_STATE, Fw.NVME_STATE_NS_READY.put(1) | Fw.NVME_STATE_WRITE_PROTECTED.put(1))
    assert tb.bench.read("io_protect") and tb.bench.read("io_nsReady") and not tb.bench.read("io_formatting")
    assert await tb.read(Fw.NVME_STATE, Fw.NVME_STATE_WRITE_PROTECTED) == 1
    for quiet in (0, 1):
        tb.bench.write("io_ioQuiet", quiet)
        assert await tb.read(Fw.NVME_STATE, Fw.NVME_STATE_IO_QUIET) == quiet


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.6])
async def nvme_regs_learns_of_a_read_of_cc(dut: Any, stalls: float) -> None:
    """The pulse comes two cycles after the one whose word the read gets (NvmeRegs.ccReadDelay)."""
    tb = TB(dut, stalls)
    cc = CycleInCc(tb.bench)
    await tb.start()
    for n in range(1, 9):
        word = await tb.read(Fw.NVME_CC)
        await tb.bench.clock(3)
        assert len(cc.pulses) == n and cc.pulses[-1] - word == 2
    await tb.read(Fw.NVME_CSTS)
    await tb.bench.clock(3)
    assert len(cc.pulses) == 8


@cocotb.test()
async def queues(dut: Any) -> None:
    tb = TB(dut)
    await tb.start()
    await tb.bus.write(
        Fw.QUEUE_ID,
        Fw.QUEUE_ID_QID.put(3) | Fw.QUEUE_ID_CQID.put(2) | Fw.QUEUE_ID_VECTOR.put(4) | Fw.QUEUE_ID_IEN.put(1),
    )
    await tb.bus.write(Fw.QUEUE_BASE_LO, 0x89ABC000)
    await tb.bus.write(Fw.QUEUE_BASE_HI, 0x01234567)
    await tb.bus.write(Fw.QUEUE_ENTRIES, 256)
    assert not tb.pulsed["sqConfig"].seen and not tb.pulsed["cqConfig"].seen
    await tb.bus.write(Fw.QUEUE_GO, Fw.QUEUE_GO_SQ.put(1) | Fw.QUEUE_GO_ENABLE.put(1))
    assert await tb.pulsed["sqConfig"].get() == {
        "qid": 3,
        "enable": 1,
        "base": 0x0123456789ABC000,
        "entries": 256,
        "cqid": 2,
    }
    await tb.bus.write(Fw.QUEUE_GO, Fw.QUEUE_GO_CQ.put(1) | Fw.QUEUE_GO_ENABLE.put(1))
    cq = await tb.pulsed["cqConfig"].get()
    assert cq == {"qid": 3, "enable": 1, "base": 0x0123456789ABC000, "entries": 256, "ien": 1, "vector": 4}
    await tb.bus.write(Fw.QUEUE_GO, Fw.QUEUE_GO_SQ.put(1))
    assert (await tb.pulsed["sqConfig"].get())["enable"] == 0
    assert not tb.pulsed["sqConfig"].seen and not tb.pulsed["cqConfig"].seen


@cocotb.test()
async def commands_inside(dut: Any) -> None:
    tb = TB(dut)
    await tb.start()
    for qid in range(5):
        tb.bench.write(f"io_inside_{qid}", 10 + qid)
    for qid, inside in ((3, 13), (0, 10), (4, 14), (77, 0)):
        await tb.bus.write(Fw.QUEUE_ID, Fw.QUEUE_ID_QID.put(qid))
        assert await tb.read(Fw.QUEUE_INSIDE) == inside
    await tb.bus.write(Fw.ADMIN_HELD, Fw.ADMIN_HELD_COUNT.put(4))
    assert tb.bench.read("io_adminHeld") == 4
    for room in (1, 0):
        tb.bench.write("io_adminRoom", room)
        assert await tb.read(Fw.ADMIN_HELD, Fw.ADMIN_HELD_ROOM) == room
        assert await tb.read(Fw.ADMIN_HELD, Fw.ADMIN_HELD_COUNT) == 4


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.5])
async def mailbox(dut: Any, stalls: float) -> None:
    tb = TB(dut, stalls)
    await tb.start()
    assert not await tb.read(Fw.MBOX_STATUS)
    sent = [(qid, tb.bench.rng.getrandbits(512)) for qid in (0, 3, 4)]
    for qid, sqe in sent:
        tb.cmd.send(qid=qid, sqe=sqe)
    await tb.bench.clock()
    for qid, sqe in sent:
        assert await tb.read(Fw.IRQ_STATUS, Fw.IRQ_STATUS_CMD_AVAIL)
        status = await tb.read(Fw.MBOX_STATUS)
        assert (Fw.MBOX_STATUS_VALID.get(status), Fw.MBOX_STATUS_QID.get(status)) == (1, qid)
        words = [await tb.read(Fw.MBOX_SQE + 4 * i) for i in range(16)]
        assert sum(word << (32 * i) for i, word in enumerate(words)) == sqe
        await tb.bus.write(Fw.MBOX_POP, 1)
        await tb.bus.write(Fw.CPL_DW0, qid + 100)
        await tb.bus.write(Fw.CPL_QUEUE, qid)
        assert await tb.read(Fw.CPL_QUEUE, Fw.CPL_QUEUE_READY)
        await tb.bus.write(Fw.CPL_POST, Fw.CPL_POST_CID.put(qid * 1000) | Fw.CPL_POST_STATUS.put(0x4002))
        cpl = await tb.started["cpl"].get()
        assert cpl == {"qid": qid, "cid": qid * 1000, "status": 0x4002, "dw0": qid + 100}
    assert not await tb.read(Fw.MBOX_STATUS, Fw.MBOX_STATUS_VALID)
    assert not await tb.read(Fw.IRQ_STATUS, Fw.IRQ_STATUS_CMD_AVAIL)


@cocotb.test()
async def completion_waits_its_turn(dut: Any) -> None:
    tb = TB(dut)
    await tb.start()
    tb.started["cpl"].hold = True
    await tb.bus.write(Fw.CPL_POST, Fw.CPL_POST_CID.put(1))
    assert not await tb.read(Fw.CPL_QUEUE, Fw.CPL_QUEUE_READY)
    tb.started["cpl"].hold = False
    assert (await tb.started["cpl"].get())["cid"] == 1
    assert await tb.read(Fw.CPL_QUEUE, Fw.CPL_QUEUE_READY)


@cocotb.test()
async def dma(dut: Any) -> None:
    tb = TB(dut)
    await tb.start()
    for register, value in (
        (Fw.DMA_PRP1_LO, 0x11),
        (Fw.DMA_PRP1_HI, 0x22),
        (Fw.DMA_PRP2_LO, 0x33),
        (Fw.DMA_PRP2_HI, 0x44),
    ):
        await tb.bus.write(register, value)
    await tb.bus.write(Fw.DMA_DRAM, 0x1000)
    await tb.bus.write(Fw.DMA_GO, Fw.DMA_GO_BYTES.put(131072) | Fw.DMA_GO_TO_HOST.put(1))
    assert await tb.started["dma"].get() == {
        "toHost": 1, "buffer": 0, "buf": FW_BUF, "dram": 0x1000,
        "prp_prp1": 0x22_0000_0011, "prp_prp2": 0x44_0000_0033, "prp_bytes": 131072,
    }  # fmt: skip
    assert await tb.read(Fw.DMA_STATUS, Fw.DMA_STATUS_BUSY)
    tb.happen["dmaDone"].send(bits=Status.INVALID_PRP_OFFSET)
    await tb.event(Fw.IRQ_STATUS_DMA_DONE)
    status = await tb.read(Fw.DMA_STATUS)
    assert (Fw.DMA_STATUS_BUSY.get(status), Fw.DMA_STATUS_STATUS.get(status)) == (0, Status.INVALID_PRP_OFFSET)
    await tb.bus.write(Fw.DMA_GO, Fw.DMA_GO_BYTES.put(20) | Fw.DMA_GO_TO_HOST.put(1))
    assert (await tb.started["dma"].get())["prp_bytes"] == 20
    tb.happen["dmaDone"].send(bits=0)
    await tb.event(Fw.IRQ_STATUS_DMA_DONE)
    await tb.bus.write(Fw.NAND_BUFFER, FW_BUFFERS - 1)
    assert await tb.read(Fw.NAND_BUFFER) == FW_BUFFERS - 1
    await tb.bus.write(Fw.DMA_GO, Fw.DMA_GO_BYTES.put(SLOT_BYTES) | Fw.DMA_GO_BUFFER.put(1))
    started = await tb.started["dma"].get()
    assert (started["toHost"], started["buffer"], started["buf"]) == (0, 1, FW_BUF + FW_BUFFERS - 1)


@cocotb.test()
async def remap(dut: Any) -> None:
    tb = TB(dut)
    await tb.start()
    await tb.bus.write(Fw.REMAP_LIST, 0x4000)
    await tb.bus.write(Fw.REMAP_GO, Fw.REMAP_GO_RANGES.put(128) | Fw.REMAP_GO_MOVE.put(1))
    assert await tb.started["remap"].get() == {"list": 0x4000, "ranges": 128, "move": 1, "copy": 0}
    assert await tb.read(Fw.REMAP_STATUS, Fw.REMAP_STATUS_BUSY)
    tb.happen["remapOutcome"].send(result=2, range=77, pages=0)
    await tb.event(Fw.IRQ_STATUS_REMAP_DONE)
    status = await tb.read(Fw.REMAP_STATUS)
    assert (
        Fw.REMAP_STATUS_BUSY.get(status),
        Fw.REMAP_STATUS_RESULT.get(status),
        Fw.REMAP_STATUS_RANGE.get(status),
    ) == (0, 2, 77)
    await tb.bus.write(Fw.REMAP_GO, Fw.REMAP_GO_RANGES.put(1) | Fw.REMAP_GO_COPY.put(1))
    assert await tb.started["remap"].get() == {"list": 0x4000, "ranges": 1, "move": 0, "copy": 1}
    tb.happen["remapOutcome"].send(result=0, range=0, pages=123456)
    await tb.event(Fw.IRQ_STATUS_REMAP_DONE)
    assert await tb.read(Fw.REMAP_PAGES) == 123456


@cocotb.test()
async def copies_that_leave_few_segments(dut: Any) -> None:
    """An event each time a Copy ends, not a level: firmware may have nothing to do about it."""
    tb = TB(dut)
    await tb.start()
    await tb.bus.write(Fw.SEG_LOW, 100)
    for free, low in ((100, False), (99, True), (300, False), (0, True)):
        tb.bench.write("io_freeSegments", free)
        tb.happen["remapped"].send()
        await tb.happen["remapped"].sent()
        if low:
            await tb.event(Fw.IRQ_STATUS_SEG_LOW)
        assert not await tb.read(Fw.IRQ_STATUS, Fw.IRQ_STATUS_SEG_LOW)


@cocotb.test()
async def garbage_collection(dut: Any) -> None:
    tb = TB(dut)
    await tb.start()
    await tb.bus.write(Fw.IRQ_STATUS, Fw.IRQ_STATUS_GC_DONE.put(1))
    await tb.bus.write(Fw.GC_GO, 33)
    assert await tb.started["gc"].get() == {"sb": 33, "chain": 0, "destage": 0, "retire": 0}
    assert not await tb.read(Fw.GC_STATUS, Fw.GC_STATUS_VALID)
    tb.happen["gcOutcome"].send(sb=33, ok=1, moved=100, shared=20)
    await tb.event(Fw.IRQ_STATUS_GC_DONE)
    status = await tb.read(Fw.GC_STATUS)
    assert (Fw.GC_STATUS_VALID.get(status), Fw.GC_STATUS_OK.get(status), Fw.GC_STATUS_MOVED.get(status)) == (1, 1, 100)
    assert Fw.GC_DETAIL_SHARED.get(await tb.read(Fw.GC_DETAIL)) == 20
    await tb.bus.write(Fw.GC_POP, 1)
    for full, refused in ((1, 0), (0, 1)):
        await tb.bus.write(Fw.GC_GO, 33)
        await tb.started["gc"].get()
        tb.happen["gcOutcome"].send(ok=0, full=full, refused=refused, moved=3, shared=1)
        await tb.event(Fw.IRQ_STATUS_GC_DONE)
        status = await tb.read(Fw.GC_STATUS)
        assert (Fw.GC_STATUS_OK.get(status), Fw.GC_STATUS_MOVED.get(status)) == (0, 3)
        assert (Fw.GC_STATUS_FULL.get(status), Fw.GC_STATUS_REFUSED.get(status)) == (full, refused)
        await tb.bus.write(Fw.GC_POP, 1)
    await tb.bus.write(Fw.GC_GO, Fw.GC_GO_SB.put(34) | Fw.GC_GO_CHAIN.put(1))
    assert await tb.started["gc"].get() == {"sb": 34, "chain": 1, "destage": 0, "retire": 0}
    tb.happen["gcOutcome"].send(sb=34, chain=1, ok=1, segments=6)
    await tb.event(Fw.IRQ_STATUS_GC_DONE)
    assert Fw.GC_DETAIL_SEGMENTS.get(await tb.read(Fw.GC_DETAIL)) == 6
    assert Fw.GC_QUEUE_CHAIN.get(await tb.read(Fw.GC_QUEUE)) == 1
    await tb.bus.write(Fw.GC_POP, 1)
    assert not await tb.read(Fw.GC_STATUS, Fw.GC_STATUS_VALID)
    await tb.bus.write(Fw.GC_GO, Fw.GC_GO_SB.put(35) | Fw.GC_GO_CHAIN.put(1) | Fw.GC_GO_DESTAGE.put(1))
    assert await tb.started["gc"].get() == {"sb": 35, "chain": 1, "destage": 1, "retire": 0}
    tb.happen["gcOutcome"].send(sb=35, chain=1, ok=1, segments=4)
    await tb.event(Fw.IRQ_STATUS_GC_DONE)
    await tb.bus.write(Fw.GC_POP, 1)
    await tb.bus.write(Fw.GC_GO, Fw.GC_GO_SB.put(36) | Fw.GC_GO_RETIRE.put(1))
    assert await tb.started["gc"].get() == {"sb": 36, "chain": 0, "destage": 0, "retire": 1}
    tb.happen["gcOutcome"].send(sb=36, ok=1)
    await tb.event(Fw.IRQ_STATUS_GC_DONE)
    await tb.bus.write(Fw.GC_POP, 1)
    for mark, field in (("failed", Fw.SB_STATE_FAILED), ("weak", Fw.SB_STATE_WEAK)):
        for value in (1, 0):
            tb.record[f"marks_{mark}"] = value
            assert await tb.read(Fw.SB_STATE, field) == value
    await tb.bus.write(Fw.SB_SELECT, 7)
    assert tb.bench.read("io_sbChain_sb") == 7
    tb.bench.write("io_sbChain_segments", 19)
    tb.record["epoch"] = 300
    assert await tb.read(Fw.SB_CHAIN) == Fw.SB_CHAIN_SEGMENTS.put(19) | Fw.SB_CHAIN_EPOCH.put(300)
    for name, value in (("set", 2), ("slots", 3), ("segments", 25)):
        tb.bench.write(f"io_sbChain_destaged_{name}", value)
    word = Fw.SB_DESTAGED_SET.put(2) | Fw.SB_DESTAGED_SLOTS.put(3) | Fw.SB_DESTAGED_SEGMENTS.put(25)
    assert await tb.read(Fw.SB_DESTAGED) == word
    await tb.bus.write(Fw.SB_DESTAGED, word)
    part = {"sb": 7, "part_set": 2, "part_slots": 3, "part_segments": 25}
    assert await tb.pulsed["remapLoad_part"].get() == part


@cocotb.test()
async def a_second_collection_is_started_when_there_is_room(dut: Any) -> None:
    """The engine accepts it beside the erase of the first one. Outcomes wait until firmware drops them."""
    tb = TB(dut)
    await tb.start()
    await tb.bus.write(Fw.IRQ_STATUS, Fw.IRQ_STATUS_GC_DONE.put(1))
    gc = tb.started["gc"]

    async def shown() -> tuple[int, int, int]:
        queue = await tb.read(Fw.GC_QUEUE)
        valid = await tb.read(Fw.GC_STATUS, Fw.GC_STATUS_VALID)
        return Fw.GC_QUEUE_ROOM.get(queue), valid, Fw.GC_QUEUE_SB.get(queue) if valid else 0

    assert await shown() == (1, 0, 0)
    await tb.bus.write(Fw.GC_GO, 33)
    await gc.get()
    gc.hold = True  # it moves
    await tb.bench.clock(3)
    await tb.bus.write(Fw.IRQ_STATUS, Fw.IRQ_STATUS_GC_DONE.put(1))
    assert await shown() == (0, 0, 0)
    gc.hold = False
    await tb.event(Fw.IRQ_STATUS_GC_DONE)
    assert await shown() == (1, 0, 0)
    await tb.bus.write(Fw.GC_GO, 40)
    await gc.get()
    assert await shown() == (0, 0, 0), "two outcomes are due"
    for sb in (33, 40):
        tb.happen["gcOutcome"].send(sb=sb, ok=1)
        await tb.event(Fw.IRQ_STATUS_GC_DONE)
        assert await shown() == (0, 1, 33)
    await tb.bus.write(Fw.GC_POP, 1)
    assert await shown() == (1, 1, 40)
    await tb.bus.write(Fw.GC_POP, 1)
    assert await shown() == (1, 0, 0)


@cocotb.test()
async def plain_events(dut: Any) -> None:
    tb = TB(dut)
    await tb.start()
    for name, field in (
        ("ccChanged", Fw.IRQ_STATUS_CC_CHANGED),
        ("badDoorbell_value", Fw.IRQ_STATUS_BAD_DOORBELL),
        ("badDoorbell_absent", Fw.IRQ_STATUS_ABSENT_DOORBELL),
        ("hostError", Fw.IRQ_STATUS_HOST_ERROR),
        ("programFailed", Fw.IRQ_STATUS_PROGRAM_FAILED),
        ("weakRead", Fw.IRQ_STATUS_WEAK_READ),
    ):
        tb.happen[name].send()
        await tb.event(field)
    # Clearing one event leaves the others.
    tb.happen["ccChanged"].send()
    tb.happen["hostError"].send()
    await tb.bench.clock(3)
    await tb.bus.write(Fw.IRQ_STATUS, Fw.IRQ_STATUS_CC_CHANGED.put(1))
    status = await tb.read(Fw.IRQ_STATUS)
    assert (Fw.IRQ_STATUS_CC_CHANGED.get(status), Fw.IRQ_STATUS_HOST_ERROR.get(status)) == (0, 1)


@cocotb.test()
async def a_slot_log_that_is_due(dut: Any) -> None:
    """The interrupt is a level, with the log behind it; the log is released by its number.

    Without one nothing shows.
    """
    tb = TB(dut)
    await tb.start()
    fields = (Fw.LOG_STATUS_SB, Fw.LOG_STATUS_LOG, Fw.LOG_STATUS_STREAM, Fw.LOG_STATUS_VALID)
    stream = STREAM_HOST + STREAM_HANDLE * 3
    for valid in (1, 0, 1):
        for name, value in (("valid", valid), ("bits_sb", 61), ("bits_log", SLOT_LOGS - 1), ("bits_stream", stream)):
            tb.bench.write(f"io_logDue_{name}", value)
        shown = await tb.read(Fw.LOG_STATUS)
        assert [field.get(shown) for field in fields] == ([61, SLOT_LOGS - 1, stream, 1] if valid else [0] * 4)
        assert await tb.read(Fw.IRQ_STATUS, Fw.IRQ_STATUS_LOG_DUE) == valid
    await tb.bus.write(Fw.IRQ_ENABLE, Fw.IRQ_STATUS_LOG_DUE.put(1))
    await tb.bench.clock(3)
    assert tb.bench.read("io_irq")
    await tb.bus.write(Fw.IRQ_STATUS, Fw.IRQ_STATUS_LOG_DUE.put(1))
    assert await tb.read(Fw.IRQ_STATUS, Fw.IRQ_STATUS_LOG_DUE), "only its release clears it"
    for log in (SLOT_LOGS - 1, 0):
        await tb.bus.write(Fw.LOG_RELEASE, Fw.LOG_RELEASE_LOG.put(log))
        assert await tb.pulsed["logRelease"].get() == {"bits": log}


@cocotb.test()
async def an_error_of_a_memory(dut: Any) -> None:
    """It is shown, and CSTS.CFS with it, whatever firmware writes."""
    tb = TB(dut)
    await tb.start()
    shown = {"user": MemoryUser.JOURNAL, "nvram": 1, "write": 1, "resp": 3, "addr": 0x12340}
    for name, value in shown.items():
        tb.bench.write(f"io_memoryError_bits_{name}", value)
    assert (await tb.read(Fw.MEMORY_ERROR), await tb.read(Fw.MEMORY_ERROR_AT)) == (0, 0)
    assert not await tb.read(Fw.IRQ_STATUS, Fw.IRQ_STATUS_MEMORY_ERROR) and not tb.bench.read("io_csts_dead")
    await tb.bus.write(Fw.IRQ_ENABLE, Fw.IRQ_STATUS_MEMORY_ERROR.put(1))
    tb.bench.write("io_memoryError_valid", 1)
    await tb.bench.clock(4)
    assert tb.bench.read("io_irq") and tb.bench.read("io_csts_dead")
    fields = (Fw.MEMORY_ERROR_USER, Fw.MEMORY_ERROR_NVRAM, Fw.MEMORY_ERROR_WRITE, Fw.MEMORY_ERROR_RESPONSE)
    word = await tb.read(Fw.MEMORY_ERROR)
    assert [field.get(word) for field in fields] == [MemoryUser.JOURNAL, 1, 1, 3] and Fw.MEMORY_ERROR_VALID.get(word)
    assert await tb.read(Fw.MEMORY_ERROR_AT) == 0x12340
    await tb.bus.write(Fw.IRQ_STATUS, Fw.IRQ_STATUS_MEMORY_ERROR.put(1))
    await tb.bus.write(Fw.NVME_CSTS, Fw.NVME_CSTS_RDY.put(1))
    assert await tb.read(Fw.IRQ_STATUS, Fw.IRQ_STATUS_MEMORY_ERROR), "nothing clears it"
    assert tb.bench.read("io_csts_rdy") and tb.bench.read("io_csts_dead")
    assert await tb.read(Fw.NVME_CSTS) == Fw.NVME_CSTS_RDY.put(1), "what firmware wrote"


@cocotb.test()
async def levels(dut: Any) -> None:
    tb = TB(dut)
    await tb.start()
    await tb.bus.write(Fw.FREE_LOW, 5)
    for free, low in ((6, 0), (5, 0), (4, 1), (SUPERBLOCKS, 0)):
        tb.bench.write("io_allocFree", free)
        assert await tb.read(Fw.IRQ_STATUS, Fw.IRQ_STATUS_FREE_LOW) == low
        assert await tb.read(Fw.ALLOC_COUNT) == free
    assert await tb.read(Fw.JOURNAL_HIGH) == 0xFFFF
    tb.bench.write("io_journalUsed", 512)
    assert not await tb.read(Fw.IRQ_STATUS, Fw.IRQ_STATUS_JOURNAL_HIGH), "off after reset"
    await tb.bus.write(Fw.JOURNAL_HIGH, 100)
    for used, high in ((100, 0), (101, 1)):
        tb.bench.write("io_journalUsed", used)
        assert await tb.read(Fw.IRQ_STATUS, Fw.IRQ_STATUS_JOURNAL_HIGH) == high
    tb.bench.write("io_journalHead", 511)
    state = await tb.read(Fw.JOURNAL_STATE)
    assert (Fw.JOURNAL_STATE_HEAD.get(state), Fw.JOURNAL_STATE_USED.get(state)) == (511, 101)
    tb.bench.write("io_freeSegments", 512)
    assert await tb.read(Fw.SEG_COUNT) == 512
    assert await tb.read(Fw.SEG_LEAST) == 0xFFFF, "nobody watches yet"
    await tb.bus.write(Fw.SEG_LEAST, 0)
    for free, least in ((512, 512), (100, 100), (300, 100), (99, 99), (512, 99)):
        tb.bench.write("io_freeSegments", free)
        assert await tb.read(Fw.SEG_LEAST) == least
    await tb.bus.write(Fw.SEG_LEAST, 0)
    assert await tb.read(Fw.SEG_LEAST) == 512, "begun anew"


@cocotb.test()
async def fence(dut: Any) -> None:
    tb = TB(dut)
    await tb.start()
    assert not tb.bench.read("io_fence_req")
    await tb.bus.write(Fw.FENCE, 1)
    assert tb.bench.read("io_fence_req") and await tb.read(Fw.FENCE, Fw.FENCE_BUSY)
    tb.bench.write("io_fence_done", 1)
    await tb.bench.clock()
    tb.bench.write("io_fence_done", 0)
    await tb.bench.clock()
    assert not tb.bench.read("io_fence_req")
    await tb.event(Fw.IRQ_STATUS_FENCE_DONE)
    assert not await tb.read(Fw.FENCE, Fw.FENCE_BUSY)


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.5])
async def single_nand_operations(dut: Any, stalls: float) -> None:
    """One per die may be under way. Their results wait in order until firmware drops them."""
    tb = TB(dut, stalls)
    await tb.start()
    slots = [tb.bench.rng.randrange(LPNS) for _ in range(DIES)]
    for i, slot in enumerate(slots):
        assert await tb.read(Fw.NAND_STATUS, Fw.NAND_STATUS_READY)
        await tb.bus.write(Fw.NAND_GO, Fw.NAND_GO_SLOT.put(slot) | Fw.NAND_GO_OP.put(1 if i % 2 else 3))
        request = await tb.started["nand"].get()
        assert (request["slot"], request["op"], request["client"]) == (slot, 1 if i % 2 else 3, 3)
    assert not await tb.read(Fw.NAND_STATUS, Fw.NAND_STATUS_READY), "one for each die"
    assert not await tb.read(Fw.IRQ_STATUS, Fw.IRQ_STATUS_NAND_DONE)
    spares = [tb.bench.rng.getrandbits(256) for _ in slots]
    for i, (slot, spare) in enumerate(zip(slots, spares, strict=True)):
        tb.nand_done.send(op=1 if i % 2 else 3, client=3, slot=slot, status=i, oob=spare)
    await tb.nand_done.drained()
    for i, (slot, spare) in enumerate(zip(slots, spares, strict=True)):
        assert await tb.read(Fw.IRQ_STATUS, Fw.IRQ_STATUS_NAND_DONE)
        status = await tb.read(Fw.NAND_STATUS)
        assert (
            Fw.NAND_STATUS_VALID.get(status),
            Fw.NAND_STATUS_SLOT.get(status),
            Fw.NAND_STATUS_STATUS.get(status),
        ) == (1, slot, i)
        words = [await tb.read(Fw.NAND_OOB + 4 * w) for w in range(8)]
        assert sum(word << (32 * w) for w, word in enumerate(words)) == spare
        await tb.bus.write(Fw.NAND_POP, 1)
    assert not await tb.read(Fw.NAND_STATUS, Fw.NAND_STATUS_VALID)
    assert await tb.read(Fw.NAND_STATUS, Fw.NAND_STATUS_READY)


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.5])
async def a_slot_is_read_word_by_word(dut: Any, stalls: float) -> None:
    tb = TB(dut, stalls)
    buffers = Buffers()
    BufferReadPeer(tb.bench, "io_bufRead", buffers, stalls=stalls, gaps=stalls)
    await tb.start()
    assert not await tb.read(Fw.NAND_AT, Fw.NAND_AT_READY)
    await tb.bus.write(Fw.NAND_GO, Fw.NAND_GO_SLOT.put(77) | Fw.NAND_GO_OP.put(FwNandOp.READ))
    request = await tb.started["nand"].get()
    assert (request["slot"], request["op"], request["buf"]) == (77, FwNandOp.READ, FW_BUF)
    buffers.pages[FW_BUF][:] = tb.bench.rng.randbytes(SLOT_BYTES)
    tb.nand_done.send(op=FwNandOp.READ, client=3, slot=77, buf=FW_BUF, status=0, oob=5)
    await tb.nand_done.drained()
    assert Fw.NAND_STATUS_SLOT.get(await tb.read(Fw.NAND_STATUS)) == 77
    await tb.bus.write(Fw.NAND_POP, 1)
    for at in (0, 255, 100):
        await tb.bus.write(Fw.NAND_AT, at)
        for _ in range(20):
            if await tb.read(Fw.NAND_AT, Fw.NAND_AT_READY):
                break
        words = [await tb.read(Fw.NAND_DATA + 4 * w) for w in range(4)]
        assert b"".join(w.to_bytes(4, "little") for w in words) == buffers.pages[FW_BUF][16 * at : 16 * at + 16]


@cocotb.test()
async def programs_and_reads_name_their_buffer(dut: Any) -> None:
    tb = TB(dut)
    await tb.start()
    assert await tb.read(Fw.CAP_BUFFERS) == FW_BUFFERS
    for buf, op in ((FW_BUFFERS - 1, FwNandOp.PROGRAM), (1, FwNandOp.READ)):
        await tb.bus.write(Fw.NAND_BUFFER, buf)
        await tb.bus.write(Fw.NAND_GO, Fw.NAND_GO_SLOT.put(buf) | Fw.NAND_GO_OP.put(op))
        request = await tb.started["nand"].get()
        assert (request["slot"], request["op"], request["buf"], request["oob"]) == (buf, op, FW_BUF + buf, 0)


@cocotb.test()
async def start_up_writes(dut: Any) -> None:
    """Each start-up write becomes one pulse or one transaction with the fields of the register map."""
    tb = TB(dut, 0.3)
    await tb.start()
    await tb.bus.write(Fw.SB_SELECT, 9)
    await tb.bus.write(Fw.SB_GEN, 0x89ABCDEF)
    await tb.bus.write(Fw.SB_CHAIN, Fw.SB_CHAIN_EPOCH.put(0x1234))
    await tb.bus.write(Fw.SB_STATE, Fw.SB_STATE_VALID.put(128) | Fw.SB_STATE_STATE.put(2))
    assert await tb.pulsed["sbWrite"].get() == {"sb": 9, "gen": 0x89ABCDEF, "epoch": 0x1234, "valid": 128, "state": 2}
    tb.record |= {"gen": 42, "valid": 100, "state": 3}
    tb.table.asked.clear()
    assert await tb.read(Fw.SB_GEN) == 42
    assert tb.table.asked == [9]
    state = await tb.read(Fw.SB_STATE)
    assert (Fw.SB_STATE_VALID.get(state), Fw.SB_STATE_STATE.get(state)) == (100, 3)

    for sb in (1, 63, 5):
        await tb.bus.write(Fw.ALLOC_FREE, sb)
        assert await tb.started["allocFreed"].get() == {"bits": sb}
    tb.bench.add(forgets := Forgets(tb.bench))
    await tb.bus.write(Fw.ALLOC_FREE, Fw.ALLOC_FREE_CLEAR.put(1))
    await tb.bench.clock(5)
    assert forgets.cycles == 1 and not tb.started["allocFreed"].taken
    await tb.bus.write(
        Fw.ALLOC_RESTORE,
        Fw.ALLOC_RESTORE_SB.put(7) | Fw.ALLOC_RESTORE_NEXT.put(99) | Fw.ALLOC_RESTORE_STREAM.put(STREAM_GC),
    )
    assert await tb.pulsed["allocRestore"].get() == {"stream_gc": 1, "stream_handle": 0, "sb": 7, "next": 99}
    third = STREAM_HOST + STREAM_HANDLE * 3
    await tb.bus.write(Fw.ALLOC_RESTORE, Fw.ALLOC_RESTORE_SB.put(8) | Fw.ALLOC_RESTORE_STREAM.put(third))
    assert await tb.pulsed["allocRestore"].get() == {"stream_gc": 0, "stream_handle": 3, "sb": 8, "next": 0}
    await tb.bus.write(Fw.ALLOC_CLOSE, Fw.ALLOC_CLOSE_HANDLE.put(2))
    assert await tb.pulsed["allocClose"].get() == {"bits": 2}
    assert tb.bench.read("io_handles") == 1, "reset value"
    await tb.bus.write(Fw.ALLOC_HANDLES, 4)
    assert tb.bench.read("io_handles") == 4 == await tb.read(Fw.ALLOC_HANDLES)
    await tb.bus.write(Fw.ALLOC_STREAM, third)
    assert await tb.read(Fw.ALLOC_STREAM) == third
    assert (tb.bench.read("io_allocLook_stream_gc"), tb.bench.read("io_allocLook_stream_handle")) == (0, 3)
    for name, value in (("open", 1), ("full", 0), ("sb", 9), ("next", 101)):
        tb.bench.write(f"io_allocLook_{name}", value)
    shown = await tb.read(Fw.ALLOC_OPEN)
    fields = (Fw.ALLOC_OPEN_OPEN, Fw.ALLOC_OPEN_FULL, Fw.ALLOC_OPEN_SB, Fw.ALLOC_OPEN_NEXT)
    assert [field.get(shown) for field in fields] == [1, 0, 9, 101]
    assert tb.bench.read("io_allocReserve") == 2, "reset value"
    await tb.bus.write(Fw.ALLOC_RESERVE, 4)
    assert tb.bench.read("io_allocReserve") == 4 == await tb.read(Fw.ALLOC_RESERVE)

    await tb.bus.write(Fw.SEQ_LO, 0x12345678)
    assert not tb.pulsed["seqLoad"].seen
    await tb.bus.write(Fw.SEQ_HI, 0x9ABC)
    assert await tb.pulsed["seqLoad"].get() == {"bits": 0x9ABC12345678}
    await tb.bus.write(Fw.JOURNAL_TAIL, 300)
    assert await tb.pulsed["journalTail"].get() == {"bits": 300}
    await tb.bus.write(Fw.JOURNAL_LOAD, 301)
    assert await tb.pulsed["journalLoad"].get() == {"bits": 301}

    await tb.bus.write(Fw.CHAIN_SB, Fw.CHAIN_SB_SB.put(11) | Fw.CHAIN_SB_COUNT.put(3))
    await tb.bus.write(Fw.CHAIN_GO, Fw.CHAIN_GO_TAIL.put(500) | Fw.CHAIN_GO_FILL.put(31))
    assert await tb.pulsed["remapLoad_chain"].get() == {"sb": 11, "tail": 500, "fill": 31, "count": 3}
    await tb.bus.write(Fw.CHAIN_LINK, Fw.CHAIN_LINK_SEG.put(500) | Fw.CHAIN_LINK_PREV.put(17))
    assert await tb.pulsed["remapLoad_link"].get() == {"seg": 500, "prev": 17}
    for seg in (0, 511):
        await tb.bus.write(Fw.SEG_FREE, seg)
        assert await tb.started["remapLoad_free"].get() == {"bits": seg}
    assert not any(watch.seen for watch in tb.pulsed.values())


@cocotb.test()
async def wide_values_read_whole(dut: Any) -> None:
    """Reading the low half latches the high half, so that a carry in between has no effect."""
    tb = TB(dut)
    await tb.start()
    tb.bench.write("io_seqValue", 0x0001_FFFF_FFFF)
    assert await tb.read(Fw.SEQ_LO) == 0xFFFFFFFF
    tb.bench.write("io_seqValue", 0x0002_0000_0000)
    assert await tb.read(Fw.SEQ_HI) == 1
    tb.bench.write("io_remapSettled", 0x0005_FFFF_FFFF)
    assert await tb.read(Fw.REMAP_SEQ_LO) == 0xFFFFFFFF
    tb.bench.write("io_remapSettled", 0x0006_0000_0000)
    assert await tb.read(Fw.REMAP_SEQ_HI) == 5
    await tb.bus.write(Fw.COUNTER_SELECT, Fw.COUNTER_SELECT_INDEX.put(24))
    assert tb.bench.read("io_counterIndex") == 24
    tb.bench.write("io_counterValue", 0x0007_FFFF_FFFF)
    assert await tb.read(Fw.COUNTER_LO) == 0xFFFFFFFF
    tb.bench.write("io_counterValue", 0x0008_0000_0000)
    assert await tb.read(Fw.COUNTER_HI) == 7
    assert not tb.pulsed["counterClear"].seen
    await tb.bus.write(Fw.COUNTER_SELECT, Fw.COUNTER_SELECT_CLEAR.put(1))
    await tb.pulsed["counterClear"].get()


@cocotb.test()
async def what_is_kept_reads_back(dut: Any) -> None:
    """Plain registers read back all ones in their fields, and zeroes beside them."""
    tb = TB(dut)
    await tb.start()
    kept = {
        name: address
        for name, address in vars(Fw).items()
        if isinstance(address, int)
        and name.startswith(("QUEUE_ID", "QUEUE_BASE", "CPL_DW0", "DMA_PRP", "IRQ_ENABLE", "NVME_CSTS", "NVME_NSZE"))
    }
    kept |= {"INT_COALESCING": Fw.INT_COALESCING, "ALLOC_RESERVE": Fw.ALLOC_RESERVE, "ALLOC_HANDLES": Fw.ALLOC_HANDLES}
    kept |= {"DMA_DRAM": Fw.DMA_DRAM, "REMAP_LIST": Fw.REMAP_LIST, "SB_SELECT": Fw.SB_SELECT, "SEG_LOW": Fw.SEG_LOW}
    rng = tb.bench.rng
    for _ in range(3):
        wanted = {}
        for name, address in kept.items():
            fields = [f for key, f in vars(Fw).items() if isinstance(f, RegField) and key.startswith(name + "_")]
            value = sum(f.put(rng.getrandbits(f.width)) for f in fields)
            if address == Fw.ALLOC_HANDLES:
                value = rng.randint(1, PLACEMENT_HANDLES)
            await tb.bus.write(address, value)
            wanted[name] = value
        read = {name: await tb.read(address) for name, address in kept.items()}
        narrow = {"SB_SELECT": SUPERBLOCKS - 1, "ALLOC_RESERVE": 2 * SUPERBLOCKS - 1}
        for name, value in read.items():
            assert value & narrow.get(name, -1) == wanted[name] & narrow.get(name, -1), name


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.5])
async def unknown_offsets_and_partial_writes_do_nothing(dut: Any, stalls: float) -> None:
    tb = TB(dut, stalls)
    await tb.start()
    for addr in (0x0F8, 0x0FC, 0x214, 0x3FC, 0x50C, 0xFFFC):
        await tb.bus.write(addr, 0xFFFFFFFF)
        assert await tb.read(addr) == 0
    await tb.bus.write(Fw.ID, 0)
    assert (await tb.read(Fw.ID)).to_bytes(4, "little") == b"ORMP"
    await tb.bus.write(Fw.GC_GO, 1, strb=0x1)
    await tb.bus.write(Fw.NVME_NSZE, 0xFFFFFFFF, strb=0x7)
    await tb.bench.clock(5)
    assert await tb.read(Fw.NVME_NSZE) == 0
    assert not any(sink.count for sink in tb.started.values())
    assert not any(watch.seen for watch in tb.pulsed.values())
    await tb.bench.clock(5)
    assert tb.bench.read("io_quiet")


def test_fw_regs(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("FwRegs")
