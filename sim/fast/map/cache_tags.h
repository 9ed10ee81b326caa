// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_CACHE_TAGS_H
#define OPENREMAP_FAST_CACHE_TAGS_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace orm::fast {

/// Which lines a cache of the map unit (hw/src/map/LineCache.scala) would hold, for its figures alone: the data are in DRAM, and
/// a line that would still be claimed is replaced all the same.
class CacheTags {
 public:
  static constexpr uint32_t kWays = 4;
  static constexpr uint32_t kLineBytes = 32;

  explicit CacheTags(uint32_t sets) : sets_(sets), lines_(size_t(sets) * kWays, kNone), turns_(sets) {}

  /// Whether the line of this byte was there; it is afterwards.
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
  static constexpr uint32_t kNone = UINT32_MAX;  // no line: the last one ends at 4 GiB x kLineBytes

  uint32_t sets_;
  std::vector<uint32_t> lines_;
  std::vector<uint8_t> turns_;  // where a set's next line goes
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_CACHE_TAGS_H
