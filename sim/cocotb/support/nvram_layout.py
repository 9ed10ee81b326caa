# SPDX-License-Identifier: Apache-2.0
"""NVRAM layout and remap table sizes of hw/src/top/Params.scala in configuration `small`."""

from __future__ import annotations

from sim.cocotb.support.orm_formats import RemapEntry
from sim.cocotb.support.params import param

SEGMENTS = param("segments")
SEG_BYTES = param("segBytes")
SEGMENTS_PER_CHAIN = param("segmentsPerChain")
GC_RESERVE_SEGMENTS = param("gcReserveSegments")
RECORD_BYTES = RemapEntry.BYTES  # a segment header and a journal record are as large
ENTRIES_PER_SEG = param("entriesPerSeg")
CHAIN_ENTRIES = param("chainEntries")

NVRAM_BYTES = param("nvramBytes")
COMMIT_ADDR = param("nvCommitAddr")
BLOCK_TABLE_BASE = param("nvBlockTableBase")
JOURNAL_BASE = param("nvJournalBase")
BITMAP_BASE = param("nvBitmapBase")
SEG_BASE = param("nvSegBase")


def segment_addr(segment: int, item: int = 0) -> int:
    """Address of a segment's header (item 0) or of its entry number item - 1."""
    return SEG_BASE + SEG_BYTES * segment + RECORD_BYTES * item
