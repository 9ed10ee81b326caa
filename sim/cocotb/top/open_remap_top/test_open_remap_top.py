# SPDX-License-Identifier: Apache-2.0
"""Tests of the whole controller, end to end.

      test (NVMe host)        native firmware (C, the product sources)
        |  BAR0, host memory     |  s_axil_fw, DRAM, NVRAM
    +---+------------------------+---+
    |          OpenRemapTop          |---- m_axi_dram, m_axi_nvram: AXI RAMs
    +---+------------------------+---+
        | nand_0                 | nand_1
      NAND model (strict: illegal use ends the test)

Array times of the NAND model are shortened, so that a test that fills and collects superblocks is fast. Their
proportions are roughly kept. Every check of data is a Read command: from flash through the mapping.
"""

from __future__ import annotations

import contextlib
import random
from dataclasses import dataclass
from typing import Any

import cocotb
from cocotb.triggers import Combine

from launcher.env.paths import BUILD, ROOT
from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.geometry import DATA_SLOTS, L2P_BASE, LOG_BASE, REF_BASE
from sim.cocotb.support.nvram_layout import BITMAP_BASE, JOURNAL_BASE, NVRAM_BYTES, SEG_BASE
from sim.cocotb.support.orm_formats import NvHeader, RemapRange, VendorLogPages, VendorOpcodes, VendorStatus
from sim.cocotb.support.orm_nvme import (
    AdminOpcode,
    AsyncEvent,
    IoOpcode,
    LogPage,
    SmartLog,
    Status,
    StatusType,
    SubmissionEntry,
)
from sim.cocotb.support.orm_regs import Bar0, Counter, Fw, MemoryUser
from sim.cocotb.top.open_remap_top import native_firmware
from sim.cocotb.top.open_remap_top.device import Device, on_device, on_stalled_device
from sim.cocotb.top.open_remap_top.nvme_host import PAGE, NvmeHost

CODE = 0x7FF  # status code and type without DNR
VENDOR = StatusType.VENDOR << 8


def test_open_remap_top(cocotb_unit: CocotbUnit) -> None:
    library = native_firmware.build(ROOT, BUILD / "cocotb" / "firmware")
    cocotb_unit("OpenRemapTop", env={"OPENREMAP_FIRMWARE_LIBRARY": str(library)})


async def expect(host: NvmeHost, lpn: int, *allowed: bytes) -> bytes:
    """Reads one page. Its data must be one of `allowed`."""
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


@on_stalled_device
async def write_and_read(device: Device, host: NvmeHost) -> None:
    """All transfer shapes: one page, PRP2, PRP list, unaligned buffers. Unmapped pages read as zeroes."""
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
async def what_is_programmed_is_written_down(device: Device, host: NvmeHost) -> None:
    """Every program is recorded in the logs of the superblocks that are open, or were closed last."""
    assert not device.logged()
    pages = DATA_SLOTS + 32
    area = host.alloc(33 * PAGE)
    for lpn in range(0, pages, 32):
        assert await host.write(lpn, device.rng.randbytes(32 * PAGE), at=area) == 0
    assert await host.flush() == 0
    records = device.logged()
    assert len({record.sb for record in records}) > 1
    assert len(records) > pages - DATA_SLOTS
    assert len({record.lpn for record in records}) == len(records)


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

    # Fill superblocks until the shared page's is collected. Each of the others keeps some cold pages, so that the
    # greedy policy selects it.
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
    # The collection outlives power, whether it goes after a shutdown or without warning.
    for cycle in (device.clean_cycle, device.power_cycle):
        host = await cycle()
        await expect(host, 31, precious)
        for lpn in (10, 20, 30):
            await expect(host, lpn, bytes(PAGE))


@dataclass
class Operation:
    """A write or remap of one LPN. It takes effect at some moment between `begin` and `end` (None: not ended yet)."""

    begin: int
    end: int | None = None
    data: bytes = b""
    source: int | None = None  # a remap: the LPN whose value it took at that moment


