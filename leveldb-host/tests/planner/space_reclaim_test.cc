// SPDX-License-Identifier: Apache-2.0
//
// Databases on a file layer that says how much space is left: what they hold is the same, and tables become as small
// as they can be when it is little. OPENREMAP_SEED seeds it.
#include "planner/space_reclaim.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "compaction_statistics.h"
#include "db/dbformat.h"
#include "inline_env.h"
#include "leveldb/db.h"
#include "leveldb/table.h"
#include "memory_remap_env.h"
#include "paged_table/table_waste.h"
#include "test_seed.h"

namespace openremap {
namespace {

constexpr uint64_t kHeadroom = 1 << 20;
constexpr FileSpace kPlenty{2 * kHeadroom, kHeadroom};
constexpr FileSpace kShort{kHeadroom - 1, kHeadroom};
constexpr FileSpace kHardly{kHeadroom * 2 / 5, kHeadroom};
constexpr FileSpace kNone{0, kHeadroom};

class SpaceReclaimTest : public ::testing::TestWithParam<RemapMode> {
 protected:
  SpaceReclaimTest() : random_(TestSeed()) {
    options_.env = &env_;
    options_.create_if_missing = true;
    options_.write_buffer_size = 65536;
    options_.max_file_size = 32768;
    options_.compression = leveldb::kNoCompression;
    options_.remap.mode = GetParam();
    options_.remap.level1_bytes = 98304;
    options_.remap.level_ratio = 4;
    options_.remap.min_table_bytes = 16384;
    options_.remap.statistics = &statistics_;
  }

  void Open() {
    db_.reset();
    leveldb::DB *db = nullptr;
    ASSERT_TRUE(leveldb::DB::Open(options_, "/db", &db).ok());
    db_.reset(db);
    env_.RunPending();
  }
  // Puts and deletions of random keys.
  void Change(int times) {
    for (int i = 0; i < times; i++) {
      const std::string key = std::to_string(1000 + random_() % 3000);
      if (random_() % 5 == 0) {
        ASSERT_TRUE(db_->Delete(leveldb::WriteOptions(), key).ok());
        model_.erase(key);
      } else {
        model_[key] = std::string(200 + random_() % 800, static_cast<char>('a' + random_() % 26));
        ASSERT_TRUE(db_->Put(leveldb::WriteOptions(), key, model_[key]).ok());
      }
      env_.RunPending();
    }
  }
  void Check() {
    const std::unique_ptr<leveldb::Iterator> it(db_->NewIterator(leveldb::ReadOptions()));
    auto expected = model_.begin();
    for (it->SeekToFirst(); it->Valid() && expected != model_.end(); it->Next(), ++expected) {
      ASSERT_EQ(it->key().ToString(), expected->first);
      ASSERT_EQ(it->value().ToString(), expected->second);
    }
    ASSERT_TRUE(it->status().ok()) << it->status().ToString();
    ASSERT_TRUE(!it->Valid() && expected == model_.end());
  }
  // Of all tables: the largest share that lies empty, and the most runs.
  struct Worst {
    double waste = 0;
    size_t runs = 0;
  };
  Worst WorstTable() {
    const leveldb::InternalKeyComparator comparator(leveldb::BytewiseComparator());
    leveldb::Options options;
    options.comparator = &comparator;
    std::vector<std::string> names;
    EXPECT_TRUE(env_.GetChildren("/db", &names).ok());
    Worst worst;
    for (const std::string &name : names) {
      if (name.size() < 4 || name.substr(name.size() - 4) != ".ldb") continue;
      uint64_t size = 0;
      leveldb::RandomAccessFile *raw = nullptr;
      EXPECT_TRUE(env_.GetFileSize("/db/" + name, &size).ok());
      EXPECT_TRUE(env_.NewRandomAccessFile("/db/" + name, &raw).ok());
      const std::unique_ptr<leveldb::RandomAccessFile> file(raw);
      leveldb::Table *opened = nullptr;
      EXPECT_TRUE(leveldb::Table::Open(options, raw, size, &opened).ok());
      const std::unique_ptr<leveldb::Table> table(opened);
      worst.waste = std::max(worst.waste, WasteOf(*table, size));
      worst.runs = std::max(worst.runs, table->Runs());
    }
    return worst;
  }

  std::mt19937_64 random_;
  MemoryRemapEnv files_;
  InlineRemapEnv env_{&files_, &files_};
  CompactionStatistics statistics_;
  leveldb::Options options_;
  std::unique_ptr<leveldb::DB> db_;
  std::map<std::string, std::string> model_;
};

TEST_P(SpaceReclaimTest, WhatIsStoredDoesNotDependOnSpace) {
  SCOPED_TRACE("OPENREMAP_SEED=" + std::to_string(TestSeed()));
  ASSERT_NO_FATAL_FAILURE(Open());
  for (int round = 0; round < 40; round++) {
    const FileSpace spaces[] = {kPlenty, kShort, kHardly, kNone};
    files_.SetFileSpace(spaces[random_() % 4]);
    ASSERT_NO_FATAL_FAILURE(Change(200));
    ASSERT_NO_FATAL_FAILURE(Check());
    if (random_() % 4 == 0) {
      ASSERT_NO_FATAL_FAILURE(Open());
    }
  }
}

TEST_P(SpaceReclaimTest, TablesAreWrittenAnewWhenThereIsNoSpace) {
  SCOPED_TRACE("OPENREMAP_SEED=" + std::to_string(TestSeed()));
  ASSERT_NO_FATAL_FAILURE(Open());
  files_.SetFileSpace(kPlenty);
  ASSERT_NO_FATAL_FAILURE(Change(6000));
  const Worst before = WorstTable();
  EXPECT_EQ(before.waste > 0.02, GetParam() != RemapMode::kOff) << "pages have empty ends";
  EXPECT_EQ(before.runs > 1, GetParam() == RemapMode::kBlend);
  const bool off = GetParam() == RemapMode::kOff;
  LevelCounters counters = statistics_.Total();
  EXPECT_EQ(counters.short_compactions + counters.plain_compactions + counters.reclaim_compactions, 0u);
  files_.SetFileSpace(kShort);
  ASSERT_NO_FATAL_FAILURE(Change(400));
  EXPECT_LE(WorstTable().runs, 1u);
  counters = statistics_.Total();
  EXPECT_EQ(counters.short_compactions > 0, !off);
  EXPECT_EQ(counters.plain_compactions, 0u);
  files_.SetFileSpace(kNone);
  ASSERT_NO_FATAL_FAILURE(Change(400));
  EXPECT_LT(WorstTable().waste, 1.0 / 128) << "as stock LevelDB has them";
  counters = statistics_.Total();
  EXPECT_EQ(counters.plain_compactions > 0, !off);
  EXPECT_EQ(counters.reclaim_compactions > 0, !off);
  ASSERT_NO_FATAL_FAILURE(Check());
  const uint64_t kept = statistics_.Total().kept_pages;
  files_.SetFileSpace(kPlenty);
  ASSERT_NO_FATAL_FAILURE(Change(6000));
  if (GetParam() != RemapMode::kOff) {
    EXPECT_GT(statistics_.Total().kept_pages, kept) << "blocks are kept again";
  }
  ASSERT_NO_FATAL_FAILURE(Check());
}

INSTANTIATE_TEST_SUITE_P(Modes, SpaceReclaimTest, ::testing::ValuesIn(RemapModes()),
                         [](const auto &test) { return RemapModeName(test.param); });

}  // namespace
}  // namespace openremap
