# SPDX-License-Identifier: Apache-2.0
"""Tests of PcieTlp, the endpoint as a whole, against a root complex (support/endpoint.py has the picture)."""

from __future__ import annotations

from typing import Any

import cocotb
from cocotbext.axi import MemoryRegion
from cocotbext.pcie.core.caps import PciCapId
from cocotbext.pcie.core.tlp import CplStatus, Tlp, TlpType

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.pcie.support.core7 import PBA, STRANGER, TABLE
from sim.cocotb.pcie.support.endpoint import BEAT, HIGH, PAGE, ROOM, VECTORS, Endpoint
from sim.cocotb.pcie.support.pieces import completion, memory_read, memory_write
from sim.cocotb.pcie.support.ports import Pending
from sim.cocotb.support.axi import OKAY, SLVERR
from sim.cocotb.support.stream import Watch


@cocotb.test()
async def is_found(dut: Any) -> None:
    tb = Endpoint(dut)
    await tb.start()
    assert tb.device.class_code == 0x010802
    assert tb.core.function.msix_cap.msix_enable and tb.core.function.bus_master_enable
    # The host has written the table through BAR0 and reads the same.
    for vector in range(VECTORS):
        addr, data = tb.device.msi_vectors[vector].addr, tb.device.msi_vectors[vector].data
        entry = await tb.read(TABLE + 16 * vector, 16)
        assert entry == addr.to_bytes(8, "little") + data.to_bytes(4, "little") + bytes(4)
    assert tb.bar.writes == []


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.5])
async def registers_are_read_and_written(dut: Any, stalls: float) -> None:
    tb = Endpoint(dut, stalls, stalls)
    await tb.start()
    rng = tb.bench.rng
    model = bytearray(0x2000)
    for _ in range(60):
        length = rng.choice([1, 2, 3, 4, 5, 7, 8, 12, 16, 64, 127, 200])
        addr = rng.randrange(0x2000 - length)
        if rng.random() < 0.5:
            data = rng.randbytes(length)
            await tb.window.write(addr, data)
            model[addr : addr + length] = data
        else:
            assert await tb.read(addr, length) == model[addr : addr + length], f"{length} at {addr:#x}"


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.5], sizes=[(0, 0, False), (1, 2, True), (2, 1, False), (3, 5, True)])
async def host_memory_is_written_and_read(dut: Any, stalls: float, sizes: tuple[int, int, bool]) -> None:
    """All sizes and alignments, several bursts under way, completions in any order, also split at each 64 bytes."""
    tb = Endpoint(dut, stalls, stalls)
    payload, request, splits = sizes
    await tb.start(payload, request)
    tb.core.shuffles = True
    tb.rc.split_on_all_rcb = splits
    rng = tb.bench.rng
    model = tb.fill()
    for _ in range(4):
        base = rng.choice([tb.base, HIGH])
        writes = []
        for _ in range(6):
            length = rng.choice([1, 2, 3, 4, 5, 8, 15, 16, 17, 100, 128, 511, 512, 1000, PAGE])
            addr = rng.randrange(ROOM // PAGE) * PAGE + rng.randrange(PAGE - length + 1)
            data = rng.randbytes(length)
            model[base][addr : addr + length] = data
            writes.append(tb.host.write_bytes(base + addr, data))
        for write in writes:
            assert (await write.wait()).resps == [OKAY]
        reads = []
        for _ in range(8):
            beats = rng.choice([1, 2, 3, 4, 7, 8, 31, 32, 33, 100, 256])
            addr = rng.randrange(ROOM // PAGE) * PAGE + BEAT * rng.randrange(256 - beats + 1)
            reads.append((addr, tb.host.read(base + addr, beats)))
        for addr, read in reads:
            await read.wait()
            tb.check_read(read, model[base][addr : addr + BEAT * read.beats])
    assert bytes(tb.low[0:ROOM]) == model[tb.base] and bytes(tb.high[0:ROOM]) == model[HIGH]
    assert not tb.core.errors


@cocotb.test()
async def eight_reads_are_under_way(dut: Any) -> None:
    """Their completions come from the last to the first."""
    tb = Endpoint(dut)
    await tb.start(2, 2)
    model = tb.fill()
    kept: list[Tlp] = []
    tb.core.alter = lambda tlp: kept.append(tlp) or []  # type: ignore[func-returns-value]
    read = tb.host.read(HIGH + 0x2000, 256)
    await tb.bench.until(lambda: len(kept) == 8, "eight requests")
    await tb.bench.clock(200)
    assert len(kept) == len(tb.core.under_way) == 8
    for tlp in reversed(kept):
        await tb.bench.clock(50)
        assert not read.resps
        tb.core.complete(tlp)
    await read.wait()
    tb.check_read(read, model[HIGH][0x2000:0x3000])


@cocotb.test()
async def writes_fill_the_stream(dut: Any) -> None:
    tb = Endpoint(dut)
    await tb.start(1)
    begin = tb.bench.cycle
    writes = [tb.host.write(HIGH + PAGE * i, bytes(PAGE)) for i in range(4)]
    for write in writes:
        await write.wait()
    # 64 TLPs of 256 bytes and a header: beats of the stream, and what WriteRequester needs for each.
    beats = 2 * 17 if tb.core.width == 64 else 17 + 2
    assert tb.bench.cycle - begin <= 64 * beats + 60


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.5])
async def strobes_are_byte_enables(dut: Any, stalls: float) -> None:
    tb = Endpoint(dut, stalls, stalls)
    await tb.start(1)
    rng = tb.bench.rng
    model = tb.fill()[HIGH]
    for _ in range(40):
        beats = rng.randrange(1, 12)
        addr = rng.randrange(ROOM // PAGE) * PAGE + BEAT * rng.randrange(256 - beats)
        strobes = [rng.choice([0, 0xFFFF, 0xFFFF, rng.getrandbits(16)]) for _ in range(beats)]
        data = rng.randbytes(BEAT * beats)
        for i in range(BEAT * beats):
            if strobes[i // BEAT] >> i % BEAT & 1:
                model[addr + i] = data[i]
        assert (await tb.host.write(HIGH + addr, data, strobes).wait()).resps == [OKAY]
    await tb.host.read(HIGH, 1).wait()  # it comes behind the writes
    assert bytes(tb.high[0:ROOM]) == model


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.6])
async def an_interrupt_is_behind_its_data(dut: Any, stalls: float) -> None:
    tb = Endpoint(dut, stalls, stalls)
    await tb.start()
    rng = tb.bench.rng
    for _ in range(20):
        vector = rng.randrange(VECTORS)
        tb.raised.clear()
        tb.interrupt.clear()
        tb.host.write(tb.base + 0x800, rng.randbytes(512))
        data = rng.randbytes(64)
        await tb.host.write(tb.base, data).wait()
        tb.irq.send(bits=vector)
        await tb.interrupt.wait()
        assert tb.raised == [(vector, data)]


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.6])
async def a_register_that_is_read_is_behind_the_data(dut: Any, stalls: float) -> None:
    """A host that polls a register finds the data that were written before."""
    tb = Endpoint(dut, stalls, stalls)
    await tb.start()
    rng = tb.bench.rng
    for i in range(1, 15):
        data = rng.randbytes(256)
        write = tb.host.write(tb.base + 0x100, data)

        async def tell(write: Pending = write, value: int = i) -> None:
            await write.wait()
            tb.bar.words[0x1C] = value

        task = cocotb.start_soon(tell())
        while await tb.read(0x1C, 4) != i.to_bytes(4, "little"):
            pass
        assert bytes(tb.low[0x100:0x200]) == data
        await task