class History:
    """What each LPN may have held, and when. Time is counted in events."""

    def __init__(self, initial: dict[int, bytes]) -> None:
        self.time = 0
        self._operations = {lpn: [Operation(0, 0, data)] for lpn, data in initial.items()}

    def now(self) -> int:
        self.time += 1
        return self.time

    def begin(self, lpn: int, data: bytes = b"", source: int | None = None) -> Operation:
        operation = Operation(self.now(), None, data, source)
        self._operations[lpn].append(operation)
        return operation

    def held(self, lpn: int, since: int, until: int) -> set[bytes]:
        """All values that `lpn` may have held between the two moments.

        These are those of operations that had begun and were not surely replaced.
        """
        begun = [o for o in self._operations[lpn] if o.begin < until]
        over = max((o.begin for o in begun if o.end is not None and o.end < since), default=0)
        values: set[bytes] = set()
        for o in begun:
            if o.end is not None and o.end < over:
                continue
            end = until if o.end is None else o.end
            values |= {o.data} if o.source is None else self.held(o.source, o.begin, end)
        return values


@on_stalled_device
async def remap_under_load(device: Device, host: NvmeHost) -> None:
    """Readers, and writers of sources and targets, run while ranges are remapped.

    A read returns data that its page may have held between the read's submission and its completion, and nothing else.
    """
    n, sources, targets, queues = 6, 0, 64, (2, 3, 4)
    for qid in queues:
        await host.create_io_queue(qid)
    initial = {base + i: device.page() for base in (sources, targets) for i in range(n)}
    for lpn, data in initial.items():
        assert await host.write(lpn, data) == 0
    history = History(initial)
    stop = False
    reads = 0

    async def reader(qid: int) -> None:
        nonlocal reads
        rng = random.Random(device.rng.random())
        while not stop:
            lpn = rng.choice(list(initial))
            since = history.now()
            status, data = await host.read(lpn, qid=qid)
            assert status == 0
            assert data in history.held(lpn, since, history.now()), f"LPN {lpn}: what it cannot have held meanwhile"
            reads += 1

    async def writer() -> None:
        rng = random.Random(device.rng.random())
        for _ in range(36):
            lpn, data = rng.choice(list(initial)), device.page()
            operation = history.begin(lpn, data)
            assert await host.write(lpn, data, qid=4) == 0
            operation.end = history.now()

    tasks = [cocotb.start_soon(reader(2)), cocotb.start_soon(reader(3)), cocotb.start_soon(writer())]
    for round_ in range(16):
        i = device.rng.randrange(n)
        pages = range(i, i + device.rng.randint(1, n - i))
        ranges = [RemapRange(sources + i, targets + i, len(pages))]
        if round_ % 2:
            ranges = [RemapRange(sources + k, targets + k, 1) for k in pages]
        operations = [history.begin(targets + k, source=sources + k) for k in pages]
        assert await host.remap_vector(ranges) == 0
        for operation in operations:
            operation.end = history.now()
    await tasks[2]
    stop = True
    await Combine(*tasks[:2])
    assert reads > 20
    last = await host.read(sources, n)
    assert last[0] == 0
    assert await host.remap(sources, targets, n) == 0
    assert await host.read(targets, n) == last
    assert await host.read(sources, n) == last


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
    # The recovered device continues: a second cut must not bring anything back.
    fresh = device.page()
    assert await host.write(100, fresh, fua=True) == 0
    assert await host.remap(100, 3) == 0
    host = await device.power_cycle()
    await expect(host, 3, fresh)
    await expect(host, 100, fresh)
    await expect(host, 0, zero)


@on_device
async def bad_commands(device: Device, host: NvmeHost) -> None:
    """Each command is refused with the right status and changes nothing, and the device continues."""
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
    """CC.EN falls with commands under way.

    They end or vanish, nothing leaks, and the data of finished commands is there.
    """
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
async def writes_in_flight_hold_no_read(device: Device, host: NvmeHost) -> None:
    """With a hundred writes waiting inside for flash, a read of another queue passes nearly all of them."""
    count = 100
    await host.create_io_queue(2, entries=128)
    data = [device.page() for _ in range(count)]
    assert await host.write(500, data[0], fua=True) == 0
    queue = host.queues[2]
    writes = await host.submit_all(2, [host.page_write(i, page) for i, page in enumerate(data)])
    await device.bench.until(lambda: queue.ended > 0, "the first of them")
    before = queue.ended
    await expect(host, 500, data[0])
    assert queue.ended - before <= 16, f"{queue.ended - before} writes went before the read"
    await Combine(*writes)
    assert all(task.result()[0] == 0 for task in writes)
    assert queue.most_inside >= 64, f"{queue.most_inside} commands in flight"
    for first in range(0, count, 25):
        assert await host.read(first, 25) == (0, b"".join(data[first : first + 25]))


