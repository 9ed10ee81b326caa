// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_LEVELDB_HOST_BENCH_LEVEL_BENCH_DATABASE_H_
#define OPENREMAP_LEVELDB_HOST_BENCH_LEVEL_BENCH_DATABASE_H_

#include <cstdint>
#include <memory>

#include "bench/options/options.h"
#include "bench/run/bench_database.h"
#include "bench_device.h"
#include "compaction_statistics.h"
#include "flat_env.h"
#include "inline_env.h"
#include "leveldb/db.h"
#include "leveldb/filter_policy.h"
#include "remap_options.h"

namespace openremap {

// LevelDB with the run's options over a device. Not thread-safe.
class LevelBenchDatabase : public BenchDatabase {
 public:
  // REQUIRES: both outlive this.
  LevelBenchDatabase(const BenchOptions &options, BenchDevice *device);
  ~LevelBenchDatabase() override { CloseNow(); }

  leveldb::Status Open(bool create) override;
  void Close() override { CloseNow(); }
  leveldb::DB *db() override { return db_.get(); }
  const CompactionStatistics &statistics() const override { return statistics_; }
  bool HasPending() override { return env_->HasPending(); }
  // With late compactions: flushes, and the others while level 0 has so many tables that LevelDB slows writers down.
  void RunPending() override;

 private:
  void CloseNow();
  bool IsLate();

  const BenchOptions &options_;
  BenchDevice *device_;
  NullLogger logger_;
  CompactionStatistics statistics_;
  std::unique_ptr<InlineEnv> env_;
  std::unique_ptr<const leveldb::FilterPolicy> filter_;  // null: none
  std::unique_ptr<leveldb::DB> db_;
  uint64_t flushed_logs_ = 0;  // logs of the environment up to the last flush
  bool late_ = false;          // IsLate() after the last work
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BENCH_LEVEL_BENCH_DATABASE_H_
