# SPDX-License-Identifier: Apache-2.0
"""Tests of NvmeRegs: BAR0 as a driver reads and writes it, the enabling handshake with firmware, doorbells, function
reset.
"""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.axi import AxiLiteMaster
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.geometry import MAX_QUEUE_ENTRIES
from sim.cocotb.support.orm_regs import Bar0
from sim.cocotb.support.stream import Pulse, Watch

ENABLE = Bar0.CC_EN.put(1) | Bar0.CC_IOSQES.put(6) | Bar0.CC_IOCQES.put(4)


class TB:
    """
    AxiLiteMaster (host)  ->  NvmeRegs  -> Watch doorbell, adminSq, adminCq, ccChanged
    csts (firmware), Pulse ccRead (firmware), Pulse functionReset ->
    """

    def __init__(self, dut: Any, stalls: float = 0.0) -> None:
        self.bench = Bench(dut)
        self.bar = AxiLiteMaster(self.bench, "io_bar", stalls, stalls)
        self.doorbell = Watch(self.bench, "io_doorbell")
        self.sq = Watch(self.bench, "io_adminSq")
        self.cq = Watch(self.bench, "io_adminCq")
        self.changed = Watch(self.bench, "io_ccChanged")
        self.reset = Pulse(self.bench, "io_functionReset")
        self.cc_read = Pulse(self.bench, "io_ccRead")

    async def reads_cc(self) -> None:
        """Firmware reads NVME_CC: the word is as old as the pulse's way to here."""
        await self.bench.clock(3)
        self.cc_read.send()
        await self.cc_read.sent()

    def status(self, rdy: int = 0, cfs: int = 0, shst: int = 0, dead: int = 0) -> None:
        """Firmware's side of CSTS."""
        self.bench.write("io_csts_dead", dead)
        self.bench.write("io_csts_rdy", rdy)
        self.bench.write("io_csts_cfs", cfs)
        self.bench.write("io_csts_shst", shst)

    async def admin(self, asq: int, acq: int, asqs: int, acqs: int) -> None:
        await self.bar.write(Bar0.AQA, Bar0.AQA_ASQS.put(asqs) | Bar0.AQA_ACQS.put(acqs))
        for register, value in ((Bar0.ASQ_LO, asq), (Bar0.ACQ_LO, acq)):
            await self.bar.write(register, value & 0xFFFFFFFF)
            await self.bar.write(register + 4, value >> 32)

    async def enable(self) -> None:
        await self.admin(0x12_3456_7000, 0x9A_BCDE_F000, 31, 63)
        await self.bar.write(Bar0.CC, ENABLE)
        await self.gets_ready()

    async def gets_ready(self) -> None:
        """Firmware answers an enabling; before then there are no queues."""
        await self.bench.clock(5)
        assert self.bench.read("io_enable") and not self.sq.seen and not self.cq.seen
        self.status(rdy=1)
        sq, cq = await self.sq.get(), await self.cq.get()
        assert (sq["enable"], cq["enable"]) == (1, 1)

    async def is_not_enabled(self) -> None:
        await self.bench.clock(20)
        assert not self.bench.read("io_enable") and Bar0.CC_EN.get(self.bench.read("io_cc")) == 0
        assert not self.sq.seen and not self.cq.seen

    async def csts(self) -> tuple[int, int, int]:
        word = await self.bar.read(Bar0.CSTS)
        return Bar0.CSTS_RDY.get(word), Bar0.CSTS_CFS.get(word), Bar0.CSTS_SHST.get(word)


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.6])
async def capabilities(dut: Any, stalls: float) -> None:
    tb = TB(dut, stalls)
    await tb.bench.start()
    low, high = await tb.bar.read(Bar0.CAP_LO), await tb.bar.read(Bar0.CAP_HI)
    assert Bar0.CAP_LO_MQES.get(low) == MAX_QUEUE_ENTRIES - 1
    assert Bar0.CAP_LO_CQR.get(low) == 1
    assert Bar0.CAP_LO_TO.get(low) > 0
    assert Bar0.CAP_HI_DSTRD.get(high) == 0 and Bar0.CAP_HI_CSS.get(high) == 1
    assert Bar0.CAP_HI_MPSMIN.get(high) == 0 and Bar0.CAP_HI_MPSMAX.get(high) == 0
    assert await tb.bar.read(Bar0.VS) == 0x00010400
    assert await tb.bar.read(Bar0.CC) == 0
    assert await tb.csts() == (0, 0, 0)


