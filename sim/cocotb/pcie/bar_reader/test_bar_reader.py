# SPDX-License-Identifier: Apache-2.0
"""Tests of BarReader: completions have the bytes that were asked for; what cannot be served has its status."""

from __future__ import annotations

from typing import Any

import cocotb
from cocotbext.pcie.core.tlp import CplStatus, Tlp, TlpType

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.pcie.support.core7 import TABLE
from sim.cocotb.pcie.support.pieces import HOST, OURS, BeatSink, memory_read, memory_write, send_pieces
from sim.cocotb.pcie.support.ports import BarRegisters
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.stream import Pulse, Source, Watch

SPAN = 0x4000
CHUNK = 64  # bytes, where completions end


class Table:
    """The MSI-X table: answers some cycles later."""

    def __init__(self, bench: Bench, memory: bytes) -> None:
        self.bench = bench
        self.memory = memory
        self._data = Pulse(bench, "io_table_data")
        self._due: list[tuple[int, int]] = []
        Watch(bench, "io_table_word", lambda t: self._due.append((bench.cycle + bench.rng.randrange(5), t["bits"])))
        bench.add(self)

    def drive(self) -> None:
        if self._due and self._due[0][0] <= self.bench.cycle:
            at = TABLE + 4 * self._due.pop(0)[1]
            self._data.send(bits=int.from_bytes(self.memory[at : at + 4], "little"))

    def sample(self) -> None:
        pass


class TB:
    def __init__(self, dut: Any, stalls: float = 0.0, gaps: float = 0.0) -> None:
        self.bench = Bench(dut)
        self.memory = self.bench.rng.randbytes(SPAN)
        self.source = Source(self.bench, "io_in", gaps)
        self.registers = BarRegisters(self.bench, "io_bus", stalls, gaps, latency=2)
        self.registers.words = {at: int.from_bytes(self.memory[at : at + 4], "little") for at in range(0, TABLE, 4)}
        self.table = Table(self.bench, self.memory)
        self.out = BeatSink(self.bench, "io_out", stalls)
        self.unsupported = Watch(self.bench, "io_unsupported")
        self.bench.write("io_id", int(OURS))

    async def answers(self, count: int) -> list[Tlp]:
        await self.bench.until(lambda: len(self.out.frames) >= count, f"{count} completions")
        tlps = self.out.tlps()
        self.out.frames.clear()
        assert len(tlps) == count
        return tlps

    def check(self, request: Tlp, tlps: list[Tlp]) -> None:
        """The completions of a read, split where they should be."""
        at = request.address + request.get_first_be_offset()
        end = request.address + 4 * request.length - request.get_last_be_offset()
        if request.first_be == 0:
            at, end = request.address, request.address + 1
        for tlp in tlps:
            assert (tlp.fmt_type, tlp.status) == (TlpType.CPL_DATA, CplStatus.SC)
            assert (tlp.requester_id, tlp.completer_id, tlp.tag) == (HOST, OURS, request.tag)
            assert (tlp.tc, tlp.attr) == (request.tc, request.attr)
            assert (tlp.byte_count, tlp.lower_address) == (end - at, at & 0x7F)
            last = min(at // CHUNK * CHUNK + CHUNK, (end + 3) // 4 * 4)
            assert len(tlp.data) == last - at // 4 * 4
            if request.first_be:
                stop = min(last, end)
                assert tlp.data[at % 4 : at % 4 + stop - at] == self.memory[at & 0x3FFF : (at & 0x3FFF) + stop - at]
            at = last
        assert at >= end


def completions(request: Tlp) -> int:
    first, last = request.address // CHUNK, (request.address + 4 * request.length - 1) // CHUNK
    return int(last - first + 1)


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.6], gaps=[0.0, 0.6])
async def reads_get_their_bytes(dut: Any, stalls: float, gaps: float) -> None:
    tb = TB(dut, stalls, gaps)
    await tb.bench.start()
    rng = tb.bench.rng
    for _ in range(12):
        requests = []
        for _ in range(5):
            length = rng.choice([1, 2, 3, 4, 5, 8, 16, 63, 64, 65, 128, 200])
            half = rng.randrange(2) * TABLE
            addr = half + rng.randrange(TABLE - length) + rng.choice([0, 0x7_0000_4000])
            request = memory_read(addr, length, rng.randrange(256), tc=rng.randrange(8), attr=rng.randrange(8))
            requests.append(request)
            send_pieces(tb.source, request)
        tlps = await tb.answers(sum(completions(request) for request in requests))
        for request in requests:
            mine, tlps = tlps[: completions(request)], tlps[completions(request) :]
            tb.check(request, mine)
    assert not tb.unsupported.seen


