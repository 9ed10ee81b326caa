// SPDX-License-Identifier: Apache-2.0
#include "planner/level_limits.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "db/version_edit.h"
#include "remap_env.h"

namespace openremap {
namespace {

constexpr int kDeepest = CompactionStatistics::kLevels - 1;
constexpr double kLevel1OfSpace = 0.75;  // level 0's compaction included
constexpr double kLeastRatio = 1.5;      // of a level to the one above

LevelLimits::Bytes SizesOf(const std::vector<leveldb::FileMetaData *> *files) {
  LevelLimits::Bytes bytes{};
  for (size_t level = 0; level < bytes.size(); level++) {
    for (const leveldb::FileMetaData *file : files[level]) bytes[level] += file->file_size;
  }
  return bytes;
}

bool Follow(const RemapOptions &remap) {
  return (remap.mode == RemapMode::kBlend || remap.dynamic_levels) && remap.last_level_ratio > 0;
}

}  // namespace

LevelLimits::LevelLimits(const leveldb::Options &options, const std::vector<leveldb::FileMetaData *> *files)
    : LevelLimits(options, Follow(options.remap) ? SizesOf(files) : Bytes{},
                  Follow(options.remap) ? RemapEnv::FileSpaceOf(options.env).ForCompactions() : 0) {}

LevelLimits::LevelLimits(const leveldb::Options &options, const Bytes &bytes, uint64_t space)
    : follow_(Follow(options.remap)) {
  if (!follow_) return;
  double all = 0;
  int deepest = 1;
  for (int level = 1; level <= kDeepest; level++) {
    const uint64_t size = bytes.at(static_cast<size_t>(level));
    all += static_cast<double>(size);
    if (size > 0) deepest = level;
  }
  // What a compaction of level 0 brings at a time. A level of less would be merged whole each time.
  const double level0 =
      static_cast<double>(leveldb::config::kL0_CompactionTrigger) * static_cast<double>(options.write_buffer_size);
  const double above = std::max(level0, all / std::max(2, options.remap.last_level_ratio));
  const double most = std::max(2, options.remap.level_ratio);

  // Levels between level 0 and the deepest one, of which each is `ratio` times the one above.
  int between = all <= 2 * level0 ? 0 : 1;
  double ratio = above / level0;
  while (between > 0 && ratio > most && between + 1 < kDeepest) {
    between++;
    ratio = std::pow(above / level0, 1.0 / between);
  }
  // A compaction of level 0 takes level 1 along, and the space of both twice until it ends. So level 1 falls with the
  // space that is left. More levels make it smaller, as long as each is so much more than the one above.
  const double level1 = static_cast<double>(space) * kLevel1OfSpace - level0;
  while (between > 0 && level0 * ratio > level1 && between + 1 < kDeepest) {
    const double less = std::pow(above / level0, 1.0 / (between + 1));
    if (less < kLeastRatio) break;
    between++;
    ratio = less;
  }
  // Data that is deeper already stays there: whatever comes down passes the levels that it does not take. They may hold
  // what one compaction of level 0 brings, so that a table which a program has put there is not moved at once.
  const int last = std::max(between + 1, deepest);
  double limit = above;
  for (int level = last - 1; level > 0; level--) {
    limits_.at(static_cast<size_t>(level)) = level >= last - between ? limit : level0;
    limit /= ratio;
  }
  for (int level = last; level <= kDeepest; level++) {
    limits_.at(static_cast<size_t>(level)) = std::numeric_limits<double>::infinity();
  }
}

}  // namespace openremap
