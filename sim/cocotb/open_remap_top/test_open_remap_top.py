# SPDX-License-Identifier: Apache-2.0
"""The whole controller, end to end.

      test (NVMe host)        native firmware (C, the shipped sources)
        |  BAR0, host memory     |  s_axil_fw, DRAM, NVRAM
    +---+------------------------+---+
    |          OpenRemapTop          |---- m_axi_dram, m_axi_nvram: AXI RAMs
    +---+------------------------+---+
        | nand_0                 | nand_1
      NAND model (strict: illegal use ends the test)

Array times of the NAND model are shortened, so that a test that fills and collects superblocks stays short; their order of
magnitude to each other is kept. Every check of data is a Read command: from flash through the mapping.
"""

from __future__ import annotations

import logging
import mmap
import os
import random
from collections.abc import Awaitable, Callable
from typing import Any

import cocotb
from cocotb.triggers import Combine
from cocotbext.axi import AxiBus, AxiLiteBus, AxiLiteMaster, AxiRam

from launcher.cocotb_unit import CocotbUnit
from launcher.paths import BUILD, ROOT
from sim.cocotb.lib.bench import Bench
from sim.cocotb.lib.geometry import CHANNELS
from sim.cocotb.lib.nand import NandPortModel
from sim.cocotb.lib.orm_formats import RemapLog, RemapRange, VendorLogPages, VendorStatus
from sim.cocotb.lib.orm_nvme import AdminOpcode, IoOpcode, Status, StatusType, SubmissionEntry
from sim.cocotb.lib.orm_regs import Bar0, Counter, Fw
from sim.cocotb.open_remap_top import native_firmware
from sim.cocotb.open_remap_top.native_firmware import NativeFirmware
from sim.cocotb.open_remap_top.nvme_host import PAGE, NvmeHost

SUPERBLOCKS = 10
CODE = 0x7FF  # status code and type without DNR
VENDOR = StatusType.VENDOR << 8


def test_open_remap_top(cocotb_unit: CocotbUnit) -> None:
    library = native_firmware.build(ROOT, BUILD / "cocotb" / "firmware")
    cocotb_unit("OpenRemapTop", env={"OPENREMAP_FIRMWARE_LIBRARY": str(library)})


