// SPDX-License-Identifier: Apache-2.0
//
// A LevelDB on PageFS, in each mode: its background thread, reopening, power cuts. OPENREMAP_SEED seeds it.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "pagefs/tests/fs/leveldb_on_pages.h"

namespace openremap {
namespace {

class PageFsLevelDbTest : public LevelDbOnPages {
 protected:
  PageFsLevelDbTest() : LevelDbOnPages(16384) {
    options_.max_file_size = 128 << 10;
    options_.remap.level1_bytes = 256 << 10;
    options_.remap.min_table_bytes = 128 << 10;
    if (GetParam().separated) options_.remap.value_log_threshold = 300;
    options_.remap.value_log_dead_percent = 10;
    options_.remap.min_manifest_bytes = 512;  // replaced by the background thread every now and then
  }
  ~PageFsLevelDbTest() override { Close(); }

  void Close() {
    db_.reset();
    if (env_ != nullptr) remapped_pages_ += env_->GetRemapStats().remapped_pages;
    env_.reset();
  }

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

INSTANTIATE_TEST_SUITE_P(Modes, PageFsLevelDbTest, ::testing::ValuesIn(KindsOf(RemapModes())), NameOf);

}  // namespace
}  // namespace openremap
