# SPDX-License-Identifier: Apache-2.0
"""The whole controller with flash pages of several slots (configuration `wide`): pages that are not full are written when
somebody waits for them, and every slot that is programmed is counted as what it is."""

from __future__ import annotations

from sim.cocotb.lib.codes import NandOp
from sim.cocotb.lib.geometry import SLOTS_PER_PAGE, SlotAddress
from sim.cocotb.lib.orm_formats import UNMAPPED, OobRecord, RemapLog, VendorLogPages
from sim.cocotb.lib.orm_regs import Counter
from sim.cocotb.open_remap_top.device import Device, on_device
from sim.cocotb.open_remap_top.nvme_host import PAGE, NvmeHost


def pages_programmed(device: Device) -> int:
    return sum(op == NandOp.PROGRAM for port in device.nand for op, _ in port.operations)


async def counted(device: Device) -> RemapLog:
    """The counters, when all that was programmed has been counted: host, GC and padding together are all slots."""
    for _ in range(50):
        log = RemapLog.unpack(await device.host.log_page(VendorLogPages.REMAP_LOG, RemapLog.BYTES))
        slots = SLOTS_PER_PAGE * pages_programmed(device)
        if log.nand_program_host + log.nand_program_gc + log.nand_program_pad == slots:
            return log
        await device.bench.clock(500)
    raise AssertionError(f"{slots} slots were programmed, and counted {log}")


def spares(device: Device) -> list[OobRecord]:
    """Of every slot that flash holds; each must be good and name itself."""
    found = []
    for channel, port in enumerate(device.nand):
        for (die, block, page), slots in port.pages.items():
            for sub, (_, spare) in enumerate(slots):
                assert OobRecord.good(spare)
                record = OobRecord.unpack(spare)
                assert record.slot == SlotAddress(block, page, die, channel, sub).slot
                assert record.lpn != UNMAPPED or record.seq == 0
                found.append(record)
    return found


@on_device
async def held_pages(device: Device, host: NvmeHost) -> None:
    """A write alone programs nothing. A reader, FUA, Flush and a remap do, and pad; a page that fills up needs none."""
    data = {lpn: device.page() for lpn in range(40)}
    before = pages_programmed(device)

    async def write(lpn: int, count: int = 1, fua: bool = False) -> None:
        assert await host.write(lpn, b"".join(data[lpn + i] for i in range(count)), fua=fua) == 0

    await write(0)
    await write(1)
    await device.bench.clock(3000)
    assert pages_programmed(device) == before
    assert await host.read(1) == (0, data[1])
    assert pages_programmed(device) == before + 1
    assert await host.read(0) == (0, data[0])
    await write(2, 3)
    assert pages_programmed(device) == before + 1
    await write(5, fua=True)
    assert pages_programmed(device) == before + 2, "it filled its page"
    await write(6, fua=True)
    await write(7)
    assert await host.flush() == 0
    await write(8)
    assert await host.remap(8, 100) == 0
    assert pages_programmed(device) == before + 5
    await write(9, 2 * SLOTS_PER_PAGE)
    assert await host.read(9, 2 * SLOTS_PER_PAGE) == (0, b"".join(data[9 + i] for i in range(2 * SLOTS_PER_PAGE)))
    log = await counted(device)
    assert (log.nand_program_host, log.nand_program_pad) == (17, 2 + 3 * 3)
    padding = [record for record in spares(device) if record.lpn == UNMAPPED]
    assert len(padding) == log.nand_program_pad
    await write(17, 2)
    assert await host.flush() == 0
    for cycle in (device.power_cycle, device.clean_cycle):
        host = await cycle()
        assert await host.read(0, 19) == (0, b"".join(data[lpn] for lpn in range(19)))
        assert await host.read(100) == (0, data[8])
        await write(19)
        assert await host.read(19) == (0, data[19])


@on_device
async def collected_pages(device: Device, host: NvmeHost) -> None:
    """Durable writes of single pages use up flash four times as fast; what stays in between is moved again and again."""
    rng, area = device.rng, host.alloc(2 * PAGE)
    held: dict[int, bytes] = {}
    shared: dict[int, bytes] = {}
    for round_ in range(600):
        cold = round_ % 4 == 0
        lpn = 50 + round_ // 4 if cold else rng.randrange(8)
        held[lpn] = device.page()
        assert await host.write(lpn, held[lpn], fua=rng.random() < 0.9, at=area) == 0
        if cold:
            assert await host.remap(lpn, lpn + 160) == 0
            shared[lpn + 160] = held[lpn]
        if round_ % 16 == 0 and await device.counter(Counter.GC_MOVED_PAGES) > 8:
            break
    log = await counted(device)
    assert log.gc_moved_pages > 8 and log.nand_program_gc >= log.gc_moved_pages
    spares(device)
    for cycle in range(2):
        for lpn, page in (held | shared).items():
            assert await host.read(lpn) == (0, page), f"LPN {lpn}"
        if cycle == 0:
            assert await host.flush() == 0
            host = await device.power_cycle()