@cocotb.test()
async def masked_vectors_show_in_the_pending_bits(dut: Any) -> None:
    tb = Endpoint(dut)
    await tb.start()
    for vector in (2, 7):
        await tb.window.write_dword(TABLE + 16 * vector + 12, 1)
    assert await tb.read_masks() == [0, 0, 1, 0, 0, 0, 0, 1, 0]
    for vector in (2, 3, 7, 2):
        tb.irq.send(bits=vector)
    assert await tb.read(PBA, 8) == (1 << 2 | 1 << 7).to_bytes(8, "little")
    assert [vector for vector, _ in tb.raised] == [3]
    await tb.window.write_dword(TABLE + 16 * 2 + 12, 0)
    assert await tb.read(PBA, 8) == (1 << 7).to_bytes(8, "little")
    assert [vector for vector, _ in tb.raised] == [3, 2]
    # All of the function's vectors.
    control = await tb.device.capability_read_word(PciCapId.MSIX, 2)
    await tb.device.capability_write_word(PciCapId.MSIX, 2, control | 0x4000)
    await tb.window.write_dword(TABLE + 16 * 7 + 12, 0)
    tb.irq.send(bits=0)
    await tb.bench.clock(100)
    assert await tb.read(PBA, 1) == bytes([1 << 7 | 1])
    assert len(tb.raised) == 2
    await tb.device.capability_write_word(PciCapId.MSIX, 2, control)
    await tb.bench.until(lambda: len(tb.raised) == 4, "both interrupts")
    assert sorted(vector for vector, _ in tb.raised[2:]) == [0, 7]
    assert await tb.read(PBA, 8) == bytes(8)


