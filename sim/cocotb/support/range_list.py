# SPDX-License-Identifier: Apache-2.0
"""REMAP and REMAP VECTOR commands, and the lists of the latter."""

from __future__ import annotations

from sim.cocotb.support.orm_formats import RemapRange, VendorFlags, VendorOpcodes
from sim.cocotb.support.orm_nvme import SubmissionEntry

Range = tuple[int, int, int]  # source, target, pages


def remap_entry(cid: int, range_: Range, move: bool = False) -> SubmissionEntry:
    source, target, pages = range_
    return SubmissionEntry(
        opcode=VendorOpcodes.REMAP,
        cid=cid,
        nsid=1,
        cdw10=source & 0xFFFFFFFF,
        cdw11=source >> 32,
        cdw12=target & 0xFFFFFFFF,
        cdw13=target >> 32,
        cdw14=pages,
        cdw15=VendorFlags.MOVE if move else 0,
    )


def vector_entry(cid: int, ranges: int, move: bool = False, prp1: int = 0, prp2: int = 0) -> SubmissionEntry:
    return SubmissionEntry(
        opcode=VendorOpcodes.REMAP_VECTOR,
        cid=cid,
        nsid=1,
        prp1=prp1,
        prp2=prp2,
        cdw10=ranges,
        cdw15=VendorFlags.MOVE if move else 0,
    )


def vector_list(ranges: list[Range], reserved: tuple[int, int] = (0, 0)) -> bytes:
    """`reserved`: the reserved fields of the last range."""
    records = [RemapRange(src=src, dst=dst, nlb=pages, reserved0=0, reserved1=0) for src, dst, pages in ranges]
    records[-1].reserved0, records[-1].reserved1 = reserved
    return b"".join(record.pack() for record in records)
