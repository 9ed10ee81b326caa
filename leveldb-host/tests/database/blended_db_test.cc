// SPDX-License-Identifier: Apache-2.0
//
// Databases in mode blend: the shape of their tables, and the behaviour that must not change. DbModelTest has the
// random operations.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compaction_statistics.h"
#include "db/db_impl.h"
#include "db/dbformat.h"
#include "db/filename.h"
#include "inline_env.h"
#include "leveldb/db.h"
#include "leveldb/env.h"
#include "leveldb/filter_policy.h"
#include "leveldb/table.h"
#include "memory_remap_env.h"
#include "util/random.h"

namespace openremap {
namespace {

using leveldb::Status;
using Model = std::map<std::string, std::string>;

constexpr uint32_t kKeys = 2000;

// Counts compactions, and the bytes of the largest compaction of a table. It leaves out level 0, whose tables are
// compacted together with all of level 1.
class CompactionLog : public leveldb::Logger {
 public:
  void Logv(const char *format, std::va_list arguments) override {
    char line[512];
    std::vsnprintf(line, sizeof line, format, arguments);
    int upper = 0, level = 0, lower = 0, output = 0;
    long long bytes = 0;
    if (std::sscanf(line, "Compacted %d@%d + %d@%d files => %lld", &upper, &level, &lower, &output, &bytes) != 5)
      return;
    compactions_++;
    if (level > 0) most_bytes_ = std::max(most_bytes_, static_cast<uint64_t>(bytes));
  }
  int compactions() const { return compactions_; }
  uint64_t most_bytes() const { return most_bytes_; }
  void Clear() { compactions_ = 0, most_bytes_ = 0; }

 private:
  int compactions_ = 0;
  uint64_t most_bytes_ = 0;
};

class BlendedDbTest : public ::testing::Test {
 protected:
  BlendedDbTest() : env_(&remap_env_, &remap_env_), random_(17) {
    options_.env = &env_;
    options_.create_if_missing = true;
    options_.write_buffer_size = 65536;
    options_.max_file_size = 65536;
    options_.remap.mode = RemapMode::kBlend;
    options_.remap.level1_bytes = 262144;
    options_.remap.level_ratio = 4;
    options_.remap.min_table_bytes = 16384;
  }

  void Open() {
    leveldb::DB *db = nullptr;
    const Status s = leveldb::DB::Open(options_, "/db", &db);
    ASSERT_TRUE(s.ok()) << s.ToString();
    db_.reset(db);
    env_.RunPending();
  }

  void Close() {
    env_.RunPending();
    db_.reset();
  }

  static std::string Key(uint32_t n) { return std::to_string(1000000 + n); }

  void Put(uint32_t n) {
    const std::string key = Key(n);
    model_[key] = std::string(200, static_cast<char>('a' + random_.Uniform(26))) + std::to_string(random_.Next());
    ASSERT_TRUE(db_->Put(leveldb::WriteOptions(), key, model_[key]).ok());
    env_.RunPending();
  }

  void Delete(uint32_t n) {
    model_.erase(Key(n));
    ASSERT_TRUE(db_->Delete(leveldb::WriteOptions(), Key(n)).ok());
    env_.RunPending();
  }

  void Churn(int operations) {
    for (int i = 0; i < operations; i++) {
      const uint32_t n = random_.Uniform(kKeys);
      random_.OneIn(6) ? Delete(n) : Put(n);
    }
  }

  // Both ways.
  static void ExpectAll(leveldb::Iterator *it, const Model &model) {
    auto expected = model.begin();
    for (it->SeekToFirst(); it->Valid(); it->Next(), ++expected) {
      ASSERT_NE(expected, model.end());
      ASSERT_EQ(it->key().ToString(), expected->first);
      ASSERT_EQ(it->value().ToString(), expected->second);
    }
    ASSERT_EQ(expected, model.end());
    auto left = model.rbegin();
    for (it->SeekToLast(); it->Valid(); it->Prev(), ++left) {
      ASSERT_NE(left, model.rend());
      ASSERT_EQ(it->key().ToString(), left->first);
      ASSERT_EQ(it->value().ToString(), left->second);
    }
    ASSERT_EQ(left, model.rend());
    ASSERT_TRUE(it->status().ok()) << it->status().ToString();
  }

