// SPDX-License-Identifier: Apache-2.0
//
// A database tells the file layer why it writes each file, in every mode.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "inline_env.h"
#include "leveldb/db.h"
#include "memory_remap_env.h"
#include "remap_options.h"

namespace openremap {
namespace {

using leveldb::Slice;
using leveldb::Status;

class WriteCausesTest : public testing::TestWithParam<RemapMode> {
 protected:
  WriteCausesTest() : env_(&memory_, &memory_) { options_.remap.mode = GetParam(); }
  ~WriteCausesTest() override { Close(); }

  void Open() {
    options_.env = &env_;
    options_.info_log = &logger_;
    options_.create_if_missing = true;
    options_.write_buffer_size = 64 << 10;
    options_.max_file_size = 64 << 10;
    options_.compression = leveldb::kNoCompression;
    options_.remap.min_table_bytes = 64 << 10;
    options_.remap.level1_bytes = level1_bytes_;
    leveldb::DB *db = nullptr;
    const Status s = leveldb::DB::Open(options_, "/db", &db);
    ASSERT_TRUE(s.ok()) << s.ToString();
    db_.reset(db);
    env_.RunPending();
  }
  void Close() {
    env_.SetDeferred(true);
    env_.RunPending();
    db_.reset();
  }

  static std::string Key(uint64_t n) {
    char key[32];
    std::snprintf(key, sizeof(key), "%08d", static_cast<int>(n));
    return key;
  }
  // Every `step`th key from `first` on.
  void Put(uint64_t first, uint64_t count, uint64_t step) {
    for (uint64_t i = 0; i < count; i++) {
      ASSERT_TRUE(db_->Put(leveldb::WriteOptions(), Key(first + i * step), std::string(500, 'v')).ok());
      env_.RunPending();
    }
  }
  uint64_t Of(WriteCause cause) const { return env_.GetWrittenBytes().at(static_cast<size_t>(cause)); }
  void ExpectNothingUncounted() const {
    EXPECT_EQ(SumOf(env_.GetWrittenBytes()), memory_.GetCounters().written_pages * kPageBytes);
  }

  MemoryRemapEnv memory_;
  InlineRemapEnv env_;
  NullLogger logger_;
  leveldb::Options options_;
  uint64_t level1_bytes_ = 256 << 10;
  std::unique_ptr<leveldb::DB> db_;
};

TEST_P(WriteCausesTest, PutsCauseLogsFlushesAndSizeCompactions) {
  Open();
  Put(0, 1500, 7);
  Put(3, 1500, 7);
  EXPECT_GT(Of(WriteCause::kLog), 3000u * 500);
  EXPECT_GT(Of(WriteCause::kFlush), 2500u * 500);
  EXPECT_GT(Of(WriteCause::kSizeCompaction), 500u * 500);
  EXPECT_EQ(Of(WriteCause::kSeekCompaction), 0u);
  EXPECT_EQ(Of(WriteCause::kManualCompaction), 0u);
  EXPECT_GT(Of(WriteCause::kOther), 0u) << "the manifest";
  ExpectNothingUncounted();
}

TEST_P(WriteCausesTest, TheLogOfADatabaseThatIsOpenedIsFlushed) {
  Open();
  Put(0, 50, 1);
  EXPECT_EQ(Of(WriteCause::kFlush), 0u);
  Close();
  Open();
  EXPECT_GT(Of(WriteCause::kFlush), 50u * 500);
  EXPECT_EQ(Of(WriteCause::kSizeCompaction), 0u);
  ExpectNothingUncounted();
}

TEST_P(WriteCausesTest, CompactRangeIsManual) {
  level1_bytes_ = 64 << 20;  // nothing else compacts
  Open();
  Put(0, 400, 7);
  Put(3, 400, 7);
  const uint64_t before = Of(WriteCause::kManualCompaction);
  EXPECT_EQ(before, 0u);
  env_.SetDeferred(false);
  db_->CompactRange(nullptr, nullptr);
  EXPECT_GT(Of(WriteCause::kManualCompaction), 0u);
  EXPECT_EQ(Of(WriteCause::kSeekCompaction), 0u);
  ExpectNothingUncounted();
}

// Gets of keys that the upper of two overlapping tables does not have wear out its allowed seeks (at least 100).
TEST_P(WriteCausesTest, ReadsCauseSeekCompactionsUnlessTheyAreOff) {
  for (const bool on : {true, false}) {
    SCOPED_TRACE(on ? "on" : "off");
    options_.remap.seek_compactions = on;
    options_.remap.blend_filter_bits = 0;
    level1_bytes_ = 64 << 20;
    memory_.RemoveFile("/db/CURRENT");
    Open();
    Put(0, 250, 2);
    Put(1, 250, 2);  // a table above the first one, which it overlaps
    const CauseBytes before = env_.GetWrittenBytes();
    std::string value;
    for (int i = 0; i < 1000; i++) {
      ASSERT_TRUE(db_->Get(leveldb::ReadOptions(), Key(2 * (i % 100)), &value).ok());
      env_.RunPending();
    }
    EXPECT_EQ(Of(WriteCause::kSeekCompaction) > before.at(static_cast<size_t>(WriteCause::kSeekCompaction)), on);
    EXPECT_EQ(Of(WriteCause::kSizeCompaction), before.at(static_cast<size_t>(WriteCause::kSizeCompaction)));
    ExpectNothingUncounted();
    Close();
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, WriteCausesTest, testing::ValuesIn(RemapModes()),
                         [](const auto &mode) { return RemapModeName(mode.param); });

}  // namespace
}  // namespace openremap