@on_device
async def queue_deleted_with_many_inside(device: Device, host: NvmeHost) -> None:
    """Commands of a deleted queue that no engine has begun are aborted: their data stays as it was."""
    await host.create_io_queue(2, entries=128)
    old, new = device.page(), device.page()
    for lpn in range(0, 100, 25):
        assert await host.write(lpn, old * 25) == 0
    queue = host.queues[2]
    writes = await host.submit_all(2, [host.page_write(i, new) for i in range(100)])
    await device.bench.until(lambda: queue.ended > 10, "some of them")
    assert await host.delete_queue(AdminOpcode.DELETE_IO_SQ, 2) == 0
    await device.bench.clock(50)  # the host's interrupt handler
    ended = [task.result()[0] & CODE if task.done() else None for task in writes]
    for task in writes:
        task.cancel()
    assert set(ended) <= {0, None, Status.ABORT_SQ_DELETION}
    assert ended.count(Status.ABORT_SQ_DELETION) >= 20, "the queue went at once"
    assert await host.delete_queue(AdminOpcode.DELETE_IO_CQ, 2) == 0
    for first in range(0, 100, 25):
        pages = b"".join(new if status == 0 else old for status in ended[first : first + 25])
        assert await host.read(first, 25) == (0, pages)


@on_stalled_device
async def queue_deleted_under_load(device: Device, host: NvmeHost) -> None:
    """When Delete I/O SQ completes nothing of the queue is left inside: no late data, no late completion, no lost
    place.
    """
    data = device.page()
    assert await host.write(0, data) == 0
    for _ in range(4):
        await host.create_io_queue(2, entries=16)
        q = host.queues[2]
        area = host.alloc(16 * PAGE)
        host.mem.write(area, device.page() * 4)
        commands = [host.io(IoOpcode.READ, 0, 1, area + i * PAGE) for i in range(5)]
        commands += [host.io(IoOpcode.WRITE, 50 + i, 1, area + (8 + i) * PAGE) for i in range(3)]
        commands += [host.io(IoOpcode.FLUSH, 0, 1)]
        commands += [SubmissionEntry(VendorOpcodes.REMAP, nsid=1, cdw12=100 + i, cdw14=1) for i in range(5)]
        device.rng.shuffle(commands)
        tasks = [cocotb.start_soon(host.submit(2, command)) for command in commands]
        await device.bench.clock(device.rng.choice((80, 300, 900, 2500)))
        assert await host.delete_queue(AdminOpcode.DELETE_IO_SQ, 2) == 0
        await device.bench.clock(50)  # the host's interrupt handler
        seen = len(commands) - len(q.waiting)
        host.mem.write(area, bytes(16 * PAGE))  # its memory belongs to the host again
        await device.bench.clock(4000)
        assert len(commands) - len(q.waiting) == seen, "a completion after the queue was deleted"
        assert host.mem.read(area, 16 * PAGE) == bytes(16 * PAGE), "data after the queue was deleted"
        for task in tasks:
            if not task.done():
                task.cancel()
                continue
            status, _ = task.result()
            assert status & CODE in (0, Status.ABORT_SQ_DELETION)
        assert await host.delete_queue(AdminOpcode.DELETE_IO_SQ, 2) & CODE == Status.QID_INVALID
        assert await host.delete_queue(AdminOpcode.DELETE_IO_CQ, 2) == 0
        await expect(host, 0, data)
    await host.create_io_queue(2, entries=2)
    for lpn in range(200, 210):
        assert await host.write(lpn, data, qid=2) == 0, "a queue of one command: no place was lost"
    assert await host.remap(200, 210, qid=2) == 0