class Device:
    """The controller with its memories; flash and NVRAM outlive a power cycle."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.bench = Bench(dut)
        self.rng = self.bench.rng
        self.dram = mmap.mmap(-1, 1 << 20)
        self.nvram = mmap.mmap(-1, 1 << 20)
        self.bench.write("function_reset", 0)
        self.bench.write("skipped", 0)
        AxiRam(AxiBus.from_prefix(dut, "m_axi_dram"), dut.clock, dut.reset, size=1 << 20, mem=self.dram)
        AxiRam(AxiBus.from_prefix(dut, "m_axi_nvram"), dut.clock, dut.reset, size=1 << 20, mem=self.nvram)
        self.host_ram = AxiRam(AxiBus.from_prefix(dut, "m_axi_host"), dut.clock, dut.reset, size=1 << 24)
        self.bar = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil_bar"), dut.clock, dut.reset)
        self.fw_bus = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil_fw"), dut.clock, dut.reset)
        self.nand = [
            NandPortModel(self.bench, f"nand_{i}", read_cycles=40, program_cycles=200, erase_cycles=2000)
            for i in range(CHANNELS)
        ]
        for chatty in ("m_axi_dram", "m_axi_nvram", "m_axi_host", "s_axil_bar", "s_axil_fw"):
            logging.getLogger(f"cocotb.{dut._name}.{chatty}").setLevel(logging.WARNING)
        self.firmware: NativeFirmware
        self.host: NvmeHost

    async def power_on(self) -> NvmeHost:
        """Starts the firmware, enables the controller with one I/O queue pair."""
        self.dram[:] = self.rng.randbytes(len(self.dram))
        library = os.environ["OPENREMAP_FIRMWARE_LIBRARY"]
        self.firmware = NativeFirmware(self.dut, self.fw_bus, self.dram, self.nvram, library, SUPERBLOCKS)
        await self.firmware.until_running(20_000)
        self.host = NvmeHost(self.dut, self.bar, self.host_ram)
        await self.host.enable()
        await self.host.create_io_queue(1)
        return self.host

    async def stop(self) -> None:
        await self.firmware.stop()
        self.host.stop()

    async def power_cycle(self) -> NvmeHost:
        """Power goes without warning and comes back."""
        await self.stop()
        self.dut.reset.value = 1
        for port in self.nand:
            port.power_cut()
        await self.bench.clock(5)
        self.dut.reset.value = 0
        await self.bench.clock(2)
        return await self.power_on()

    async def counter(self, which: Counter) -> int:
        log = RemapLog.unpack(await self.host.log_page(VendorLogPages.REMAP_LOG, RemapLog.BYTES))
        return int(getattr(log, which.name.lower()))

    def page(self) -> bytes:
        return self.rng.randbytes(PAGE)


Body = Callable[[Device, NvmeHost], Awaitable[None]]


def on_device(body: Body) -> Any:
    """A test case on a fresh device that has been started."""

    async def case(dut: Any) -> None:
        device = Device(dut)
        await device.bench.start()
        host = await device.power_on()
        try:
            await body(device, host)
        finally:
            await device.stop()

    case.__name__ = case.__qualname__ = body.__name__
    case.__doc__ = body.__doc__
    return cocotb.test()(case)


async def expect(host: NvmeHost, lpn: int, *allowed: bytes) -> bytes:
    """Reads one page, which must be one of `allowed`."""
    status, data = await host.read(lpn)
    assert status == 0, f"LPN {lpn}: status {status:#x}"
    assert data in allowed, f"LPN {lpn} holds something else"
    return data


@on_device
async def identify(device: Device, host: NvmeHost) -> None:
    at = host.alloc(PAGE)
    await host.ok(host.submit(0, SubmissionEntry(AdminOpcode.IDENTIFY, prp1=at, cdw10=1)))
    assert bytes(host.mem.read(at + 24, 9)) == b"OpenRemap"
    await host.ok(host.submit(0, SubmissionEntry(AdminOpcode.IDENTIFY, nsid=1, prp1=at, cdw10=0)))
    assert int.from_bytes(host.mem.read(at, 8), "little") > 128


@on_device
async def write_and_read(device: Device, host: NvmeHost) -> None:
    """All transfer shapes: one page, PRP2, PRP list, unaligned buffers; unmapped pages read as zeroes."""
    await expect(host, 5, bytes(PAGE))
    for pages, offset in ((1, 0), (2, 0), (5, 0), (1, 4), (3, 2052), (32, 0), (7, 4092)):
        data = device.rng.randbytes(pages * PAGE)
        assert await host.write(100, data, offset=offset) == 0
        assert await host.read(100, pages, offset=(offset + 8) % PAGE) == (0, data)
    assert await host.flush() == 0
    assert await host.write(7, data[:PAGE], fua=True) == 0
    assert await host.deallocate([(100, 2), (103, 1)]) == 0
    zero = bytes(PAGE)
    assert await host.read(100, 4) == (0, zero + zero + data[2 * PAGE : 3 * PAGE] + zero)


@on_device
async def share_survives_its_source(device: Device, host: NvmeHost) -> None:
    """Remap, overwrite the source, deallocate it, collect the superblock: the data is there under every other LPN."""
    precious, replaced = device.page(), device.page()
    assert await host.write(10, precious) == 0
    assert await host.remap(10, 20) == 0
    assert await host.remap_vector([RemapRange(10, 30, 1), RemapRange(20, 31, 1)]) == 0
    assert await host.write(10, replaced) == 0
    for lpn in (20, 30, 31):
        await expect(host, lpn, precious)
    await expect(host, 10, replaced)
    assert await host.deallocate([(10, 1), (30, 1)]) == 0
    await expect(host, 10, bytes(PAGE))

    # Fill superblocks until the shared page's is collected: each of the others keeps some cold pages, so that the greedy
    # policy comes to it.
    moved, area = 0, host.alloc(33 * PAGE)
    for cold in range(300, 400):
        block = device.rng.randbytes(31 * PAGE)
        assert await host.write(200, block, at=area) == 0
        assert await host.write(cold, block[:PAGE], at=area) == 0
        moved = await device.counter(Counter.GC_MOVED_SHARED)
        if moved:
            break
    assert moved > 0, "GC never met the shared page"
    for lpn in (20, 31):
        await expect(host, lpn, precious)
    for lpn in (10, 30):
        await expect(host, lpn, bytes(PAGE))
    assert await host.deallocate([(20, 1)]) == 0
    await expect(host, 31, precious)


@on_device
async def remap_under_load(device: Device, host: NvmeHost) -> None:
    """Readers and a writer run while ranges are remapped: a page is its old or its new self, never a third."""
    await host.create_io_queue(2)
    await host.create_io_queue(3)
    a, b = [device.page() for _ in range(8)], [device.page() for _ in range(8)]
    assert await host.write(0, b"".join(a)) == 0
    assert await host.write(64, b"".join(b)) == 0
    written: dict[int, list[bytes]] = {i: [] for i in range(8)}
    stop = False

    async def reader(qid: int) -> None:
        rng = random.Random(device.rng.random())
        while not stop:
            i = rng.randrange(8)
            status, data = await host.read(64 + i, qid=qid)
            assert status == 0
            assert data in (a[i], b[i], *written[i]), f"a third value at LPN {64 + i}"

    async def writer() -> None:
        rng = random.Random(device.rng.random())
        for _ in range(24):
            i = rng.randrange(8)
            data = device.page()
            written[i].append(data)
            assert await host.write(64 + i, data, qid=3) == 0

    tasks = [cocotb.start_soon(reader(2)), cocotb.start_soon(writer())]
    for round_ in range(16):
        i = device.rng.randrange(8)
        n = device.rng.randint(1, 8 - i)
        ranges = [RemapRange(i, 64 + i, n)] if round_ % 2 else [RemapRange(i + k, 64 + i + k, 1) for k in range(n)]
        assert await host.remap_vector(ranges) == 0
    await tasks[1]
    stop = True
    await tasks[0]
    assert await host.remap(0, 64, 8) == 0
    assert await host.read(64, 8) == (0, b"".join(a))
    assert await host.read(0, 8) == (0, b"".join(a))


@on_device
async def move(device: Device, host: NvmeHost) -> None:
    data = [device.page() for _ in range(3)]
    assert await host.write(40, b"".join(data)) == 0
    assert await host.move(40, 50, 3) == 0
    assert await host.read(50, 3) == (0, b"".join(data))
    assert await host.read(40, 3) == (0, bytes(3 * PAGE))


@on_device
async def power_cycle(device: Device, host: NvmeHost) -> None:
    """What was flushed, remapped or deallocated is there after power went without warning."""
    data = [device.page() for _ in range(6)]
    assert await host.write(0, b"".join(data)) == 0
    assert await host.remap(0, 100, 2) == 0  # waits for its sources, so pages 0 and 1 are durable
    assert await host.flush() == 0
    assert await host.deallocate([(0, 1), (3, 1)]) == 0
    assert await host.move(4, 104) == 0
    host = await device.power_cycle()
    zero = bytes(PAGE)
    assert await host.read(0, 6) == (0, zero + data[1] + data[2] + zero + zero + data[5])
    assert await host.read(100, 5) == (0, data[0] + data[1] + zero + zero + data[4])
    # The recovered device goes on: a second cut must not bring anything back.
    fresh = device.page()
    assert await host.write(100, fresh, fua=True) == 0
    assert await host.remap(100, 3) == 0
    host = await device.power_cycle()
    await expect(host, 3, fresh)
    await expect(host, 100, fresh)
    await expect(host, 0, zero)


@on_device
async def bad_commands(device: Device, host: NvmeHost) -> None:
    """Each is refused with its own status, changes nothing, and the device goes on."""
    data = [device.page() for _ in range(4)]
    assert await host.write(0, b"".join(data)) == 0
    at = host.alloc(2 * PAGE)
    await host.ok(host.submit(0, SubmissionEntry(AdminOpcode.IDENTIFY, nsid=1, prp1=at, cdw10=0)))
    nsze = int.from_bytes(host.mem.read(at, 8), "little")

    async def code(command: Any) -> int:
        status, _ = await command
        return int(status) & CODE

    async def remap_code(*args: Any, **more: Any) -> int:
        return await host.remap(*args, **more) & CODE

    assert await remap_code(0, nsze - 1, 2) == Status.LBA_OUT_OF_RANGE
    assert await remap_code(nsze, 8) == Status.LBA_OUT_OF_RANGE
    assert await remap_code(1 << 63, 8) == Status.LBA_OUT_OF_RANGE
    assert await remap_code(0, 8, 0xFFFFFFFF) == Status.LBA_OUT_OF_RANGE
    assert await remap_code(0, 2, 4) == VENDOR | VendorStatus.REMAP_OVERLAP
    assert await remap_code(0, 10, 0) == VENDOR | VendorStatus.REMAP_ZERO_LENGTH
    assert await remap_code(2, 10, 4) == VENDOR | VendorStatus.REMAP_UNMAPPED
    assert await remap_code(0, 10, 1, flags=0x8000_0000) == Status.INVALID_FIELD
    vector = [RemapRange(0, 20, 2), RemapRange(50, 30, 1)]
    assert await host.remap_vector(vector) & CODE == VENDOR | VendorStatus.REMAP_UNMAPPED
    assert (
        await host.remap_vector([RemapRange(0, 20, 2), RemapRange(2, 21, 1)]) & CODE
        == VENDOR | VendorStatus.REMAP_OVERLAP
    )
    assert await host.remap_vector([]) & CODE == VENDOR | VendorStatus.REMAP_ZERO_LENGTH
    assert await host.read(20, 2) == (0, bytes(2 * PAGE))

    assert await code(host.submit(1, host.io(IoOpcode.READ, nsze, 1, at))) == Status.LBA_OUT_OF_RANGE
    assert await code(host.submit(1, host.io(IoOpcode.READ, 1 << 40, 1, at))) == Status.LBA_OUT_OF_RANGE
    assert await code(host.submit(1, host.io(IoOpcode.READ, 0, 1, at + 2))) == Status.INVALID_PRP_OFFSET
    assert await code(host.submit(1, host.io(IoOpcode.READ, 0, 2, at, at + 4))) == Status.INVALID_PRP_OFFSET
    assert await code(host.submit(1, host.io(IoOpcode.READ, 0, 33, at))) == Status.INVALID_FIELD
    assert await code(host.submit(1, SubmissionEntry(0x7F, nsid=1))) == Status.INVALID_OPCODE
    assert await code(host.submit(1, SubmissionEntry(0xC3, nsid=1))) == Status.INVALID_OPCODE
    assert await code(host.submit(0, SubmissionEntry(0x7F))) == Status.INVALID_OPCODE
    assert await code(host.submit(1, SubmissionEntry(IoOpcode.READ, nsid=2, prp1=at))) == Status.INVALID_NAMESPACE
    for qid in (0, 1, 9, 0xFFFF):
        create = SubmissionEntry(AdminOpcode.CREATE_IO_CQ, prp1=at, cdw10=15 << 16 | qid, cdw11=3)
        assert await code(host.submit(0, create)) == Status.QID_INVALID
    await host.bar.write_dword(Bar0.DOORBELL + 8 * 3, 1)
    await host.bar.write_dword(Bar0.DOORBELL + 8 * 1, 0x7FFF)
    assert await host.read(0, 4) == (0, b"".join(data))


@on_device
async def controller_reset(device: Device, host: NvmeHost) -> None:
    """CC.EN falls with commands under way: they end or vanish, nothing leaks, and the data of finished ones is there."""
    data = device.page()
    assert await host.write(0, data) == 0
    for _ in range(3):
        at = host.alloc(40 * PAGE)
        tasks = [cocotb.start_soon(host.submit(1, host.io(IoOpcode.READ, 0, 1, at + i * PAGE))) for i in range(12)]
        await device.bench.clock(device.rng.randint(20, 400))
        await host.disable()
        for task in tasks:
            task.cancel()
        await host.enable()
        await host.create_io_queue(1)
        await expect(host, 0, data)
    blocks = [device.rng.randbytes(16 * PAGE) for _ in range(4)]
    for i, block in enumerate(blocks):
        assert await host.write(16 * i, block) == 0
    for i, block in enumerate(blocks):
        assert await host.read(16 * i, 16) == (0, block)


@on_device
async def several_queues(device: Device, host: NvmeHost) -> None:
    for qid in (2, 3, 4):
        await host.create_io_queue(qid, entries=4)

    async def worker(qid: int) -> None:
        for i in range(10):
            data = device.page()
            assert await host.write(64 * qid + i, data, qid=qid) == 0
            assert await host.read(64 * qid + i, qid=qid) == (0, data)

    await Combine(*(cocotb.start_soon(worker(qid)) for qid in (1, 2, 3, 4)))
    identification = await device.fw_bus.read_dword(Fw.ID)
    assert identification == Fw.ID_MAGIC.reset