  void ExpectModel() {
    const std::unique_ptr<leveldb::Iterator> it(db_->NewIterator(leveldb::ReadOptions()));
    ExpectAll(it.get(), model_);
    for (uint32_t n = 0; n < kKeys; n += 7) {
      std::string value;
      const Status s = db_->Get(leveldb::ReadOptions(), Key(n), &value);
      const auto expected = model_.find(Key(n));
      ASSERT_EQ(s.IsNotFound(), expected == model_.end()) << Key(n);
      ASSERT_EQ(value, s.ok() ? expected->second : "");
    }
  }

  // Sorted runs of the table file that has most, and the size of the largest.
  size_t MostRuns(uint64_t *largest = nullptr) {
    std::vector<std::string> names;
    EXPECT_TRUE(env_.GetChildren("/db", &names).ok());
    size_t most = 0;
    const leveldb::InternalKeyComparator comparator(leveldb::BytewiseComparator());
    leveldb::Options options;
    options.comparator = &comparator;
    for (const std::string &name : names) {
      uint64_t number = 0, size = 0;
      leveldb::FileType type;
      if (!leveldb::ParseFileName(name, &number, &type) || type != leveldb::kTableFile) continue;
      leveldb::RandomAccessFile *raw = nullptr;
      EXPECT_TRUE(env_.NewRandomAccessFile("/db/" + name, &raw).ok());
      const std::unique_ptr<leveldb::RandomAccessFile> file(raw);
      EXPECT_TRUE(env_.GetFileSize("/db/" + name, &size).ok());
      leveldb::Table *table = nullptr;
      EXPECT_TRUE(leveldb::Table::Open(options, file.get(), size, &table).ok());
      most = std::max(most, table->Runs());
      if (largest != nullptr) *largest = std::max(*largest, size);
      delete table;
    }
    return most;
  }

  // Background work goes on in its thread afterwards, until Reopen().
  void CompactRange() {
    env_.RunPending();
    env_.SetDeferred(false);  // CompactRange waits for background work
    db_->CompactRange(nullptr, nullptr);
  }

  void Reopen() {
    Close();
    env_.SetDeferred(true);
    Open();
  }

  void CompactAll() {
    CompactRange();
    Reopen();
  }

