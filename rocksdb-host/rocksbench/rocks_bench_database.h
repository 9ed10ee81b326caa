// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_ROCKSBENCH_ROCKS_BENCH_DATABASE_H_
#define OPENREMAP_ROCKSBENCH_ROCKS_BENCH_DATABASE_H_

#include <memory>

#include "bench/run/bench_database.h"
#include "bench_device.h"
#include "compaction_statistics.h"
#include "rocksbench/rocks_level_db.h"
#include "rocksdb/options.h"
#include "rocksfs/page_file_system.h"
#include "rocksrun/inline_rocks_env.h"

namespace openremap {

// RocksDB as the database of a run. It counts no blocks of compactions. Not thread-safe.
class RocksBenchDatabase : public BenchDatabase {
 public:
  // Whether the device has PageFS.
  static bool CanUse(BenchDevice *device);
  // `options`: all but the Env. REQUIRES: CanUse(device), which outlives this.
  RocksBenchDatabase(const rocksdb::Options &options, BenchDevice *device);
  ~RocksBenchDatabase() override { CloseNow(); }

  leveldb::Status Open(bool create) override;
  void Close() override { CloseNow(); }
  leveldb::DB *db() override { return db_.get(); }
  const CompactionStatistics &statistics() const override { return none_; }
  bool HasPending() override { return env_.HasPending(); }
  void RunPending() override { env_.RunPending(); }

 private:
  void CloseNow();

  BenchDevice *const device_;
  InlineRocksEnv env_;
  rocksdb::Options options_;
  const CompactionStatistics none_;
  std::unique_ptr<RocksLevelDb> db_;
};

}  // namespace openremap

#endif  // OPENREMAP_ROCKSBENCH_ROCKS_BENCH_DATABASE_H_
