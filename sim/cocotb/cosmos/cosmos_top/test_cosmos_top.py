# SPDX-License-Identifier: Apache-2.0
"""Tests of CosmosTop: each of its ports leads where it should. The bench is the firmware, by its registers.

RootComplex -- Core7 ==streams of 128 bits== CosmosTop == Tiger4Model, NandModel, for each channel
                     DDR, with the parts of DRAM and NVRAM: AXI RAMs

PCIe core and controller have clocks that drift, and bits that cross come late at random. The flash is smaller than that
of a board: two ways a channel, 64 blocks of eight pages.
"""

from __future__ import annotations

import logging
import mmap
import re
from typing import Any

import cocotb
import pytest
from cocotbext.axi import AxiBus, AxiLiteBus, AxiLiteMaster, AxiRam
from cocotbext.pcie.core import RootComplex

from interfaces.ormgen import zynq
from launcher.env.paths import ROOT
from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.pcie.support.core7 import Core7
from sim.cocotb.support import tiger4
from sim.cocotb.support.bench import to_int
from sim.cocotb.support.clocks import Domain, start
from sim.cocotb.support.codes import NandStatus, RequestOp
from sim.cocotb.support.geometry import (
    CHANNELS,
    DIES_PER_CHANNEL,
    FW_BUF,
    PAGES_PER_BLOCK,
    QUEUES,
    SLOTS_PER_PAGE,
    SUPERBLOCKS,
    SlotAddress,
)
from sim.cocotb.support.orm_regs import Bar0, Fw
from sim.cocotb.support.orm_tiger4 import Command
from sim.cocotb.support.tiger4 import Model, Tiger4

SLOT = 4096  # bytes
MEMORY = 1 << 20  # bytes of DRAM and of NVRAM
HOST_MEMORY = 1 << 20
CONFIG = "wide"  # flash pages of 16 KiB, as Tiger4 has them
FLASH = {
    "dies": DIES_PER_CHANNEL,
    "blocks": SUPERBLOCKS,
    "pages": PAGES_PER_BLOCK,
    "stray_zeros": 8,
    "read_ns": 1_000,
    "program_ns": 2_000,
    "erase_ns": 4_000,
    "reset_ns": 500,
    "command_ns": 100,
    "word_ns": 1,
}
_LITE = re.compile(r"(m_axil_tiger_\d+)_(aw|w|b|ar|r)(\w+)")
_FULL = re.compile(r"(s_axi_tiger_\d+)_(aw|w|b|ar|r)(\w+)")
_USED = {"addr", "len", "data", "strb", "last", "resp"}


class Ports(Domain):
    """The ports, also by the names that agents of single units look for: io_NAME of the PCIe core's, and channels of
    buses as CHANNEL_valid, CHANNEL_bits_FIELD. Signals that have no meaning for a memory have no such name."""

    def __init__(self, dut: Any, prefix: str, period: int) -> None:
        super().__init__(dut, prefix, period, own_reset=False)
        named = {self._renamed(name): handle for name, handle in self._signals.items()}
        self._signals |= {name: handle for name, handle in named.items() if name is not None}

    @staticmethod
    def _renamed(name: str) -> str | None:
        if name.startswith("pcie_"):
            return f"io_{name.removeprefix('pcie_')}"
        for pattern, sides in ((_LITE, {}), (_FULL, {"aw": "wr_", "w": "wr_", "b": "wr_", "ar": "rd_", "r": "rd_"})):
            match = pattern.fullmatch(name)
            if match is not None:
                bus, channel, field = match.groups()
                if field in ("valid", "ready"):
                    return f"{bus}_{sides.get(channel, '')}{channel}_{field}"
                return f"{bus}_{sides.get(channel, '')}{channel}_bits_{field}" if field in _USED else None
        return name


