// SPDX-License-Identifier: Apache-2.0
#include "top/params.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <tuple>

#include "firmware_limits.h"
#include "orm_formats.h"
#include "orm_regs.h"
#include "sim_error.h"

namespace orm::fast {
namespace {

constexpr uint64_t kLeastFwDramBytes = 256 * 1024;

// 16 MiB; segment numbers have 16 bits.
constexpr uint64_t kMostSegments = 32768;
constexpr uint32_t kEntriesPerSeg = kSegmentBytes / ORM_REMAP_ENTRY_BYTES - 1;  // the first 16 bytes are its header

// A power of two that CAP_DESTAGE.slots can name.
constexpr uint32_t kMostDestageSlots = 128;
static_assert(kMostDestageSlots <= ORM_FW_CAP_DESTAGE_SLOTS_MASK >> ORM_FW_CAP_DESTAGE_SLOTS_SHIFT);

/// Slots that a chain of `segments` segments takes when it is destaged, rounded up to a power of two.
uint32_t destage_slots_of(uint32_t segments) {
  return std::bit_ceil((segments * kEntriesPerSeg + kDestageEntries - 1) / kDestageEntries);
}

// Superblocks have a summary only if they have at least this number of slots for each slot of the summary. This bounds
// what summaries cost.
constexpr uint32_t kLeastPerSummarySlot = 128;
constexpr uint32_t kRecordsPerSlot = ORM_SLOT_BYTES / ORM_SLOT_RECORD_BYTES;
// Beside the superblocks that the host and GC fill, some that wait for programs or for firmware.
constexpr uint32_t kLogsBeside = 3;

/// Slots of a superblock's summary: whole flash pages, with room for the records of the others and the trailer.
uint32_t summary_slots_of(const Geometry &g, uint32_t slots_per_sb) {
  const uint32_t slots = std::max(g.slots_per_page, slots_per_sb / kRecordsPerSlot);
  return slots * kLeastPerSummarySlot <= slots_per_sb ? slots : 0;
}

uint64_t align(uint64_t x, uint64_t a) { return (x + a - 1) / a * a; }

void need(bool holds, const std::string &what) {
  if (!holds) throw OptionError("geometry: " + what);
}

uint32_t log2_of(uint32_t power) { return uint32_t(std::countr_zero(power)); }

uint64_t dies_of(const Geometry &g) { return uint64_t(g.channels) * g.dies_per_channel; }
uint64_t slots_in_superblock(const Geometry &g) { return dies_of(g) * g.pages_per_block * g.slots_per_page; }

Knobs generic_knobs(const Geometry &g) {
  const Knobs rtl;
  const Geometry usual;
  const uint64_t dies = dies_of(g);
  const uint64_t in_sb = slots_in_superblock(g);
  const auto at_least = [](uint32_t least, uint64_t n) { return uint32_t(std::max<uint64_t>(least, n)); };
  const auto per_die = [&](uint32_t buffers) { return at_least(buffers, buffers * dies / dies_of(usual)); };
  Knobs k;
  k.write_buffers = per_die(rtl.write_buffers);
  if (g.slots_per_page > 1)
    k.write_buffers = at_least(k.write_buffers, (k.placement_handles + dies) * g.slots_per_page);
  k.read_buffers = per_die(rtl.read_buffers);
  k.gc_buffers = per_die(rtl.gc_buffers);
  k.fw_buffers = at_least(g.slots_per_page, per_die(rtl.fw_buffers));
  const uint64_t usual_sb = slots_in_superblock(usual);
  const uint64_t slots_per_segment = usual_sb * usual.blocks_per_die / rtl.segments;
  k.segments = uint32_t(std::min<uint64_t>(
      at_least(rtl.segments, std::bit_floor(in_sb * g.blocks_per_die / slots_per_segment)), kMostSegments));
  k.segments_per_chain =
      at_least(rtl.segments_per_chain, std::min<uint64_t>({in_sb * rtl.segments_per_chain / usual_sb, k.segments / 16,
                                                           kMostDestageSlots * kDestageEntries / kEntriesPerSeg}));
  k.gc_buffers = at_least(k.gc_buffers, destage_slots_of(k.segments_per_chain));
  k.gc_moves = k.gc_buffers;
  k.gc_reserve_segments = k.segments_per_chain + 2;
  return k;
}

/// For an XC7Z045, half of whose block RAMs are page buffers.
void fit_cosmos(Knobs *k) {
  k->fw_buffers = 16;
  k->segments_per_chain = 512;
  k->gc_buffers = destage_slots_of(k->segments_per_chain);
  k->gc_reserve_segments = k->segments_per_chain + 2;
}

bool same(const Geometry &a, const Geometry &b) {
  const auto all = [](const Geometry &g) {
    return std::tie(g.channels, g.dies_per_channel, g.blocks_per_die, g.pages_per_block, g.slots_per_page);
  };
  return all(a) == all(b);
}

/// The boards of hw/src/top/Presets.scala, which CTest sim.params compares.
struct Board {
  Geometry flash;
  void (*fit)(Knobs *k);
};
constexpr Board kBoards[] = {
    {{2, 8, 8192, 128, 4},
     [](Knobs *k) {
       fit_cosmos(k);
       k->write_buffers = 80;
       k->read_buffers = 64;
       k->gc_moves = 32;
     }},
    {{8, 8, 2048, 128, 4},
     [](Knobs *k) {
       fit_cosmos(k);
       k->write_buffers = 96;
       k->read_buffers = 72;
       k->gc_moves = 64;
     }},
    {{1, 2, 16, 512, 1},
     [](Knobs *k) {
       *k = Knobs();
       k->io_queues = 2;
       k->max_queue_entries = 64;
       k->commands_waiting = 8;
       k->write_buffers = 4;
       k->read_buffers = 4;
       k->gc_moves = 4;
       k->gc_buffers = 4;
       k->fw_buffers = 2;
       k->map_cache_sets = 16;
       k->die_queue_depth = 4;
     }},
};

}  // namespace

Geometry parse_geometry(const std::string &text) {
  Geometry g;
  uint32_t *const fields[] = {&g.channels, &g.dies_per_channel, &g.blocks_per_die, &g.pages_per_block,
                              &g.slots_per_page};
  const std::string complaint = "'" + text + "' is not CHANNELSxDIESxBLOCKSxPAGES[xSLOTS]";
  const char *at = text.data(), *const end = at + text.size();
  for (uint32_t *field : fields) {
    if (field == &g.slots_per_page && at == end) break;
    if (field != fields[0]) {
      need(at != end && *at == 'x', complaint);
      ++at;
    }
    const auto [after, error] = std::from_chars(at, end, *field);
    need(error == std::errc(), complaint);
    at = after;
  }
  need(at == end, complaint);
  return g;
}

Knobs knobs_for(const Geometry &g) {
  Knobs k = generic_knobs(g);
  for (const Board &board : kBoards) {
    if (same(board.flash, g)) board.fit(&k);
  }
  return k;
}

Params::Params(const Geometry &geometry, const Knobs &knobs) : g(geometry), k(knobs) {
  const auto power = [](uint32_t x) { return std::has_single_bit(x); };
  need(
      power(g.channels) && power(g.dies_per_channel) && power(g.pages_per_block) && power(g.slots_per_page),
      "channels, dies of a channel, pages of a block and slots of a page must be powers of two: they are bit fields of "
      "the slot number");
  need(g.slots_per_page <= FW_MAX_SLOTS_PER_PAGE,
       "at most " + std::to_string(FW_MAX_SLOTS_PER_PAGE) + " slots of a page");
  need(dies_of(g) <= FW_MAX_DIES, "at most " + std::to_string(FW_MAX_DIES) + " dies");
  need(g.blocks_per_die >= FW_MIN_SUPERBLOCKS && g.blocks_per_die <= FW_MAX_SUPERBLOCKS,
       std::to_string(FW_MIN_SUPERBLOCKS) + " to " + std::to_string(FW_MAX_SUPERBLOCKS) + " blocks of a die");
  dies = g.channels * g.dies_per_channel;
  superblocks = g.blocks_per_die;
  need(slots_in_superblock(g) <= FW_MAX_SLOTS_PER_SB,
       "at most " + std::to_string(FW_MAX_SLOTS_PER_SB) + " slots in a superblock");
  need(dies_of(g) * g.pages_per_block >= 4, "at least four flash pages in a superblock");
  slots_per_sb = uint32_t(slots_in_superblock(g));
  const uint64_t all = uint64_t(superblocks) * slots_per_sb;
  need(all - 1 <= ORM_FW_NAND_STATUS_SLOT_MASK >> ORM_FW_NAND_STATUS_SLOT_SHIFT,
       "more slots than NAND_STATUS can name (1 TiB)");
  slots = uint32_t(all);
  lpns = slots;
  sub_bits = log2_of(g.slots_per_page);
  channel_bits = sub_bits + log2_of(g.channels);
  die_bits = sub_bits + log2_of(dies);
  offset_bits = log2_of(slots_per_sb);

  // Pages that wait for more slots never hold all the buffers, and a batch of GC that is full ends with a page.
  need(k.write_buffers > k.placement_handles * (g.slots_per_page - 1), "too few write buffers");
  need(k.gc_moves % g.slots_per_page == 0, "GC's buffers must be whole pages");
  need(k.gc_moves >= 1 && k.gc_moves <= k.gc_buffers, "too few of GC's buffers");
  need(k.fw_buffers >= 1 && k.fw_buffers % g.slots_per_page == 0, "firmware's buffers must be whole pages");
  buffers = k.write_buffers + k.read_buffers + k.gc_buffers + k.fw_buffers;
  read_buf_base = k.write_buffers;
  gc_buf_base = k.write_buffers + k.read_buffers;
  fw_buf = gc_buf_base + k.gc_buffers;
  summary_slots = summary_slots_of(g, slots_per_sb);
  need(summary_slots <= ORM_FW_CAP_SUMMARY_SLOTS_MASK >> ORM_FW_CAP_SUMMARY_SLOTS_SHIFT,
       "more slots of a summary than CAP_SUMMARY can name");
  data_slots = slots_per_sb - summary_slots;
  slot_logs = summary_slots == 0 ? 0 : k.placement_handles + kLogsBeside;
  need(slot_logs <= 1 + (ORM_FW_LOG_STATUS_LOG_MASK >> ORM_FW_LOG_STATUS_LOG_SHIFT),
       "more slot logs than LOG_STATUS can name");
  log_bytes = summary_slots * ORM_SLOT_BYTES;
  kept_slots = std::min(k.write_buffers * g.slots_per_page, slots_per_sb / 4);
  queues = k.io_queues + 1;

  l2p_base = 0;
  ref_base = uint32_t(align(l2p_base + uint64_t(lpns) * 4, 4096));
  log_base = uint32_t(align(ref_base + uint64_t(slots), 4096));
  fw_dram_base = log_base + slot_logs * log_bytes;
  // Recovery keeps a seq for each LPN, two maps with a bit for each slot and a record for each segment there
  // (recovery_tables() in firmware/src/recovery/recovery.c).
  const uint64_t tables = 8ull * lpns + 2 * align(slots, 64) / 8 + 8ull * k.segments;
  const uint64_t fw_bytes = std::max(kLeastFwDramBytes, align(tables, 4096));
  need(fw_dram_base + fw_bytes <= UINT32_MAX, "the tables do not fit into DRAM's 32-bit addresses");
  fw_dram_bytes = uint32_t(fw_bytes);
  dram_bytes = fw_dram_base + fw_dram_bytes;

  nv_header = 0;
  nv_commit = 0x100;
  nv_checkpoint = 0x108;
  nv_counters = 0x200;
  nv_blocks = 0x2000;
  nv_journal = uint32_t(align(nv_blocks + superblocks * ORM_BLOCK_RECORD_BYTES, 4096));
  nv_bitmap = uint32_t(align(nv_journal + k.journal_records * ORM_JOURNAL_RECORD_BYTES, 4096));
  nv_bitmap_bytes = uint32_t(align((lpns + ORM_TRIM_WORD_LPNS - 1) / ORM_TRIM_WORD_LPNS * ORM_TRIM_WORD_BYTES, 16));
  nv_trim_pointers = uint32_t(align(nv_bitmap + 2 * nv_bitmap_bytes, 4096));
  constexpr uint32_t kRegionLpns = ORM_TRIM_WORD_LPNS * ORM_TRIM_REGION_WORDS;
  trim_regions = uint32_t((uint64_t{lpns} + kRegionLpns - 1) / kRegionLpns);
  nv_segments = uint32_t(align(nv_trim_pointers + trim_regions * ORM_TRIM_POINTER_BYTES, 4096));
  nvram_bytes = nv_segments + k.segments * kSegmentBytes;
  entries_per_seg = kEntriesPerSeg;
  chain_entries = k.segments_per_chain * entries_per_seg;

  destage_slots = destage_slots_of(k.segments_per_chain);
  need(destage_slots <= kMostDestageSlots, "a chain has more segments than can be destaged");
  need(k.gc_buffers >= destage_slots, "a destaged chain must fit into GC's buffers");
  // Superblocks of so few slots that a quarter of the LPNs would not do have no destaging.
  if (8 * destage_slots > slots_per_sb) destage_slots = 0;
  destage_lpn = lpns - 2 * destage_slots * superblocks;
}

NandGeometry Params::nand() const {
  return {g.channels,     g.dies_per_channel,   g.blocks_per_die, g.pages_per_block,
          ORM_SLOT_BYTES, ORM_OOB_RECORD_BYTES, g.slots_per_page};
}

}  // namespace orm::fast
