# SPDX-License-Identifier: Apache-2.0
"""Copy commands and their lists of source ranges, in both descriptor formats."""

from __future__ import annotations

from random import Random

from sim.cocotb.support.orm_nvme import CopyRange, CopyRange1, IoOpcode, SubmissionEntry

Source = tuple[int, int]  # slba, pages
FORMATS = (CopyRange.BYTES, CopyRange1.BYTES)  # bytes of an entry


def copy_entry(cid: int, sdlba: int, ranges: int, fmt: int = 0, prp1: int = 0, prp2: int = 0) -> SubmissionEntry:
    return SubmissionEntry(
        opcode=IoOpcode.COPY,
        cid=cid,
        nsid=1,
        prp1=prp1,
        prp2=prp2,
        cdw10=sdlba & 0xFFFFFFFF,
        cdw11=sdlba >> 32,
        cdw12=ranges - 1 | fmt << 8,
    )


def copy_list(sources: list[Source], fmt: int, rng: Random) -> bytes:
    """The list as the device fetches it, in whole words. Tags and reserved fields are noise without any effect."""
    size, out = FORMATS[fmt], b""
    for slba, pages in sources:
        entry = bytearray(rng.randbytes(size))
        entry[8:18] = slba.to_bytes(8, "little") + (pages - 1).to_bytes(2, "little")
        out += entry
    return out[: len(out) // 16 * 16]
