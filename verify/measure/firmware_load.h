// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FIRMWARE_LOAD_H
#define OPENREMAP_FIRMWARE_LOAD_H

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "openremap.h"
#include "seeded_random.h"

namespace orm::firmware_time {

/// The device that is measured. Sizes are those of a new device.
struct Target {
  std::string kind = "model";
  std::string cpu;  // pcie_device_options.firmware_cpu; empty: what the device takes by itself
  uint32_t superblocks = 0, segments = 0;
  uint64_t seed = 1;
};

/// What a part of a load took.
struct Window {
  std::string name;
  uint64_t device_ns = 0;
  uint64_t busy_ns = 0;                                // of the firmware
  std::vector<std::pair<std::string, uint64_t>> work;  // kinds of firmware/include/fw_work.h; none on the soc
};

using Told = std::function<void(const Window &)>;

/// A new device and its load, window by window. Failures throw exceptions.
class Load {
 public:
  /// `told` gets each window as it ends; the first is the start with a format, up to the first answers to the driver.
  Load(const Target &target, Told told);
  ~Load() { (void)openremap_close(dev_); }
  Load(const Load &) = delete;
  Load &operator=(const Load &) = delete;

  uint64_t pages() const { return openremap_get_info(dev_)->pages; }

  /// Power goes and comes: the start, up to the first answers to the driver.
  void restart(const std::string &name);
  /// The same after a shutdown; the shutdown is a window of its own.
  void restart_clean(const std::string &name);
  void identify(unsigned count);
  void logs(unsigned count);
  /// `pages` from 0 on, in order, in commands of `each`, then a flush.
  void fill(uint64_t pages, uint64_t each);
  /// Single pages below `below`, at random, then a flush.
  void overwrite(const std::string &name, uint64_t count, uint64_t below);
  /// The hardware carries out vectors whose targets ascend, and leaves those whose targets descend to the firmware.
  enum class Targets { kAscend, kDescend };
  /// `count` vectors of `ranges` single pages: sources in the lower half of `below`, targets in the upper.
  void remap(const std::string &name, unsigned count, unsigned ranges, uint64_t below,
             Targets targets = Targets::kDescend);
  /// Single pages in the upper half of `below`: the lower has the sources of remaps.
  void trim(unsigned count, uint64_t below);
  /// `count` commands of `ranges` such pages each, until the firmware has nothing to do for the journal.
  void trim_lists(unsigned count, unsigned ranges, uint64_t below);
  void format(bool erase);
  /// Nothing, for this long.
  void rest(uint64_t ns);

 private:
  using Counts = std::vector<std::pair<std::string, uint64_t>>;
  struct Now {
    uint64_t device_ns, busy_ns;
    Counts work;
  };
  Now now() const;
  void ok(int status, const char *what) const;
  void end(const std::string &name, bool since_power_on = false);

  Told told_;
  openremap_device *dev_ = nullptr;
  pcie_function *fn_ = nullptr;
  uint8_t *data_ = nullptr;
  SeededRandom random_;
  Now begun_{};
};

/// Starts and recoveries of a small device. The costs of the kinds of work follow from its windows, and from those of
/// commands().
void starts(Target target, const Told &told);

/// Commands of many kinds, and what they make the firmware do in the background.
void commands(Target target, const Told &told);

/// Trims that fill the journal: checkpoints of a larger device.
void trims(Target target, const Told &told);

/// A start, writes, a storm of remaps, trims, a recovery: what is compared between devices.
void short_life(Target target, const Told &told);

}  // namespace orm::firmware_time
#endif  // OPENREMAP_FIRMWARE_LOAD_H
