// SPDX-License-Identifier: Apache-2.0
//
// hw/src/top/Params.scala at run time, for any geometry. CTest `sim.params` compares each number with it: those of the
// defaults and presets with hw/facts.json, those of random geometries with what the generator says of them.
#ifndef OPENREMAP_FAST_PARAMS_H
#define OPENREMAP_FAST_PARAMS_H

#include <cstddef>
#include <cstdint>
#include <string>

#include "nand_types.h"
#include "orm_formats.h"

namespace orm::fast {

/// The flash behind the controller.
struct Geometry {
  uint32_t channels = 2;
  uint32_t dies_per_channel = 2;
  uint32_t blocks_per_die = 64;
  uint32_t pages_per_block = 32;
  uint32_t slots_per_page = 1;
};

/// "CHANNELSxDIESxBLOCKSxPAGES[xSLOTS]", e.g. "8x4x512x256" (16 GiB): dies of a channel, blocks of a die, pages of a
/// block, slots of a page (1 when left out). Throws OptionError.
Geometry parse_geometry(const std::string &text);

/// Micro-architecture: queue depths and budgets.
struct Knobs {
  uint32_t io_queues = 8;
  uint32_t max_queue_entries = 256;
  uint32_t commands_waiting = 64;
  uint32_t write_buffers = 12;
  uint32_t read_buffers = 16;
  uint32_t gc_moves = 8;  // pages that GC moves side by side
  uint32_t gc_buffers = 8;
  uint32_t fw_buffers = 4;
  uint32_t segments = 512;
  uint32_t segments_per_chain = 32;
  uint32_t gc_reserve_segments = 34;
  uint32_t journal_records = 512;
  uint32_t ref_limit = 31;
  uint32_t mdts_pages = 32;
  uint32_t placement_handles = 4;
  uint32_t map_cache_sets = 32;
  uint32_t die_queue_depth = 8;
  uint32_t read_retries = 3;
  uint32_t gc_die_places = 3;
  uint32_t gc_one_in = 4;
};

/// What suits a flash: the RTL's own numbers for its geometry; for a larger one buffers by its dies, and segments by
/// its slots as far as 16 MiB of NVRAM go, in chains that can be destaged, for which GC's buffers have room. With
/// pages of several slots there are write buffers for a page of each placement handle, which may be gathering, beside
/// one of each die. The flash of a board (hw/src/top/Presets.scala) has that board's knobs.
Knobs knobs_for(const Geometry &geometry);

/// Everything that follows from the two above. Sizes in bytes unless a name says otherwise.
struct Params {
  /// Throws ConfigError for what the register map or the formats cannot name.
  explicit Params(const Geometry &geometry, const Knobs &knobs);
  explicit Params(const Geometry &geometry = {}) : Params(geometry, knobs_for(geometry)) {}

  Geometry g;
  Knobs k;

  // --- flash
  uint32_t dies, superblocks, slots_per_sb, slots;
  // --- logical space
  uint32_t lpns;
  /// Sharers of a slot: what a start may bring together (hw/src/top/Params.scala).
  uint32_t ref_most() const { return 2 * k.ref_limit < 255 ? 2 * k.ref_limit : 255; }
  // --- data path; buffers in the order write, read, GC, firmware
  uint32_t buffers, read_buf_base, gc_buf_base, fw_buf;
  // --- slots at the end of a superblock, whole flash pages, that are for its summary, and those before them, for
  // data; logs of superblocks that are being filled (SlotLog), and bytes of each. Superblocks of few slots have no
  // summary, and no logs
  uint32_t summary_slots, data_slots, slot_logs, log_bytes;
  // --- slots at the end of those for data that are kept for pages of the host whose program failed (Allocator)
  uint32_t kept_slots;
  // --- NVMe
  uint32_t queues;
  // --- DRAM layout (byte addresses)
  uint32_t l2p_base, ref_base, log_base, fw_dram_base, fw_dram_bytes, dram_bytes;
  // --- NVRAM layout (byte addresses)
  uint32_t nv_header, nv_commit, nv_checkpoint, nv_counters, nv_blocks, nv_journal, nv_bitmap, nv_bitmap_bytes,
      nv_trim_pointers, trim_regions, nv_segments, nvram_bytes;
  uint32_t entries_per_seg, chain_entries;
  // --- destaged chains: slots that one takes at most (0: there is no destaging), the first of their LPNs
  uint32_t destage_slots, destage_lpn;

  NandGeometry nand() const;
  /// What one Copy may name.
  uint32_t copy_ranges() const { return ORM_REMAP_RANGES_MAX; }
  uint32_t copy_pages() const { return k.journal_records / 2 < 1024 ? k.journal_records / 2 : 1024; }
  // Fields of a slot number: {superblock, page, die in channel, channel, slot in its page}.
  uint32_t sub_of(uint32_t slot) const { return slot & (g.slots_per_page - 1); }
  uint32_t first_of_page(uint32_t slot) const { return slot & ~(g.slots_per_page - 1); }
  uint32_t channel_of(uint32_t slot) const { return (slot >> sub_bits) & (g.channels - 1); }
  uint32_t die_of(uint32_t slot) const { return (slot >> channel_bits) & (g.dies_per_channel - 1); }
  uint32_t page_of(uint32_t slot) const { return (slot & (slots_per_sb - 1)) >> die_bits; }
  uint32_t superblock_of(uint32_t slot) const { return slot >> offset_bits; }
  uint32_t offset_of(uint32_t slot) const { return slot & (slots_per_sb - 1); }
  uint32_t slot_at(uint32_t superblock, uint32_t offset) const { return superblock << offset_bits | offset; }
  /// LPN of a slot of the superblock's set 1 or 2.
  uint32_t destage_lpn_of(uint32_t superblock, uint32_t set, uint32_t index) const {
    return destage_lpn + (2 * superblock + set - 1) * destage_slots + index;
  }
  uint32_t sub_bits, channel_bits, die_bits, offset_bits;  // below them, as far as the fields above go
};

constexpr uint32_t kSegmentBytes = 512;
/// Of a slot that holds destaged entries; its first 16 bytes are its header.
constexpr uint32_t kDestageEntries = ORM_SLOT_BYTES / ORM_REMAP_ENTRY_BYTES - 1;

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_PARAMS_H
