# SPDX-License-Identifier: Apache-2.0
"""What the tests need to know of hw/src/Params.scala in configuration `small`: geometry, layout of DRAM, slot fields."""

from __future__ import annotations

from typing import NamedTuple

from sim.cocotb.lib.orm_formats import SLOT_BYTES

CHANNELS = 2
DIES_PER_CHANNEL = 2
SUPERBLOCKS = 64
PAGES_PER_BLOCK = 32
DIES = CHANNELS * DIES_PER_CHANNEL
SLOTS_PER_SB = DIES * PAGES_PER_BLOCK
SLOTS = SUPERBLOCKS * SLOTS_PER_SB
LPNS = SLOTS

WORD_BYTES = 16
WORDS_PER_SLOT = SLOT_BYTES // WORD_BYTES
OOB_WORDS = 2

WRITE_BUFFERS = 12
READ_BUFFERS = 8
GC_BUFFERS = 8
READ_BUF_BASE = WRITE_BUFFERS
BUFFERS = WRITE_BUFFERS + READ_BUFFERS + GC_BUFFERS
REF_LIMIT = 31
JOURNAL_RECORDS = 512
MDTS_PAGES = 32
DIE_QUEUE_DEPTH = 8

L2P_BASE = 0
REF_BASE = (L2P_BASE + 4 * LPNS + 4095) // 4096 * 4096


class SlotAddress(NamedTuple):
    """Fields of a slot number, as in hw/src/SlotAddress.scala."""

    superblock: int
    page: int
    die: int
    channel: int

    @classmethod
    def of(cls, slot: int) -> SlotAddress:
        rest, channel = divmod(slot, CHANNELS)
        rest, die = divmod(rest, DIES_PER_CHANNEL)
        superblock, page = divmod(rest, PAGES_PER_BLOCK)
        return cls(superblock, page, die, channel)

    @property
    def slot(self) -> int:
        return ((self.superblock * PAGES_PER_BLOCK + self.page) * DIES_PER_CHANNEL + self.die) * CHANNELS + self.channel
