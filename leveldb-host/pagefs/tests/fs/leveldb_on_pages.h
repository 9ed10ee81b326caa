// SPDX-License-Identifier: Apache-2.0
//
// What tests of a LevelDB on PageFS share: the modes, and a database of small tables on a device in memory.
#ifndef OPENREMAP_LEVELDB_HOST_PAGEFS_TESTS_FS_LEVELDB_ON_PAGES_H_
#define OPENREMAP_LEVELDB_HOST_PAGEFS_TESTS_FS_LEVELDB_ON_PAGES_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "leveldb/db.h"
#include "leveldb/iterator.h"
#include "pagefs/fs/page_fs_env.h"
#include "pagefs/tests/device/fake_page_device.h"
#include "remap_options.h"
#include "test_seed.h"

namespace openremap {

struct LevelDbKind {
  RemapMode mode;
  bool separated = false;  // with a value log
  ValueLogCollector collector = ValueLogCollector::kCost;
  size_t value_bytes = 984;  // four to a page
};

inline std::string NameOf(const ::testing::TestParamInfo<LevelDbKind> &test) {
  return std::string(RemapModeName(test.param.mode)) + (test.param.separated ? "_separated" : "") +
         (test.param.collector == ValueLogCollector::kRemap   ? "_remapped"
          : test.param.collector == ValueLogCollector::kPunch ? "_punched"
                                                              : "");
}

// Each mode; and the simplest and the richest with a value log.
inline std::vector<LevelDbKind> KindsOf(const std::vector<RemapMode> &modes) {
  std::vector<LevelDbKind> kinds;
  for (const RemapMode mode : modes) kinds.push_back({mode});
  for (const RemapMode mode : {RemapMode::kOff, RemapMode::kBlend}) kinds.push_back({mode, /*separated=*/true});
  return kinds;
}

class LevelDbOnPages : public ::testing::TestWithParam<LevelDbKind> {
 protected:
  explicit LevelDbOnPages(uint64_t pages) : device_(pages), random_(openremap::TestSeed()) {
    options_.create_if_missing = true;
    options_.write_buffer_size = 64 << 10;
    options_.compression = leveldb::kNoCompression;
    options_.remap.mode = GetParam().mode;
    options_.remap.level_ratio = 4;
    options_.remap.value_log_segment_bytes = 64 << 10;
    options_.remap.value_log_collector = GetParam().collector;
  }

  // Mounts what the device has, and opens the database.
  void Open() {
    std::unique_ptr<PageFs> fs;
    leveldb::Status s = PageFs::Open(&device_, &fs);
    ASSERT_TRUE(s.ok()) << s.ToString();
    env_ = std::make_unique<PageFsEnv>(std::move(fs));
    options_.env = EnvOfDatabase();
    leveldb::DB *db = nullptr;
    s = leveldb::DB::Open(options_, "/db", &db);
    ASSERT_TRUE(s.ok()) << s.ToString();
    db_.reset(db);
  }
  // That of PageFS, or one on it that the test owns.
  virtual leveldb::Env *EnvOfDatabase() { return env_.get(); }

  void CheckAgainst(const std::map<std::string, std::string> &model) {
    std::unique_ptr<leveldb::Iterator> it(db_->NewIterator(leveldb::ReadOptions()));
    auto expected = model.begin();
    for (it->SeekToFirst(); it->Valid(); it->Next(), ++expected) {
      ASSERT_NE(expected, model.end());
      ASSERT_EQ(it->key().ToString(), expected->first);
      ASSERT_EQ(it->value().ToString(), expected->second) << expected->first;
    }
    ASSERT_TRUE(it->status().ok()) << it->status().ToString();
    ASSERT_EQ(expected, model.end());
  }

  FakePageDevice device_;
  std::mt19937_64 random_;
  leveldb::Options options_;
  std::unique_ptr<PageFsEnv> env_;
  std::unique_ptr<leveldb::DB> db_;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_PAGEFS_TESTS_FS_LEVELDB_ON_PAGES_H_
