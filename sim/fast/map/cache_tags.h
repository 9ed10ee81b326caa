// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_CACHE_TAGS_H
#define OPENREMAP_FAST_CACHE_TAGS_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace orm::fast {

/// Tags of a cache of the map unit (hw/src/map/LineCache.scala), for the hit and miss counters alone. Data is always
/// read from DRAM. Unlike the RTL the model also replaces lines that are still claimed.
class CacheTags {
 public:
  static constexpr uint32_t kWays = 4;
  static constexpr uint32_t kLineBytes = 32;

  explicit CacheTags(uint32_t sets) : sets_(sets), lines_(size_t(sets) * kWays, kNone), turns_(sets) {}

  /// Looks up the line of a byte address and fills it. Returns whether it was a hit.
  bool access(uint32_t address) {
    const uint32_t line = address / kLineBytes;
    uint32_t *const set = &lines_[size_t(line % sets_) * kWays];
    for (uint32_t way = 0; way < kWays; way++) {
      if (set[way] == line) return true;
    }
    uint8_t &turn = turns_[line % sets_];
    set[turn] = line;
    turn = uint8_t((turn + 1) % kWays);
    return false;
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;  // no line; the last line ends at 4 GiB x kLineBytes

  uint32_t sets_;
  std::vector<uint32_t> lines_;
  std::vector<uint8_t> turns_;  // way that the next line of a set replaces
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_CACHE_TAGS_H
