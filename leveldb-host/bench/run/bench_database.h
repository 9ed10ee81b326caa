// SPDX-License-Identifier: Apache-2.0
//
// The database of a run: LevelDB with the run's options over a device. Background work runs inline. Not thread-safe.
#ifndef OPENREMAP_LEVELDB_HOST_BENCH_BENCH_DATABASE_H_
#define OPENREMAP_LEVELDB_HOST_BENCH_BENCH_DATABASE_H_

#include <memory>

#include "bench/options/options.h"
#include "bench_device.h"
#include "compaction_statistics.h"
#include "flat_env.h"
#include "inline_env.h"
#include "leveldb/db.h"
#include "leveldb/filter_policy.h"
#include "remap_options.h"

namespace openremap {

class BenchDatabase {
 public:
  // REQUIRES: both outlive this.
  BenchDatabase(const BenchOptions &options, BenchDevice *device);
  ~BenchDatabase() { Close(); }

  // With `create` the database must not exist, otherwise it must exist.
  leveldb::Status Open(bool create);
  void Close();

  leveldb::DB *db() { return db_.get(); }  // REQUIRES: open
  const CompactionStatistics &statistics() const { return statistics_; }

  bool HasPending() { return env_->HasPending(); }
  // Runs the background work that an operation scheduled. Reads can schedule compactions, too.
  void RunPending() { env_->RunPending(); }

 private:
  const BenchOptions &options_;
  BenchDevice *device_;
  NullLogger logger_;
  CompactionStatistics statistics_;
  std::unique_ptr<InlineEnv> env_;
  std::unique_ptr<const leveldb::FilterPolicy> filter_;  // null: none
  std::unique_ptr<leveldb::DB> db_;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BENCH_BENCH_DATABASE_H_
