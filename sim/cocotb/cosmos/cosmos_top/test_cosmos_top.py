# SPDX-License-Identifier: Apache-2.0
"""Tests of CosmosTop: the whole controller with its firmware, as it is in the FPGA of a Cosmos+.

NvmeHost -- RootComplex -- Core7 ==streams of 128 bits== CosmosTop == Tiger4Model, NandModel, for each channel
                              DDR, with the parts of DRAM and NVRAM: AXI RAMs; native firmware (C, the product sources)

PCIe core and controller have clocks that drift, and bits that cross come late at random. The flash is smaller than that
of a board: two ways a channel, 64 blocks of eight pages.
"""

from __future__ import annotations

import logging
import mmap
import re
from collections.abc import Callable
from typing import Any

import pytest
from cocotbext.axi import AxiBus, AxiLiteBus, AxiLiteMaster, AxiRam
from cocotbext.pcie.core import RootComplex

from interfaces.ormgen import zynq
from launcher.env.paths import BUILD, ROOT
from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.pcie.support import controller
from sim.cocotb.pcie.support.controller import HOST_MEMORY, MEMORY, VECTORS, Device, HostMemory, on_device
from sim.cocotb.pcie.support.core7 import Core7
from sim.cocotb.support import tiger4
from sim.cocotb.support.clocks import Domain, start
from sim.cocotb.support.geometry import CHANNELS, DIES_PER_CHANNEL, PAGES_PER_BLOCK, SUPERBLOCKS
from sim.cocotb.support.orm_tiger4 import Command
from sim.cocotb.support.tiger4 import Model, Tiger4
from sim.cocotb.top.open_remap_top import native_firmware

CONFIG = "wide"  # flash pages of 16 KiB, as Tiger4 has them
FLASH = {
    "dies": DIES_PER_CHANNEL,
    "blocks": SUPERBLOCKS,
    "pages": PAGES_PER_BLOCK,
    "stray_zeros": 8,
    "read_ns": 2_000,
    "program_ns": 8_000,
    "erase_ns": 20_000,
    "reset_ns": 1_000,
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


class Cosmos(Device):
    """The board's FPGA with all that is around it. `periods`: of the clocks of core and controller, in ps."""

    superblocks = 5  # a start looks at each, which takes 16 KiB of the data port's words

    def __init__(self, dut: Any, stalls: float, periods: tuple[int, int]) -> None:
        self.dut = dut
        core, own = (Ports(dut, name, period) for name, period in zip(("core", "controller"), periods, strict=True))
        self.domains = (core, own)
        self.bench, self.nand_bench = core, own
        self.core = Core7(core, stalls, stalls, VECTORS)
        self.core.shuffles = stalls > 0
        self.dram, self.nvram = mmap.mmap(-1, MEMORY), mmap.mmap(-1, MEMORY)
        self.ddr = [Ddr(own, "m_axi_dram", "dram"), Ddr(own, "m_axi_nvram", "nvram")]
        for name, memory in (("m_axi_dram", self.dram), ("m_axi_nvram", self.nvram)):
            AxiRam(AxiBus.from_prefix(dut, name), *self.bus_clock(), size=MEMORY, mem=memory)
        self.fw_bus = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil_fw"), *self.bus_clock())
        for chatty in ("m_axi_dram", "m_axi_nvram", "s_axil_fw"):
            logging.getLogger(f"cocotb.{dut._name}.{chatty}").setLevel(logging.WARNING)
        seed = core.seed % (1 << 31)
        self.flash = [Model({**FLASH, "seed": seed + i}) for i in range(CHANNELS)]
        for i, model in enumerate(self.flash):
            Tiger4(own, model, f"m_axil_tiger_{i}", f"s_axi_tiger_{i}", stalls, stalls)
        self.rc = RootComplex()
        self.rc.make_port().connect(self.core.device)
        self.memory = HostMemory(self.rc.mem_pool.alloc_region(HOST_MEMORY))

    def bus_clock(self) -> tuple[Any, Any]:
        return self.dut.controller_clock, self.dut.controller_reset

    async def begin(self) -> None:
        self.dut.reset.value = 1
        await start(*self.domains)
        self.dut.reset.value = 0
        await self.domains[1].clock(8)


async def works(device: Device, host: controller.PcieHost) -> None:
    """What a controller does, and each channel and each part of DDR had to do with it."""
    await controller.works(device, host)
    assert isinstance(device, Cosmos)
    assert all(ddr.accesses for ddr in device.ddr)
    assert all(model.count(command) for model in device.flash for command in (Command.PROGRAM, Command.TRANSFER))


def clocks(core: int, own: int) -> Callable[[Any, float], Cosmos]:
    return lambda dut, stalls: Cosmos(dut, stalls, (core, own))


BOARD, NEAR = clocks(4_000, 10_000), clocks(10_000, 10_007)
with_the_boards_clocks = on_device(works, BOARD, name="with_the_boards_clocks")
with_near_clocks_and_stalls = on_device(works, NEAR, name="with_near_clocks_and_stalls", stalls=0.3)
several_queues = on_device(controller.several_queues, BOARD)
a_function_reset_ends_commands_and_keeps_data = on_device(
    controller.a_function_reset_ends_commands_and_keeps_data, BOARD, allowed=controller.LATE
)


@pytest.mark.long
def test_cosmos_top(cocotb_unit: CocotbUnit) -> None:
    tiger4.build_model()
    library = native_firmware.build(ROOT, BUILD / "cocotb" / "firmware")
    cocotb_unit("CosmosTop", config=CONFIG, env={"OPENREMAP_FIRMWARE_LIBRARY": str(library)}, skew=True)
