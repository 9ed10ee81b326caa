# SPDX-License-Identifier: Apache-2.0
"""The parts of hw/src/top/Params.scala that the tests need: geometry, layout of DRAM, slot fields."""

from __future__ import annotations

from typing import NamedTuple

from sim.cocotb.support.params import param

CHANNELS = param("channels")
DIES_PER_CHANNEL = param("diesPerChannel")
SUPERBLOCKS = param("superblocks")
PAGES_PER_BLOCK = param("pagesPerBlock")
SLOTS_PER_PAGE = param("slotsPerPage")
DIES = param("dies")
SLOTS_PER_SB = param("slotsPerSb")
SLOTS = param("slots")
LPNS = param("lpns")
SUMMARY_SLOTS = param("summarySlots")  # the last ones of a superblock; 0: none
DATA_SLOTS = param("dataSlots")  # those before them
SLOT_LOGS = param("slotLogs")

WORD_BYTES = param("dataBytes")
WORDS_PER_SLOT = param("wordsPerSlot")
OOB_WORDS = param("oobWords")
OOB_BITS = param("oobBits")

WRITE_BUFFERS = param("writeBuffers")
READ_BUFFERS = param("readBuffers")
GC_BUFFERS = param("gcBuffers")
READ_BUF_BASE = param("readBufBase")
GC_BUF_BASE = param("gcBufBase")
FW_BUF = param("fwBuf")
FW_BUFFERS = param("fwBuffers")
BUFFERS = param("buffers")
REF_LIMIT = param("refLimit")
JOURNAL_RECORDS = param("journalRecords")
MDTS_PAGES = param("mdtsPages")
COMMANDS_WAITING = param("commandsWaiting")
DIE_QUEUE_DEPTH = param("dieQueueDepth")
READ_RETRIES = param("readRetries")
GC_DIE_PLACES = param("gcDiePlaces")
GC_ONE_IN = param("gcOneIn")
QUEUES = param("queues")
QID_BITS = param("qidBits")
PLACEMENT_HANDLES = param("placementHandles")
MAX_QUEUE_ENTRIES = param("maxQueueEntries")

L2P_BASE = param("l2pBase")
REF_BASE = param("refBase")
LOG_BASE = param("logBase")
LOG_BYTES = param("logBytes")


class SlotAddress(NamedTuple):
    """Fields of a slot number, as in hw/src/map/SlotAddress.scala."""

    superblock: int
    page: int
    die: int
    channel: int
    sub: int = 0  # within the page

    @classmethod
    def of(cls, slot: int) -> SlotAddress:
        rest, sub = divmod(slot, SLOTS_PER_PAGE)
        rest, channel = divmod(rest, CHANNELS)
        rest, die = divmod(rest, DIES_PER_CHANNEL)
        superblock, page = divmod(rest, PAGES_PER_BLOCK)
        return cls(superblock, page, die, channel, sub)

    @property
    def slot(self) -> int:
        page = (self.superblock * PAGES_PER_BLOCK + self.page) * DIES_PER_CHANNEL + self.die
        return (page * CHANNELS + self.channel) * SLOTS_PER_PAGE + self.sub
