// SPDX-License-Identifier: Apache-2.0
#include "remap_options.h"

#include <gtest/gtest.h>

#include <limits>
#include <memory>

#include "leveldb/db.h"
#include "memory_remap_env.h"

namespace openremap {
namespace {

TEST(RemapOptions, ModesHaveTheirNames) {
  for (const RemapMode mode : RemapModes()) {
    RemapMode parsed = RemapMode::kOff;
    EXPECT_TRUE(ParseRemapMode(RemapModeName(mode), &parsed));
    EXPECT_EQ(parsed, mode);
  }
  RemapMode mode = RemapMode::kSkip;
  EXPECT_FALSE(ParseRemapMode("Off", &mode));
  EXPECT_FALSE(ParseRemapMode("", &mode));
  EXPECT_EQ(mode, RemapMode::kSkip);
}

TEST(RemapOptions, WhatIsOutOfRangeBecomesTheNearestThatIsNot) {
  RemapOptions low;
  low.level1_bytes = 0;
  low.level_ratio = -3;
  low.last_level_ratio = 1;
  low.fill_space_percent = -50;
  low.blend_runs = 0;
  low.blend_space_percent = -20;
  low.blend_filter_bits = -1;
  low.min_table_bytes = -1;
  low.min_manifest_bytes = 0;
  low.max_info_log_bytes = 0;
  low.value_log_segment_bytes = 0;
  low.value_log_dead_percent = -1;
  low.ClipToRanges();
  EXPECT_EQ(low.level1_bytes, 16384u);
  EXPECT_EQ(low.level_ratio, 2);
  EXPECT_EQ(low.last_level_ratio, 2);
  EXPECT_EQ(low.fill_space_percent, 0);
  EXPECT_EQ(low.blend_runs, 1);
  EXPECT_EQ(low.blend_space_percent, 0);
  EXPECT_EQ(low.blend_filter_bits, 0);
  EXPECT_EQ(low.min_table_bytes, 4096);
  EXPECT_EQ(low.min_manifest_bytes, 512u);
  EXPECT_EQ(low.max_info_log_bytes, 1024u);
  EXPECT_EQ(low.value_log_segment_bytes, 65536u);
  EXPECT_EQ(low.value_log_dead_percent, 0);

  constexpr int kMost = std::numeric_limits<int>::max();
  RemapOptions high;
  high.level1_bytes = std::numeric_limits<uint64_t>::max();
  high.level_ratio = high.last_level_ratio = high.fill_space_percent = high.blend_runs = high.blend_space_percent =
      high.blend_filter_bits = high.min_table_bytes = kMost;
  high.value_log_dead_percent = kMost;
  high.min_manifest_bytes = high.max_info_log_bytes = high.value_log_segment_bytes =
      std::numeric_limits<uint64_t>::max();
  high.ClipToRanges();
  EXPECT_EQ(high.level1_bytes, uint64_t{1} << 40);
  EXPECT_EQ(high.level_ratio, 100);
  EXPECT_EQ(high.last_level_ratio, 1000);
  EXPECT_EQ(high.fill_space_percent, 1000);
  EXPECT_EQ(high.blend_runs, 64);
  EXPECT_EQ(high.blend_space_percent, 1000);
  EXPECT_EQ(high.blend_filter_bits, 20);
  EXPECT_EQ(high.min_table_bytes, 1 << 30);
  EXPECT_EQ(high.min_manifest_bytes, 1u << 30);
  EXPECT_EQ(high.max_info_log_bytes, 1u << 30);
  EXPECT_EQ(high.value_log_segment_bytes, 1u << 30);
  EXPECT_EQ(high.value_log_dead_percent, 95);
}

TEST(RemapOptions, DefaultsAreInRangeAndNoLastLevelRatioStaysNone) {
  RemapOptions options;
  options.last_level_ratio = 0;
  options.ClipToRanges();
  EXPECT_EQ(options.last_level_ratio, 0);
  const RemapOptions defaults;
  RemapOptions clipped;
  clipped.ClipToRanges();
  EXPECT_EQ(clipped.level1_bytes, defaults.level1_bytes);
  EXPECT_EQ(clipped.level_ratio, defaults.level_ratio);
  EXPECT_EQ(clipped.last_level_ratio, defaults.last_level_ratio);
  EXPECT_EQ(clipped.fill_space_percent, defaults.fill_space_percent);
  EXPECT_EQ(clipped.blend_runs, defaults.blend_runs);
  EXPECT_EQ(clipped.blend_space_percent, defaults.blend_space_percent);
  EXPECT_EQ(clipped.blend_filter_bits, defaults.blend_filter_bits);
  EXPECT_EQ(clipped.min_table_bytes, defaults.min_table_bytes);
  EXPECT_EQ(clipped.min_manifest_bytes, defaults.min_manifest_bytes);
  EXPECT_EQ(clipped.max_info_log_bytes, defaults.max_info_log_bytes);
  EXPECT_EQ(clipped.value_log_segment_bytes, defaults.value_log_segment_bytes);
  EXPECT_EQ(clipped.value_log_dead_percent, defaults.value_log_dead_percent);
  EXPECT_EQ(defaults.value_log_threshold, kNoValueLog);
}

// With a level ratio of 0 no level but the first could hold anything: all data would go to the deepest level.
TEST(RemapOptions, ADatabaseIsOpenedWithThemClipped) {
  MemoryRemapEnv env;
  leveldb::Options options;
  options.env = &env;
  options.create_if_missing = true;
  options.write_buffer_size = 65536;
  options.remap.mode = RemapMode::kRetain;
  options.remap.level_ratio = 0;
  leveldb::DB *opened = nullptr;
  ASSERT_TRUE(leveldb::DB::Open(options, "/db", &opened).ok());
  const std::unique_ptr<leveldb::DB> db(opened);
  for (int i = 0; i < 40000; i++) {
    ASSERT_TRUE(db->Put(leveldb::WriteOptions(), std::to_string(i * 7919 % 40000), std::string(100, 'v')).ok());
  }
  for (int level = 3; level < 7; level++) {
    std::string files;
    ASSERT_TRUE(db->GetProperty("leveldb.num-files-at-level" + std::to_string(level), &files));
    EXPECT_EQ(files, "0") << "level " << level;
  }
}

}  // namespace
}  // namespace openremap
