# SPDX-License-Identifier: Apache-2.0
"""Tests of ReadCompleter: data go to their places, and a completion that is wrong is told from one that is due."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cocotb
from cocotbext.pcie.core.tlp import CplStatus, Tlp, TlpType

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.pcie.support.pieces import completion, send_pieces
from sim.cocotb.support.bench import Bench, to_int
from sim.cocotb.support.stream import Source, Transaction, Watch

BEAT = 16
SLOT_BEATS = 32
SLOTS = 8


@dataclass
class Read:
    """A read under way, as ReadTags would know it."""

    left: int
    low: int = 0
    at: int = 0


class TB:
    """Stands for ReadTags: answers `look` a cycle later, and follows `begins`."""

    def __init__(self, dut: Any, gaps: float = 0.0) -> None:
        self.bench = Bench(dut)
        self.source = Source(self.bench, "io_in", gaps)
        self.reads: dict[int, Read] = {}  # by tag
        self.writes: dict[int, int] = {}
        self.judged: list[tuple[int, int]] = []  # tag, good
        self.ends: list[tuple[int, int]] = []
        self._looked = 0
        self._found: Read | None = None
        Watch(self.bench, "io_write", lambda t: self.writes.update({t["place"]: t["data"]}))
        Watch(self.bench, "io_judged", lambda t: self.judged.append(self._verdict(t)))
        Watch(self.bench, "io_ends", lambda t: self.ends.append(self._verdict(t)))
        self.unexpected = Watch(self.bench, "io_unexpected")
        self.bench.add(self)

    @staticmethod
    def _verdict(t: Transaction) -> tuple[int, int]:
        return t["slot"] + SLOTS * t["generation"], t["good"]

    def drive(self) -> None:
        found = self._found or Read(self.bench.rng.randrange(33), self.bench.rng.randrange(8))
        self.bench.input("io_found_waits").set(int(self._found is not None))
        for name in ("left", "low", "at"):
            self.bench.input(f"io_found_{name}").set(getattr(found, name))

    def sample(self) -> None:
        assert to_int(self.bench.signal("io_in_ready")), "completions never wait"
        before = self._found
        read = self.reads.get(self.bench.read("io_look"))
        self._found = None if read is None else Read(read.left, read.low, read.at)
        if self.bench.read("io_begins_valid") and before is not None:
            beats = self.bench.read("io_begins_bits")
            read = self.reads[self._looked]
            read.left, read.low, read.at = read.left - beats, (read.low + beats) % 8, (read.at + beats) % SLOT_BEATS
        self._looked = self.bench.read("io_look")

    async def settle(self) -> None:
        await self.source.drained()
        await self.bench.clock(12)


@cocotb.test()
@cocotb.parametrize(gaps=[0.0, 0.5])
async def data_go_to_their_places(dut: Any, gaps: float) -> None:
    """Completions of several reads, mixed, also of one beat each."""
    tb = TB(dut, gaps)
    await tb.bench.start()
    rng = tb.bench.rng
    for most in (1, 4, 32):
        parts: dict[int, list[Tlp]] = {}
        want = {}
        tb.ends.clear()
        tb.judged.clear()
        for slot in range(SLOTS):
            tag, beats, low = slot + SLOTS * rng.randrange(4), rng.randrange(1, SLOT_BEATS + 1), rng.randrange(8)
            tb.reads[tag] = Read(beats, low)
            data = rng.randbytes(BEAT * beats)
            want.update({slot * SLOT_BEATS + i: int.from_bytes(data[BEAT * i : BEAT * (i + 1)], "little")
                         for i in range(beats)})  # fmt: skip
            at = 0
            while at < beats:
                part = min(beats - at, rng.randrange(1, most + 1))
                piece = data[BEAT * at : BEAT * (at + part)]
                tlp = completion(tag, piece, BEAT * (beats - at), (low + at) % 8 * BEAT)
                parts.setdefault(tag, []).append(tlp)
                at += part
        tags = sorted(parts)
        count = sum(map(len, parts.values()))
        while parts:
            tag = rng.choice(sorted(parts))
            send_pieces(tb.source, parts[tag].pop(0))
            if not parts[tag]:
                del parts[tag]
        await tb.settle()
        assert {place: tb.writes[place] for place in want} == want
        assert sorted(tb.ends) == [(tag, 1) for tag in tags], "one end for each read"
        assert len(tb.judged) == count and all(good for _, good in tb.judged)
        tb.reads.clear()
    assert not tb.unexpected.seen


@cocotb.test()
async def the_end_comes_behind_the_last_data(dut: Any) -> None:
    """The header of the last completion follows at once on the data of the one before."""
    tb = TB(dut)
    await tb.bench.start()
    tb.reads[5] = Read(32)
    for at in (0, 16):
        send_pieces(tb.source, completion(5, tb.bench.rng.randbytes(256), 512 - BEAT * at, 0))
    await tb.bench.until(lambda: bool(tb.ends), "the end")
    assert tb.ends == [(5, 1)] and len(tb.writes) == 32


BAD: dict[str, dict[str, Any]] = {
    "unsupported": {"fmt_type": TlpType.CPL, "status": CplStatus.UR, "data": b""},
    "aborted": {"fmt_type": TlpType.CPL, "status": CplStatus.CA, "data": b""},
    "retry": {"fmt_type": TlpType.CPL, "status": CplStatus.CRS, "data": b""},
    "no data": {"fmt_type": TlpType.CPL, "data": b""},
    "poisoned": {"ep": True},
    "locked": {"fmt_type": TlpType.CPL_LOCKED_DATA},
    "an error with data": {"status": CplStatus.CA},
    "too few bytes are left": {"byte_count": 48},
    "too many bytes are left": {"byte_count": 80},
    "bytes of a beat are left": {"byte_count": 66},
    "another address": {"lower_address": 0x30},
    "an address inside a beat": {"lower_address": 0x24},
    "more than is due": {"data": bytes(80), "length": 20},
    "a part of a beat": {"data": bytes(56), "length": 14},
}


@cocotb.test()
@cocotb.parametrize(what=list(BAD))
async def a_bad_completion_fails_its_read(dut: Any, what: str) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.reads[11] = Read(4, low=2, at=8)
    tb.reads[12] = Read(1)
    tlp = completion(11, bytes(range(64)), 64, 0x20)
    for name, value in BAD[what].items():
        setattr(tlp, name, value)
    if not tlp.data:
        tlp.length = 0
    send_pieces(tb.source, tlp)
    send_pieces(tb.source, completion(12, bytes(16), 16, 0))
    await tb.settle()
    assert tb.judged == [(11, 0), (12, 1)]
    assert tb.ends == [(12, 1)] and list(tb.writes) == [4 * SLOT_BEATS], "nothing of it is kept"
    assert not tb.unexpected.seen


@cocotb.test()
async def data_that_end_too_soon_fail_the_read(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    for part in (32, 64):  # the rest of the read, or a part
        tb.reads[3] = Read(4)
        tb.ends.clear()
        tlp = completion(3, bytes(part), 64, 0)
        tlp.data = tlp.data[: part - 16]
        send_pieces(tb.source, tlp, cut=True)
        await tb.settle()
        assert tb.ends == [(3, 0)]


@cocotb.test()
async def what_nobody_waits_for_is_unexpected(dut: Any) -> None:
    tb = TB(dut)
    await tb.bench.start()
    tb.reads[3] = Read(4)
    for tag in (4, 3 + SLOTS, 3 + 32, 255):
        send_pieces(tb.source, completion(tag, bytes(64), 64, 0))
        send_pieces(tb.source, completion(tag, b"", 64, 0, status=CplStatus.UR))
    await tb.settle()
    assert len(tb.unexpected.seen) == 8
    assert not tb.writes and not tb.ends and not tb.judged and tb.reads[3] == Read(4)


def test_read_completer(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("ReadCompleter")
