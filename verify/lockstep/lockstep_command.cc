// SPDX-License-Identifier: Apache-2.0
#include "lockstep/lockstep_command.h"

#include <cstring>

#include "seeded_random.h"

namespace orm::lockstep {

std::vector<uint8_t> contents(uint64_t value, uint64_t pages) {
  std::vector<uint8_t> data(pages * OPENREMAP_PAGE_BYTES);
  SeededRandom random(value);
  for (size_t i = 0; i < data.size(); i += 8) {
    const uint64_t word = random.next();
    std::memcpy(data.data() + i, &word, 8);
  }
  return data;
}

uint64_t Command::commands() const { return parts.empty() ? 1 : parts.size(); }

uint64_t Command::changes() const {
  uint64_t sum = 0;
  for (const openremap_remap_range &r : ranges) sum += r.pages;
  for (const Command &part : parts) sum += part.changes();
  switch (kind) {
    case Kind::kWrite:
    case Kind::kWriteZeroes:
    case Kind::kCopy:
      return sum + pages;
    case Kind::kRemap:
      return sum + (flag ? 2 : 1) * pages;
    case Kind::kRemapVector:
      return (flag ? 2 : 1) * sum;
    default:
      return sum;
  }
}

uint64_t Command::trims() const {
  uint64_t sum = 0;
  for (const Command &part : parts) sum += part.trims();
  switch (kind) {
    case Kind::kDeallocate:
      return sum + ranges.size();
    case Kind::kWriteZeroes:
      return sum + 1;
    case Kind::kCopy:
      return sum + (pages + 1) / 2;  // runs of pages without data
    case Kind::kRemap:
      return sum + (flag ? 1 : 0);
    case Kind::kRemapVector:
      return sum + (flag ? ranges.size() : 0);
    default:
      return sum;
  }
}

}  // namespace orm::lockstep
