# SPDX-License-Identifier: Apache-2.0
"""The controller with its memories, its firmware and a host: the fixture of every end-to-end case."""

from __future__ import annotations

import logging
import mmap
import os
from collections.abc import Awaitable, Callable
from typing import Any

import cocotb
from cocotbext.axi import AxiBus, AxiLiteBus, AxiLiteMaster, AxiRam

from sim.cocotb.support.bench import Bench
from sim.cocotb.support.geometry import CHANNELS, DATA_SLOTS, LOG_BASE, LOG_BYTES, SLOT_LOGS, SLOTS_PER_SB, SlotAddress
from sim.cocotb.support.nand import NandPortModel
from sim.cocotb.support.orm_formats import OobRecord, RemapLog, SlotRecord, VendorLogPages
from sim.cocotb.support.orm_regs import Counter
from sim.cocotb.top.open_remap_top import buses
from sim.cocotb.top.open_remap_top.native_firmware import NativeFirmware
from sim.cocotb.top.open_remap_top.nvme_host import PAGE, NvmeHost

SUPERBLOCKS = 10
MASTERS = ("m_axi_dram", "m_axi_nvram", "m_axi_host")
SLAVES = ("s_axil_bar", "s_axil_fw")
FEW_WAITS = 50  # cycles in which the controller had to hold what it offered: a case on stalling buses has more


class Device:
    """The controller with its memories. Flash and NVRAM outlive a power cycle.

    With `stalls` all buses hold back at random.
    """

    def __init__(self, dut: Any, stalls: bool = False) -> None:
        self.dut = dut
        self.bench = Bench(dut)
        self.rng = self.bench.rng
        self.dram = mmap.mmap(-1, 1 << 20)
        self.nvram = mmap.mmap(-1, 1 << 20)
        self.bench.write("function_reset", 0)
        self.bench.write("skipped", 0)
        dram = AxiRam(AxiBus.from_prefix(dut, "m_axi_dram"), dut.clock, dut.reset, size=1 << 20, mem=self.dram)
        nvram = AxiRam(AxiBus.from_prefix(dut, "m_axi_nvram"), dut.clock, dut.reset, size=1 << 20, mem=self.nvram)
        self.host_ram = AxiRam(AxiBus.from_prefix(dut, "m_axi_host"), dut.clock, dut.reset, size=1 << 24)
        self.bar = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil_bar"), dut.clock, dut.reset)
        self.fw_bus = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil_fw"), dut.clock, dut.reset)
        self.nand = [
            NandPortModel(self.bench, f"nand_{i}", read_cycles=40, program_cycles=200, erase_cycles=2000)
            for i in range(CHANNELS)
        ]
        self.faults = {"dram": buses.Faults(dram), "nvram": buses.Faults(nvram)}
        buses.Interrupts(self.bench, stalls)
        self.waits: list[buses.Waits] = []
        if stalls:
            self.waits = buses.count_waits(self.bench, MASTERS, SLAVES)
            memories = [channel for ram in (dram, nvram, self.host_ram) for channel in buses.memory_channels(ram)]
            registers = [channel for port in (self.bar, self.fw_bus) for channel in buses.register_channels(port)]
            buses.Stalls(self.bench, memories + registers)
        for chatty in (*MASTERS, *SLAVES):
            logging.getLogger(f"cocotb.{dut._name}.{chatty}").setLevel(logging.WARNING)
        self.firmware: NativeFirmware
        self.host: NvmeHost

    def start_firmware(self) -> None:
        self.dram[:] = self.rng.randbytes(len(self.dram))
        library = os.environ["OPENREMAP_FIRMWARE_LIBRARY"]
        self.firmware = NativeFirmware(self.dut, self.fw_bus, self.dram, self.nvram, library, SUPERBLOCKS)

    async def power_on(self) -> NvmeHost:
        """Starts the firmware and enables the controller with one I/O queue pair."""
        self.start_firmware()
        await self.firmware.until_running(20_000)
        self.host = NvmeHost(self.dut, self.bar, self.host_ram)
        await self.host.enable()
        await self.host.create_io_queue(1)
        return self.host

    async def stop(self) -> None:
        await self.firmware.stop()
        self.host.stop()

    async def power_cut(self) -> None:
        """Cuts and restores the power without warning. The firmware is not started."""
        await self.stop()
        self.dut.reset.value = 1
        for port in self.nand:
            port.power_cut()
        await self.bench.clock(5)
        self.dut.reset.value = 0
        await self.bench.clock(2)

    async def power_cycle(self) -> NvmeHost:
        await self.power_cut()
        return await self.power_on()

    async def clean_cycle(self) -> NvmeHost:
        """As power_cycle, after a completed shutdown."""
        await self.host.shut_down()
        return await self.power_cycle()

    async def counter(self, which: Counter) -> int:
        log = RemapLog.unpack(await self.host.log_page(VendorLogPages.REMAP_LOG, RemapLog.BYTES))
        return int(getattr(log, which.name.lower()))

    def logged(self) -> list[SlotRecord]:
        """Checks the slot logs in DRAM against the slots in flash of the same generation."""
        found = []
        for place in range(SLOT_LOGS * DATA_SLOTS):
            log, offset = divmod(place, DATA_SLOTS)
            at = LOG_BASE + log * LOG_BYTES + SlotRecord.BYTES * offset
            record = SlotRecord.unpack(self.dram[at : at + SlotRecord.BYTES])
            where = SlotAddress.of(record.sb * SLOTS_PER_SB + offset)
            page = self.nand[where.channel].pages.get((where.die, where.superblock, where.page))
            oob = OobRecord.unpack(page[where.sub][1]) if page else OobRecord()
            if page and oob.gen == record.gen:
                assert (oob.lpn, oob.seq) == (record.lpn, record.seq), f"log {log}, offset {offset}: {record}, {oob}"
                found.append(record)
        return found

    def page(self) -> bytes:
        return self.rng.randbytes(PAGE)


Body = Callable[[Device, NvmeHost], Awaitable[None]]


def on_device(body: Body, stalls: bool = False) -> Any:
    """A test case on a fresh device that has been started."""

    async def case(dut: Any) -> None:
        device = Device(dut, stalls)
        await device.bench.start()
        host = await device.power_on()
        try:
            await body(device, host)
        finally:
            await device.stop()

        if stalls:
            waits = {channel.prefix: channel.count for channel in device.waits}
            assert sum(waits.values()) >= FEW_WAITS, f"the buses hardly stalled: {waits}"

    case.__module__ = body.__module__
    case.__name__ = case.__qualname__ = body.__name__
    case.__doc__ = body.__doc__
    return cocotb.test()(case)


def on_stalled_device(body: Body) -> Any:
    """As on_device, on stalling buses. The controller must have been made to wait."""
    return on_device(body, stalls=True)
