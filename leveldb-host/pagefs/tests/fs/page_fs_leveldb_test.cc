// SPDX-License-Identifier: Apache-2.0
//
// A LevelDB on PageFS, in each mode: its background thread, reopening, power cuts. OPENREMAP_SEED seeds it.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "leveldb/db.h"
#include "leveldb/iterator.h"
#include "pagefs/fs/page_fs_env.h"
#include "pagefs/tests/device/fake_page_device.h"
#include "remap_options.h"
#include "test_seed.h"

namespace openremap {
namespace {

using leveldb::Status;

struct Parameters {
  RemapMode mode;
  bool separated = false;  // with a value log
};

std::string Name(const ::testing::TestParamInfo<Parameters> &test) {
  return std::string(RemapModeName(test.param.mode)) + (test.param.separated ? "_separated" : "");
}

// Each mode; and the simplest and the richest with a value log.
std::vector<Parameters> Each(const std::vector<RemapMode> &modes) {
  std::vector<Parameters> each;
  for (const RemapMode mode : modes) each.push_back({mode});
  for (const RemapMode mode : {RemapMode::kOff, RemapMode::kBlend}) each.push_back({mode, /*separated=*/true});
  return each;
}

class PageFsLevelDbTest : public ::testing::TestWithParam<Parameters> {
 protected:
  PageFsLevelDbTest() : device_(16384), random_(openremap::TestSeed()) {
    options_.create_if_missing = true;
    options_.write_buffer_size = 64 << 10;
    options_.max_file_size = 128 << 10;
    options_.compression = leveldb::kNoCompression;
    options_.remap.mode = GetParam().mode;
    options_.remap.level1_bytes = 256 << 10;
    options_.remap.level_ratio = 4;
    options_.remap.min_table_bytes = 128 << 10;
    if (GetParam().separated) options_.remap.value_log_threshold = 300;
    options_.remap.value_log_segment_bytes = 64 << 10;
    options_.remap.value_log_dead_percent = 10;
    options_.remap.min_manifest_bytes = 512;  // replaced by the background thread every now and then
  }
  ~PageFsLevelDbTest() override { Close(); }

  void Open() {
    std::unique_ptr<PageFs> fs;
    Status s = PageFs::Open(&device_, &fs);
    ASSERT_TRUE(s.ok()) << s.ToString();
    env_ = std::make_unique<PageFsEnv>(std::move(fs));
    options_.env = env_.get();
    leveldb::DB *db = nullptr;
    s = leveldb::DB::Open(options_, "/db", &db);
    ASSERT_TRUE(s.ok()) << s.ToString();
    db_.reset(db);
  }
  void Close() {
    db_.reset();
    if (env_ != nullptr) remapped_pages_ += env_->GetRemapStats().remapped_pages;
    env_.reset();
  }
  void CheckAgainst(const std::map<std::string, std::string> &model) {
    std::unique_ptr<leveldb::Iterator> it(db_->NewIterator(leveldb::ReadOptions()));
    auto expected = model.begin();
    for (it->SeekToFirst(); it->Valid(); it->Next(), ++expected) {
      ASSERT_NE(expected, model.end());
      ASSERT_EQ(it->key().ToString(), expected->first);
      ASSERT_EQ(it->value().ToString(), expected->second);
    }
    ASSERT_TRUE(it->status().ok()) << it->status().ToString();
    ASSERT_EQ(expected, model.end());
  }

  FakePageDevice device_;
  std::mt19937_64 random_;
  leveldb::Options options_;
  std::unique_ptr<PageFsEnv> env_;
  std::unique_ptr<leveldb::DB> db_;
  uint64_t remapped_pages_ = 0;  // until the last Close()
};

TEST_P(PageFsLevelDbTest, RandomPutsAndDeletesReadBackAfterReopening) {
  std::map<std::string, std::string> model;
  for (int round = 0; round < 3; round++) {
    ASSERT_NO_FATAL_FAILURE(Open());
    for (int i = 0; i < 3000; i++) {
      const std::string key = "key" + std::to_string(random_() % 2000);
      if (random_() % 5 == 0) {
        ASSERT_TRUE(db_->Delete(leveldb::WriteOptions(), key).ok());
        model.erase(key);
      } else {
        const std::string value(100 + random_() % 900, static_cast<char>('a' + random_() % 26));
        ASSERT_TRUE(db_->Put(leveldb::WriteOptions(), key, value).ok());
        model[key] = value;
      }
    }
    db_->CompactRange(nullptr, nullptr);
    ASSERT_NO_FATAL_FAILURE(CheckAgainst(model));
    Close();
  }
  ASSERT_NO_FATAL_FAILURE(Open());
  ASSERT_NO_FATAL_FAILURE(CheckAgainst(model));
  if (GetParam().separated) return;  // few blocks, with whatever seed
  EXPECT_EQ(remapped_pages_ > 0, GetParam().mode != RemapMode::kOff);
}

TEST_P(PageFsLevelDbTest, SyncedWritesSurviveCutsAnywhere) {
  std::map<std::string, std::string> model;
  for (uint64_t round = 0; round < 25; round++) {
    SCOPED_TRACE(round);
    ASSERT_NO_FATAL_FAILURE(Open());
    ASSERT_NO_FATAL_FAILURE(CheckAgainst(model));
    device_.CutAfter(random_() % 1500);
    leveldb::WriteOptions synced;
    synced.sync = true;
    std::string last_key, last_value;
    for (int i = 0; i < 3000; i++) {  // until a put finds no power
      last_key = "key" + std::to_string(random_() % 500);
      last_value = std::string(500, static_cast<char>('a' + random_() % 26));
      if (!db_->Put(synced, last_key, last_value).ok()) break;
      model[last_key] = last_value;
    }
    Close();
    device_.PowerOn(random_());
    // The write that failed may have reached the log.
    ASSERT_NO_FATAL_FAILURE(Open());
    std::string value;
    if (db_->Get(leveldb::ReadOptions(), last_key, &value).ok() && value == last_value) model[last_key] = value;
    ASSERT_NO_FATAL_FAILURE(CheckAgainst(model));
    Close();
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, PageFsLevelDbTest, ::testing::ValuesIn(Each(RemapModes())), Name);

}  // namespace
}  // namespace openremap