class Ddr:
    """A part of the processing system's DDR behind one of its ports: an agent that watches the addresses of the port,
    which are all in this part."""

    def __init__(self, bench: Ports, port: str, region: str) -> None:
        self._bench = bench
        self._port = port
        self._part = {r.name: r for r in zynq.load(ROOT / "interfaces" / "registers" / "zynq.yaml").regions}[region]
        assert self._part.address % MEMORY == 0, "the RAM takes an address modulo its size"
        self.accesses = 0
        bench.add(self)

    def drive(self) -> None:
        pass

    def sample(self) -> None:
        for channel in ("aw", "ar"):
            if self._bench.read(f"{self._port}_{channel}valid"):
                address = self._bench.read(f"{self._port}_{channel}addr")
                assert self._part.address <= address < self._part.address + MEMORY, f"{self._port}: {address:#x}"
                self.accesses += 1


class Cosmos:
    """The board's FPGA with all that is around it. `periods`: of the clocks of core and controller, in ps."""

    def __init__(self, dut: Any, periods: tuple[int, int]) -> None:
        self.dut = dut
        self.core_clock, self.own = (
            Ports(dut, name, period) for name, period in zip(("core", "controller"), periods, strict=True)
        )
        self.core = Core7(self.core_clock, vectors=QUEUES)
        clock = (dut.controller_clock, dut.controller_reset)
        self.dram, self.nvram = mmap.mmap(-1, MEMORY), mmap.mmap(-1, MEMORY)
        self.ddr = [Ddr(self.own, "m_axi_dram", "dram"), Ddr(self.own, "m_axi_nvram", "nvram")]
        for name, memory in (("m_axi_dram", self.dram), ("m_axi_nvram", self.nvram)):
            AxiRam(AxiBus.from_prefix(dut, name), *clock, size=MEMORY, mem=memory)
        self.fw = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil_fw"), *clock)
        for chatty in ("m_axi_dram", "m_axi_nvram", "s_axil_fw"):
            logging.getLogger(f"cocotb.{dut._name}.{chatty}").setLevel(logging.WARNING)
        seed = self.own.seed % (1 << 31)
        self.flash = [Model({**FLASH, "seed": seed + i}) for i in range(CHANNELS)]
        for i, model in enumerate(self.flash):
            Tiger4(self.own, model, f"m_axil_tiger_{i}", f"s_axi_tiger_{i}")
        self.rc = RootComplex()
        self.rc.make_port().connect(self.core.device)
        self.memory = self.rc.mem_pool.alloc_region(HOST_MEMORY)

    async def start(self) -> None:
        """Clocks run, the host has found the function and lets it use its memory."""
        self.dut.reset.value = 1
        await start(self.core_clock, self.own)
        self.dut.reset.value = 0
        await self.own.clock(8)
        await self.rc.enumerate()
        self.function = self.rc.find_device(self.core.function.pcie_id)
        await self.function.enable_device()
        await self.function.set_master()
        self.bar = self.function.bar_window[0]

    # ---- firmware
    async def read(self, register: int) -> int:
        return int(await self.fw.read_dword(register))

    async def until(self, register: int, mask: int, value: int) -> int:
        """Reads a register until some of its bits have a value."""
        for _ in range(3000):
            found = await self.read(register)
            if found & mask == value:
                return found
        raise AssertionError(f"register {register:#x} stays {found:#x}")

    async def dma(self, go: int, dram: int, host: int = 0) -> None:
        """A transfer of a slot between DRAM and the host, or the buffer of NAND_BUFFER."""
        address = int(self.memory.get_absolute_address(0)) + host
        await self.fw.write_dword(Fw.DMA_PRP1_LO, address & 0xFFFFFFFF)
        await self.fw.write_dword(Fw.DMA_PRP1_HI, address >> 32)
        await self.fw.write_dword(Fw.DMA_DRAM, dram)
        await self.fw.write_dword(Fw.DMA_GO, go | Fw.DMA_GO_BYTES.put(SLOT))
        assert await self.until(Fw.DMA_STATUS, Fw.DMA_STATUS_BUSY.put(1), 0) == 0

    async def nand(self, op: int, slot: int, buffer: int = 0) -> NandStatus:
        """An operation of flash, from or into a buffer of firmware's."""
        await self.fw.write_dword(Fw.NAND_BUFFER, FW_BUF + buffer)
        await self.until(Fw.NAND_STATUS, Fw.NAND_STATUS_READY.put(1), Fw.NAND_STATUS_READY.put(1))
        await self.fw.write_dword(Fw.NAND_GO, Fw.NAND_GO_SLOT.put(slot) | Fw.NAND_GO_OP.put(op))
        valid = Fw.NAND_STATUS_VALID.put(1)
        status = await self.until(Fw.NAND_STATUS, valid, valid)
        await self.fw.write_dword(Fw.NAND_POP, 1)
        assert Fw.NAND_STATUS_SLOT.get(status) == slot
        return NandStatus(Fw.NAND_STATUS_STATUS.get(status))


