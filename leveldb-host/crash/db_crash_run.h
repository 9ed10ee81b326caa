// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_LEVELDB_HOST_CRASH_DB_CRASH_RUN_H_
#define OPENREMAP_LEVELDB_HOST_CRASH_DB_CRASH_RUN_H_

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "pagefs/device/page_device.h"
#include "remap_options.h"

namespace openremap {

struct CrashRunOptions {
  std::string device = "model";  // or "rtl", "soc"
  RemapMode mode = RemapMode::kRetain;
  BlendRule blend_rule = BlendRule::kSpace;  // of mode kBlend, with the next
  int blend_runs = kBlendRuns.initial;
  bool table_units = false;  // each table begins a reclaim unit (PageFsOptions), of a device whose units suit tables
  bool separated = false;    // with a value log, whose threshold and the like the seed determines
  std::optional<ValueLogCollector> collector;  // of the value log; none: the seed determines it
  uint64_t seed = 1;                           // determines the device, its size, the writes and the cuts
  uint64_t cuts = 40;                          // number of power cuts after which the run ends
  // Defects for the tests: a device in place of the real one; writes that are not synced although they should be.
  std::function<std::unique_ptr<PageDevice>(PageDevice *)> wrap;
  bool forget_sync = false;
};

// The activity that a power cut interrupts.
enum class CrashStage : uint8_t { kStart, kMount, kOpen, kVerify, kWrite, kCompact, kClose };
constexpr size_t kCrashStages = 7;
const char *CrashStageName(CrashStage stage);

struct CrashRunResult {
  std::string wrong;  // the violation; empty: none
  uint64_t cuts = 0;
  std::array<uint64_t, kCrashStages> cuts_in{};  // by CrashStage
  uint64_t writes = 0;                           // acknowledged
  uint64_t synced = 0;                           // of these, synced
  uint64_t tables = 0;                           // tables that compactions wrote; 0 with remapping off
  uint64_t remapped_pages = 0;
  uint64_t copied_pages = 0;        // pages that the device refused to remap
  uint64_t gc_moved_pages = 0;      // pages moved by GC, according to the last reading
  uint64_t units_begun = 0;         // reclaim units that tables began
  uint64_t collected_segments = 0;  // of the value log
  uint64_t moved_segments = 0;      // of these, those whose pages were remapped
  uint64_t manifest_rolls = 0;      // manifests that an open database replaced
  uint64_t cuts_in_rolls = 0;       // cuts between the creation of a new manifest and the removal of the old one

  CrashRunResult &operator+=(const CrashRunResult &other);
};

// One run: one database on PageFS on one new device, in sessions between power cuts. The load is puts, deletes and
// batches, some of them synced. Power is cut at flash or NVRAM events that the seed determines: while the device
// starts, at the mount, and while the database is opened, read, written, compacted or closed. After each cut, checks
// the file system, opens the database with paranoid checks, compares it with the oracle, and continues the load. The
// same options give the same run. Throws std::runtime_error if the device cannot be created.
CrashRunResult RunWithCuts(const CrashRunOptions &options);

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_CRASH_DB_CRASH_RUN_H_
