// SPDX-License-Identifier: Apache-2.0
//
// db_bench --check on the databases of earlier runs.
#include "bench/run/bench_check.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "bench/report.h"
#include "bench/run/bench_run.h"
#include "leveldb/db.h"

namespace openremap {
namespace {

class BenchCheckTest : public ::testing::Test {
 protected:
  void SetUp() override {
    options_.device.device = "mem";
    options_.num = 2000;
    options_.value_size = 500;
    options_.mode = RemapMode::kSkip;
    OpenFailure failure;
    device_ = OpenBenchDevice(options_.device, &failure);
    ASSERT_NE(device_, nullptr) << failure.reason;
  }

  // Runs the first of the puts.
  void Fill(uint64_t puts) {
    BenchOptions options = options_;
    options.operations = puts;
    BenchResult result;
    const leveldb::Status s = RunBench(options, device_.get(), &progress_, &result);
    ASSERT_TRUE(s.ok()) << s.ToString();
    EXPECT_EQ(result.user_bytes, puts * 516);
  }

  leveldb::Status Check(uint64_t puts) {
    options_.check = puts;
    result_ = CheckResult();
    return RunCheck(options_, device_.get(), &progress_, &result_);
  }

  BenchOptions options_;
  std::unique_ptr<BenchDevice> device_;
  Progress progress_;
  CheckResult result_;
};

TEST_F(BenchCheckTest, AWholeRunIsThere) {
  for (Workload workload : {Workload::kFillRandom, Workload::kFillSeq}) {
    options_.workload = workload;
    SetUp();
    options_.workload = workload;
    Fill(2000);
    const leveldb::Status s = Check(2000);
    EXPECT_TRUE(s.ok()) << s.ToString();
    EXPECT_EQ(result_.least_puts, 2000u);
    EXPECT_EQ(result_.most_puts, 2000u);
    EXPECT_EQ(result_.mismatches, 0u);
    EXPECT_GT(result_.keys, 1200u);
  }
}

TEST_F(BenchCheckTest, MorePutsThanRecords) {
  Fill(5000);
  options_.operations = 6000;
  EXPECT_TRUE(Check(5000).ok());
  EXPECT_EQ(result_.least_puts, 5000u);
}

TEST_F(BenchCheckTest, PartOfARunHasItsPutsAndNoMore) {
  Fill(1000);
  EXPECT_TRUE(Check(0).ok());
  EXPECT_TRUE(Check(1000).ok());
  EXPECT_EQ(result_.most_puts, 1000u);
  const leveldb::Status s = Check(1001);
  EXPECT_TRUE(s.IsCorruption());
  EXPECT_NE(s.ToString().find("only 1000 to 1000"), std::string::npos) << s.ToString();
}

TEST_F(BenchCheckTest, OtherValuesAndOtherKeysAreFound) {
  Fill(2000);
  options_.seed += 1000;
  EXPECT_TRUE(Check(2000).IsCorruption());
  EXPECT_GT(result_.mismatches, 1000u);
  options_.seed -= 1000;
  options_.num = 1000;  // the others are keys of no run
  EXPECT_TRUE(Check(0).IsCorruption());
  EXPECT_GT(result_.mismatches, 500u);
}

TEST_F(BenchCheckTest, ALostKeyIsFound) {
  Fill(2000);
  leveldb::Options open;
  open.env = device_->env();
  open.remap.mode = options_.mode;
  leveldb::DB *db = nullptr;
  ASSERT_TRUE(leveldb::DB::Open(open, device_->DbName(), &db).ok());
  std::unique_ptr<leveldb::DB> owned(db);
  std::unique_ptr<leveldb::Iterator> it(db->NewIterator(leveldb::ReadOptions()));
  it->SeekToFirst();
  ASSERT_TRUE(it->Valid());
  ASSERT_TRUE(db->Delete(leveldb::WriteOptions(), it->key()).ok());
  it.reset();
  owned.reset();
  const leveldb::Status s = Check(0);
  EXPECT_TRUE(s.IsCorruption());
  EXPECT_NE(s.ToString().find("earlier ones are not"), std::string::npos) << s.ToString();
}

TEST_F(BenchCheckTest, NoDatabase) { EXPECT_FALSE(Check(0).ok()); }

TEST_F(BenchCheckTest, ADeviceThatKeepsNothingIsRefused) {
  options_.device.existing = true;
  OpenFailure failure;
  EXPECT_EQ(OpenBenchDevice(options_.device, &failure), nullptr);
  EXPECT_TRUE(failure.bad_option);
}

TEST_F(BenchCheckTest, ReportsAsJson) {
  options_.check = 7;
  result_.least_puts = 8;
  const std::string json = CheckJson(options_, result_);
  EXPECT_NE(json.find("\"least_puts\": 8"), std::string::npos);
  EXPECT_NE(json.find("\"check\": 7"), std::string::npos);
}

TEST_F(BenchCheckTest, SyncedPutsAreSaid) {
  options_.sync_every = 700;
  ::testing::internal::CaptureStderr();
  Fill(2000);
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("synced 700\n"), std::string::npos);
  EXPECT_NE(said.find("synced 1400\n"), std::string::npos);
  EXPECT_EQ(said.find("synced 2"), std::string::npos);
}

}  // namespace
}  // namespace openremap