class Refusing(MemoryRegion):  # type: ignore[misc]
    """Host memory that cannot be read."""

    async def _read(self, addr: int, length: int, **kwargs: Any) -> bytes:
        raise ValueError("cannot be read")


@cocotb.test()
async def what_the_host_refuses_is_an_error(dut: Any) -> None:
    tb = Endpoint(dut)
    await tb.start()
    model = tb.fill()
    tb.rc.mem_address_space.register_region(Refusing(ROOM), HIGH + 0x100_0000)
    nowhere, refusing = HIGH + 0x200_0000, HIGH + 0x100_0000
    reads = [(addr, tb.host.read(addr, 40)) for addr in (HIGH, nowhere, HIGH + 0x1000, refusing, HIGH + 0x2000)]
    for addr, read in reads:
        await read.wait()
        good = addr < HIGH + ROOM
        tb.check_read(read, model[HIGH][addr & 0xFFFF : (addr & 0xFFFF) + 640] if good else b"",
                      range(0) if good else range(40))  # fmt: skip
    await tb.check_alive()


SPOILS: dict[str, Any] = {
    "poisoned": lambda tlp: {"ep": True},
    "unsupported": lambda tlp: {"fmt_type": TlpType.CPL, "status": CplStatus.UR, "data": b"", "length": 0},
    "aborted": lambda tlp: {"fmt_type": TlpType.CPL, "status": CplStatus.CA, "data": b"", "length": 0},
    "other address": lambda tlp: {"lower_address": tlp.lower_address ^ 0x40},
    "other count": lambda tlp: {"byte_count": tlp.byte_count + 64},
    "longer": lambda tlp: {"data": bytes(tlp.data) * 8, "length": 8 * tlp.length},
}


@cocotb.test()
@cocotb.parametrize(what=list(SPOILS), part=[0, 2])
async def a_completion_that_is_wrong_fails_its_request_alone(dut: Any, what: str, part: int) -> None:
    """One of eight requests of a burst, with its first or its third completion."""
    tb = Endpoint(dut)
    await tb.start(0, 1)
    tb.rc.split_on_all_rcb = True
    model = tb.fill()
    count = 0

    def alter(tlp: Tlp) -> list[Tlp]:
        nonlocal count
        count += 1
        if (count - 1) == 5 * 4 + part:  # each request has four completions
            for name, value in SPOILS[what](tlp).items():
                setattr(tlp, name, value)
        return [tlp]

    tb.core.alter = alter
    read = await tb.host.read(HIGH, 128).wait()
    tb.check_read(read, model[HIGH][:2048], failed=range(5 * 16, 6 * 16))
    # The completions behind the wrong one find nobody.
    await tb.bench.clock(50)
    assert set(tb.core.errors) <= {"unexpected"} and tb.core.errors.get("unexpected", 0) <= 3 - part
    tb.core.under_way.clear()
    await tb.check_alive()


