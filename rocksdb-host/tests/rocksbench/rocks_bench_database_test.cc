// SPDX-License-Identifier: Apache-2.0
//
// Runs of db_bench's workloads on RocksDB on the fast model.
#include "rocksbench/rocks_bench_database.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "bench/run/bench_run.h"
#include "model_device.h"
#include "rocksbench/rocks_options.h"

namespace openremap {
namespace {

BenchResult MustRun(const RocksBenchOptions &options) {
  const std::unique_ptr<BenchDevice> device = OpenModel(options.bench.device);
  rocksdb::Options used;
  EXPECT_TRUE(RocksOptionsOf(options, device->UnitBytes(), &used));
  RocksBenchDatabase database(used, device.get());
  Progress progress;
  BenchResult result;
  const leveldb::Status s = RunBench(options.bench, device.get(), &database, &progress, &result);
  EXPECT_TRUE(s.ok()) << s.ToString();
  EXPECT_EQ(result.keys_verified, result.keys_expected);
  EXPECT_GT(result.keys_expected, 0u);
  return result;
}

TEST(RocksBenchDatabaseTest, EveryWorkloadReadsEverythingBack) {
  for (auto workload = Workload::kFillRandom; workload <= Workload::kUtxo;
       workload = static_cast<Workload>(static_cast<int>(workload) + 1)) {
    SCOPED_TRACE(WorkloadName(workload));
    RocksBenchOptions options;
    options.bench.workload = workload;
    options.bench.num = 1500;
    options.bench.sync_every = 50;
    MustRun(options);
  }
}

TEST(RocksBenchDatabaseTest, LevelsAndCausesAreCounted) {
  RocksBenchOptions options;
  options.bench.num = 5000;
  const BenchResult result = MustRun(options);
  EXPECT_GT(result.levels[1].files, 0u);
  EXPECT_GT(result.levels[2].files, 0u);
  const CauseBytes &bytes = result.device.bytes_by_cause;
  EXPECT_GT(bytes.at(static_cast<size_t>(WriteCause::kLog)), result.user_bytes);
  EXPECT_GT(bytes.at(static_cast<size_t>(WriteCause::kFlush)), result.user_bytes);
  EXPECT_GT(bytes.at(static_cast<size_t>(WriteCause::kSizeCompaction)), result.user_bytes);
  EXPECT_EQ(SumOf(bytes) + result.device.fs_metadata_pages * kPageBytes, result.device.host_write_pages * kPageBytes);
}

TEST(RocksBenchDatabaseTest, OtherCompactionsBlobsAndColdLevels) {
  for (int variant = 0; variant < 4; variant++) {
    RocksBenchOptions options;
    options.bench.num = 3000;
    options.universal = variant == 0;
    options.blob_bytes = variant == 1 ? 500 : 0;
    options.cold_level = variant == 2;
    options.direct = variant == 3;
    SCOPED_TRACE(variant);
    MustRun(options);
  }
}

TEST(RocksBenchDatabaseTest, TablesOfAReclaimUnit) {
  RocksBenchOptions options;
  options.bench.num = 4000;
  options.bench.device.placement = BenchPlacement::kTable;
  const BenchResult result = MustRun(options);
  EXPECT_EQ(result.device.gc_pages, 0u);
}

TEST(RocksBenchDatabaseTest, AFullDeviceEndsTheRun) {
  for (const bool universal : {false, true}) {
    RocksBenchOptions options;
    options.universal = universal;  // which takes its space twice now and then
    options.bench.num = options.bench.operations = 30000;
    options.bench.device.superblocks = 24;
    const std::unique_ptr<BenchDevice> device = OpenModel(options.bench.device);
    rocksdb::Options used;
    ASSERT_TRUE(RocksOptionsOf(options, 0, &used));
    RocksBenchDatabase database(used, device.get());
    Progress progress;
    BenchResult result;
    const leveldb::Status s = RunBench(options.bench, device.get(), &database, &progress, &result);
    EXPECT_NE(s.ToString().find("no space left"), std::string::npos) << s.ToString();
  }
}

TEST(RocksBenchDatabaseTest, ADatabaseThatIsThereIsNotMadeAgain) {
  const std::unique_ptr<BenchDevice> device = OpenModel();
  rocksdb::Options used;
  ASSERT_TRUE(RocksOptionsOf(RocksBenchOptions(), 0, &used));
  RocksBenchDatabase database(used, device.get());
  EXPECT_FALSE(database.Open(/*create=*/false).ok());
  ASSERT_TRUE(database.Open(/*create=*/true).ok());
  database.Close();
  EXPECT_FALSE(database.Open(/*create=*/true).ok());
  EXPECT_TRUE(database.Open(/*create=*/false).ok());
}

}  // namespace
}  // namespace openremap
