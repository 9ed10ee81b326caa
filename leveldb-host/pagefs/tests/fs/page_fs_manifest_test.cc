// SPDX-License-Identifier: Apache-2.0
//
// A LevelDB on PageFS replaces its manifest while it is open: its space comes back, and a power cut at any step of the
// device loses nothing. OPENREMAP_SEED seeds it.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "inline_env.h"
#include "leveldb/db.h"
#include "pagefs/check/page_fs_check.h"
#include "pagefs/fs/page_fs_env.h"
#include "pagefs/tests/device/fake_page_device.h"
#include "remap_options.h"
#include "test_seed.h"

namespace openremap {
namespace {

using leveldb::Status;

class PageFsManifestTest : public ::testing::TestWithParam<RemapMode> {
 protected:
  ~PageFsManifestTest() override { Close(); }

  void Format(uint64_t pages) {
    Close();
    device_ = std::make_unique<FakePageDevice>(pages, openremap::TestSeed());
    acknowledged_.clear();
    tried_.clear();
    puts_ = 0;
  }
  void Open() {
    Close();
    std::unique_ptr<PageFs> fs;
    Status s = PageFs::Open(device_.get(), &fs);
    ASSERT_TRUE(s.ok()) << s.ToString();
    env_ = std::make_unique<PageFsEnv>(std::move(fs));
    inline_env_ = std::make_unique<InlineRemapEnv>(env_.get(), env_.get());
    leveldb::Options options;
    options.env = inline_env_.get();
    options.create_if_missing = true;
    options.write_buffer_size = 64 << 10;
    options.max_file_size = 32 << 10;
    options.compression = leveldb::kNoCompression;
    options.remap.mode = GetParam();
    options.remap.level1_bytes = 64 << 10;
    options.remap.min_table_bytes = 32 << 10;
    options.remap.min_manifest_bytes = min_manifest_bytes_;
    options.remap.max_info_log_bytes = 8192;
    leveldb::DB *db = nullptr;
    s = leveldb::DB::Open(options, "/db", &db);
    ASSERT_TRUE(s.ok()) << s.ToString();
    db_.reset(db);
    inline_env_->RunPending();
  }
  void Close() {
    if (inline_env_ != nullptr) inline_env_->RunPending();
    db_.reset();
    inline_env_.reset();
    env_.reset();
  }
  bool Put(bool sync, size_t key_bytes = 8) {
    leveldb::WriteOptions options;
    options.sync = sync;
    std::string key = std::to_string(puts_ * 7 % 30) + "key";
    key.resize(key_bytes, 'k');
    std::string value = std::to_string(puts_++);
    value.resize(2000, 'v');
    tried_[key] = value;
    if (!db_->Put(options, key, value).ok()) return false;
    acknowledged_[key] = value;
    inline_env_->RunPending();
    return true;
  }
  // The last put may be there although nobody was told so.
  void ExpectAcknowledged() {
    for (const auto &[key, value] : acknowledged_) {
      std::string found;
      const Status s = db_->Get(leveldb::ReadOptions(), key, &found);
      ASSERT_TRUE(s.ok()) << key << ": " << s.ToString();
      ASSERT_TRUE(found == value || found == tried_[key]) << key << " has " << found.substr(0, 8);
    }
  }
  uint64_t SizeOf(const std::string &name) {
    uint64_t size = 0;
    return env_->GetFileSize(name, &size).ok() ? size : 0;
  }
  std::string Manifest() {
    std::string current;
    EXPECT_TRUE(leveldb::ReadFileToString(env_.get(), "/db/CURRENT", &current).ok());
    return "/db/" + current.substr(0, current.size() - 1);
  }

