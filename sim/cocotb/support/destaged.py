# SPDX-License-Identifier: Apache-2.0
"""Destaged chains as stored in flash: DestageHeader and entries, slot by slot, and the LPNs of the slots."""

from __future__ import annotations

from sim.cocotb.support.orm_formats import SLOT_BYTES, DestageHeader, RemapEntry
from sim.cocotb.support.params import param

DESTAGE_SLOTS = param("destageSlots")
DESTAGE_ENTRIES = param("destageEntries")
DESTAGE_LPN = param("destageLpn")

Entry = tuple[int, int, int]  # offset, LPN, seq


def destage_lpn(sb: int, set_: int, index: int) -> int:
    """LPN of slot `index` of set 1 or 2 of a superblock's chain."""
    return DESTAGE_LPN + (2 * sb + set_ - 1) * DESTAGE_SLOTS + index


def pack_set(sb: int, gen: int, epoch: int, entries: list[Entry]) -> list[bytes]:
    """The slots of a set that holds these entries."""
    parts = [entries[i : i + DESTAGE_ENTRIES] for i in range(0, len(entries), DESTAGE_ENTRIES)]
    slots = []
    for index, part in enumerate(parts):
        header = DestageHeader(sb=sb, gen=gen, epoch=epoch, entries=len(part), index=index, slots=len(parts))
        data = header.pack()
        for offset, lpn, seq in part:
            data += RemapEntry(lpn=lpn, offset=offset, seq=seq).pack(sb, gen, epoch)
        slots.append(data.ljust(SLOT_BYTES, b"\0"))
    return slots


def unpack_slot(data: bytes, sb: int, gen: int) -> tuple[DestageHeader, list[Entry]]:
    """Header and entries of one slot. Checks every CRC, and that the rest is zeroes."""
    assert DestageHeader.good(data[: DestageHeader.BYTES])
    header = DestageHeader.unpack(data[: DestageHeader.BYTES])
    entries = []
    for i in range(header.entries):
        raw = data[16 * (i + 1) : 16 * (i + 2)]
        assert RemapEntry.good(raw, sb, gen, header.epoch)
        e = RemapEntry.unpack(raw)
        entries.append((e.offset, e.lpn, e.seq))
    assert not any(data[16 * (header.entries + 1) :])
    return header, entries
