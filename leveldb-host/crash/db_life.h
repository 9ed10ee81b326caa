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
  uint64_t seed = 1;   // of the device, its size, the writes and the cuts
  uint64_t cuts = 40;  // until the life ends, if nothing is wrong before
  // Defects, for the tests: a device that stands in for the real one; writes that are not synced though they should be.
  std::function<std::unique_ptr<PageDevice>(PageDevice *)> wrap;
  bool forget_sync = false;
};

// What goes on when power goes.
enum class LifeStage : uint8_t { kStart, kMount, kOpen, kVerify, kWrite, kCompact, kClose };
constexpr size_t kLifeStages = 7;
const char *LifeStageName(LifeStage stage);

struct LifeResult {
  std::string wrong;  // empty: nothing
  uint64_t cuts = 0;
  std::array<uint64_t, kLifeStages> cuts_in{};  // by LifeStage
  uint64_t writes = 0;                          // acknowledged
  uint64_t synced = 0;                          // of these
  uint64_t tables = 0;                          // that compactions made (none are counted with remapping off)
  uint64_t remapped_pages = 0;
  uint64_t copied_pages = 0;    // because the device refused to remap them
  uint64_t gc_moved_pages = 0;  // by the device, as far as it was looked at

  LifeResult &operator+=(const LifeResult &other);
};

// The life of one database on PageFS on one new device: a load of puts, deletes and batches, some of them synced; power
// goes in the place of an event of flash or NVRAM drawn by the seed, while the device starts, at the mount, while the
// database is opened, read, written or compacted, or closed; after each cut the file system is checked, the database
// opened with paranoid checks and compared with the oracle, and the load goes on. A life repeats to the byte. Throws
// std::runtime_error if the device cannot be made.
LifeResult RunLife(const LifeOptions &options);

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_CRASH_DB_LIFE_H_
