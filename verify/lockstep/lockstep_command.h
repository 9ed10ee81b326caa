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
  kPlacement,   // ends the reclaim unit of a placement handle, if one is given; then reads the state of all
  kBurst,       // concurrent commands; a page that one changes is touched by no other
  kFormat,      // Format NVM: unmaps all pages
  kReset,       // controller reset
  kPowerCycle,  // after a flush, as unflushed data may differ
  kShutdown,    // shutdown, then power cycle; `flag`: power stays on and the controller is enabled again
  kBlank,       // power cycle with blank NVRAM: the device formats itself
  kRest,        // sends nothing: the device finishes its background work
};

/// One command, or several for a burst; the same for both devices.
struct Command {
  Kind kind = Kind::kFlush;
  uint64_t lpn = 0;
  uint64_t pages = 0;
  uint64_t dst = 0;
  bool flag = false;   // write: FUA; remap: MOVE; write zeroes: deallocate; format: user data erase;
                       // blank: NVRAM is all ones instead of zeroes
  uint64_t value = 0;  // seeds the data of a write
  int handle = -1;     // write: placement handle (may not exist); placement: handle whose unit ends; -1: none
  std::vector<openremap_remap_range> ranges;
  std::vector<Command> parts;

  /// Number of commands that the device receives.
  uint64_t commands() const;
  /// Number of pages whose mapping it may change.
  uint64_t changes() const;
  /// Number of records that it may write to the journal.
  uint64_t trims() const;
};

/// The data of a write of `pages` pages with that seed.
std::vector<uint8_t> contents(uint64_t value, uint64_t pages);

/// A device's result of a command.
struct Outcome {
  std::vector<int> statuses;
  std::vector<uint8_t> data;  // read
  bool snapshot = false;      // shutdown: flash has a mapping snapshot for the next start; not compared
  bool operator==(const Outcome &o) const { return statuses == o.statuses && data == o.data; }
};

}  // namespace orm::lockstep
#endif  // OPENREMAP_LOCKSTEP_COMMAND_H