@on_device
async def full_admin_queue_stops_nothing_else(device: Device, host: NvmeHost) -> None:
    """A host that takes no admin completions still gets those of its I/O queues, of commands for firmware too."""
    await host.disable()
    await host.enable(entries=16, cq_entries=4)
    await host.create_io_queue(1)
    event = cocotb.start_soon(host.submit(0, SubmissionEntry(AdminOpcode.ASYNC_EVENT)))
    await device.bench.clock(500)
    host.queues[0].asleep = True
    at = host.alloc(PAGE)
    many = [
        cocotb.start_soon(host.submit(0, SubmissionEntry(AdminOpcode.IDENTIFY, prp1=at, cdw10=1))) for _ in range(8)
    ]
    await host.bar.write_dword(Bar0.DOORBELL + 8 * 3, 1)  # an event, which has to wait too
    data = device.page()
    for lpn in range(6):
        assert await host.write(lpn, data) == 0
        assert await host.remap(lpn, 20 + lpn) == 0
        await expect(host, 20 + lpn, data)
    assert not any(task.done() for task in many) and not event.done()
    await host.wake(0)
    for task in many:
        assert (await task)[0] == 0
    assert await event == (0, AsyncEvent.BAD_DOORBELL_REGISTER)


@on_device
async def failed_start_up_stays_visible(device: Device, host: NvmeHost) -> None:
    """Another on-media format ends the start-up. The host sees CSTS.CFS, and no reset clears it."""
    await device.power_cut()
    header = NvHeader.unpack(bytes(device.nvram[: NvHeader.BYTES]))
    header.version += 1
    device.nvram[: NvHeader.BYTES] = header.pack()
    device.start_firmware()
    with contextlib.suppress(AssertionError):
        await device.firmware.until_running(20_000)
    assert device.firmware.phase == native_firmware.FATAL
    for _ in range(2):
        assert await host.bar.read_dword(Bar0.CSTS) == Bar0.CSTS_CFS.put(1)
        device.bench.write("function_reset", 1)
        await device.bench.clock()
        device.bench.write("function_reset", 0)
        await device.bench.clock(5)
        await host.bar.write_dword(Bar0.CC, 6 << 16 | 4 << 20 | 1)
    assert await host.bar.read_dword(Bar0.CSTS) == Bar0.CSTS_CFS.put(1)


@on_device
async def a_memory_that_fails_stops_the_controller(device: Device, host: NvmeHost) -> None:
    """The command under way never ends, the host sees CSTS.CFS, and the next start has all data."""
    zero = bytes(PAGE)
    data = [device.page() for _ in range(4)]
    fresh = device.page()
    pages: dict[int, set[bytes]] = {lpn: {page} for lpn, page in enumerate(data)} | {9: {zero}}

    async def reads(host: NvmeHost) -> None:
        await host.read(2)

    async def writes(host: NvmeHost) -> None:
        await host.write(3, fresh, fua=True)

    async def trims(host: NvmeHost) -> None:
        await host.deallocate([(1, 1)])

    async def remaps(host: NvmeHost) -> None:
        await host.remap(0, 9)

    assert await host.write(0, b"".join(data), fua=True) == 0
    cases: list[tuple[str, bool, int, int, MemoryUser, Any, dict[int, set[bytes]]]] = [
        ("dram", False, L2P_BASE, REF_BASE, MemoryUser.L2P, reads, {}),
        ("dram", True, L2P_BASE, REF_BASE, MemoryUser.L2P, writes, {3: {data[3], fresh}}),
        ("dram", False, REF_BASE, LOG_BASE, MemoryUser.REFS, remaps, {9: {zero, data[0]}}),
        ("nvram", True, JOURNAL_BASE, BITMAP_BASE, MemoryUser.JOURNAL, trims, {1: {data[1], zero}}),
        ("nvram", True, SEG_BASE, NVRAM_BYTES, MemoryUser.REMAP_TABLE, remaps, {9: {zero, data[0]}}),
    ]
    for memory, write, base, end, user, command, changes in cases:
        host = await device.power_cycle()
        device.faults[memory].fail(write, base, end)
        task = cocotb.start_soon(command(host))
        await device.bench.until(lambda: device.firmware.phase == native_firmware.FATAL, "the stop", timeout=50_000)
        assert await host.bar.read_dword(Bar0.CSTS) & Bar0.CSTS_CFS.put(1), user
        error = await device.fw_bus.read_dword(Fw.MEMORY_ERROR)
        shown = (Fw.MEMORY_ERROR_USER.get(error), Fw.MEMORY_ERROR_NVRAM.get(error), Fw.MEMORY_ERROR_WRITE.get(error))
        assert shown == (user, memory == "nvram", write)
        assert base <= await device.fw_bus.read_dword(Fw.MEMORY_ERROR_AT) < end
        await device.bench.clock(3000)
        assert not task.done(), "nothing is acknowledged"
        task.cancel()
        hits = device.faults[memory].hits
        device.faults[memory].heal()
        assert hits, user
        for lpn, allowed in changes.items():
            pages[lpn] = pages[lpn] | allowed
        host = await device.power_cycle()
        for lpn, allowed in pages.items():
            pages[lpn] = {await expect(host, lpn, *allowed)}