@cocotb.test()
async def a_completion_that_comes_twice_does_no_harm(dut: Any) -> None:
    """The last one of a request: the second of them finds the request or nobody."""
    tb = Endpoint(dut)
    await tb.start(0, 1)
    model = tb.fill()
    tb.core.alter = lambda tlp: [tlp, tlp] if tlp.byte_count == len(tlp.data) and tlp.tag % 8 == 5 else [tlp]
    for _ in range(8):
        read = await tb.host.read(HIGH, 128).wait()
        failed = {i // 16 for i, resp in enumerate(read.resps) if resp != OKAY}
        assert failed <= {i for i in range(8) if i % 8 == 5}
        tb.check_read(read, model[HIGH][:2048], failed=range(5 * 16, 6 * 16) if failed else range(0))
    await tb.check_alive()


@cocotb.test()
async def a_read_whose_completion_is_lost_times_out(dut: Any) -> None:
    tb = Endpoint(dut)
    await tb.start(0, 1)
    model = tb.fill()
    lost: list[Tlp] = []

    def alter(tlp: Tlp) -> list[Tlp]:
        if len(lost) < 2:
            lost.append(tlp)
            return []
        return [tlp]

    tb.core.alter = alter
    begin = tb.bench.cycle
    other = tb.host.read(HIGH, 16)
    read = tb.host.read(HIGH + 0x1000, 64)
    await other.wait()
    tb.check_read(other, b"", failed=range(16))
    assert 3000 <= tb.bench.cycle - begin <= 4200
    await read.wait()
    tb.check_read(read, model[HIGH][0x1000:0x1400])
    assert tb.core.errors == {"timeout": 1}
    for tlp in lost:
        tb.core.under_way.pop(tlp.tag, None)
    # The lost ones come late, while the slots are in use again: that changes nothing.
    tb.core.alter = lambda tlp: [tlp]
    reads = [tb.host.read(HIGH + 0x100 * i, 16) for i in range(12)]
    tb.core.complete(lost[0])
    for i, one in enumerate(reads):
        await one.wait()
        tb.check_read(one, model[HIGH][0x100 * i : 0x100 * (i + 1)])
    assert tb.core.errors == {"timeout": 1, "unexpected": 1}
    await tb.check_alive()


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.5])
async def what_is_wrong_or_unexpected_does_no_harm(dut: Any, stalls: float) -> None:
    tb = Endpoint(dut, stalls, stalls)
    await tb.start()
    rng = tb.bench.rng
    words = dict(tb.bar.words)
    base = tb.window.get_absolute_address(0)
    # Completions that nobody waits for.
    for tag in (0, 9, 31, 32, 255):
        tb.core.inject(completion(tag, bytes(64), 64, 0).pack(), bar=0)
    # Poisoned writes, and a write that ends too soon.
    tb.core.inject(memory_write(base + 0x80, rng.randbytes(12), ep=True).pack())
    tb.core.inject(memory_write(base + 0x80, rng.randbytes(16)).pack()[:-8])
    # A message; types that do not exist.
    tb.core.inject(bytes([0x34]) + bytes(15), bar=0)
    for code in (0x1F, 0x55, 0x80, 0xE0):
        tb.core.inject(bytes([code, 0, 0, 1]) + rng.randbytes(12), bar=0)
    await tb.bench.until(lambda: tb.core.waiting == 0, "all of them")
    await tb.bench.clock(60)
    assert tb.core.errors == {"unexpected": 5, "poisoned": 1, "malformed": 5}
    assert tb.bar.words == words and not tb.bar.writes
    # Requests that nobody serves are answered so.
    for kind, reply in ((TlpType.MEM_READ_LOCKED, TlpType.CPL_LOCKED), (TlpType.IO_WRITE, TlpType.CPL),
                        (TlpType.FETCH_ADD, TlpType.CPL)):  # fmt: skip
        tlp = memory_write(base, bytes(4), requester_id=STRANGER, tag=kind.value[1])
        tlp.fmt_type = kind
        tb.core.inject(tlp.pack(), answers=True)
        await tb.bench.until(lambda: bool(tb.core.answers), "an answer")
        answer = tb.core.answers.pop()
        assert (answer.fmt_type, answer.status, answer.tag) == (reply, CplStatus.UR, kind.value[1])
    await tb.check_alive()


