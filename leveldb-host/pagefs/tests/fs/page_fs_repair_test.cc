// SPDX-License-Identifier: Apache-2.0
//
// RepairDB on PageFS, under power cuts and on a full device: what was synced stays where LevelDB, or another repair,
// finds it.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "leveldb/db.h"
#include "pagefs/fs/page_fs_env.h"
#include "pagefs/tests/device/fake_page_device.h"

namespace openremap {
namespace {

using leveldb::Status;

constexpr int kKeys = 60;

std::string Key(int i) { return "key" + std::to_string(1000 + i); }
std::string Value(int i) { return std::string(900, static_cast<char>('a' + i % 26)); }

class PageFsRepairTest : public ::testing::Test {
 protected:
  PageFsRepairTest() : device_(2048) {
    options_.create_if_missing = true;
    options_.compression = leveldb::kNoCompression;
  }
  ~PageFsRepairTest() override { env_.reset(); }

  void Mount(FakePageDevice *device) {
    env_.reset();
    std::unique_ptr<PageFs> fs;
    const Status s = PageFs::Open(device, &fs);
    ASSERT_TRUE(s.ok()) << s.ToString();
    env_ = std::make_unique<PageFsEnv>(std::move(fs));
    options_.env = env_.get();
  }

  // A third of the keys in a table, the rest synced in the log.
  void Fill() {
    ASSERT_NO_FATAL_FAILURE(Mount(&device_));
    leveldb::DB *db = nullptr;
    ASSERT_TRUE(leveldb::DB::Open(options_, "/db", &db).ok());
    const std::unique_ptr<leveldb::DB> owned(db);
    leveldb::WriteOptions synced;
    synced.sync = true;
    for (int i = 0; i < kKeys; i++) {
      ASSERT_TRUE(db->Put(synced, Key(i), Value(i)).ok());
      if (i == kKeys / 3) db->CompactRange(nullptr, nullptr);
    }
  }

  void ExpectAll() {
    leveldb::DB *db = nullptr;
    const Status s = leveldb::DB::Open(options_, "/db", &db);
    ASSERT_TRUE(s.ok()) << s.ToString();
    const std::unique_ptr<leveldb::DB> owned(db);
    for (int i = 0; i < kKeys; i++) {
      std::string value;
      ASSERT_TRUE(db->Get(leveldb::ReadOptions(), Key(i), &value).ok()) << Key(i);
      ASSERT_EQ(value, Value(i));
    }
  }

  FakePageDevice device_;
  leveldb::Options options_;
  std::unique_ptr<PageFsEnv> env_;
};

TEST_F(PageFsRepairTest, ADatabaseCanBeRepairedAgain) {
  ASSERT_NO_FATAL_FAILURE(Fill());
  for (int i = 0; i < 3; i++) ASSERT_TRUE(leveldb::RepairDB("/db", options_).ok());
  ExpectAll();
}

TEST_F(PageFsRepairTest, ADatabaseOpensAfterACutAnywhereInIt) {
  ASSERT_NO_FATAL_FAILURE(Fill());
  env_.reset();
  bool repaired = false;
  for (uint64_t cut = 0; !repaired; cut++) {
    ASSERT_LT(cut, 5000u);
    SCOPED_TRACE("cut after " + std::to_string(cut) + " steps");
    FakePageDevice device = device_;
    ASSERT_NO_FATAL_FAILURE(Mount(&device));
    device.CutAfter(cut);
    repaired = leveldb::RepairDB("/db", options_).ok() && device.HasPower();
    // Also behind its end: what it said is done survives the next cut.
    device.CutAfter(0);
    env_.reset();
    device.PowerOn(cut);
    ASSERT_NO_FATAL_FAILURE(Mount(&device));
    ASSERT_NO_FATAL_FAILURE(ExpectAll());
    env_.reset();
  }
}

TEST_F(PageFsRepairTest, WithoutSpaceItSaysSoAndTakesNothingAway) {
  ASSERT_NO_FATAL_FAILURE(Fill());
  leveldb::WritableFile *filler = nullptr;
  ASSERT_TRUE(env_->NewWritableFile("/filler", &filler).ok());
  while (filler->Append(std::string(kPageBytes, 'f')).ok()) {
  }
  delete filler;
  for (int i = 0; i < 3; i++) {
    const Status s = leveldb::RepairDB("/db", options_);
    EXPECT_TRUE(s.IsIOError()) << s.ToString();
    EXPECT_NE(s.ToString().find("no space left"), std::string::npos) << s.ToString();
  }
  ASSERT_TRUE(env_->RemoveFile("/filler").ok());
  const Status s = leveldb::RepairDB("/db", options_);
  EXPECT_TRUE(s.ok()) << s.ToString();
  ExpectAll();
}

}  // namespace
}  // namespace openremap