@cocotb.test()
async def the_longest_read(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    request = memory_read(0x1000, 4096, 7)
    send_pieces(tb.source, request)
    tb.check(request, await tb.answers(64))


@cocotb.test()
async def every_byte_enable(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    for length in (1, 2):
        for first in range(16):
            for last in range(16) if length == 2 else [0]:
                if length == 2 and not (first and last):
                    continue
                request = memory_read(0x40, 4 * length, 3)
                request.first_be, request.last_be = first, last
                send_pieces(tb.source, request)
                tb.check(request, await tb.answers(1))


@cocotb.test()
async def a_read_of_no_byte_reads_no_register(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    request = memory_read(0x1C, 1, 9, first_be=0)
    send_pieces(tb.source, request)
    tb.check(request, await tb.answers(1))
    assert not tb.registers.reads


@cocotb.test()
async def an_error_of_a_register_is_an_abort(dut: Any) -> None:
    """It ends the read. What was before it in other completions has come."""
    tb = TB(dut)
    await tb.bench.start()
    for bad, good in ((0x100, 0), (0x13C, 0), (0x140, 1), (0x1FC, 3)):
        tb.registers.fail = {bad}
        request = memory_read(0x100, 256, 4)
        send_pieces(tb.source, request)
        tlps = await tb.answers(good + 1)
        last = tlps.pop()
        assert (last.fmt_type, last.status, last.tag) == (TlpType.CPL, CplStatus.CA, 4)
        assert (last.byte_count, last.lower_address) == (256 - CHUNK * good, 0x100 + CHUNK * good & 0x7F)
        for i, tlp in enumerate(tlps):
            assert bytes(tlp.data) == tb.memory[0x100 + CHUNK * i : 0x100 + CHUNK * (i + 1)]
        tb.registers.fail = set()
        send_pieces(tb.source, request)
        tb.check(request, await tb.answers(4))
    assert not tb.unsupported.seen


@cocotb.test()
async def other_requests_are_unsupported(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    kinds = [TlpType.IO_READ, TlpType.IO_WRITE, TlpType.CFG_READ_1, TlpType.FETCH_ADD, TlpType.CAS_64,
             TlpType.MEM_READ_LOCKED]  # fmt: skip
    for i, kind in enumerate(kinds):
        tlp = memory_write(0x100, bytes(8 if kind in (TlpType.FETCH_ADD, TlpType.CAS_64) else 4), tag=i)
        tlp.fmt_type = kind
        send_pieces(tb.source, tlp)
        (answer,) = await tb.answers(1)
        wanted = TlpType.CPL_LOCKED if kind is TlpType.MEM_READ_LOCKED else TlpType.CPL
        assert (answer.fmt_type, answer.status, answer.tag) == (wanted, CplStatus.UR, i)
        assert answer.requester_id == HOST and not answer.data
        assert (answer.byte_count, answer.lower_address) == (4, 0)
    request = memory_read(0x100, 8, 77)
    send_pieces(tb.source, request, bar0=0)
    (answer,) = await tb.answers(1)
    assert (answer.fmt_type, answer.status, answer.tag) == (TlpType.CPL, CplStatus.UR, 77)
    assert (answer.byte_count, answer.lower_address) == (8, 0)
    assert len(tb.unsupported.seen) == len(kinds) + 1 and not tb.registers.reads


@cocotb.test()
async def a_read_waits_for_the_writes_before_it(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    for taken in (3, 40, 60):  # the count turns over at 64
        tb.bench.write("io_taken", taken)
        tb.bench.write("io_finished", taken - 2)
        await tb.bench.clock(2)
        request = memory_read(0x100, 4, 1)
        send_pieces(tb.source, request)
        await tb.bench.clock(60)
        assert not tb.registers.reads
        # Writes that come later do not matter, whether or not they are finished.
        tb.bench.write("io_taken", taken + 9 & 63)
        await tb.bench.clock(20)
        tb.bench.write("io_finished", taken - 1)
        await tb.bench.clock(20)
        assert not tb.registers.reads
        tb.bench.write("io_finished", taken + 5 & 63)
        tb.check(request, await tb.answers(1))
        tb.registers.reads.clear()


@cocotb.test()
async def the_core_holds_back_what_would_not_fit(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.out.sink.hold = True
    for i in range(40):
        send_pieces(tb.source, memory_read(0x100, 128, i))
    first = None
    for _ in range(300):
        await tb.bench.clock()
        if first is None and not tb.bench.read("io_npOk"):
            first = tb.source.sent
    assert first is not None and tb.source.sent - first >= 8, "those that are on their way find room"
    tb.out.sink.hold = False
    assert [tlp.tag for tlp in await tb.answers(80)] == [i // 2 for i in range(80)]
    await tb.bench.clock(4)
    assert tb.bench.read("io_npOk")


def test_bar_reader(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("BarReader")
