// SPDX-License-Identifier: Apache-2.0
//
// How large each level may get before a compaction moves something of it down.
//
// LevelDB's limits are fixed: 10 MiB, and ten times more from level to level. How much its deepest level has then is chance, from
// nearly nothing to ten times the one above; and it is the data above the deepest level that mostly hides older versions there,
// and that is written anew on its way down. In mode blend the limits follow the data instead (as RocksDB's dynamic level
// sizes do): the level above the deepest one may have its share of all data, levels above that grow evenly from level 0 on,
// and there are no more of them than it takes.
#ifndef OPENREMAP_LEVELDB_HOST_LEVEL_LIMITS_H_
#define OPENREMAP_LEVELDB_HOST_LEVEL_LIMITS_H_

#include <array>
#include <cstdint>
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

  // The same for levels of these sizes.
  LevelLimits(const leveldb::Options &options, const Bytes &bytes);

  // The limit of a level from 1 on, in bytes; `fixed` where limits do not follow the data.
  double Of(int level, double fixed) const { return follow_ ? limits_.at(static_cast<size_t>(level)) : fixed; }

 private:
  const bool follow_;
  std::array<double, CompactionStatistics::kLevels> limits_{};
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_LEVEL_LIMITS_H_
