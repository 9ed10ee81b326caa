// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_LOCKSTEP_PAIR_H
#define OPENREMAP_LOCKSTEP_PAIR_H

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "lockstep/lockstep_commands.h"
#include "lockstep/lockstep_counters.h"
#include "lockstep/lockstep_stream.h"
#include "lockstep/lockstep_tally.h"

namespace orm::lockstep {

/// A fault for the tests of lockstep itself: changes what the second device seems to have answered. Never set
/// elsewhere.
using Fault = std::function<void(const Command &, Outcome *)>;

struct PairOptions {
  DeviceOptions device;
  const char *first = "rtl";
  const char *second = "model";
  /// A new fault for each run of a stream, so that each run begins in the same state.
  std::function<Fault()> fault;
  /// Called after each command, with the first device's cycles for it and the rest that follows.
  std::function<void(size_t index, const Command &, uint64_t cycles)> progress;
};

/// The first device's cost of the commands of a kind, including the rest after each.
struct Cost {
  uint64_t commands = 0;  // a burst counts as one
  uint64_t cycles = 0;    // evaluated
};

struct Verdict {
  std::string difference;      // empty: equal
  size_t at = 0;               // number of commands run until it was found
  uint64_t pages = 0;          // of the devices
  uint64_t raced = 0;          // pages that commands changed while GC was reading
  bool parted = false;         // GC diverged in a race: its counters are no longer compared
  bool over = false;           // ended early: after a divergence or faults, only one device had room for a remap
  std::vector<Apart> apart;    // of the last comparison
  Tally tally;                 // of the first device's answers
  uint64_t gc_moved = 0;       // the first device's totals: slots moved,
  uint64_t compactions = 0;    // chains compacted,
  uint64_t destaged = 0;       // and destaged,
  uint64_t by_hardware = 0;    // remaps that the hardware carried out,
  uint64_t handed_over = 0;    // and that it gave to firmware,
  uint64_t host_written = 0;   // pages written by the host,
  uint64_t remapped = 0;       // and remapped; of flash:
  uint64_t program_fails = 0;  // slots whose program failed,
  uint64_t read_retries = 0;   // and reads repeated at another read-retry level
  uint64_t longest = 0;        // segments of the longest chain that was seen,
  uint64_t collected = 0;      // and of the longest one whose superblock was erased
  double cpu_seconds = 0;      // of the first device
  uint64_t evaluated_cycles = 0;
  std::map<Kind, Cost> costs;

  bool equal() const { return difference.empty(); }
};

/// Namespace size of such a device in pages. The soc has the rtl's size and starts more slowly, so an rtl is asked
/// instead. Throws std::runtime_error if it cannot be created.
uint64_t namespace_pages(const DeviceOptions &device, const char *kind);

/// Throws NoDevice if one of the two cannot have its options. Makes no device.
void check_options(const PairOptions &options);

/// Runs `commands` on two new devices and compares (docs/design/fast-model.md says what, and when). Throws
/// std::runtime_error if a device cannot be made.
Verdict compare(const std::vector<Command> &commands, const PairOptions &options);

}  // namespace orm::lockstep
#endif  // OPENREMAP_LOCKSTEP_PAIR_H
