// SPDX-License-Identifier: Apache-2.0
//
// A LevelDB on a PageFS that runs full, in each mode: it says so, what it acknowledged reads back, it opens again, and
// deletions give the space back. OPENREMAP_SEED seeds it.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "inline_env.h"
#include "pagefs/check/page_fs_check.h"
#include "pagefs/tests/fs/leveldb_on_pages.h"

namespace openremap {
namespace {

using leveldb::Status;

constexpr uint64_t kDevicePages = 4096;  // 16 MiB, 500 tables: a compaction needs less than what is kept free for it

class FullLevelDbTest : public LevelDbOnPages {
 protected:
  FullLevelDbTest() : LevelDbOnPages(kDevicePages) {
    options_.paranoid_checks = GetParam().mode != RemapMode::kSkip && GetParam().mode != RemapMode::kBlend;
    options_.max_file_size = 32 << 10;
    options_.remap.level1_bytes = 128 << 10;
    options_.remap.min_table_bytes = 32 << 10;
    options_.remap.min_manifest_bytes = 2048;  // manifests are replaced on the full device, too
    if (GetParam().separated) options_.remap.value_log_threshold = 0;
  }
  ~FullLevelDbTest() override { Close(); }

  leveldb::Env *EnvOfDatabase() override {
    inline_env_ = std::make_unique<InlineRemapEnv>(env_.get(), env_.get());
    return inline_env_.get();
  }
  // With all of its background work, which may end for lack of space.
  void Close() {
    if (inline_env_ != nullptr) inline_env_->RunPending();
    db_.reset();
    inline_env_.reset();
    env_.reset();
  }
  void Check() { CheckAgainst(model_); }
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

  std::unique_ptr<InlineRemapEnv> inline_env_;
  std::map<std::string, std::string> model_;
};

class FullValueLogTest : public FullLevelDbTest {};

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
    inline_env_->RunPending();
  }
  EXPECT_TRUE(model_.empty());
  EXPECT_GT(Free(), kDevicePages * 9 / 10);
  ASSERT_NO_FATAL_FAILURE(Check());
  (void)Fill();
  EXPECT_GT(model_.size() * GetParam().value_bytes, kDevicePages * 984);
  ASSERT_NO_FATAL_FAILURE(Check());
}

// Values that are put again and again are refused while space is short, and free what they hide: each refusal goes on
// with the collection.
TEST_P(FullValueLogTest, ValuesThatReplaceOthersAreTakenAgain) {
  ASSERT_NO_FATAL_FAILURE(Open());
  const uint64_t keys = kDevicePages * kPageBytes / GetParam().value_bytes * 55 / 100;
  int refused = 0, refused_in_a_row = 0;
  for (uint64_t put = 0; put < 4 * keys; put++) {
    const std::string key = Key(put < keys ? put : random_() % keys);
    std::string value(GetParam().value_bytes, '\0');
    for (char &c : value) c = static_cast<char>(random_());
    const Status s = db_->Put(leveldb::WriteOptions(), key, value);
    inline_env_->RunPending();
    if (s.ok()) {
      model_[key] = value;
      refused_in_a_row = 0;
      continue;
    }
    ASSERT_NE(s.ToString().find("no space left on the device"), std::string::npos) << s.ToString();
    refused++;
    std::string about;
    (void)db_->GetProperty("leveldb.value-log", &about);
    ASSERT_LT(++refused_in_a_row, 10000) << put << " puts, " << keys << " keys\n" << about;
  }
  EXPECT_GT(refused, 0);
  Close();
  const PageFsCheck check = CheckPageFs(&device_);
  EXPECT_TRUE(check.findings.empty()) << ToText(check, true);
  ASSERT_NO_FATAL_FAILURE(Open());
  ASSERT_NO_FATAL_FAILURE(Check());
}

// Stock LevelDB and the modes put the same keys. None ends much before stock does: tables become as small as stock's
// before anything is refused. What is put last may fall between two compactions.
TEST_P(FullLevelDbTest, TakesWhatStockTakes) {
  const auto filled = [this](RemapMode mode) {
    if (db_ != nullptr) {
      inline_env_->RunPending();
      db_.reset();
      EXPECT_TRUE(leveldb::DestroyDB("/db", options_).ok());
    }
    Close();
    model_.clear();
    random_.seed(TestSeed());
    options_.remap.mode = mode;
    Open();
    (void)Fill();
    return model_.size();
  };
  const RemapMode mode = options_.remap.mode;
  const size_t stock = filled(RemapMode::kOff);
  EXPECT_GE(filled(mode), stock * 96 / 100) << "of " << stock;
  ASSERT_NO_FATAL_FAILURE(Check());
}

// With AddressSanitizer a mode takes half a minute.
#ifdef __SANITIZE_ADDRESS__
const std::vector<RemapMode> kModes = {RemapMode::kBlend};
#else
const std::vector<RemapMode> kModes = RemapModes();
#endif

// With segments of the value log that are remapped, too.
std::vector<LevelDbKind> Kinds() {
  std::vector<LevelDbKind> kinds = KindsOf(kModes);
  kinds.push_back({RemapMode::kOff, /*separated=*/true, ValueLogCollector::kRemap, kPageBytes});
  kinds.push_back({RemapMode::kOff, /*separated=*/true, ValueLogCollector::kPunch, kPageBytes});
  return kinds;
}

INSTANTIATE_TEST_SUITE_P(Modes, FullLevelDbTest, ::testing::ValuesIn(Kinds()), NameOf);

std::vector<LevelDbKind> SeparatedKinds() {
  std::vector<LevelDbKind> kinds;
  for (const LevelDbKind &kind : Kinds()) {
    if (kind.separated) kinds.push_back(kind);
  }
  return kinds;
}

INSTANTIATE_TEST_SUITE_P(Collectors, FullValueLogTest, ::testing::ValuesIn(SeparatedKinds()), NameOf);

}  // namespace
}  // namespace openremap
