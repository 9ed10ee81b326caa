// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_LEVELDB_HOST_CRASH_DB_LIFE_H_
#define OPENREMAP_LEVELDB_HOST_CRASH_DB_LIFE_H_

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "pagefs/device/page_device.h"
#include "remap_options.h"

namespace openremap {

struct LifeOptions {
  std::string device = "model";  // or "rtl"
  RemapMode mode = RemapMode::kRetain;
  uint64_t seed = 1;   // determines the device, its size, the writes and the cuts
  uint64_t cuts = 40;  // number of power cuts after which the life ends
  // Defects for the tests: a device in place of the real one; writes that are not synced although they should be.
  std::function<std::unique_ptr<PageDevice>(PageDevice *)> wrap;
  bool forget_sync = false;
};

// The activity that a power cut interrupts.
enum class LifeStage : uint8_t { kStart, kMount, kOpen, kVerify, kWrite, kCompact, kClose };
constexpr size_t kLifeStages = 7;
const char *LifeStageName(LifeStage stage);

struct LifeResult {
  std::string wrong;  // the violation; empty: none
  uint64_t cuts = 0;
  std::array<uint64_t, kLifeStages> cuts_in{};  // by LifeStage
  uint64_t writes = 0;                          // acknowledged
  uint64_t synced = 0;                          // of these, synced
  uint64_t tables = 0;                          // tables that compactions wrote; 0 with remapping off
  uint64_t remapped_pages = 0;
  uint64_t copied_pages = 0;    // pages that the device refused to remap
  uint64_t gc_moved_pages = 0;  // pages moved by GC, according to the last reading

  LifeResult &operator+=(const LifeResult &other);
};

// The life of one database on PageFS on one new device. Runs a load of puts, deletes and batches, some of them synced,
// and cuts the power at flash or NVRAM events that the seed determines: while the device starts, at the mount, and
// while the database is opened, read, written, compacted or closed. After each cut, checks the file system, opens the
// database with paranoid checks, compares it with the oracle, and continues the load. The same seed gives the same run.
// Throws std::runtime_error if the device cannot be created.
LifeResult RunLife(const LifeOptions &options);

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_CRASH_DB_LIFE_H_
