# SPDX-License-Identifier: Apache-2.0
"""The whole controller with its firmware behind a PCIe link, and cases for it.

NvmeHost -- RootComplex (cocotbext-pcie) -- Core7 ==streams== PcieController -- NAND models
                                                DRAM, NVRAM: AXI RAMs; native firmware (C, the product sources)
"""

from __future__ import annotations

import logging
import mmap
import os
from collections.abc import Awaitable, Callable
from typing import Any

import cocotb
from cocotb.triggers import Combine, Timer
from cocotbext.axi import AxiBus, AxiLiteBus, AxiLiteMaster, AxiRam
from cocotbext.pcie.core import RootComplex
from cocotbext.pcie.core.caps import PciCapId

from sim.cocotb.pcie.support.core7 import Core7
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.geometry import CHANNELS
from sim.cocotb.support.nand import NandPortModel
from sim.cocotb.support.orm_formats import RemapRange
from sim.cocotb.support.orm_nvme import AdminOpcode, LogPage, SmartLog, SubmissionEntry
from sim.cocotb.support.orm_regs import Bar0
from sim.cocotb.support.params import param
from sim.cocotb.top.open_remap_top import native_firmware
from sim.cocotb.top.open_remap_top.nvme_host import PAGE, NvmeHost

SUPERBLOCKS = 10
MEMORY = 1 << 20  # bytes of DRAM and of NVRAM
HOST_MEMORY = 1 << 24
VECTORS = param("queues")


class HostMemory:
    """Memory of the root complex, as NvmeHost uses it."""

    def __init__(self, region: Any) -> None:
        self.base = int(region.get_absolute_address(0))
        self._region = region

    def read(self, addr: int, length: int) -> bytes:
        return bytes(self._region[addr - self.base : addr - self.base + length])

    def write(self, addr: int, data: bytes) -> None:
        self._region[addr - self.base : addr - self.base + len(data)] = data


class PcieHost(NvmeHost):
    """A driver that has found its device on the bus. Interrupts are MSI-X messages."""

    def __init__(self, dut: Any, device: Any, window: Any, memory: HostMemory) -> None:
        super().__init__(dut, window, memory)
        self._free = memory.base + PAGE
        for vector in range(VECTORS):
            device.request_irq(vector, self._handler(vector))

    async def _watch_msix(self) -> None:
        """There is no pin to watch."""

    def _handler(self, vector: int) -> Callable[[], Awaitable[None]]:
        async def handle() -> None:
            queue = self.queues.get(vector)
            if queue is not None:
                await self._drain(queue)

        return handle


class Device:
    """The controller with its memories on a link."""

    def __init__(self, dut: Any, stalls: float = 0.0) -> None:
        self.dut = dut
        self.bench, self.nand_bench = self.benches()
        self.core = Core7(self.bench, stalls, stalls, VECTORS)
        self.core.shuffles = stalls > 0
        self.dram: mmap.mmap | memoryview = mmap.mmap(-1, MEMORY)
        self.nvram: mmap.mmap | memoryview = mmap.mmap(-1, MEMORY)
        for name, memory in (("m_axi_dram", self.dram), ("m_axi_nvram", self.nvram)):
            AxiRam(AxiBus.from_prefix(dut, name), *self.bus_clock(), size=MEMORY, mem=memory)
        self.fw_bus = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil_fw"), *self.bus_clock())
        for chatty in ("m_axi_dram", "m_axi_nvram", "s_axil_fw"):
            logging.getLogger(f"cocotb.{dut._name}.{chatty}").setLevel(logging.WARNING)
        for i in range(CHANNELS):
            NandPortModel(self.nand_bench, f"nand_{i}", read_cycles=40, program_cycles=200, erase_cycles=2000)
        self.rc = RootComplex()
        self.rc.make_port().connect(self.core.device)
        self.memory = HostMemory(self.rc.mem_pool.alloc_region(HOST_MEMORY))

    def benches(self) -> tuple[Bench, Bench]:
        """The clocks of the PCIe core and of the NAND ports."""
        bench = Bench(self.dut)
        return bench, bench

    def bus_clock(self) -> tuple[Any, Any]:
        """Clock and reset of the memories and of the firmware's bus."""
        return self.dut.clock, self.dut.reset

    async def begin(self) -> None:
        """Starts the clocks, and resets the controller."""
        await self.bench.start()

    def start_firmware(self, library: str) -> native_firmware.NativeFirmware:
        return native_firmware.NativeFirmware(
            self.dut, self.fw_bus, self.dram, self.nvram, library, SUPERBLOCKS, self.bus_clock()[0]
        )

    async def set_up(self) -> None:
        """The host enables the function and its interrupts."""
        await self.function.enable_device()
        await self.function.set_master()

    async def start(self) -> PcieHost:
        await self.begin()
        self.dram[:] = self.bench.rng.randbytes(MEMORY)
        self.firmware = self.start_firmware(os.environ["OPENREMAP_FIRMWARE_LIBRARY"])
        await self.firmware.until_running(20_000)
        await self.rc.enumerate()
        self.function = self.rc.find_device(self.core.function.pcie_id)
        await self.set_up()
        assert await self.function.alloc_irq_vectors(VECTORS, VECTORS) == VECTORS
        host = PcieHost(self.dut, self.function, self.function.bar_window[0], self.memory)
        await host.enable()
        await host.create_io_queue(1)
        return host

    def page(self) -> bytes:
        return self.bench.rng.randbytes(PAGE)