  uint64_t min_manifest_bytes_ = 512;
  std::unique_ptr<FakePageDevice> device_;
  std::unique_ptr<PageFsEnv> env_;
  std::unique_ptr<InlineRemapEnv> inline_env_;
  std::unique_ptr<leveldb::DB> db_;
  std::map<std::string, std::string> acknowledged_;
  std::map<std::string, std::string> tried_;  // the last value of each key, acknowledged or not
  uint64_t puts_ = 0;
};

TEST_P(PageFsManifestTest, APowerCutAtAnyStepOfTheDeviceLosesNothing) {
  constexpr uint64_t kPages = 2048;
  Format(kPages);
  ASSERT_NO_FATAL_FAILURE(Open());
  const std::string manifest = Manifest();
  uint64_t before = 0, puts_before = 0;
  while (Manifest() == manifest) {
    ASSERT_LT(puts_, 5000u);
    before = device_->Steps();
    puts_before = puts_;
    ASSERT_TRUE(Put(/*sync=*/true));
  }
  const uint64_t steps = device_->Steps() - before;
  ASSERT_GT(steps, 10u);
  for (uint64_t step = 0; step <= steps; step++) {
    SCOPED_TRACE("cut after step " + std::to_string(step) + " of " + std::to_string(steps));
    Format(kPages);
    ASSERT_NO_FATAL_FAILURE(Open());
    while (puts_ < puts_before) ASSERT_TRUE(Put(/*sync=*/true));
    ASSERT_EQ(device_->Steps(), before) << "another run than the first";
    device_->CutAfter(step);
    for (int i = 0; i < 1000 && Put(/*sync=*/true); i++) {
    }
    ASSERT_FALSE(device_->HasPower());
    Close();
    device_->PowerOn(openremap::TestSeed() + step);
    const PageFsCheck check = CheckPageFs(device_.get());
    ASSERT_TRUE(check.findings.empty()) << ToText(check, true);
    ASSERT_NO_FATAL_FAILURE(Open());
    ASSERT_NO_FATAL_FAILURE(ExpectAcknowledged());
    for (int i = 0; i < 100; i++) ASSERT_TRUE(Put(/*sync=*/true));
    ASSERT_NO_FATAL_FAILURE(ExpectAcknowledged());
  }
}

// A device that three manifests like the one of a stock LevelDB would fill. Long keys make long edits.
TEST_P(PageFsManifestTest, RewritingTheSameKeysGoesOnForEver) {
  constexpr uint64_t kPages = 768;  // 3 MiB
  min_manifest_bytes_ = 16 << 10;
  Format(kPages);
  ASSERT_NO_FATAL_FAILURE(Open());
  uint64_t edits = 0, size = 0, largest = 0, most_used = 0, info_log = 0;
  std::string manifest = Manifest();
  while (edits < kPages * kPageBytes / 3) {
    ASSERT_LT(puts_, 1000000u);
    ASSERT_TRUE(Put(/*sync=*/false, 500)) << "after " << puts_ << " puts, manifest of " << SizeOf(Manifest());
    if (Manifest() != manifest) {
      manifest = Manifest();
      size = 0;
    }
    edits += SizeOf(manifest) - size;
    size = SizeOf(manifest);
    largest = std::max(largest, size);
    most_used = std::max(most_used, env_->fs()->GetStats().used_pages);
    info_log = std::max({info_log, SizeOf("/db/LOG"), SizeOf("/db/LOG.old")});
  }
  EXPECT_LE(largest, 4 * min_manifest_bytes_);
  EXPECT_LE(info_log, 8192u);
  EXPECT_GT(info_log, 8192u - 256u);
  EXPECT_LE(most_used, kPages);
  ASSERT_NO_FATAL_FAILURE(ExpectAcknowledged());
  ASSERT_NO_FATAL_FAILURE(Open());
  ASSERT_NO_FATAL_FAILURE(ExpectAcknowledged());
}

INSTANTIATE_TEST_SUITE_P(Modes, PageFsManifestTest, ::testing::ValuesIn(RemapModes()),
                         [](const auto &test) { return std::string(RemapModeName(test.param)); });

}  // namespace
}  // namespace openremap
