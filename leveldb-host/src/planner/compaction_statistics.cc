// SPDX-License-Identifier: Apache-2.0
#include "compaction_statistics.h"

#include "db/dbformat.h"

namespace openremap {

static_assert(CompactionStatistics::kLevels == leveldb::config::kNumLevels, "one entry per LSM level");

LevelCounters &LevelCounters::operator+=(const LevelCounters &other) {
  tables += other.tables;
  table_bytes += other.table_bytes;
  padding_bytes += other.padding_bytes;
  input_blocks += other.input_blocks;
  unchanged_blocks += other.unchanged_blocks;
  skipped_blocks += other.skipped_blocks;
  remapped_blocks += other.remapped_blocks;
  copied_blocks += other.copied_blocks;
  kept_pages += other.kept_pages;
  attached_blocks += other.attached_blocks;
  blended_tables += other.blended_tables;
  short_compactions += other.short_compactions;
  plain_compactions += other.plain_compactions;
  reclaim_compactions += other.reclaim_compactions;
  return *this;
}

void CompactionStatistics::Add(int level, const LevelCounters &counters) {
  std::lock_guard<std::mutex> lock(mutex_);
  levels_.at(static_cast<size_t>(level)) += counters;
}

void CompactionStatistics::AddOne(int level, uint64_t LevelCounters::*counter) {
  std::lock_guard<std::mutex> lock(mutex_);
  levels_.at(static_cast<size_t>(level)).*counter += 1;
}

LevelCounters CompactionStatistics::Level(int level) const {
  std::lock_guard<std::mutex> lock(mutex_);
  return levels_.at(static_cast<size_t>(level));
}

LevelCounters CompactionStatistics::Total() const {
  std::lock_guard<std::mutex> lock(mutex_);
  LevelCounters total;
  for (const LevelCounters &level : levels_) total += level;
  return total;
}

}  // namespace openremap
