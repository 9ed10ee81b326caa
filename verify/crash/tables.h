// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_CRASH_TABLES_H
#define OPENREMAP_CRASH_TABLES_H

#include <cstdint>
#include <string>
#include <vector>

#include "orm_formats.h"
#include "orm_regs.h"
#include "pcie_debug.h"

namespace orm::crash {

/// A superblock as the controller's registers show it.
struct Superblock {
  orm_sb_state state = ORM_SB_STATE_BAD;
  uint32_t valid = 0;
  uint32_t gen = 0;
  uint32_t epoch = 0;     // epoch of its chain
  uint32_t segments = 0;  // segments of its chain in NVRAM
  uint32_t set = 0;       // slot set of the destaged part of its chain; 0: none
  uint32_t set_slots = 0;
  uint32_t set_segments = 0;  // segments that the destaged entries would fill
};

/// A slot as stored in flash.
struct Slot {
  pcie_slot_state state = PCIE_SLOT_ERASED;
  bool sealed = false;  // programmed, with a good CRC in its spare area:
  orm_oob_record oob{};
  const uint8_t *data = nullptr;  // 4 KiB
};

/// The mapping tables of a device, and the content of its media that they follow from. It is a copy, except for the
/// data.
struct Tables {
  // --- sizes and locations (capability registers; NvHeader for the part in use)
  uint32_t lpns = 0, nsze = 0, destage_lpn = 0, destage_slots = 0;
  uint32_t superblocks = 0, slots_per_sb = 0;
  uint32_t summary_slots = 0;  // last slots of a superblock, for its summary
  uint32_t segments = 0, segments_per_chain = 0, segment_bytes = 0;
  uint32_t sharers = 0, journal_records = 0;
  uint32_t nv_commit = 0, nv_checkpoint = 0, nv_counters = 0, nv_blocks = 0, nv_journal = 0, nv_bitmap = 0,
           nv_bitmap_bytes = 0, nv_trim_pointers = 0, nv_segments = 0;

  // --- the controller's tables
  std::vector<uint32_t> l2p;
  std::vector<uint8_t> ref;
  std::vector<Superblock> sb;  // all of the hardware's
  uint32_t free_superblocks = 0, free_segments = 0;
  uint64_t next_seq = 0;
  uint32_t journal_head = 0, journal_used = 0;

  // --- media
  std::vector<uint8_t> nvram;
  std::vector<Slot> slots;  // slots of the superblocks in use

  uint32_t entries_per_segment() const { return segment_bytes / ORM_REMAP_ENTRY_BYTES - 1; }
  uint32_t superblock_of(uint32_t slot) const { return slot / slots_per_sb; }
  /// Data slots of a superblock.
  uint32_t data_slots() const { return slots_per_sb - summary_slots; }
  bool is_for_data(uint32_t slot) const { return slot % slots_per_sb < data_slots(); }
  /// LPN of slot `k` of the superblock's set 1 or 2.
  uint32_t destage_lpn_of(uint32_t superblock, uint32_t set, uint32_t k) const {
    return destage_lpn + (2 * superblock + set - 1) * destage_slots + k;
  }
};

/// Reads the tables. The device should be at rest, or operations under way are seen half done. Throws
/// std::runtime_error if the device does not answer, or if its NVRAM has no header.
Tables read_tables(pcie_function *fn);

}  // namespace orm::crash
#endif  // OPENREMAP_CRASH_TABLES_H
