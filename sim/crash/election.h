// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_CRASH_ELECTION_H
#define OPENREMAP_CRASH_ELECTION_H

#include <cstdint>
#include <string>
#include <vector>

#include "tables.h"

namespace orm::crash {

/// The newest mapping event of an LPN, as the next recovery would find it.
struct Winner {
  uint64_t seq = 0;             // 0: none
  std::vector<uint32_t> slots;  // slots that hold it, several if there are copies; empty: the LPN was trimmed
};

/// Content of flash and NVRAM, read as docs/design/firmware.md ("Recovery") defines, independently of the firmware's
/// code.
struct Election {
  std::vector<Winner> winners;     // by LPN
  std::vector<uint32_t> segments;  // segments of each superblock's chain in NVRAM
  std::vector<bool> bad;           // by superblock: a BadWord names it, so its slots and its chain do not count
  uint64_t newest = 0;             // largest sequence number on the media
  std::vector<std::string> wrong;  // violations: entries that must not exist, and missing ones
};

Election elect(const Tables &tables);

}  // namespace orm::crash
#endif  // OPENREMAP_CRASH_ELECTION_H
