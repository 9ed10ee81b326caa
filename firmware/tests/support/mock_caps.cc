// SPDX-License-Identifier: Apache-2.0
// Properties of the mock: capabilities, and the addresses of the parts of DRAM and NVRAM.
#include <gtest/gtest.h>

#include "support/mock_device.h"

namespace orm_test {

std::optional<uint32_t> MockDevice::read_caps(uint32_t offset) {
  switch (offset) {
    case ORM_FW_ID:
      return reg.count(offset) ? reg[offset] : ORM_FW_ID_RESET;
    case ORM_FW_VERSION:
      return reg.count(offset) ? reg[offset] : ORM_FW_VERSION_RESET;
    case ORM_FW_CAP_FLASH:
      return ORM_PUT(ORM_FW_CAP_FLASH_CHANNELS, kChannels) |
             ORM_PUT(ORM_FW_CAP_FLASH_DIES_PER_CHANNEL, dies_per_channel) |
             ORM_PUT(ORM_FW_CAP_FLASH_PAGES_PER_BLOCK, pages_per_block);
    case ORM_FW_CAP_SUPERBLOCKS:
      return reg.count(offset) ? reg[offset] : superblocks;
    case ORM_FW_CAP_SLOTS_PER_SB:
      return reg.count(offset) ? reg[offset] : kSlotsPerSb;
    case ORM_FW_CAP_LPNS:
      return lpns();
    case ORM_FW_CAP_QUEUES:
      return ORM_PUT(ORM_FW_CAP_QUEUES_IO_PAIRS, kQueues) | ORM_PUT(ORM_FW_CAP_QUEUES_ENTRIES, kEntries);
    case ORM_FW_CAP_SEGMENTS:
      return ORM_PUT(ORM_FW_CAP_SEGMENTS_SEGMENTS, segments) | ORM_PUT(ORM_FW_CAP_SEGMENTS_PER_CHAIN, per_chain);
    case ORM_FW_CAP_LIMITS:
      return ORM_PUT(ORM_FW_CAP_LIMITS_SHARERS, kSharers) | ORM_PUT(ORM_FW_CAP_LIMITS_MDTS_PAGES, 8) |
             ORM_PUT(ORM_FW_CAP_LIMITS_JOURNAL_RECORDS, kJournal);
    case ORM_FW_CAP_PLACEMENT:
      return reg.count(offset) ? reg[offset] : kHandles;
    case ORM_FW_CAP_BUFFERS:
      return reg.count(offset) ? reg[offset] : kBuffers;
    case ORM_FW_CAP_SUMMARY:
      return reg.count(offset) ? reg[offset]
                               : ORM_PUT(ORM_FW_CAP_SUMMARY_SLOTS, summary_slots) |
                                     ORM_PUT(ORM_FW_CAP_SUMMARY_LOGS, summary_slots == 0 ? 0u : 2u);
    case ORM_FW_CAP_DESTAGE:
      return reg.count(offset) ? reg[offset] : kDestageSlots;
    case ORM_FW_CAP_DESTAGE_LPN:
      return reg.count(offset) ? reg[offset] : lpns() - 2 * kDestageSlots * superblocks;
    case ORM_FW_CAP_SEG_RESERVE:
      return ORM_PUT(ORM_FW_CAP_SEG_RESERVE_COUNT, kReserve) | ORM_PUT(ORM_FW_CAP_SEG_RESERVE_SEG_BYTES, kSegBytes);
    case ORM_FW_CAP_COPY:
      return reg.count(offset) ? reg[offset] : kCopy;
    case ORM_FW_DRAM_L2P:
      return kL2p;
    case ORM_FW_DRAM_REF:
      return kRef;
    case ORM_FW_DRAM_LOG:
      return kLog;
    case ORM_FW_DRAM_FW:
      return kFwDram;
    case ORM_FW_DRAM_BYTES:
      return kDramBytes;
    case ORM_FW_NV_HEADER:
      return 0;
    case ORM_FW_NV_COMMIT:
      return 0x100;
    case ORM_FW_NV_CHECKPOINT:
      return 0x108;
    case ORM_FW_NV_COUNTERS:
      return kNvCounters;
    case ORM_FW_NV_BLOCKS:
      return kNvBlocks;
    case ORM_FW_NV_JOURNAL:
      return kNvJournal;
    case ORM_FW_NV_BITMAP:
      return kNvBitmap;
    case ORM_FW_NV_BITMAP_BYTES:
      return kNvBitmapBytes;
    case ORM_FW_NV_TRIM_POINTERS:
      return kNvTrimPointers;
    case ORM_FW_NV_SEGMENTS:
      return kNvSegments;
    case ORM_FW_NV_BYTES:
      return static_cast<uint32_t>(nvram.size());
    default:
      return std::nullopt;
  }
}

}  // namespace orm_test
