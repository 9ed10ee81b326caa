# SPDX-License-Identifier: Apache-2.0
"""TLPs as the units of the endpoint hand them to each other: beats of dwords (TlpBeat), and pieces (TlpPiece)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cocotbext.pcie.core.tlp import Tlp, TlpType
from cocotbext.pcie.core.utils import PcieId

from sim.cocotb.pcie.support.core7 import to_bytes, to_dwords
from sim.cocotb.support.bench import Bench
from sim.cocotb.support.stream import Sink, Source, Transaction

HOST = PcieId(0, 1, 0)
OURS = PcieId(5, 0, 0)
BEAT_DWORDS = 4


def words(data: bytes) -> list[int]:
    """Bytes of memory as words."""
    return [int.from_bytes(data[i : i + 4], "little") for i in range(0, len(data), 4)]


def join(values: list[int]) -> int:
    """Words or dwords side by side, the first in the low bits."""
    return sum(value << 32 * i for i, value in enumerate(values))


def memory_read(addr: int, length: int, tag: int = 0, **fields: Any) -> Tlp:
    tlp = Tlp()
    tlp.fmt_type = TlpType.MEM_READ_64 if addr >> 32 else TlpType.MEM_READ
    tlp.requester_id, tlp.tag = HOST, tag
    tlp.set_addr_be(addr, length)
    for name, value in fields.items():
        setattr(tlp, name, value)
    return tlp


def memory_write(addr: int, data: bytes, **fields: Any) -> Tlp:
    tlp = Tlp()
    tlp.fmt_type = TlpType.MEM_WRITE_64 if addr >> 32 else TlpType.MEM_WRITE
    tlp.requester_id = HOST
    tlp.set_addr_be_data(addr, data)
    for name, value in fields.items():
        setattr(tlp, name, value)
    return tlp


def completion(tag: int, data: bytes, byte_count: int, lower: int, **fields: Any) -> Tlp:
    tlp = Tlp()
    tlp.fmt_type = TlpType.CPL_DATA if data else TlpType.CPL
    tlp.requester_id, tlp.completer_id, tlp.tag = OURS, HOST, tag
    tlp.byte_count, tlp.lower_address = byte_count, lower
    tlp.set_data(data)
    for name, value in fields.items():
        setattr(tlp, name, value)
    return tlp


def send_pieces(source: Source, tlp: Tlp, bar0: int = 1, cut: bool = False) -> None:
    """Hands a TLP to a unit in pieces. `cut`: it ends with the last piece, but before its length."""
    head = to_dwords(bytes(tlp.pack_header()))
    data = words(bytes(tlp.data)) if tlp.has_data() else []
    raw = join(head + [source.bench.rng.getrandbits(32)] * (BEAT_DWORDS - len(head)))
    source.send(data=raw, first=1, last=int(not data), bar0=bar0, words=source.bench.rng.randrange(4))
    for i in range(0, len(data), BEAT_DWORDS):
        part = data[i : i + BEAT_DWORDS]
        last = i + BEAT_DWORDS >= len(data)
        source.send(data=join(part), words=len(part) - 1, last=int(last), cut=int(last and cut))


def send_beats(source: Source, dwords: list[int], **first: int) -> None:
    """Hands a TLP to a unit in beats; `first`: fields of its first beat."""
    for i in range(0, len(dwords), BEAT_DWORDS):
        part = dwords[i : i + BEAT_DWORDS]
        fields = {f"dw_{j}": dword for j, dword in enumerate(part)}
        last = i + BEAT_DWORDS >= len(dwords)
        source.send(**fields, count=len(part) - 1, last=int(last), **(first if i == 0 else {}))


class BeatSink:
    """Takes the beats of a unit and puts TLPs together. `on_tlp` gets its dwords and the first beat."""

    def __init__(self, bench: Bench, prefix: str, stalls: float = 0.0,
                 on_tlp: Callable[[list[int], Transaction], None] | None = None) -> None:  # fmt: skip
        self.frames: list[list[int]] = []
        self.firsts: list[Transaction] = []
        self.on_tlp = on_tlp
        self._now: list[int] = []
        self._first: Transaction = {}
        self.sink = Sink(bench, prefix, stalls, stable=True, counts=self._counts, on_take=self._take)

    @staticmethod
    def _counts(t: Transaction) -> Transaction:
        """Dwords behind the end of a TLP, and the BAR of what does not begin one, mean nothing."""
        return {name: value for name, value in t.items()
                if not name.startswith("dw_") or int(name[3:]) <= t["count"]}  # fmt: skip

    def _take(self, t: Transaction) -> None:
        assert t["last"] or t["count"] == 3, "a gap in a TLP"
        if not self._now:
            self._first = t
        self._now += [t[f"dw_{i}"] for i in range(t["count"] + 1)]
        if t["last"]:
            frame, self._now = self._now, []
            self.frames.append(frame)
            self.firsts.append(self._first)
            if self.on_tlp:
                self.on_tlp(frame, self._first)

    def tlps(self) -> list[Tlp]:
        """What has come, as the host reads it."""
        return [unpack(frame) for frame in self.frames]


def unpack(frame: list[int]) -> Tlp:
    tlp = Tlp.unpack(bytearray(to_bytes(frame)))
    assert tlp.check(), tlp
    return tlp
