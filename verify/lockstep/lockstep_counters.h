// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_LOCKSTEP_COUNTERS_H
#define OPENREMAP_LOCKSTEP_COUNTERS_H

#include <cstdint>
#include <string>
#include <vector>

#include "openremap_stats.h"

namespace orm::lockstep {

/// A permitted difference of a counter, and its reason.
struct Apart {
  std::string name;
  uint64_t first = 0;
  uint64_t second = 0;
  std::string why;
};

/// A device's counters, and those after its last power cycle. `kind` names the device.
struct Counted {
  const char *kind;
  orm_remap_log now, since;
};

/// What has happened that lets counters differ: matters of cycles, in which the two devices differ.
struct Races {
  bool no_rest = false;     // the devices were not at rest between commands
  bool parted = false;      // garbage collection has diverged
  bool faulty = false;      // flash has faults, which hit each device elsewhere
  uint64_t raced = 0;       // pages that commands changed while GC was reading
  uint64_t loading = 0;     // pages that commands changed while GC loaded a chain, before it read
  uint64_t beside = 0;      // pages that commands changed during remaps
  bool reloads = false;     // GC may have reloaded chains more often on one device
  uint64_t late_trims = 0;  // the most records that only one device's checkpoints took
  bool two_ways = false;    // one carries out remaps in hardware, the other in firmware
};

/// Compares all counters of two devices at rest. Returns those that differ by more than `races` permit, as lines; ""
/// for none. Permitted differences go to the end of `apart`.
std::string compare_counters(const Counted &first, const Counted &second, const Races &races,
                             std::vector<Apart> *apart);

}  // namespace orm::lockstep
#endif  // OPENREMAP_LOCKSTEP_COUNTERS_H