  MemoryRemapEnv remap_env_;
  InlineRemapEnv env_;
  leveldb::Random random_;
  leveldb::Options options_;
  std::unique_ptr<leveldb::DB> db_;
  Model model_;
};

TEST_F(BlendedDbTest, TablesHaveAsManyRunsAsAskedForAndAreBounded) {
  for (int most : {1, 2, 3}) {
    SCOPED_TRACE(most);
    options_.remap.blend_runs = most;
    Open();
    size_t seen = 0;
    for (int round = 0; round < 20; round++) {
      Churn(600);
      uint64_t largest = 0;
      seen = std::max(seen, MostRuns(&largest));
      EXPECT_LE(seen, static_cast<size_t>(most));
      EXPECT_LE(largest, 2 * options_.max_file_size + options_.max_file_size / 4) << "index and filter included";
    }
    EXPECT_EQ(seen, static_cast<size_t>(most));
    ExpectModel();
    Close();
    ASSERT_TRUE(leveldb::DestroyDB("/db", options_).ok());
    model_.clear();
  }
}

// If entries of all keys were attached to one of few tables, that table would span the whole level below. Its
// compaction would write that level again, and need its space twice until the compaction ends.
TEST_F(BlendedDbTest, NoCompactionTakesInAWholeLevel) {
  constexpr uint32_t kAll = 80000;
  constexpr uint32_t kMemtable = 300;  // about as many entries fill one
  CompactionLog log;
  options_.info_log = &log;
  options_.max_file_size = 32768;
  options_.remap.level1_bytes = 65536;
  options_.remap.level_ratio = 20;
  Open();
  for (uint32_t i = 0; i < kAll; i++) Put(i * 7919 % kAll);
  // Twenty-five tables of the lower level, those at their ends, and the one above.
  EXPECT_LE(log.most_bytes(), 30 * options_.max_file_size);
  EXPECT_GT(log.most_bytes(), 0u);
  CompactAll();
  log.Clear();
  for (int round = 0; round < 30; round++) {
    for (uint32_t i = 0; i < kMemtable; i++) Put(kAll / 2 + i);
    for (uint32_t i = 0; i < 4 * kMemtable; i++) Put(random_.Uniform(kAll));
  }
  EXPECT_LE(log.most_bytes(), 30 * options_.max_file_size);
  EXPECT_GT(log.most_bytes(), 0u);
  ExpectModel();
  Close();
  options_.info_log = nullptr;
}

// Random puts over all keys are the worst case for old versions, because no range of keys is written in order.
TEST_F(BlendedDbTest, OldVersionsTakeBoundedSpace) {
  uint64_t used[2] = {};
  for (int i = 0; i < 2; i++) {
    options_.remap.mode = i == 0 ? RemapMode::kSkip : RemapMode::kBlend;
    Open();
    for (int n = 0; n < 30000; n++) Put(random_.Uniform(kKeys));
    used[i] = remap_env_.UsedPages();
    Close();
    ASSERT_TRUE(leveldb::DestroyDB("/db", options_).ok());
  }
  EXPECT_LT(static_cast<double>(used[1]), 1.5 * static_cast<double>(used[0]));
}

// Deletions are small compared with the values that they hide, and no later put falls into the tables of these keys.
TEST_F(BlendedDbTest, WhatWasDeletedTakesLittleSpace) {
  Open();
  constexpr uint32_t kMany = 10 * kKeys;
  const auto scattered = [](uint32_t n) { return n * 7919 % kMany; };
  for (uint32_t n = 0; n < kMany; n++) Put(scattered(n));
  const size_t all = remap_env_.UsedPages();
  for (uint32_t n = 0; n < kMany; n++) Delete(scattered(n + 1234));
  for (uint32_t n = 0; n < kMany; n++) Put(2 * kMany + scattered(n) / 2);
  const std::string begin = Key(0), end = Key(kMany);
  const leveldb::Range range(begin, end);
  uint64_t bytes = 0;
  db_->GetApproximateSizes(&range, 1, &bytes);
  EXPECT_LT(bytes / kPageBytes, all / 10);
  ExpectModel();
  Close();
}

// The deepest level is the input of no compaction, because no level lies below it.
TEST_F(BlendedDbTest, ACompactionOfAllMergesTheDeepestLevelToo) {
  Open();
  Churn(12000);
  ASSERT_GT(MostRuns(), 1u);
  CompactAll();
  EXPECT_EQ(MostRuns(), 1u);
  ExpectModel();
  const size_t used = remap_env_.UsedPages();
  Close();
  options_.remap.mode = RemapMode::kSkip;
  Open();
  CompactAll();
  EXPECT_LT(used, remap_env_.UsedPages() * 11 / 10) << "beyond tables of one run";
  Close();
}

// The same in another mode, which opens the database.
TEST_F(BlendedDbTest, OtherModesMergeThemWhenAskedTo) {
  Open();
  Churn(12000);
  ASSERT_GT(MostRuns(), 1u);
  Close();
  options_.remap.mode = RemapMode::kOff;
  Open();
  CompactAll();
  EXPECT_EQ(MostRuns(), 1u);
  ExpectModel();
  Close();
}

// Tables of several runs span much of the next level. The tables that they are merged into must not, or their own
// compactions would be as large.
TEST_F(BlendedDbTest, WhatIsMergedByItselfOverlapsFewTablesOfTheNextLevel) {
  constexpr uint32_t kAll = 40000;
  options_.max_file_size = 32768;
  options_.remap.level1_bytes = 262144;
  options_.remap.level_ratio = 40;
  Open();
  for (uint32_t i = 0; i < kAll; i++) Put(i * 7919 % kAll);
  CompactAll();
  auto *const db = static_cast<leveldb::DBImpl *>(db_.get());
  const auto table = static_cast<int64_t>(options_.max_file_size);
  for (int round = 0; round < 50 && db->TEST_MaxNextLevelOverlappingBytes() <= 15 * table; round++) {
    for (uint32_t i = 0; i < 300; i++) Put(kAll / 2 + i);
    for (uint32_t i = 0; i < 1200; i++) Put(random_.Uniform(kAll));
  }
  ASSERT_GT(MostRuns(), 1u);
  env_.SetDeferred(false);
  ASSERT_GT(db->TEST_MaxNextLevelOverlappingBytes(), 15 * table);
  for (int level = 0; level + 1 < leveldb::config::kNumLevels; level++) {
    db->TEST_CompactRange(level, nullptr, nullptr, /*merge_runs=*/true);
  }
  // LevelDB ends a table behind ten; those at both ends are not counted.
  EXPECT_LE(db->TEST_MaxNextLevelOverlappingBytes(), 12 * table);
  EXPECT_EQ(MostRuns(), 1u);
  ExpectModel();
  Reopen();
  Close();
}

// A merge has to keep the versions that a snapshot sees. A deletion at the border of two tables must also keep hiding
// its value in the next table.
TEST_F(BlendedDbTest, ACompactionOfAllKeepsWhatASnapshotSees) {
  Open();
  Churn(6000);
  const Model then = model_;
  leveldb::ReadOptions read;
  read.snapshot = db_->GetSnapshot();
  Churn(6000);
  CompactRange();
  std::unique_ptr<leveldb::Iterator> held(db_->NewIterator(read));
  ExpectAll(held.get(), then);
  held.reset();
  db_->ReleaseSnapshot(read.snapshot);
  Reopen();
  EXPECT_EQ(MostRuns(), 1u);
  ExpectModel();
  CompactAll();
  ExpectModel();
  Close();
}

// Without filters a get reads a block of each run.
TEST_F(BlendedDbTest, FewRunsWithoutFilters) {
  options_.remap.blend_space_percent = 1000;
  options_.remap.blend_filter_bits = 0;
  Open();
  Churn(12000);
  EXPECT_GT(MostRuns(), 1u);
  EXPECT_LE(MostRuns(), 3u);
  ExpectModel();
  Close();
}

TEST_F(BlendedDbTest, SnapshotsAndIteratorsOutliveCompactions) {
  Open();
  Churn(3000);
  const Model then = model_;
  const leveldb::Snapshot *snapshot = db_->GetSnapshot();
  std::unique_ptr<leveldb::Iterator> held(db_->NewIterator(leveldb::ReadOptions()));
  Churn(6000);
  ExpectAll(held.get(), then);
  held.reset();
  leveldb::ReadOptions read;
  read.snapshot = snapshot;
  held.reset(db_->NewIterator(read));
  ExpectAll(held.get(), then);
  held.reset();
  db_->ReleaseSnapshot(snapshot);
  Churn(3000);
  ExpectModel();
  Close();
}

TEST_F(BlendedDbTest, AManualCompactionMergesAll) {
  Open();
  Churn(6000);
  EXPECT_GT(MostRuns(), 1u);
  for (uint32_t n = 0; n < kKeys; n++) Put(n);
  for (uint32_t n = 1; n < kKeys; n += 2) Delete(n);
  CompactAll();
  EXPECT_EQ(MostRuns(), 1u);
  ExpectModel();
  EXPECT_EQ(model_.size(), kKeys / 2);
  Close();
}

// A table that many seeks search in vain gets compacted.
TEST_F(BlendedDbTest, SeekCompactionsGoTheSameWay) {
  CompactionLog log;
  CompactionStatistics statistics;
  options_.info_log = &log;
  options_.remap.statistics = &statistics;
  Open();
  Churn(8000);
  log.Clear();
  const uint64_t blended = statistics.Total().blended_tables;
  for (int i = 0; i < 20000; i++) {
    std::string value;
    db_->Get(leveldb::ReadOptions(), Key(random_.Uniform(kKeys)), &value);
    env_.RunPending();
  }
  EXPECT_GT(log.compactions(), 0) << "nothing was written meanwhile, so seeks asked for them";
  EXPECT_GT(statistics.Total().blended_tables, blended);
  ExpectModel();
  Close();
  options_.info_log = nullptr;
}

TEST_F(BlendedDbTest, RepairReadsThem) {
  Open();
  Churn(8000);
  Close();
  Open();
  EXPECT_GT(MostRuns(), 1u);
  Close();
  std::vector<std::string> names;
  ASSERT_TRUE(env_.GetChildren("/db", &names).ok());
  for (const std::string &name : names) {
    if (name.compare(0, 8, "MANIFEST") != 0 && name != "CURRENT") continue;
    ASSERT_TRUE(env_.RemoveFile("/db/" + name).ok());
  }
  const Status s = leveldb::RepairDB("/db", options_);
  ASSERT_TRUE(s.ok()) << s.ToString();
  Open();
  const std::unique_ptr<leveldb::Iterator> it(db_->NewIterator(leveldb::ReadOptions()));
  ExpectAll(it.get(), model_);
}

}  // namespace
}  // namespace openremap
