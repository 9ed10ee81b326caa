// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_RECOVERY_LOAD_H
#define OPENREMAP_RECOVERY_LOAD_H

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "openremap.h"
#include "openremap_stats.h"
#include "pcie_debug.h"
#include "seeded_random.h"

namespace orm::recovery {

/// The load of a device before its power is cut.
struct Load {
  std::string geometry;
  double fill = 100;      // percent of the namespace, written sequentially
  double overwrite = 10;  // percent of the filled pages, overwritten at random, one page per command
  double remap = 2;       // percent that become remap targets, in vectors of 64 single pages
  double trim = 1;        // percent deallocated, in runs of 16 pages
  uint64_t seed = 1;
};

/// Bytes written to a region of NVRAM.
struct NvramPart {
  const char *name;
  uint64_t bytes;
};

/// Cost of the load.
struct Cost {
  orm_remap_log log{};
  uint64_t remaps_refused = 0;
  std::vector<NvramPart> nvram;  // without writes of the format and of start-ups
  uint64_t flash_bytes = 0, nvram_bytes = 0, dram_bytes = 0;
};

struct StartUp {
  uint64_t ns = 0;              // time from power-on until the firmware runs
  uint64_t shutdown_ns = 0;     // time of the preceding shutdown, if any
  uint64_t snapshot_slots = 0;  // slots of the shutdown's snapshot
  std::vector<pcie_device_step> steps;
};

/// A fast model with data. Failures throw exceptions.
class Device {
 public:
  explicit Device(const Load &load);
  ~Device() { (void)openremap_close(dev_); }
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  uint64_t pages() const { return openremap_get_info(dev_)->pages; }
  uint64_t filled() const { return filled_; }
  Cost apply();
  /// Some more random writes, flushed; then power goes, and comes back. LPNs must share slots as they did. `clean`:
  /// after a shutdown (CC.SHN).
  StartUp restart(bool clean);

 private:
  void ok(int status, const char *what) const;
  using Submit = std::function<int(uint64_t, openremap_done, void *)>;
  void each(uint64_t count, const Submit &submit, const char *what);
  void fill();
  void overwrite(uint64_t count);
  void remap(uint64_t pages);
  void trim(uint64_t pages);
  void rest();
  std::vector<uint32_t> mapping() const;
  void compare(const std::vector<uint32_t> &before) const;
  std::vector<NvramPart> nvram_written() const;

  Load load_;
  openremap_device *dev_ = nullptr;
  pcie_function *fn_ = nullptr;
  uint8_t *zeroes_ = nullptr;
  SeededRandom random_;
  uint64_t flash_slots_ = 0;
  uint64_t filled_ = 0;
  uint64_t refused_ = 0;
};

}  // namespace orm::recovery
#endif  // OPENREMAP_RECOVERY_LOAD_H
