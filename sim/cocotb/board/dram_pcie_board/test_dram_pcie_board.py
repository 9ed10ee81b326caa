# SPDX-License-Identifier: Apache-2.0
"""Tests of DramPcieBoard: all of the Acorn between the streams of the PCIe core and the port of the DRAM controller.

NvmeHost -- RootComplex (cocotbext-pcie) -- Core7 ==streams== DramPcieBoard == one AXI RAM: DRAM, NVRAM, flash
                                                              Wishbone: native firmware (C, the product sources)

The two clocks drift, and bits that cross come late at random. The firmware reaches DRAM and NVRAM in the RAM itself.
"""

from __future__ import annotations

import logging
import mmap
from collections.abc import Callable
from typing import Any

import pytest
from cocotb.triggers import First, Timer
from cocotbext.axi import AxiBus, AxiRam
from cocotbext.pcie.core import RootComplex

from launcher.env.paths import BUILD, ROOT
from launcher.hw import facts
from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.pcie.support import controller
from sim.cocotb.pcie.support.controller import HOST_MEMORY, MEMORY, SUPERBLOCKS, VECTORS, Device, HostMemory, on_device
from sim.cocotb.pcie.support.core7 import Core7
from sim.cocotb.support.clocks import Domain, start
from sim.cocotb.support.wishbone import WishboneMaster
from sim.cocotb.top.open_remap_top import native_firmware

LAYOUT = facts.dram_board()
DRAM_BYTES = 1 << 30  # what an address of the port can name
TIMES = {"read": 40, "retry": 60, "program": 200, "erase": 2000, "word": 0}  # cycles of the controller
POLL_NS = 500


class CpuBus:
    """The CPU's bus to the firmware's window, as NativeFirmware uses a bus."""

    def __init__(self, master: WishboneMaster) -> None:
        self._master = master

    async def read_dword(self, offset: int) -> int:
        return await self._master.read(offset)

    async def write_dword(self, offset: int, value: int) -> None:
        await self._master.write(offset, value)


class PolledFirmware(native_firmware.NativeFirmware):
    """The CPU waits for the controller's interrupt in a register. Here it looks again after some time."""

    async def _run(self) -> None:
        while not self._stopping.is_set():
            wait = await self._poll()
            await First(Timer(max(10, min(wait, POLL_NS)), "ns"), self._stopping.wait())


class BoardDevice(Device):
    """The board's controller on a link, with its DRAM. `periods`: of the clocks of core and controller, in ps."""

    def __init__(self, dut: Any, stalls: float, periods: tuple[int, int]) -> None:
        self.dut = dut
        self.own = Domain(dut, "controller", periods[1], own_reset=False)
        self.link = Domain(dut, "core", periods[0], own_reset=False)
        self.bench = self.link
        self.core = Core7(self.bench, stalls, stalls, VECTORS, prefix="pcie")
        self.core.shuffles = stalls > 0
        memory = mmap.mmap(-1, DRAM_BYTES)
        logging.getLogger(f"cocotb.{dut._name}.m_axi").setLevel(logging.WARNING)
        AxiRam(
            AxiBus.from_prefix(dut, "m_axi"), dut.controller_clock, dut.controller_reset, size=DRAM_BYTES, mem=memory
        )
        view = memoryview(memory)
        self.dram = view[LAYOUT["dramBase"] : LAYOUT["dramBase"] + MEMORY]
        self.nvram = view[LAYOUT["nvramBase"] : LAYOUT["nvramBase"] + MEMORY]
        self.fw_bus = CpuBus(WishboneMaster(self.own, "wb_fw"))
        for idle in ("wb_dram", "wb_nvram", "wb_regs"):
            WishboneMaster(self.own, idle)
        for bus in ("cpu_fetch", "cpu_data"):
            for name in ("cyc", "stb", "we", "adr", "ack", "err"):
                if self.own.has(f"{bus}_{name}"):
                    self.own.write(f"{bus}_{name}", 0)
        for name, cycles in TIMES.items():
            self.own.write(f"flash_times_{name}", cycles)
        self.rc = RootComplex()
        self.rc.make_port().connect(self.core.device)
        self.memory = HostMemory(self.rc.mem_pool.alloc_region(HOST_MEMORY))

    def bus_clock(self) -> tuple[Any, Any]:
        return self.dut.controller_clock, self.dut.controller_reset

    def start_firmware(self, library: str) -> native_firmware.NativeFirmware:
        return PolledFirmware(
            self.dut, self.fw_bus, self.dram, self.nvram, library, SUPERBLOCKS, self.dut.controller_clock
        )

    async def begin(self) -> None:
        self.dut.reset.value = 1
        await start(self.link, self.own)
        self.dut.reset.value = 0
        await self.own.clock(8)


def clocks(core: int, own: int) -> Callable[[Any, float], BoardDevice]:
    return lambda dut, stalls: BoardDevice(dut, stalls, (core, own))


BOARD, NEAR = clocks(4_000, 10_000), clocks(10_000, 10_007)
works = on_device(controller.works, BOARD)
works_with_stalls = on_device(controller.works, NEAR, name="works_with_stalls", stalls=0.5)
a_function_reset = on_device(
    controller.a_function_reset_ends_commands_and_keeps_data,
    BOARD,
    name="a_function_reset_ends_commands_and_keeps_data",
    allowed=controller.LATE,
)


@pytest.mark.long
def test_dram_pcie_board(cocotb_unit: CocotbUnit) -> None:
    library = native_firmware.build(ROOT, BUILD / "cocotb" / "firmware")
    cocotb_unit("DramPcieBoard", env={"OPENREMAP_FIRMWARE_LIBRARY": str(library)}, skew=True)
