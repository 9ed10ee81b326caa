# SPDX-License-Identifier: Apache-2.0
"""Tests of TlpParser: every TLP reaches who serves it, with its data; what is no TLP reaches nobody."""

from __future__ import annotations

from functools import partial
from typing import Any

import cocotb
from cocotbext.pcie.core.tlp import Tlp, TlpType

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.pcie.support.core7 import to_dwords
from sim.cocotb.pcie.support.pieces import completion, join, memory_read, memory_write, send_beats, words
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.stream import Sink, Source, Transaction, Watch

WRITER, READER, COMPLETER = range(3)


class TB:
    def __init__(self, dut: Any, stalls: float = 0.0, gaps: float = 0.0) -> None:
        self.bench = Bench(dut)
        self.source = Source(self.bench, "io_in", gaps)
        self.got: list[tuple[int, int, int, list[int], int, int]] = []  # port, header, BAR, data, pieces, cut
        self.malformed = Watch(self.bench, "io_malformed")
        self._now: dict[int, list[Transaction]] = {0: [], 1: [], 2: []}
        for port in range(3):
            Sink(self.bench, f"io_out_{port}", stalls, stable=True, on_take=partial(self._take, port))

    def _take(self, port: int, t: Transaction) -> None:
        pieces = self._now[port]
        assert t["first"] == int(not pieces) and (t["last"] or not t["cut"])
        pieces.append(t)
        if t["last"]:
            data = [p["data"] >> 32 * i & 0xFFFFFFFF for p in pieces[1:] for i in range(p["words"] + 1)]
            self.got.append((port, pieces[0]["data"], pieces[0]["bar0"], data, len(pieces), t["cut"]))
            self._now[port] = []

    def send(self, raw: list[int], bar0: int = 1) -> None:
        send_beats(self.source, raw, bar0=bar0)

    async def settle(self) -> None:
        await self.source.drained()
        await self.bench.clock(60)


def dwords_of(tlp: Tlp) -> list[int]:
    return to_dwords(bytes(tlp.pack()))


def expected(port: int, tlp: Tlp, bar0: int = 1) -> tuple[int, list[int], int, list[int], int, int]:
    """As `got`, with the header's dwords."""
    head = to_dwords(bytes(tlp.pack_header()))
    data = words(bytes(tlp.data)) if tlp.has_data() else []
    return port, head, bar0, data, 1 + (len(data) + 3) // 4, 0


def same(got: tuple[int, int, int, list[int], int, int], want: tuple[int, list[int], int, list[int], int, int]) -> bool:
    mask = (1 << 32 * len(want[1])) - 1
    return (got[0], got[1] & mask, *got[2:]) == (want[0], join(want[1]), *want[2:])


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.5], gaps=[0.0, 0.5])
async def tlps_reach_who_serves_them(dut: Any, stalls: float, gaps: float) -> None:
    tb = TB(dut, stalls, gaps)
    await tb.bench.start()
    rng = tb.bench.rng
    want = []
    for length in [*range(1, 41), 256, 4096]:
        high = rng.choice([0, 0x5_0000_0000])
        for port, tlp in (
            (WRITER, memory_write(high + 0x1000, rng.randbytes(4 * length if length <= 40 else length))),
            (READER, memory_read(high + 0x2000, length, tag=length & 0xFF)),
            (COMPLETER, completion(length & 31, rng.randbytes(4 * length if length <= 40 else length), 4095, 0)),
        ):
            bar0 = rng.getrandbits(1)
            tb.send(dwords_of(tlp), bar0)
            want.append(expected(port, tlp, bar0))
    await tb.bench.until(lambda: len(tb.got) == len(want), "all TLPs")
    # Each port has its order.
    for port in range(3):
        for got, one in zip([g for g in tb.got if g[0] == port], [w for w in want if w[0] == port], strict=True):
            assert same(got, one), (got, one)
    assert not tb.malformed.seen


@cocotb.test()
async def every_type_has_its_place(dut: Any) -> None:
    """All 256 formats and types."""
    tb = TB(dut)
    await tb.bench.start()
    nonposted = {0x00, 0x20, 0x01, 0x21, 0x02, 0x42, 0x04, 0x44, 0x05, 0x45, 0x4C, 0x6C, 0x4D, 0x6D, 0x4E, 0x6E}
    messages = {fmt | 0x10 | route for fmt in (0x20, 0x60) for route in range(8)}
    for code in range(256):
        tb.got.clear()
        tb.malformed.seen.clear()
        header = 4 if code & 0x20 else 3
        data = 2 if code & 0x40 else 0
        tb.send([code << 24 | data, *(tb.bench.rng.getrandbits(32) for _ in range(header + data - 1))])
        await tb.source.drained()
        await tb.bench.clock(12)
        ports = [got[0] for got in tb.got]
        if code in (0x40, 0x60):
            assert ports == [WRITER]
        elif code in nonposted:
            assert ports == [READER], hex(code)
        elif code in (0x0A, 0x0B, 0x4A, 0x4B):
            assert ports == [COMPLETER]
        else:
            assert ports == [] and len(tb.malformed.seen) == int(code not in messages), hex(code)
    assert TlpType.MEM_READ_LOCKED_64.value == (1, 1)  # what 0x21 stands for


@cocotb.test()
@cocotb.parametrize(four=[0, 1])
async def a_tlp_may_end_too_soon(dut: Any, four: int) -> None:
    """Its last piece is marked, and the next TLP is whole."""
    tb = TB(dut)
    await tb.bench.start()
    rng = tb.bench.rng
    header = 3 + four
    for length in range(1, 14):
        tlp = memory_write(four << 34 | 0x40, rng.randbytes(4 * length))
        raw = dwords_of(tlp)
        for keep in range(1, len(raw)):
            tb.got.clear()
            tb.malformed.seen.clear()
            tb.send(raw[:keep])
            after = memory_read(0x100, 4)
            tb.send(dwords_of(after))
            await tb.source.drained()
            await tb.bench.clock(12)
            assert len(tb.malformed.seen) == 1
            if keep < header:
                assert len(tb.got) == 1
            else:
                port, _, _, data, _, cut = tb.got[0]
                assert (port, cut) == (WRITER, 1) and data == words(bytes(tlp.data))[: keep - header]
            assert same(tb.got[-1], expected(READER, after))


@cocotb.test()
async def a_digest_is_dropped(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    rng = tb.bench.rng
    want = []
    for high in (0, 1 << 34):
        for length in range(1, 12):
            for tlp, port in ((memory_write(high, rng.randbytes(4 * length)), WRITER), (memory_read(high, 4), READER)):
                tlp.td = True
                tb.send([*dwords_of(tlp), rng.getrandbits(32)])
                want.append(expected(port, tlp))
    await tb.settle()
    assert len(tb.got) == len(want)
    for port in (WRITER, READER):
        pairs = zip([g for g in tb.got if g[0] == port], [w for w in want if w[0] == port], strict=True)
        assert all(same(got, one) for got, one in pairs)
    assert not tb.malformed.seen


@cocotb.test()
async def a_long_completion_passes_at_full_rate(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    begin = tb.bench.cycle
    for tag in range(8):
        tb.send(dwords_of(completion(tag, bytes(64), 512, 0)))
    await tb.bench.until(lambda: len(tb.got) == 8, "all completions")
    assert tb.bench.cycle - begin <= 8 * 5 + 6


def test_tlp_parser(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("TlpParser")
