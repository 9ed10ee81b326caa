// SPDX-License-Identifier: Apache-2.0
#include "rocksbench/rocks_options.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace openremap {
namespace {

ParseResult Parse(std::vector<std::string> arguments, RocksBenchOptions *options, std::string *error) {
  arguments.insert(arguments.begin(), "rocksdb_bench");
  std::vector<char *> argv;
  for (std::string &argument : arguments) argv.push_back(argument.data());
  return ParseRocksOptions(static_cast<int>(argv.size()), argv.data(), options, error);
}

TEST(RocksOptionsTest, SharedAndOwnOptionsAreSet) {
  RocksBenchOptions o;
  std::string error;
  ASSERT_EQ(Parse({"--device=model", "--workload=ycsbb", "--num=77", "--compaction=universal", "--direct=on",
                   "--blob-bytes=500", "--sync-every=3"},
                  &o, &error),
            ParseResult::kRun)
      << error;
  EXPECT_EQ(o.bench.workload, Workload::kYcsbB);
  EXPECT_EQ(o.bench.num, 77u);
  EXPECT_EQ(o.bench.mode, RemapMode::kOff);
  EXPECT_TRUE(o.universal);
  EXPECT_TRUE(o.direct);
  EXPECT_EQ(o.blob_bytes, 500u);
  EXPECT_EQ(o.bench.sync_every, 3u);
  RocksBenchOptions links;
  ASSERT_EQ(Parse({"--workload=linkbench", "--links=9"}, &links, &error), ParseResult::kRun) << error;
  EXPECT_TRUE(links.linkbench);
  EXPECT_EQ(links.links, 9u);
  RocksBenchOptions level;
  ASSERT_EQ(Parse({"--workload=linkbench", "--database=leveldb", "--placement=table", "--max-file-size=65536",
                   "--journal=data", "--side=files"},
                  &level, &error),
            ParseResult::kRun)
      << error;
  EXPECT_TRUE(level.leveldb);
  EXPECT_EQ(level.bench.device.journal, BenchJournal::kData);
  EXPECT_EQ(level.bench.device.side, BenchSide::kFiles);
  EXPECT_NE(RocksMembers(level, rocksdb::Options()).find("\"table_bytes\": 65536"), std::string::npos);
  RocksBenchOptions help;
  EXPECT_EQ(Parse({"--help"}, &help, &error), ParseResult::kHelp);
}

TEST(RocksOptionsTest, UsageNamesWhatThereIs) {
  const std::string usage = RocksBenchUsage();
  for (const char *said :
       {"--workload=", "linkbench", "--compaction=level|universal", "--cold-level=", "--placement="}) {
    EXPECT_NE(usage.find(said), std::string::npos) << said;
  }
  EXPECT_EQ(usage.find("--mode="), std::string::npos);
  EXPECT_EQ(usage.find("--blend-runs"), std::string::npos);
}

TEST(RocksOptionsTest, RocksDbGetsThem) {
  RocksBenchOptions o;
  o.bench.write_buffer = 1 << 20;
  o.bench.max_file_size = 2 << 20;
  o.bench.level1_bytes = 8 << 20;
  o.bench.level_ratio = 7;
  o.cold_level = true;
  o.direct = true;
  rocksdb::Options used;
  ASSERT_TRUE(RocksOptionsOf(o, 0, &used));
  EXPECT_EQ(used.write_buffer_size, size_t{1} << 20);
  EXPECT_EQ(used.target_file_size_base, uint64_t{2} << 20);
  EXPECT_EQ(used.max_bytes_for_level_base, uint64_t{8} << 20);
  EXPECT_EQ(used.max_bytes_for_level_multiplier, 7);
  EXPECT_EQ(used.num_levels, kColdLevels);
  EXPECT_EQ(used.last_level_temperature, rocksdb::Temperature::kCold);
  EXPECT_TRUE(used.use_direct_reads && used.use_direct_io_for_flush_and_compaction);
  EXPECT_FALSE(used.enable_blob_files);
  EXPECT_NE(RocksMembers(o, used).find("\"table_bytes\": 2097152"), std::string::npos);
}

TEST(RocksOptionsTest, UnitsDecideTheSizeOfTables) {
  RocksBenchOptions o;
  o.bench.device.placement = BenchPlacement::kTable;
  rocksdb::Options used;
  EXPECT_FALSE(RocksOptionsOf(o, 0, &used)) << "a device without reclaim units";
  ASSERT_TRUE(RocksOptionsOf(o, 1 << 20, &used));
  EXPECT_LT(used.target_file_size_base, uint64_t{1} << 20);
  EXPECT_GT(used.target_file_size_base, uint64_t{900} << 10);
}

}  // namespace
}  // namespace openremap
