// SPDX-License-Identifier: Apache-2.0
#include "rocksbench/link_run.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "bench/run/level_bench_database.h"
#include "model_device.h"
#include "rocksbench/link_graph.h"
#include "rocksbench/rocks_bench_database.h"
#include "rocksbench/rocks_options.h"

namespace openremap {
namespace {

class LinkRunTest : public ::testing::Test {
 protected:
  LinkRunTest() {
    options_.linkbench = true;
    options_.bench.num = 1500;
    options_.bench.operations = 6000;
    options_.bench.sync_every = 10;
    EXPECT_TRUE(RocksOptionsOf(options_, 0, &used_));
    device_ = OpenModel();
  }

  RocksBenchOptions options_;
  rocksdb::Options used_;
  std::unique_ptr<BenchDevice> device_;
  Progress progress_;
  BenchResult result_;
  LinkCounts counts_{};
};

TEST_F(LinkRunTest, EverythingReadsBack) {
  RocksBenchDatabase database(used_, device_.get());
  const leveldb::Status s = RunLinkBench(options_.bench, 5, device_.get(), &database, &progress_, &result_, &counts_);
  ASSERT_TRUE(s.ok()) << s.ToString();
  EXPECT_EQ(result_.operations, 6000u);
  EXPECT_GT(result_.keys_expected, 9000u);
  EXPECT_EQ(result_.keys_verified, result_.keys_expected);
  EXPECT_GT(result_.deleted_verified, 10u);
  EXPECT_EQ(result_.verify_mismatches, 0u);
  EXPECT_GT(result_.user_bytes, 50000u);
  EXPECT_GT(result_.device.host_write_pages * kPageBytes, result_.user_bytes);
  uint64_t all = 0;
  uint64_t device_ns = 0;
  for (const LinkTimes &times : counts_) {
    all += times.count;
    device_ns += times.device_ns;
    EXPECT_EQ(times.count, times.device.count());
  }
  EXPECT_EQ(all, 6000u);
  EXPECT_GT(device_ns, 0u);
  EXPECT_LT(static_cast<double>(device_ns) * 1e-9, result_.device.device_seconds) << "flushes and compactions, too";
  EXPECT_NE(LinkMembers(counts_).find("\"getlinklist\": "), std::string::npos);
  EXPECT_NE(LinkMembers(counts_).find("\"getlinklist\": {\"mean\": "), std::string::npos);
}

TEST_F(LinkRunTest, LevelDbDoesTheSame) {
  options_.bench.mode = RemapMode::kOff;
  LevelBenchDatabase database(options_.bench, device_.get());
  const leveldb::Status s = RunLinkBench(options_.bench, 5, device_.get(), &database, &progress_, &result_, &counts_);
  ASSERT_TRUE(s.ok()) << s.ToString();
  EXPECT_EQ(result_.operations, 6000u);
  EXPECT_EQ(result_.keys_verified, result_.keys_expected);
  EXPECT_EQ(result_.verify_mismatches, 0u);
}

// A database that loses a key, or changes one, when it is opened again.
class LossyDatabase : public RocksBenchDatabase {
 public:
  LossyDatabase(const rocksdb::Options &options, BenchDevice *device, std::string key, std::string value)
      : RocksBenchDatabase(options, device), key_(std::move(key)), value_(std::move(value)) {}
  leveldb::Status Open(bool create) override {
    leveldb::Status s = RocksBenchDatabase::Open(create);
    if (!s.ok() || create) return s;
    return value_.empty() ? db()->Delete(leveldb::WriteOptions(), key_)
                          : db()->Put(leveldb::WriteOptions(), key_, value_);
  }

 private:
  const std::string key_, value_;
};

TEST_F(LinkRunTest, ALostAndAWrongAndAForeignKeyAreFound) {
  const struct {
    std::string key, value;
  } defects[] = {{CountKey(7), ""}, {CountKey(7), "wrong"}, {LinkKey(1u << 30, 1), "foreign"}};
  for (const auto &defect : defects) {
    device_.reset();
    device_ = OpenModel();
    BenchResult result;
    LossyDatabase database(used_, device_.get(), defect.key, defect.value);
    const leveldb::Status s = RunLinkBench(options_.bench, 5, device_.get(), &database, &progress_, &result, &counts_);
    EXPECT_TRUE(s.IsCorruption()) << s.ToString();
    EXPECT_EQ(result.verify_mismatches, 1u);
  }
}

TEST(LinksFitTest, WhatDoesNotFitIsRefused) {
  BenchOptions options;
  options.num = 1000;
  std::string error;
  EXPECT_TRUE(LinksFit(options, 5, 1000000, &error));
  EXPECT_FALSE(LinksFit(options, 5, 100000, &error));
  EXPECT_NE(error.find("--num=1000"), std::string::npos);
}

}  // namespace
}  // namespace openremap
