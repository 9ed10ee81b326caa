// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_CRASH_ELECTION_H
#define OPENREMAP_CRASH_ELECTION_H

#include <cstdint>
#include <string>
#include <vector>

#include "crash/tables.h"

namespace orm::crash {

/// The mapping event of an LPN that the next recovery would elect as the newest.
struct Winner {
  uint64_t seq = 0;             // 0: no event
  std::vector<uint32_t> slots;  // slots that hold it (copies, if several); none: a trim
};

/// The mapping that flash and NVRAM imply, by the rules of docs/design/firmware/recovery.md and without any of the
/// firmware's code.
struct Election {
  std::vector<Winner> winners;     // by LPN
  std::vector<uint32_t> segments;  // segments of each superblock's chain in NVRAM
  std::vector<bool> bad;           // by superblock: named by a BadWord, so neither slots nor chain count
  uint64_t newest = 0;             // largest seq that is seen anywhere
  std::vector<std::string> wrong;  // content that must not be there, or is missing
};

Election elect(const Tables &tables);

}  // namespace orm::crash
#endif  // OPENREMAP_CRASH_ELECTION_H