@cocotb.test()
async def an_error_of_a_register_is_an_abort(dut: Any) -> None:
    tb = Endpoint(dut)
    await tb.start()
    tb.bar.fail.add(0x30)
    tlp = memory_read(tb.window.get_absolute_address(0x30), 4, 7, requester_id=STRANGER)
    tb.core.inject(tlp.pack(), answers=True)
    await tb.bench.until(lambda: bool(tb.core.answers), "an answer")
    answer = tb.core.answers.pop()
    assert (answer.fmt_type, answer.status, answer.tag) == (TlpType.CPL, CplStatus.CA, 7)
    await tb.check_alive()


@cocotb.test()
async def a_flood_of_reads_is_held_back(dut: Any) -> None:
    """The host sends more reads than there is room for, and a write behind them, which passes them."""
    tb = Endpoint(dut)
    await tb.start()
    base = tb.window.get_absolute_address(0)
    tb.bar.hold = True
    for tag in range(60):
        tb.core.inject(memory_read(base + 4 * tag, 4, tag, requester_id=STRANGER).pack(), answers=True)
    tb.core.inject(memory_write(base + 0x200, b"last").pack())
    await tb.bench.until(lambda: bool(tb.bar.writes), "the write")
    assert tb.core.waiting >= 30
    read = await tb.host.read(HIGH, 256).wait()  # completions pass, too
    assert read.resps == [OKAY] * 256
    tb.bar.hold = False
    await tb.bench.until(lambda: len(tb.core.answers) == 60, "all answers")
    assert [answer.tag for answer in tb.core.answers] == list(range(60))


@cocotb.test()
async def each_stream_may_stand_still(dut: Any) -> None:
    """What does not need it goes on."""
    tb = Endpoint(dut)
    await tb.start()
    model = tb.fill()
    # The controller takes no read data: registers, writes and interrupts go on.
    tb.host.r.hold = True
    reads = [tb.host.read(HIGH + 0x1000 * i, 256) for i in range(3)]
    await tb.bench.clock(1500)
    assert (await tb.host.write(tb.base, bytes(512)).wait()).resps == [OKAY]
    await tb.window.write(0x10, b"abcd")
    assert await tb.read(0x10, 4) == b"abcd"
    tb.irq.send(bits=4)
    await tb.interrupt.wait()
    tb.host.r.hold = False
    for i, read in enumerate(reads):
        await read.wait()
        tb.check_read(read, model[HIGH][0x1000 * i : 0x1000 * (i + 1)])
    # It takes no answers to writes: reads and registers go on.
    tb.host.b.hold = True
    writes = [tb.host.write(tb.base + 0x100 * i, bytes([i]) * 256) for i in range(20)]
    await tb.bench.clock(1500)
    tb.check_read(await tb.host.read(HIGH, 8).wait(), model[HIGH][:128])
    assert await tb.read(0x10, 4) == b"abcd"
    tb.host.b.hold = False
    for write in writes:
        assert (await write.wait()).resps == [OKAY]
    await tb.host.read(tb.base, 1).wait()  # it comes behind the writes
    assert bytes(tb.low[0x1300:0x1400]) == bytes([19]) * 256
    # The link takes nothing: writes to registers arrive.
    tb.core.hold_tx = True
    tb.host.write(tb.base, bytes(1024))
    tb.host.read(HIGH, 256)
    tb.core.inject(memory_read(tb.window.get_absolute_address(0), 128, 1, requester_id=STRANGER).pack(), answers=True)
    await tb.bench.clock(300)
    await tb.window.write(0x20, b"efgh")
    await tb.bench.until(lambda: tb.bar.words.get(0x20) == int.from_bytes(b"efgh", "little"), "the write")
    tb.core.hold_tx = False
    await tb.bench.until(lambda: not tb.host.reads and not tb.host.writes and len(tb.core.answers) == 2, "the rest")
    await tb.check_alive()