@cocotb.test()
async def read_only_and_unknown_offsets(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    before = [await tb.bar.read(at) for at in range(0, 0x40, 4)]
    for at in (
        Bar0.CAP_LO,
        Bar0.CAP_HI,
        Bar0.VS,
        Bar0.CSTS,
        Bar0.INTMS,
        Bar0.INTMC,
        0x18,
        0x20,
        0x38,
        0x3C,
        0x800,
        0xFFC,
        0x2000,
        0x3FFC,
    ):
        await tb.bar.write(at, 0xFFFFFFFF)
    assert [await tb.bar.read(at) for at in range(0, 0x40, 4)] == before
    for at in (0x18, 0x20, 0x38, 0x800, 0xFFC, 0x1000, 0x1004, 0x2000, 0x3FFC):
        assert await tb.bar.read(at) == 0
    assert not tb.doorbell.seen and not tb.changed.seen


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.6])
async def enabling_defines_the_admin_pair(dut: Any, stalls: float) -> None:
    tb = TB(dut, stalls)
    await tb.bench.start()
    await tb.admin(0x12_3456_7FFF, 0x9A_BCDE_F123, 31, 4095)
    assert await tb.bar.read(Bar0.ASQ_LO) == 0x34567000, "bits 11:0 are reserved"
    assert await tb.bar.read(Bar0.ACQ_HI) == 0x9A
    assert not tb.sq.seen and not tb.cq.seen
    await tb.bar.write(Bar0.CC, ENABLE)
    await tb.changed.get()
    assert tb.bench.read("io_cc") == ENABLE and tb.bench.read("io_enable")
    assert await tb.csts() == (0, 0, 0), "ready only when firmware says so"
    await tb.bar.write(Bar0.DOORBELL, 1)
    assert (await tb.doorbell.get())["qid"] == 0 and not tb.sq.seen, "a doorbell of a queue that is not there yet"
    tb.status(rdy=1)
    sq, cq = await tb.sq.get(), await tb.cq.get()
    assert (sq["qid"], sq["enable"], sq["base"], sq["entries"]) == (0, 1, 0x12_3456_7000, 32)
    assert (cq["qid"], cq["enable"], cq["base"], cq["entries"]) == (0, 1, 0x9A_BCDE_F000, 4096)
    assert (cq["ien"], cq["vector"]) == (1, 0)
    assert await tb.csts() == (1, 0, 0)


@cocotb.test()
async def one_entry_is_no_queue(dut: Any) -> None:
    """AQA left at zero: a queue of one entry can hold no command.

    It stays undefined, and the controller does nothing.
    """
    tb = TB(dut)
    await tb.bench.start()
    await tb.bar.write(Bar0.CC, ENABLE)
    tb.status(rdy=1)
    assert (await tb.sq.get())["enable"] == 0
    assert (await tb.cq.get())["enable"] == 0


