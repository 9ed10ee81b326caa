// SPDX-License-Identifier: Apache-2.0
#include "page_stamps.h"

#include <cstring>

namespace openremap {

namespace {

// The eight bytes at each place of a page: another value for each stamp and place.
uint64_t WordAt(uint64_t stamp, size_t place) {
  if (stamp == kNoStamp) return 0;
  return (stamp + place * 0x9E3779B97F4A7C15u) ^ (stamp << 32);
}

}  // namespace

void FillPage(uint64_t stamp, char *page) {
  for (size_t i = 0; i < kPageBytes / 8; i++) {
    const uint64_t word = WordAt(stamp, i);
    std::memcpy(page + 8 * i, &word, 8);
  }
}

bool IsPageOf(uint64_t stamp, const char *page) {
  if (stamp == kAnyStamp) return true;
  for (size_t i = 0; i < kPageBytes / 8; i++) {
    uint64_t word = 0;
    std::memcpy(&word, page + 8 * i, 8);
    if (word != WordAt(stamp, i)) return false;
  }
  return true;
}

}  // namespace openremap
