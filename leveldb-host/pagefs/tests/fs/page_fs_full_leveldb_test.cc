// SPDX-License-Identifier: Apache-2.0
//
// A LevelDB on a PageFS that runs full, in each mode: it says so, what it acknowledged reads back, it opens again, and
// deletions give the space back. OPENREMAP_SEED seeds it.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "inline_env.h"
#include "leveldb/db.h"
#include "leveldb/iterator.h"
#include "pagefs/check/page_fs_check.h"
#include "pagefs/fs/page_fs_env.h"
#include "pagefs/tests/device/fake_page_device.h"
#include "remap_options.h"
#include "test_seed.h"

namespace openremap {
namespace {

using leveldb::Status;

constexpr uint64_t kDevicePages = 4096;  // 16 MiB, 500 tables: a compaction needs less than what is kept free for it

struct Parameters {
  RemapMode mode;
  bool separated = false;  // with a value log
  ValueLogCollector collector = ValueLogCollector::kCost;
  size_t value_bytes = 984;  // four to a page
};

std::string Name(const ::testing::TestParamInfo<Parameters> &test) {
  return std::string(RemapModeName(test.param.mode)) + (test.param.separated ? "_separated" : "") +
         (test.param.collector == ValueLogCollector::kRemap ? "_remapped" : "");
}

// Each mode; and the simplest and the richest with a value log.
std::vector<Parameters> Each(const std::vector<RemapMode> &modes) {
  std::vector<Parameters> each;
  for (const RemapMode mode : modes) each.push_back({mode});
  for (const RemapMode mode : {RemapMode::kOff, RemapMode::kBlend}) each.push_back({mode, /*separated=*/true});
  each.push_back({RemapMode::kOff, /*separated=*/true, ValueLogCollector::kRemap, kPageBytes});
  return each;
}

class FullLevelDbTest : public ::testing::TestWithParam<Parameters> {
 protected:
  FullLevelDbTest() : device_(kDevicePages), random_(openremap::TestSeed()) {
    options_.create_if_missing = true;
    options_.paranoid_checks = GetParam().mode != RemapMode::kSkip && GetParam().mode != RemapMode::kBlend;
    options_.write_buffer_size = 64 << 10;
    options_.max_file_size = 32 << 10;
    options_.compression = leveldb::kNoCompression;
    options_.remap.mode = GetParam().mode;
    options_.remap.level1_bytes = 128 << 10;
    options_.remap.level_ratio = 4;
    options_.remap.min_table_bytes = 32 << 10;
    options_.remap.min_manifest_bytes = 2048;  // manifests are replaced on the full device, too
    if (GetParam().separated) options_.remap.value_log_threshold = 0;
    options_.remap.value_log_segment_bytes = 64 << 10;
    options_.remap.value_log_collector = GetParam().collector;
  }
  ~FullLevelDbTest() override { Close(); }

  void Open() {
    std::unique_ptr<PageFs> fs;
    Status s = PageFs::Open(&device_, &fs);
    ASSERT_TRUE(s.ok()) << s.ToString();
    env_ = std::make_unique<PageFsEnv>(std::move(fs));
    inline_env_ = std::make_unique<InlineRemapEnv>(env_.get(), env_.get());
    options_.env = inline_env_.get();
    leveldb::DB *db = nullptr;
    s = leveldb::DB::Open(options_, "/db", &db);
    ASSERT_TRUE(s.ok()) << s.ToString();
    db_.reset(db);
  }
  // With all of its background work, which may end for lack of space.
  void Close() {
    if (inline_env_ != nullptr) inline_env_->RunPending();
    db_.reset();
    inline_env_.reset();
    env_.reset();
  }
  void Check() {
    std::unique_ptr<leveldb::Iterator> it(db_->NewIterator(leveldb::ReadOptions()));
    auto expected = model_.begin();
    for (it->SeekToFirst(); it->Valid(); it->Next(), ++expected) {
      ASSERT_NE(expected, model_.end());
      ASSERT_EQ(it->key().ToString(), expected->first);
      ASSERT_EQ(it->value().ToString(), expected->second) << expected->first;
    }
    ASSERT_TRUE(it->status().ok()) << it->status().ToString();
    ASSERT_EQ(expected, model_.end());
  }
  std::string Key(uint64_t i) {
    const std::string digits = std::to_string(i);
    return "key" + std::string(13 - digits.size(), '0') + digits;
  }
  // Random keys until there is no more space.
  Status Fill() {
    for (;;) {
      const std::string key = Key(random_() % 100000);
      std::string value(GetParam().value_bytes, '\0');
      for (char &c : value) c = static_cast<char>(random_());
      const Status s = db_->Put(leveldb::WriteOptions(), key, value);
      if (!s.ok()) return s;
      model_[key] = value;
      inline_env_->RunPending();
    }
  }
  uint64_t Free() { return env_->fs()->GetSpace().free_pages; }

