// SPDX-License-Identifier: Apache-2.0
//
// The database of a run, as the run sees it: LevelDB's interface, whatever is behind it, with background work that runs
// inline.
#ifndef OPENREMAP_LEVELDB_HOST_BENCH_BENCH_DATABASE_H_
#define OPENREMAP_LEVELDB_HOST_BENCH_BENCH_DATABASE_H_

#include "compaction_statistics.h"
#include "leveldb/db.h"
#include "leveldb/status.h"

namespace openremap {

// Not thread-safe.
class BenchDatabase {
 public:
  virtual ~BenchDatabase() = default;

  // With `create` the database must not exist, otherwise it must exist.
  virtual leveldb::Status Open(bool create) = 0;
  virtual void Close() = 0;

  // REQUIRES: open. GetProperty() has `leveldb.sstables`.
  virtual leveldb::DB *db() = 0;
  // All 0 where the database counts no blocks.
  virtual const CompactionStatistics &statistics() const = 0;

  virtual bool HasPending() = 0;
  // Runs the background work that an operation scheduled. Reads can schedule compactions, too.
  virtual void RunPending() = 0;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BENCH_BENCH_DATABASE_H_