@cocotb.test()
async def no_requests_without_the_hosts_permission(dut: Any) -> None:
    tb = Endpoint(dut)
    await tb.start()
    await tb.device.clear_master()
    await tb.bench.clock(4)
    sent = len(tb.core.sent)
    read, write = tb.host.read(HIGH, 40), tb.host.write(HIGH, bytes(600 // BEAT * BEAT))
    tb.irq.send(bits=3)
    assert (await read.wait()).resps == [SLVERR] * 40
    assert (await write.wait()).resps == [SLVERR]
    await tb.bench.clock(50)
    assert len(tb.core.sent) == sent and not tb.raised
    await tb.device.set_master()
    await tb.interrupt.wait()
    assert [vector for vector, _ in tb.raised] == [3], "it has waited"
    await tb.check_alive()


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.5], link=[False, True])
async def a_reset_in_the_middle(dut: Any, stalls: float, link: bool) -> None:
    """A function-level reset, or a link that goes down: what is under way ends, with an error or without."""
    tb = Endpoint(dut, stalls, stalls)
    resets = Watch(tb.bench, "io_controllerReset")
    await tb.start()
    rng = tb.bench.rng
    resets.seen.clear()
    for _ in range(2):
        model = tb.fill()
        reads = [(0x1000 * i, tb.host.read(HIGH + 0x1000 * i, 256)) for i in range(6)]
        writes = [tb.host.write(tb.base + 0x400 * i, bytes([i + 1]) * 1024) for i in range(8)]
        tb.irq.send(bits=rng.randrange(VECTORS))
        await tb.bench.clock(rng.randrange(20, 500))
        if link:
            tb.core.link_up = False
            await tb.bench.clock(30)
            tb.core.link_up = True
        else:
            control = await tb.device.capability_read_word(PciCapId.EXP, 8)
            await tb.device.capability_write_word(PciCapId.EXP, 8, control | 0x8000)
        for addr, read in reads:
            await read.wait()
            for i, resp in enumerate(read.resps):
                want = model[HIGH][addr + BEAT * i : addr + BEAT * (i + 1)]
                assert resp == SLVERR or read.data[BEAT * i : BEAT * (i + 1)] == want
        for i, write in enumerate(writes):
            if (await write.wait()).resps == [OKAY] and not link:
                await tb.bench.clock(200)
                assert bytes(tb.low[0x400 * i : 0x400 * (i + 1)]) == bytes([i + 1]) * 1024
        assert resets.seen
        resets.seen.clear()
        await tb.bench.clock(2000)  # what the host still sends arrives
        tb.core.under_way.clear()
        # The vectors are masked until the host has set the function up again.
        assert await tb.read_masks() == [1] * VECTORS
        await tb.device.enable_device()
        await tb.device.set_master()
        await tb.device.msix_set_enable(True)
        tb.core.function.pcie_cap.max_read_request_size = 2
        await tb.check_alive()
        tb.raised.clear()
        tb.interrupt.clear()
        for vector in range(VECTORS):
            await tb.window.write_dword(TABLE + 16 * vector + 12, 0)
        tb.irq.send(bits=5)
        await tb.interrupt.wait()
        assert [vector for vector, _ in tb.raised] == [5], "interrupts from before the reset are forgotten"


def test_pcie_tlp(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("PcieTlp")
