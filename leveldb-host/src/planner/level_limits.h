// SPDX-License-Identifier: Apache-2.0
//
// Size limits of levels; a compaction moves data down from a level that exceeds its limit.
//
// LevelDB's limits are fixed: 10 MiB, and ten times more for each further level. The size of the deepest level is then
// arbitrary, from nearly nothing to ten times the level above. But data above the deepest level mostly hides older
// versions in it, and is rewritten on its way down. In mode blend, and with RemapOptions::dynamic_levels in every mode,
// the limits follow the data instead, as RocksDB's dynamic level sizes do. The level above the deepest one may have a
// fixed share of all data, the levels above that grow evenly from level 0 on, and there are only as many levels as
// needed.
#ifndef OPENREMAP_LEVELDB_HOST_LEVEL_LIMITS_H_
#define OPENREMAP_LEVELDB_HOST_LEVEL_LIMITS_H_

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "compaction_statistics.h"
#include "leveldb/options.h"

namespace leveldb {
struct FileMetaData;
}  // namespace leveldb

namespace openremap {

class LevelLimits {
 public:
  using Bytes = std::array<uint64_t, CompactionStatistics::kLevels>;

  // `files`: the tables of each of LevelDB's levels.
  LevelLimits(const leveldb::Options &options, const std::vector<leveldb::FileMetaData *> *files);

  // As above, for levels of these sizes. `space`: bytes that a compaction may take.
  LevelLimits(const leveldb::Options &options, const Bytes &bytes,
              uint64_t space = std::numeric_limits<uint64_t>::max());

  // The limit of a level in bytes; `fixed` if limits do not follow the data. REQUIRES: level > 0.
  double Of(int level, double fixed) const { return follow_ ? limits_.at(static_cast<size_t>(level)) : fixed; }

 private:
  const bool follow_;
  std::array<double, CompactionStatistics::kLevels> limits_{};
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_LEVEL_LIMITS_H_
