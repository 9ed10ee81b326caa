# SPDX-License-Identifier: Apache-2.0
"""NVRAM layout and remap table sizes of hw/src/Params.scala in configuration `small`."""

from __future__ import annotations

from sim.cocotb.lib.geometry import JOURNAL_RECORDS, LPNS, SUPERBLOCKS

SEGMENTS = 512
SEG_BYTES = 512
SEGMENTS_PER_CHAIN = 32
GC_RESERVE_SEGMENTS = 34
RECORD_BYTES = 16  # segment header, remap entry, journal record
ENTRIES_PER_SEG = SEG_BYTES // RECORD_BYTES - 1
CHAIN_ENTRIES = SEGMENTS_PER_CHAIN * ENTRIES_PER_SEG


def _align(address: int) -> int:
    return (address + 4095) // 4096 * 4096


COMMIT_ADDR = 0x100
BLOCK_TABLE_BASE = 0x1000
JOURNAL_BASE = _align(BLOCK_TABLE_BASE + 8 * SUPERBLOCKS)
BITMAP_BASE = _align(JOURNAL_BASE + RECORD_BYTES * JOURNAL_RECORDS)
SEG_BASE = _align(BITMAP_BASE + 2 * (LPNS // 8))


def segment_addr(segment: int, item: int = 0) -> int:
    """Address of a segment's header (item 0) or of its entry number item - 1."""
    return SEG_BASE + SEG_BYTES * segment + RECORD_BYTES * item
