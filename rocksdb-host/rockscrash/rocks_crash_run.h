// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_ROCKSCRASH_ROCKS_CRASH_RUN_H_
#define OPENREMAP_ROCKSCRASH_ROCKS_CRASH_RUN_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "database_crash_run.h"
#include "rocksdb/file_system.h"

namespace openremap {

struct RocksCrashOptions : CrashOptions {
  // A defect for the tests: a file system in place of the real one.
  std::function<std::shared_ptr<rocksdb::FileSystem>(std::shared_ptr<rocksdb::FileSystem>)> wrap_files;
};

struct RocksCrashResult : CrashCounts {
  uint64_t log_syncs = 0;  // SyncWAL()
  uint64_t range_deletions = 0;
  uint64_t flushes = 0;      // tables and blob files of flushes
  uint64_t compactions = 0;  // that wrote tables

  RocksCrashResult &operator+=(const RocksCrashResult &other);
};

// A CrashRun of RocksDB, with three column families: one has levels, one universal compaction, one blob files. The load
// is puts, deletions, deletions of ranges, and batches over the families; now and then one family is flushed, or the
// log is synced. The oracle is one over all families together, as they share the log. The database is opened with its
// paranoid checks; flushes and compactions run on this thread. Throws std::runtime_error if the device cannot be
// created.
RocksCrashResult RunRocksWithCuts(const RocksCrashOptions &options);

}  // namespace openremap

#endif  // OPENREMAP_ROCKSCRASH_ROCKS_CRASH_RUN_H_