@cocotb.test()
async def disabling_waits_for_firmware(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    await tb.enable()
    await tb.bar.write(Bar0.CC, ENABLE & ~1)
    assert (await tb.sq.get())["enable"] == 0
    assert (await tb.cq.get())["enable"] == 0
    assert await tb.csts() == (1, 0, 0), "RDY falls when the reset is through"
    # A host that does not wait is held back, and firmware sees both edges.
    tb.changed.seen.clear()
    await tb.bar.write(Bar0.CC, ENABLE)
    await tb.bench.clock(20)
    await tb.is_not_enabled()
    assert await tb.bar.read(Bar0.CC) == ENABLE, "the host reads what it wrote"
    tb.changed.seen.clear()
    await tb.reads_cc()
    await tb.is_not_enabled()  # firmware knows, but has not cleared RDY
    tb.status()
    await tb.changed.get()
    assert Bar0.CC_EN.get(tb.bench.read("io_cc")) == 1
    await tb.gets_ready()


@cocotb.test()
async def shutdown_and_fatal_show(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    await tb.enable()
    tb.changed.seen.clear()
    await tb.bar.write(Bar0.CC, ENABLE | Bar0.CC_SHN.put(1))
    await tb.changed.get()
    assert Bar0.CC_SHN.get(tb.bench.read("io_cc")) == 1
    tb.status(rdy=1, shst=2)
    assert await tb.csts() == (1, 0, 2)
    tb.status(rdy=1, cfs=1)
    assert await tb.csts() == (1, 1, 0)


@cocotb.test()
@cocotb.parametrize(by_function_reset=[False, True])
async def answer_to_an_enabling_that_was_taken_back(dut: Any, by_function_reset: bool) -> None:
    """Firmware read an enabling, and the host takes it back and enables again before the answer."""
    tb = TB(dut)
    await tb.bench.start()
    await tb.admin(0x1000, 0x2000, 7, 7)
    await tb.bar.write(Bar0.CC, ENABLE)
    await tb.reads_cc()  # EN = 1: this is not what the pulse waits for
    if by_function_reset:
        tb.reset.send()
        await tb.reset.sent()
        await tb.admin(0x1000, 0x2000, 7, 7)
    else:
        await tb.bar.write(Bar0.CC, ENABLE & ~1)
    await tb.bar.write(Bar0.CC, ENABLE)
    for status in ({}, {"rdy": 1, "cfs": 1}, {"rdy": 1}, {}):
        tb.status(**status)
        await tb.bench.clock(10)
        assert await tb.csts() == (0, 0, 0), "the answer is for the enabling before"
        await tb.is_not_enabled()
    tb.status(rdy=1, cfs=1)
    await tb.reads_cc()
    await tb.bench.clock(10)
    assert await tb.csts() == (0, 0, 0), "firmware knows, and has not yet cleared its answer"
    await tb.is_not_enabled()
    tb.status()
    await tb.gets_ready()
    assert await tb.csts() == (1, 0, 0)


@cocotb.test()
async def nothing_is_fetched_for_an_enabling_that_firmware_never_saw(dut: Any) -> None:
    """The host takes an enabling back before firmware looks: firmware reads EN = 0, as before the enabling."""
    tb = TB(dut)
    await tb.bench.start()
    await tb.admin(0x1000, 0x2000, 7, 7)
    for _ in range(3):
        await tb.bar.write(Bar0.CC, ENABLE)
        await tb.bar.write(Bar0.DOORBELL, 5)
        await tb.bar.write(Bar0.CC, ENABLE & ~1)
    await tb.bar.write(Bar0.CC, ENABLE)
    await tb.is_not_enabled()
    await tb.reads_cc()
    await tb.gets_ready()


@cocotb.test()
@cocotb.parametrize(late=[0, 1, 2, 3, 4])
async def a_read_counts_if_its_word_was_of_the_disabled_controller(dut: Any, late: int) -> None:
    """The pulse of a read comes `late` cycles after the function reset's.

    EN falls two cycles after the reset, and a word is two cycles older than its pulse.
    """
    tb = TB(dut)
    await tb.bench.start()
    await tb.admin(0x1000, 0x2000, 7, 7)
    await tb.bar.write(Bar0.CC, ENABLE)
    await tb.bench.clock(8)
    assert tb.bench.read("io_enable")
    tb.reset.send()
    if late:
        await tb.bench.clock(late)
    tb.cc_read.send()
    await tb.cc_read.sent()
    await tb.bench.clock(5)
    assert not tb.bench.read("io_enable")
    await tb.admin(0x1000, 0x2000, 7, 7)
    await tb.bar.write(Bar0.CC, ENABLE)
    await tb.bench.clock(20)
    assert bool(tb.bench.read("io_enable")) == (late == 4)
    await tb.reads_cc()
    await tb.gets_ready()


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.6])
async def doorbells(dut: Any, stalls: float) -> None:
    tb = TB(dut, stalls)
    await tb.bench.start()
    for _ in range(40):
        index, value = tb.bench.rng.randrange(128), tb.bench.rng.getrandbits(32)
        await tb.bar.write(Bar0.DOORBELL + 4 * index, value)
        assert await tb.doorbell.get() == {"qid": index // 2, "isCq": index % 2, "value": value & 0xFFFF}
    await tb.bar.write(Bar0.DOORBELL + 4 * 128, 1)
    await tb.bar.write(Bar0.DOORBELL, 1, strb=0x3)  # not a whole register
    await tb.bench.clock(10)
    assert not tb.doorbell.seen


@cocotb.test()
async def failed_start_up_shows_through_every_reset(dut: Any) -> None:
    """CSTS is not cleared any more, and the host must not wait for RDY until its timeout."""
    tb = TB(dut)
    await tb.bench.start()
    tb.status(dead=1)
    assert await tb.csts() == (0, 1, 0)
    tb.status(cfs=1, dead=1)
    for _ in range(2):
        tb.reset.send()
        await tb.reset.sent()
        assert await tb.csts() == (0, 1, 0)
        await tb.bar.write(Bar0.CC, ENABLE)
        assert await tb.csts() == (0, 1, 0)
        await tb.bar.write(Bar0.CC, 0)
        assert await tb.csts() == (0, 1, 0)


@cocotb.test()
async def function_reset_clears_everything(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    await tb.enable()
    tb.status(rdy=1, shst=1)
    tb.reset.send()
    await tb.reset.sent()
    assert (await tb.sq.get())["enable"] == 0
    assert (await tb.cq.get())["enable"] == 0
    for register in (Bar0.CC, Bar0.AQA, Bar0.ASQ_LO, Bar0.ASQ_HI, Bar0.ACQ_LO, Bar0.ACQ_HI):
        assert await tb.bar.read(register) == 0
    assert await tb.csts() == (0, 0, 0), "firmware's old status is not the host's to see"
    # The host is faster than firmware.
    await tb.admin(0x1000, 0x2000, 7, 7)
    await tb.bar.write(Bar0.CC, ENABLE)
    await tb.bench.clock(20)
    assert await tb.csts() == (0, 0, 0), "an old RDY would be taken for the new one"
    await tb.is_not_enabled()
    await tb.reads_cc()
    tb.status()
    await tb.gets_ready()
    assert await tb.csts() == (1, 0, 0)


def test_nvme_regs(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("NvmeRegs")