  FakePageDevice device_;
  std::mt19937_64 random_;
  leveldb::Options options_;
  std::unique_ptr<PageFsEnv> env_;
  std::unique_ptr<InlineRemapEnv> inline_env_;
  std::unique_ptr<leveldb::DB> db_;
  std::map<std::string, std::string> model_;
};

TEST_P(FullLevelDbTest, SaysSoStaysReadableOpensAgainAndGetsItsSpaceBack) {
  ASSERT_NO_FATAL_FAILURE(Open());
  const Status full = Fill();
  EXPECT_NE(full.ToString().find("no space left on the device"), std::string::npos) << full.ToString();
  EXPECT_GT(model_.size() * GetParam().value_bytes, kDevicePages * 984) << "a quarter of the device";
  EXPECT_FALSE(db_->Put(leveldb::WriteOptions(), "another", "one").ok());
  ASSERT_NO_FATAL_FAILURE(Check());
  // What is kept free suffices each time.
  for (int round = 0; round < 3; round++) {
    SCOPED_TRACE(round);
    Close();
    const PageFsCheck check = CheckPageFs(&device_);
    ASSERT_TRUE(check.findings.empty()) << ToText(check, true);
    ASSERT_NO_FATAL_FAILURE(Open());
    ASSERT_NO_FATAL_FAILURE(Check());
    inline_env_->RunPending();
    ASSERT_NO_FATAL_FAILURE(Check());
  }
  // As much as the log takes each time; what compactions make of it is there after the next.
  for (int tries = 0; Free() <= kDevicePages * 9 / 10 && tries < 20; tries++) {
    while (!model_.empty() && db_->Delete(leveldb::WriteOptions(), model_.begin()->first).ok()) {
      model_.erase(model_.begin());
      inline_env_->RunPending();
    }
    ASSERT_NO_FATAL_FAILURE(Check());
    Close();
    ASSERT_NO_FATAL_FAILURE(Open());
    inline_env_->RunPending();
    inline_env_->SetDeferred(false);
    db_->CompactRange(nullptr, nullptr);
    inline_env_->SetDeferred(true);
  }
  EXPECT_TRUE(model_.empty());
  EXPECT_GT(Free(), kDevicePages * 9 / 10);
  ASSERT_NO_FATAL_FAILURE(Check());
  (void)Fill();
  EXPECT_GT(model_.size() * GetParam().value_bytes, kDevicePages * 984);
  ASSERT_NO_FATAL_FAILURE(Check());
}

// With AddressSanitizer a mode takes half a minute.
#ifdef __SANITIZE_ADDRESS__
const std::vector<RemapMode> kModes = {RemapMode::kBlend};
#else
const std::vector<RemapMode> kModes = RemapModes();
#endif
INSTANTIATE_TEST_SUITE_P(Modes, FullLevelDbTest, ::testing::ValuesIn(Each(kModes)), Name);

}  // namespace
}  // namespace openremap
