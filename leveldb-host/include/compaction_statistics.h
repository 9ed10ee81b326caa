// SPDX-License-Identifier: Apache-2.0
//
// Counters of the table writer and the compaction planner, by the level that they wrote to.
#ifndef OPENREMAP_LEVELDB_HOST_COMPACTION_STATISTICS_H_
#define OPENREMAP_LEVELDB_HOST_COMPACTION_STATISTICS_H_

#include <array>
#include <cstdint>
#include <mutex>

namespace openremap {

struct LevelCounters {
  uint64_t tables = 0;            // finished tables
  uint64_t table_bytes = 0;       // their size, including kept pages and padding
  uint64_t padding_bytes = 0;     // zeros between the blocks we wrote
  uint64_t input_blocks = 0;      // data blocks that compactions into this level merged
  uint64_t unchanged_blocks = 0;  // of these, blocks found unchanged
  uint64_t skipped_blocks = 0;    // of these, blocks that were not read because their metadata sufficed
  uint64_t remapped_blocks = 0;   // of the unchanged, blocks whose pages the file layer was asked to share
  uint64_t copied_blocks = 0;  // of the unchanged, blocks copied as they are because the file layer cannot share pages
  uint64_t kept_pages = 0;     // pages of remapped and copied blocks
  uint64_t attached_blocks = 0;  // of the unchanged, blocks of tables that got a further sorted run
  uint64_t blended_tables = 0;   // finished tables of several sorted runs
  // What modes do because space is short (FileSpace::IsShort), in compactions.
  uint64_t short_compactions = 0;    // that merged all, and kept blocks only where that costs little space
  uint64_t plain_compactions = 0;    // that wrote tables as stock LevelDB does
  uint64_t reclaim_compactions = 0;  // of either kind, those of single tables that take more than they need

  LevelCounters &operator+=(const LevelCounters &other);
};

// Thread-safe.
class CompactionStatistics {
 public:
  static constexpr int kLevels = 7;  // leveldb::config::kNumLevels

  // REQUIRES, here and below: 0 <= level < kLevels.
  void Add(int level, const LevelCounters &counters);
  void AddOne(int level, uint64_t LevelCounters::*counter);
  LevelCounters Level(int level) const;
  LevelCounters Total() const;

 private:
  mutable std::mutex mutex_;
  std::array<LevelCounters, kLevels> levels_;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_COMPACTION_STATISTICS_H_