Body = Callable[[Device, PcieHost], Awaitable[None]]


def on_device(
    body: Body,
    make: Callable[[Any, float], Device],
    *,
    name: str | None = None,
    stalls: float = 0.0,
    allowed: frozenset[str] = frozenset(),
) -> Any:
    """A test case on a device that has been started. `allowed`: errors that the endpoint may tell of."""

    async def case(dut: Any) -> None:
        device = make(dut, stalls)
        host = await device.start()
        try:
            await body(device, host)
        finally:
            await device.firmware.stop()
        assert set(device.core.errors) <= allowed

    case.__module__ = body.__module__
    case.__name__ = case.__qualname__ = name or body.__name__
    case.__doc__ = body.__doc__
    return cocotb.test()(case)


async def holds(host: NvmeHost, model: dict[int, bytes]) -> None:
    for lpn, data in model.items():
        assert await host.read(lpn) == (0, data), f"LPN {lpn}"


async def works(device: Any, host: NvmeHost) -> None:
    """Identify, a log, writes, reads of odd buffers, remaps, trims; everything is read back."""
    at = host.alloc(PAGE)
    await host.ok(host.submit(0, SubmissionEntry(AdminOpcode.IDENTIFY, prp1=at, cdw10=1)))
    assert host.mem.read(at + 24, 9) == b"OpenRemap"
    model = {lpn: device.page() for lpn in range(12)}
    for lpn, data in model.items():
        assert await host.write(lpn, data, fua=lpn % 3 == 0, offset=4 * (lpn % 5)) == 0
    big = [device.page() for _ in range(5)]
    assert await host.write(100, b"".join(big), offset=512) == 0
    model.update({100 + i: data for i, data in enumerate(big)})
    assert await host.read(100, 5, offset=100) == (0, b"".join(big))
    await holds(host, model)
    # REMAP: targets get the data of the sources without a copy.
    assert await host.remap(0, 200, 4) == 0
    assert await host.remap_vector([RemapRange(src=100, dst=300, nlb=2), RemapRange(src=5, dst=310, nlb=1)]) == 0
    assert await host.move(8, 400, 2) == 0
    model.update({200 + i: model[i] for i in range(4)})
    model.update({300: model[100], 301: model[101], 310: model[5], 400: model.pop(8), 401: model.pop(9)})
    model[0] = device.page()
    assert await host.write(0, model[0]) == 0
    assert await host.deallocate([(10, 2)]) == 0
    model.update({10: bytes(PAGE), 11: bytes(PAGE)})
    assert await host.flush() == 0
    await holds(host, model)
    smart = SmartLog.unpack(await host.log_page(LogPage.SMART, 512))
    assert smart.critical_warning == 0 and smart.host_writes == 14


async def several_queues(device: Device, host: PcieHost) -> None:
    for qid in (2, 3, 4):
        await host.create_io_queue(qid, entries=4)

    async def worker(qid: int) -> None:
        for i in range(6):
            data = device.page()
            assert await host.write(64 * qid + i, data, qid=qid) == 0
            assert await host.read(64 * qid + i, qid=qid) == (0, data)

    await Combine(*(cocotb.start_soon(worker(qid)) for qid in (1, 2, 3, 4)))


async def a_function_reset_ends_commands_and_keeps_data(device: Device, host: PcieHost) -> None:
    """With commands under way. The driver sets the function up again, and finds what was acknowledged."""
    model = {lpn: device.page() for lpn in range(4)}
    for lpn, data in model.items():
        assert await host.write(lpn, data, fua=True) == 0
    await host.submit_all(1, [host.page_write(50 + i, device.page()) for i in range(6)])
    await Timer(3, "us")
    control = await device.function.capability_read_word(PciCapId.EXP, 8)
    await device.function.capability_write_word(PciCapId.EXP, 8, control | 0x8000)
    await Timer(20, "us")
    await device.set_up()
    device.function.msix_enabled = False
    assert await device.function.alloc_irq_vectors(VECTORS, VECTORS) == VECTORS
    assert await host.bar.read_dword(Bar0.CC) == 0
    await host.wait_ready(0)
    await host.enable()
    await host.create_io_queue(1)
    await holds(host, model)


# Completions of the reads that the reset has ended come late.
LATE = frozenset({"unexpected"})
