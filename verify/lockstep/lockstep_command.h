// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_LOCKSTEP_COMMAND_H
#define OPENREMAP_LOCKSTEP_COMMAND_H

#include <cstdint>
#include <vector>

#include "openremap.h"

namespace orm::lockstep {

enum class Kind : uint8_t {
  kRead,
  kWrite,
  kFlush,
  kDeallocate,
  kWriteZeroes,
  kRemap,
  kRemapVector,
  kCopy,
  kPlacement,   // ends the reclaim unit of a placement handle, if one is named; then the state of all
  kBurst,       // commands side by side; what one of them changes is no other's
  kFormat,      // all pages go
  kReset,       // controller reset
  kPowerCycle,  // after a flush: what was not flushed may differ
  kShutdown,    // orderly, then power goes and comes back; `flag`: it stays, and the controller is enabled again
  kBlank,       // power goes, and comes back with NVRAM that was never written: the device formats itself
  kRest,        // nothing is sent: the device finishes what it does by itself
};

/// One command, or for a burst several; the same for each device.
struct Command {
  Kind kind = Kind::kFlush;
  uint64_t lpn = 0;
  uint64_t pages = 0;
  uint64_t dst = 0;
  bool flag = false;   // write: FUA; remap: MOVE; write zeroes: deallocate; format: user data erase;
                       // blank: NVRAM is all ones, not all zeroes
  uint64_t value = 0;  // seeds the data of a write
  int handle = -1;     // write: placement handle, which there need not be, or none; placement: whose unit ends, or none
  std::vector<openremap_remap_range> ranges;
  std::vector<Command> parts;

  /// Commands that the device gets.
  uint64_t commands() const;
  /// Pages whose mapping it may change.
  uint64_t changes() const;
  /// Records that it may write to the journal.
  uint64_t trims() const;
};

/// The data of a write of `pages` pages with that seed.
std::vector<uint8_t> contents(uint64_t value, uint64_t pages);

/// What a device made of a command.
struct Outcome {
  std::vector<int> statuses;
  std::vector<uint8_t> data;  // read
  bool snapshot = false;      // shutdown: flash has the mapping, for the next start; not compared
  bool operator==(const Outcome &o) const { return statuses == o.statuses && data == o.data; }
};

}  // namespace orm::lockstep
#endif  // OPENREMAP_LOCKSTEP_COMMAND_H
