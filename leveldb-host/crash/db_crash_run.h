// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_LEVELDB_HOST_CRASH_DB_CRASH_RUN_H_
#define OPENREMAP_LEVELDB_HOST_CRASH_DB_CRASH_RUN_H_

#include <cstdint>
#include <optional>

#include "database_crash_run.h"
#include "remap_options.h"

namespace openremap {

struct CrashRunOptions : CrashOptions {
  RemapMode mode = RemapMode::kRetain;
  BlendRule blend_rule = BlendRule::kSpace;  // of mode kBlend, with the next
  int blend_runs = kBlendRuns.initial;
  bool table_units = false;  // each table begins a reclaim unit (PageFsOptions), of a device whose units suit tables
  bool tight = false;        // so many keys that space is short
  bool separated = false;    // with a value log, whose threshold and the like the seed determines
  std::optional<ValueLogCollector> collector;  // of the value log; none: the seed determines it
};

struct CrashRunResult : CrashCounts {
  uint64_t tables = 0;  // tables that compactions wrote; 0 with remapping off
  uint64_t remapped_pages = 0;
  uint64_t copied_pages = 0;        // pages that the device refused to remap
  uint64_t units_begun = 0;         // reclaim units that tables began
  uint64_t collected_segments = 0;  // of the value log
  uint64_t moved_segments = 0;      // of these, those whose pages were remapped
  uint64_t punched_segments = 0;    // and those whose dead pages were punched out
  uint64_t manifest_rolls = 0;      // manifests that an open database replaced
  // As of LevelCounters: what the mode did because space was short.
  uint64_t short_compactions = 0;
  uint64_t plain_compactions = 0;
  uint64_t reclaim_compactions = 0;
  uint64_t ended_full = 0;     // sessions that a write ended because no space was left
  uint64_t cuts_in_rolls = 0;  // cuts between the creation of a new manifest and the removal of the old one

  CrashRunResult &operator+=(const CrashRunResult &other);
};

// A CrashRun of LevelDB: puts, deletes and batches, with paranoid checks when the database is opened. Throws
// std::runtime_error if the device cannot be created.
CrashRunResult RunWithCuts(const CrashRunOptions &options);

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_CRASH_DB_CRASH_RUN_H_