@on_device
async def bad_doorbells(device: Device, host: NvmeHost) -> None:
    """Each raises its event and changes nothing: neither the fetch nor the credits of the completion queue."""
    await host.create_io_queue(2, entries=4)
    data = device.page()
    assert await host.write(0, data, qid=2) == 0
    for index, value, why in (
        (2 * 2, 4, AsyncEvent.BAD_DOORBELL_VALUE),
        (2 * 2 + 1, 3, AsyncEvent.BAD_DOORBELL_VALUE),  # the head overtakes what was posted
        (2 * 2 + 1, 9, AsyncEvent.BAD_DOORBELL_VALUE),
        (2 * 4, 1, AsyncEvent.BAD_DOORBELL_REGISTER),
        (2 * 4 + 1, 1, AsyncEvent.BAD_DOORBELL_REGISTER),
    ):
        event = cocotb.start_soon(host.submit(0, SubmissionEntry(AdminOpcode.ASYNC_EVENT)))
        await device.bench.clock(200)
        await host.bar.write_dword(Bar0.DOORBELL + 4 * index, value)
        assert await event == (0, why), (index, value)
        await host.log_page(LogPage.ERROR_INFORMATION, 64)  # the next event may come
    for _ in range(9):
        assert await host.read(0, qid=2) == (0, data)


@on_device
async def log_pages_by_the_dword(device: Device, host: NvmeHost) -> None:
    """Any length and offset of whole dwords; nothing past the length is written; figures follow what was done."""
    whole = await host.log_page(VendorLogPages.OCP_SMART, 512)
    for size, offset in ((4, 0), (4, 508), (8, 500), (20, 496 - 4), (508, 4), (260, 128)):
        at = host.alloc(2 * PAGE) + 64
        host.mem.write(at - 64, b"\xa5" * (size + 128))
        entry = SubmissionEntry(
            AdminOpcode.GET_LOG_PAGE,
            nsid=0xFFFFFFFF,
            prp1=at,
            cdw10=(size // 4 - 1) << 16 | VendorLogPages.OCP_SMART,
            cdw12=offset,
        )
        await host.ok(host.submit(0, entry))
        assert host.mem.read(at, size) == whole[offset : offset + size], (size, offset)
        assert host.mem.read(at - 64, 64) == b"\xa5" * 64 == host.mem.read(at + size, 64), "around the buffer"
    before = SmartLog.unpack(await host.log_page(LogPage.SMART, 512))
    assert (before.available_spare, before.critical_warning) == (100, 0)
    for lpn in range(3):
        assert await host.write(lpn, device.page()) == 0
    assert await host.flush() == 0
    for _ in range(5):
        await host.read(0)
    after = SmartLog.unpack(await host.log_page(LogPage.SMART, 512))
    assert (after.host_writes - before.host_writes, after.host_reads - before.host_reads) == (3, 5)
    at = host.alloc(PAGE)
    await host.ok(host.submit(0, SubmissionEntry(AdminOpcode.IDENTIFY, nsid=1, prp1=at)))
    nsze, ncap, nuse = (int.from_bytes(host.mem.read(at + 8 * i, 8), "little") for i in range(3))
    assert (ncap, nuse) == (nsze, 3)


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