TO_HOST = Fw.DMA_GO_TO_HOST.put(1)
TO_BUFFER = Fw.DMA_GO_TO_HOST.put(1) | Fw.DMA_GO_BUFFER.put(1)
FROM_BUFFER = Fw.DMA_GO_BUFFER.put(1)
BOARD, NEAR = (4_000, 10_000), (10_000, 10_007)


@cocotb.test()
@cocotb.parametrize(periods=[BOARD, NEAR])
async def the_host_reaches_the_registers_and_firmware_hears_of_it(dut: Any, periods: tuple[int, int]) -> None:
    tb = Cosmos(dut, periods)
    await tb.start()
    assert Bar0.CAP_LO_MQES.get(await tb.bar.read_dword(Bar0.CAP_LO)) > 0
    changed = Fw.IRQ_STATUS_CC_CHANGED.put(1)
    await tb.fw.write_dword(Fw.IRQ_STATUS, changed)
    await tb.fw.write_dword(Fw.IRQ_ENABLE, changed)
    assert to_int(dut.fw_irq) == 0
    await tb.bar.write_dword(Bar0.CC, 0x00460001)
    await tb.until(Fw.IRQ_STATUS, changed, changed)
    assert to_int(dut.fw_irq) == 1 and await tb.read(Fw.NVME_CC) == 0x00460001
    await tb.fw.write_dword(Fw.IRQ_STATUS, changed)
    await tb.own.clock(4)
    assert to_int(dut.fw_irq) == 0


@cocotb.test()
async def data_goes_from_the_host_to_flash_and_back(dut: Any) -> None:
    """By way of DRAM, on each die of each channel."""
    tb = Cosmos(dut, BOARD)
    await tb.start()
    for index, (channel, die) in enumerate((c, d) for c in range(CHANNELS) for d in range(DIES_PER_CHANNEL)):
        data = tb.own.rng.randbytes(SLOTS_PER_PAGE * SLOT)
        tb.memory[: len(data)] = data
        first = SlotAddress(superblock=3 + index, page=0, die=die, channel=channel)
        assert await tb.nand(RequestOp.ERASE, first.slot) == NandStatus.OK
        for i in range(SLOTS_PER_PAGE):
            at = SLOT * (2 + index + i)
            await tb.dma(0, at, SLOT * i)
            assert tb.dram[at : at + SLOT] == data[SLOT * i : SLOT * (i + 1)]
            await tb.fw.write_dword(Fw.NAND_BUFFER, FW_BUF + i)
            await tb.dma(TO_BUFFER, at)
        assert await tb.nand(RequestOp.PROGRAM, first.slot) == NandStatus.OK
        assert tb.flash[channel].page_state(die, first.superblock, 0) == tiger4.PROGRAMMED
        sub = index % SLOTS_PER_PAGE
        assert await tb.nand(RequestOp.READ, first._replace(sub=sub).slot, buffer=5) == NandStatus.OK
        await tb.dma(FROM_BUFFER, 0)
        await tb.dma(TO_HOST, 0, 5 * SLOT)
        assert bytes(tb.memory[5 * SLOT : 6 * SLOT]) == data[SLOT * sub : SLOT * (sub + 1)]
    assert tb.ddr[0].accesses > 0
    for model in tb.flash:
        assert model.count(Command.RESET) == model.count(Command.SET_FEATURES) == DIES_PER_CHANNEL
        assert model.count(Command.PROGRAM) == model.count(Command.ERASE) == DIES_PER_CHANNEL


@pytest.mark.long
def test_cosmos_top(cocotb_unit: CocotbUnit) -> None:
    tiger4.build_model()
    cocotb_unit("CosmosTop", config=CONFIG, skew=True)
