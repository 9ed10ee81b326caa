// SPDX-License-Identifier: Apache-2.0
//
// The database of a run: LevelDB with the run's options over a device, its background work done inline.
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
  // Both outlive this.
  BenchDatabase(const BenchOptions &options, BenchDevice *device);
  ~BenchDatabase() { Close(); }

  // `create`: there must be none; else there must be one.
  leveldb::Status Open(bool create);
  void Close();

  leveldb::DB *db() { return db_.get(); }  // REQUIRES: open
  const CompactionStatistics &statistics() const { return statistics_; }

  bool HasPending() { return env_->HasPending(); }
  // What an operation has scheduled. Reads schedule compactions, too.
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
