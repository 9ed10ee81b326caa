// SPDX-License-Identifier: Apache-2.0
//
// LevelDB with remapping compactions on PageFS on the Verilated controller, with power cuts: everything the product
// does, in small. OPENREMAP_SEED seeds it.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <tuple>

#include "leveldb/db.h"
#include "leveldb/iterator.h"
#include "openremap_stats.h"
#include "pagefs/device/nvme_page_device.h"
#include "pagefs/fs/page_fs_env.h"
#include "remap_options.h"
#include "test_seed.h"

namespace openremap {
namespace {

using leveldb::Status;

// Passes everything on until it is switched off; after that the program may as well have been killed.
class SwitchedDevice : public PageDevice {
 public:
  explicit SwitchedDevice(openremap_device *device) : device_(device) {}

  std::atomic<bool> on{true};

  uint64_t Pages() const override { return device_.Pages(); }
  size_t MaxRemapRuns() const override { return device_.MaxRemapRuns(); }
  uint64_t MaxRemapPages() const override { return device_.MaxRemapPages(); }
  unsigned Placements() override { return device_.Placements(); }
  Status Read(uint64_t lpn, uint64_t pages, char *data) override { return on ? device_.Read(lpn, pages, data) : Off(); }
  Status Write(const std::vector<WriteRun> &runs, bool durable) override {
    return on ? device_.Write(runs, durable) : Off();
  }
  Status Flush() override { return on ? device_.Flush() : Off(); }
  Status Deallocate(const std::vector<PageRun> &runs) override { return on ? device_.Deallocate(runs) : Off(); }
  Status Remap(const std::vector<RemapRun> &runs, bool *refused) override {
    *refused = false;
    return on ? device_.Remap(runs, refused) : Off();
  }

 private:
  static Status Off() { return Status::IOError("device", "switched off"); }
  NvmePageDevice device_;
};

class ControllerLevelDbTest : public ::testing::TestWithParam<std::tuple<const char *, RemapMode>> {
 protected:
  void SetUp() override {
    openremap_options options{};
    options.create = pcie_device_create;
    options.device.kind = std::get<0>(GetParam());
    options.device.seed = openremap::TestSeed();
    char error[300] = "";
    ASSERT_EQ(openremap_open(&options, &handle_, error, sizeof(error)), 0) << error;
    device_ = std::make_unique<SwitchedDevice>(handle_);
    db_options_.create_if_missing = true;
    db_options_.write_buffer_size = 64 << 10;
    db_options_.max_file_size = 64 << 10;
    db_options_.compression = leveldb::kNoCompression;
    db_options_.remap.mode = std::get<1>(GetParam());
    db_options_.remap.level1_bytes = 128 << 10;
    db_options_.remap.min_table_bytes = 64 << 10;
  }
  void TearDown() override {
    CloseDb();
    EXPECT_EQ(openremap_close(handle_), 0);
  }

  void OpenDb() {
    std::unique_ptr<PageFs> fs;
    Status s = PageFs::Open(device_.get(), &fs);
    ASSERT_TRUE(s.ok()) << s.ToString();
    env_ = std::make_unique<PageFsEnv>(std::move(fs));
    db_options_.env = env_.get();
    leveldb::DB *db = nullptr;
    s = leveldb::DB::Open(db_options_, "/db", &db);
    ASSERT_TRUE(s.ok()) << s.ToString();
    db_.reset(db);
  }
  void CloseDb() {
    db_.reset();
    env_.reset();
  }
  void Check() {
    std::unique_ptr<leveldb::Iterator> it(db_->NewIterator(leveldb::ReadOptions()));
    auto expected = model_.begin();
    for (it->SeekToFirst(); it->Valid(); it->Next(), ++expected) {
      ASSERT_NE(expected, model_.end());
      ASSERT_EQ(it->key().ToString(), expected->first);
      ASSERT_EQ(it->value().ToString(), expected->second);
    }
    ASSERT_TRUE(it->status().ok()) << it->status().ToString();
    ASSERT_EQ(expected, model_.end());
  }

  openremap_device *handle_ = nullptr;
  std::unique_ptr<SwitchedDevice> device_;
  leveldb::Options db_options_;
  std::unique_ptr<PageFsEnv> env_;
  std::unique_ptr<leveldb::DB> db_;
  std::map<std::string, std::string> model_;
};

// With the background thread of a real database: what it does when is not repeatable, what must hold is.
TEST_P(ControllerLevelDbTest, SyncedDataSurvivesPowerCutsBetweenAndDuringCompactions) {
  std::mt19937_64 random(openremap::TestSeed());
  for (int round = 0; round < 3; round++) {
    SCOPED_TRACE("round " + std::to_string(round));
    ASSERT_NO_FATAL_FAILURE(OpenDb());
    ASSERT_NO_FATAL_FAILURE(Check());
    for (int i = 0; i < 500; i++) {
      char key[20];
      std::snprintf(key, sizeof(key), "key%013d", static_cast<int>(random() % 600));
      std::string value(984, '\0');
      for (char &c : value) c = static_cast<char>(random());
      leveldb::WriteOptions options;
      options.sync = i == 499;  // and with it all before
      const Status s = db_->Put(options, key, value);
      ASSERT_TRUE(s.ok()) << s.ToString();
      model_[key] = value;
    }
    // The background thread may be compacting; nothing more reaches the device, as if the program had been killed.
    device_->on = false;
    CloseDb();
    ASSERT_EQ(openremap_power_cycle(handle_), 0);
    device_->on = true;
  }
  ASSERT_NO_FATAL_FAILURE(OpenDb());
  ASSERT_NO_FATAL_FAILURE(Check());
  // Power may have gone each time before the background thread got to a compaction that keeps blocks.
  db_->CompactRange(nullptr, nullptr);
  ASSERT_NO_FATAL_FAILURE(Check());
  CloseDb();  // its background thread uses the device, which belongs to one thread at a time
  orm_remap_log stats;
  ASSERT_EQ(openremap_get_stats(handle_, &stats), 0);
  if (std::get<1>(GetParam()) != RemapMode::kOff) {
    EXPECT_GT(stats.remap_pages, 0u) << "compactions have remapped pages";
  }
}

using Case = std::tuple<const char *, RemapMode>;
const Case kCases[] = {
    {"model", RemapMode::kOff},
    {"model", RemapMode::kRetain},
    {"model", RemapMode::kBlend},
#ifndef __SANITIZE_ADDRESS__  // minutes
    {"rtl", RemapMode::kRetain},
#endif
};
INSTANTIATE_TEST_SUITE_P(Modes, ControllerLevelDbTest, ::testing::ValuesIn(kCases), [](const auto &test) {
  return std::string(std::get<0>(test.param)) + "_" + RemapModeName(std::get<1>(test.param));
});

}  // namespace
}  // namespace openremap
