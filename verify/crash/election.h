// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_CRASH_ELECTION_H
#define OPENREMAP_CRASH_ELECTION_H

#include <cstdint>
#include <string>
#include <vector>

#include "crash/tables.h"

namespace orm::crash {

/// The mapping event of an LPN that the next recovery would find to be the newest.
struct Winner {
  uint64_t seq = 0;             // 0: there is none
  std::vector<uint32_t> slots;  // that hold it: copies, if several; none: the LPN was trimmed
};

/// What flash and NVRAM say, read as docs/design/firmware.md ("Recovery") has it and without any of the firmware's
/// code.
struct Election {
  std::vector<Winner> winners;     // by LPN
  std::vector<uint32_t> segments;  // of each superblock's chain in NVRAM
  std::vector<bool> bad;           // by superblock: a BadWord names it, so nothing in it or of its chain counts
  uint64_t newest = 0;             // largest seq that is to be seen anywhere
  std::vector<std::string> wrong;  // what is there and must not be, or is not there and must be
};

Election elect(const Tables &tables);

}  // namespace orm::crash
#endif  // OPENREMAP_CRASH_ELECTION_H
