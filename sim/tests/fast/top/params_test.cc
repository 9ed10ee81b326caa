// SPDX-License-Identifier: Apache-2.0
#include "top/params.h"

#include <gtest/gtest.h>

#include <string>

#include "orm_formats.h"
#include "pcie_function.h"
#include "sim_error.h"

namespace orm::fast {
namespace {

TEST(FastParams, SlotNumbersAreSuperblockPageDieChannel) {
  const Params p(Geometry{4, 2, 10, 8});
  EXPECT_EQ(p.slots_per_sb, 64u);
  const uint32_t slot = p.slot_at(9, 5 * 8 + 1 * 4 + 3);
  EXPECT_EQ(p.superblock_of(slot), 9u);
  EXPECT_EQ(p.page_of(slot), 5u);
  EXPECT_EQ(p.die_of(slot), 1u);
  EXPECT_EQ(p.channel_of(slot), 3u);
  EXPECT_EQ(p.offset_of(slot), 47u);
}

TEST(FastParams, SlotsOfAPageFollowEachOther) {
  const Params p(parse_geometry("4x2x10x8x4"));
  EXPECT_EQ(p.slots_per_sb, 256u);
  const uint32_t slot = p.slot_at(9, ((5 * 2 + 1) * 4 + 3) * 4 + 2);
  EXPECT_EQ(p.superblock_of(slot), 9u);
  EXPECT_EQ(p.page_of(slot), 5u);
  EXPECT_EQ(p.die_of(slot), 1u);
  EXPECT_EQ(p.channel_of(slot), 3u);
  EXPECT_EQ(p.sub_of(slot), 2u);
  EXPECT_EQ(p.first_of_page(slot), slot - 2);
  EXPECT_EQ(p.nand().page_bytes(), 16384u);
  EXPECT_EQ(p.nand().page_spare_bytes(), 4u * ORM_OOB_RECORD_BYTES);
}

/// The RTL's other configuration: the same slots, in pages of four.
TEST(FastParams, PagesOfSeveralSlotsHaveTheirBuffers) {
  const Params narrow, wide(parse_geometry(PCIE_WIDE_GEOMETRY));
  EXPECT_EQ(wide.slots, narrow.slots);
  EXPECT_EQ(wide.slots_per_sb, narrow.slots_per_sb);
  EXPECT_EQ(wide.k.write_buffers, 32u);
  EXPECT_EQ(wide.k.gc_buffers, narrow.k.gc_buffers);
  EXPECT_EQ(wide.k.fw_buffers, narrow.k.fw_buffers);
  EXPECT_EQ(wide.k.segments, narrow.k.segments);
  EXPECT_EQ(wide.k.segments_per_chain, narrow.k.segments_per_chain);
  EXPECT_EQ(wide.dram_bytes + narrow.slot_logs * narrow.log_bytes, narrow.dram_bytes);
  EXPECT_EQ(wide.nvram_bytes, narrow.nvram_bytes);
  for (const char *text : {"1x1x64x32x8", "2x2x64x16x2", "8x4x512x64x4"}) {
    const Params p(parse_geometry(text));
    EXPECT_GE(p.k.write_buffers, p.k.placement_handles * (p.g.slots_per_page - 1) + p.dies * p.g.slots_per_page)
        << text;
    EXPECT_EQ(p.k.gc_buffers % p.g.slots_per_page, 0u) << text;
    EXPECT_GE(p.k.fw_buffers, p.g.slots_per_page) << text;
    EXPECT_EQ(p.k.fw_buffers % p.g.slots_per_page, 0u) << text;
  }
  Knobs few = knobs_for(wide.g);
  few.write_buffers = 12;
  EXPECT_THROW(Params(wide.g, few), ConfigError) << "all of them could hold pages that wait for slots";
  few = knobs_for(wide.g);
  few.gc_moves = 6;
  EXPECT_THROW(Params(wide.g, few), ConfigError);
  few = knobs_for(wide.g);
  few.fw_buffers = 6;
  EXPECT_THROW(Params(wide.g, few), ConfigError);
}

TEST(FastParams, LargerFlashHasRoomForItsTables) {
  const Params p(parse_geometry("8x4x512x256"));
  EXPECT_EQ(uint64_t(p.slots) * 4096, 16ull << 30);
  EXPECT_GE(p.dram_bytes - p.fw_dram_base, 8 * p.lpns + p.slots / 8 + 8 * p.k.segments);
}

TEST(FastParams, RemapTableAndBuffersGrowWithTheFlash) {
  const Knobs rtl, same = knobs_for({});
  EXPECT_EQ(same.segments, rtl.segments);
  EXPECT_EQ(same.segments_per_chain, rtl.segments_per_chain);
  EXPECT_EQ(same.gc_reserve_segments, rtl.gc_reserve_segments);
  EXPECT_EQ(same.write_buffers, rtl.write_buffers);
  const Params p(parse_geometry("8x4x512x256"));
  EXPECT_EQ(p.k.segments, 32768u);
  EXPECT_GE(p.chain_entries, p.slots_per_sb - 31);
  EXPECT_GE(p.k.gc_reserve_segments, p.k.segments_per_chain + 2);
  EXPECT_EQ(p.k.write_buffers, 96u);
  EXPECT_EQ(p.k.write_buffers, 8 * rtl.write_buffers);
  EXPECT_EQ(p.k.read_buffers, 128u);
  EXPECT_EQ(p.k.gc_buffers, 128u);
  EXPECT_EQ(p.k.fw_buffers, 32u);
  EXPECT_EQ(p.k.segments_per_chain, 1052u);
  EXPECT_EQ(p.k.gc_reserve_segments, 1054u);
  const Params most(parse_geometry("8x8x4096x256"));
  EXPECT_EQ(most.k.segments, 32768u);
}

TEST(FastParams, ChainsCanBeDestaged) {
  for (const char *text : {"2x2x64x32", PCIE_WIDE_GEOMETRY}) {
    const Params p(parse_geometry(text));
    EXPECT_EQ(p.destage_slots, 4u) << text;
    EXPECT_EQ(p.destage_lpn, 8192u - 2 * 4 * 64) << text;
    EXPECT_EQ(p.destage_lpn_of(0, 1, 0), p.destage_lpn);
    EXPECT_EQ(p.destage_lpn_of(3, 2, 1), p.destage_lpn + 7 * 4 + 1);
    EXPECT_EQ(p.destage_lpn_of(63, 2, 3), p.lpns - 1);
  }
  for (const char *text : {"8x4x512x256", "8x4x64x256", "8x4x64x64x4", "8x8x4096x256", "8x8x8192x512", "1x1x64x32x8"}) {
    const Params p(parse_geometry(text));
    EXPECT_GT(p.destage_slots, 0u) << text;
    EXPECT_LE(p.destage_slots, 128u) << text;
    EXPECT_GE(p.destage_slots * kDestageEntries, p.chain_entries) << text;
    EXPECT_GE(p.k.gc_buffers, p.destage_slots) << text;
    EXPECT_GE(p.destage_lpn, p.lpns / 4 * 3) << text;
    EXPECT_EQ(p.fw_buf, p.buffers - p.k.fw_buffers);
  }
  // Two sets for each superblock would be half of the LPNs.
  const Params small(parse_geometry("1x1x64x16"));
  EXPECT_EQ(small.destage_slots, 0u);
  EXPECT_EQ(small.destage_lpn, small.lpns);
  Knobs k;
  k.gc_buffers = 3;
  EXPECT_THROW(Params({}, k), ConfigError);
  k = {};
  k.segments_per_chain = 1053;
  k.gc_buffers = 256;
  EXPECT_THROW(Params({}, k), ConfigError) << "CAP_DESTAGE has no number for it";
}

TEST(FastParams, SuperblocksOfManySlotsHaveSummaries) {
  const struct {
    const char *geometry;
    uint32_t summary_slots;
  } all[] = {{"2x2x64x32", 1},   {"2x2x64x16", 0},    {PCIE_WIDE_GEOMETRY, 0}, {"2x2x64x16x2", 0}, {"2x2x64x32x2", 2},
             {"2x2x64x16x4", 0}, {"2x2x64x32x4", 4},  {"1x1x64x128x8", 8},     {"2x2x64x64", 1},   {"2x2x64x128", 2},
             {"8x4x64x256", 32}, {"8x4x64x64x4", 32}, {"8x8x8192x512", 128},   {"8x4x64x32x2", 8}};
  for (const auto &[geometry, summary_slots] : all) {
    const Params p(parse_geometry(geometry));
    EXPECT_EQ(p.summary_slots, summary_slots) << geometry;
    EXPECT_EQ(p.data_slots, p.slots_per_sb - summary_slots) << geometry;
    EXPECT_EQ(p.data_slots % p.g.slots_per_page, 0u) << geometry << ": whole pages";
    EXPECT_EQ(p.slot_logs, summary_slots == 0 ? 0 : p.k.placement_handles + 3) << geometry;
    EXPECT_EQ(p.log_bytes, 4096 * summary_slots) << geometry;
    EXPECT_LT(p.kept_slots, p.data_slots) << geometry;
    EXPECT_GE(p.log_base, p.ref_base + p.slots) << geometry;
    EXPECT_EQ(p.log_base % 4096, 0u) << geometry;
    EXPECT_EQ(p.fw_dram_base, p.log_base + p.slot_logs * p.log_bytes) << geometry;
    if (summary_slots == 0) continue;
    EXPECT_LE(p.data_slots * ORM_SLOT_RECORD_BYTES + ORM_SUMMARY_TRAILER_BYTES, p.log_bytes) << geometry;
  }
  Knobs k;
  k.placement_handles = 13;
  EXPECT_EQ(Params({}, k).slot_logs, 16u);
  k.placement_handles = 14;
  EXPECT_THROW(Params({}, k), ConfigError) << "LOG_STATUS has no number for its last log";
}

TEST(FastParams, ATebibyteIsTheLargest) {
  const Params p(parse_geometry("8x8x8192x512"));
  EXPECT_EQ(uint64_t(p.slots) * 4096, 1ull << 40);
  EXPECT_EQ(p.slot_at(8191, 32767), p.slots - 1);
}

TEST(FastParams, GeometriesThatCannotBeAreRefused) {
  for (const char *bad : {"", "2x2x64", "2x2x64x", "2x2x64x32x", "2x2x64x8x0", "2x2x64x8x3", "2x2x64x8x16",
                          "2x2x64x8x4x1", "axbxcxd", "3x2x64x32", "2x2x4x32", "2x2x9000x32", "2x2x64x16384",
                          "2x2x64x4096x4", "16x8x64x32", "8x8x8193x512", "8x8x8192x1024", "1x2x64x1"}) {
    EXPECT_THROW(Params p(parse_geometry(bad)), ConfigError) << bad;
  }
}

}  // namespace
}  // namespace orm::fast
