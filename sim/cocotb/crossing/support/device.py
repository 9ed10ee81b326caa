# SPDX-License-Identifier: Apache-2.0
"""The controller with a clock of its own, its memories and its firmware, and an NVMe host at its buses' clock."""

from __future__ import annotations

import logging
import mmap
import os
from collections.abc import Awaitable, Callable
from typing import Any

import cocotb
from cocotbext.axi import AxiBus, AxiLiteBus, AxiLiteMaster, AxiRam

from sim.cocotb.support.clocks import Domain, start
from sim.cocotb.top.open_remap_top import buses, native_firmware
from sim.cocotb.top.open_remap_top.nvme_host import PAGE, NvmeHost

SUPERBLOCKS = 10
MEMORY = 1 << 20  # bytes of DRAM and of NVRAM
HOST_MEMORY = 1 << 24


class BusDevice:
    """`periods`: of the clocks of controller and bus, in ps."""

    def __init__(self, dut: Any, periods: tuple[int, int]) -> None:
        self.dut = dut
        self.controller, self.bus = (
            Domain(dut, name, period, own_reset=False)
            for name, period in zip(("controller", "bus"), periods, strict=True)
        )
        self.bus.write("function_reset", 0)
        self.dram, self.nvram = mmap.mmap(-1, MEMORY), mmap.mmap(-1, MEMORY)
        self.ram("m_axi_dram", mem=self.dram, size=MEMORY)
        self.ram("m_axi_nvram", mem=self.nvram, size=MEMORY)
        self.host_ram = self.ram("m_axi_host", size=HOST_MEMORY)
        self.bar, self.fw_bus = (self.registers(name) for name in ("s_axil_bar", "s_axil_fw"))
        buses.Interrupts(self.bus, True)

    def ram(self, name: str, **options: Any) -> AxiRam:
        """A memory behind a master of the unit."""
        self._quiet(name)
        return AxiRam(AxiBus.from_prefix(self.dut, name), self.dut.bus_clock, self.dut.bus_reset, **options)

    def registers(self, name: str) -> AxiLiteMaster:
        self._quiet(name)
        return AxiLiteMaster(AxiLiteBus.from_prefix(self.dut, name), self.dut.bus_clock, self.dut.bus_reset)

    def _quiet(self, name: str) -> None:
        logging.getLogger(f"cocotb.{self.dut._name}.{name}").setLevel(logging.WARNING)

    async def start(self) -> NvmeHost:
        """Starts the clocks, the firmware and the host."""
        self.dut.reset.value = 1
        await start(self.controller, self.bus)
        self.dut.reset.value = 0
        await self.controller.clock(8)
        self.dram[:] = self.bus.rng.randbytes(MEMORY)
        library, clock = os.environ["OPENREMAP_FIRMWARE_LIBRARY"], self.dut.bus_clock
        self.firmware = native_firmware.NativeFirmware(
            self.dut, self.fw_bus, self.dram, self.nvram, library, SUPERBLOCKS, clock
        )
        await self.firmware.until_running(20_000)
        self.host = NvmeHost(self.dut, self.bar, self.host_ram, clock)
        await self.host.enable()
        await self.host.create_io_queue(1)
        return self.host

    async def stop(self) -> None:
        await self.firmware.stop()
        self.host.stop()

    def page(self) -> bytes:
        return self.bus.rng.randbytes(PAGE)


def on_bus(
    body: Callable[[Any, NvmeHost], Awaitable[None]],
    make: Callable[[Any, tuple[int, int]], BusDevice],
    periods: tuple[int, int],
    name: str,
) -> Any:
    """A test case on a device that has been started."""

    async def case(dut: Any) -> None:
        device = make(dut, periods)
        host = await device.start()
        try:
            await body(device, host)
        finally:
            await device.stop()

    case.__module__ = body.__module__
    case.__name__ = case.__qualname__ = name
    case.__doc__ = body.__doc__
    return cocotb.test()(case)
