// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_ROCKSCRASH_ROCKS_CRASH_RUN_H_
#define OPENREMAP_ROCKSCRASH_ROCKS_CRASH_RUN_H_

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "cut_device.h"
#include "rocksdb/file_system.h"

namespace openremap {

struct RocksCrashOptions {
  std::string device = "model";  // or "rtl", "soc"
  uint64_t seed = 1;             // determines the device, the database's options, the writes and the cuts
  uint64_t cuts = 40;            // number of power cuts after which the run ends
  // Defects for the tests: a device, or a file system, in place of the real one; writes that are not synced although
  // they should be.
  CutDevice::Wrap wrap;
  std::function<std::shared_ptr<rocksdb::FileSystem>(std::shared_ptr<rocksdb::FileSystem>)> wrap_files;
  bool forget_sync = false;
};

// The activity that a power cut interrupts. kWork: flushes and compactions.
enum class RocksCrashStage : uint8_t { kStart, kMount, kOpen, kVerify, kWrite, kWork, kClose };
constexpr size_t kRocksCrashStages = 7;
const char *RocksCrashStageName(RocksCrashStage stage);

struct RocksCrashResult {
  std::string wrong;  // the violation; empty: none
  uint64_t cuts = 0;
  std::array<uint64_t, kRocksCrashStages> cuts_in{};  // by RocksCrashStage
  uint64_t writes = 0;                                // acknowledged
  uint64_t synced = 0;                                // of these, synced by themselves
  uint64_t log_syncs = 0;                             // SyncWAL()
  uint64_t range_deletions = 0;
  uint64_t flushes = 0;      // tables and blob files of flushes
  uint64_t compactions = 0;  // that wrote tables
  uint64_t gc_moved_pages = 0;

  RocksCrashResult &operator+=(const RocksCrashResult &other);
};

// One run: one database with three column families on PageFS on one new device, in sessions between power cuts. One
// family has levels, one universal compaction, one blob files. The load is puts, deletions, deletions of ranges, and
// batches over the families, some of them synced. Power is cut at flash or NVRAM events that the seed determines: while
// the device starts, at the mount, and while the database is opened, read, written, flushed, compacted or closed. After
// each cut, checks the file system, opens the database with its paranoid checks, compares it with an oracle (DbOracle,
// over all families together, as they share the log), and continues the load. Flushes and compactions run on this
// thread. The same options give the same run. Throws
// std::runtime_error if the device cannot be created.
RocksCrashResult RunRocksWithCuts(const RocksCrashOptions &options);

}  // namespace openremap

#endif  // OPENREMAP_ROCKSCRASH_ROCKS_CRASH_RUN_H_
