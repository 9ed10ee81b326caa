// SPDX-License-Identifier: Apache-2.0
#include "rocksrun/unit_tables.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "rocksdb/db.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/metadata.h"
#include "rocksdb/table.h"
#include "rocksrun/inline_rocks_env.h"
#include "tests/rocksfs/rocks_files.h"

namespace openremap {
namespace {

TEST(UnitTablesTest, TablesFitTheirUnitAndNearlyFillIt) {
  constexpr uint64_t kUnit = 256 << 10;
  RocksFiles rocks(16384);
  InlineRocksEnv env(rocks.files());
  rocksdb::Options options;
  ASSERT_TRUE(FitTablesToUnits(kUnit, &options));
  options.env = &env;
  options.create_if_missing = true;
  options.info_log = std::make_shared<SilentLogger>();
  options.max_write_buffer_number = 8;
  options.max_bytes_for_level_base = 4 * kUnit;
  options.max_bytes_for_level_multiplier = 4;
  options.stats_dump_period_sec = options.stats_persist_period_sec = 0;
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  rocksdb::DB *opened = nullptr;
  ASSERT_TRUE(rocksdb::DB::Open(options, "/db", &opened).ok());
  const std::unique_ptr<rocksdb::DB> db(opened);
  std::mt19937_64 random(1);
  for (int i = 0; i < 40000; i++) {
    const std::string key = std::to_string(random() % 30000);
    ASSERT_TRUE(db->Put(rocksdb::WriteOptions(), key, std::string(50 + random() % 400, 'x')).ok());
    env.RunPending();
  }
  std::vector<rocksdb::LiveFileMetaData> tables;
  db->GetLiveFilesMetaData(&tables);
  uint64_t deep_bytes = 0, deep_tables = 0;
  for (const rocksdb::LiveFileMetaData &file : tables) {
    EXPECT_LE(file.size, kUnit) << file.name;
    if (file.level == 0) continue;
    deep_bytes += file.size;
    deep_tables++;
  }
  ASSERT_GT(deep_tables, 15u);
  EXPECT_GT(deep_bytes, deep_tables * kUnit * 7 / 10) << "the last table of a compaction may be short";
  env.RunPending();
}

TEST(UnitTablesTest, UnitsThatHoldNoTableAreRefused) {
  rocksdb::ColumnFamilyOptions options;
  const uint64_t before = options.target_file_size_base;
  EXPECT_FALSE(FitTablesToUnits(0, &options));
  EXPECT_FALSE(FitTablesToUnits(32 << 10, &options));
  EXPECT_FALSE(FitTablesToUnits(uint64_t{1} << 40, &options));
  EXPECT_EQ(options.target_file_size_base, before);
}

}  // namespace
}  // namespace openremap
