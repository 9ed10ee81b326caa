// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_LEVELDB_HOST_SEGMENT_MOVER_H_
#define OPENREMAP_LEVELDB_HOST_SEGMENT_MOVER_H_

#include <cstdint>
#include <string>

#include "leveldb/env.h"
#include "leveldb/status.h"
#include "remap_env.h"
#include "value_log/segment_map.h"

namespace openremap {

// What became of the pages of a segment that moved.
struct MovedPages {
  uint64_t remapped = 0;
  uint64_t copied = 0;  // the file layer cannot name them, as a partial last page
};

// Writes the file of a segment without its dead pages.
class SegmentMover {
 public:
  // REQUIRES: RemapEnv::From(env) is not null.
  SegmentMover(leveldb::Env *env, std::string dbname);

  // Makes the file `target`, a new file number, with the pages `pages` of the segment, and SegmentMap(segment, pages)
  // behind them. They come from the file `source`, which has them where `map` says, or has the segment as it is if that
  // is null. The file is durable with the next Sync of a file that is no table. An error: it is not there, unless it
  // could not be removed. REQUIRES: what the segment has is durable.
  leveldb::Status Move(uint64_t segment, const SegmentPages &pages, uint64_t source, const SegmentMap *map,
                       uint64_t target, MovedPages *moved);

 private:
  leveldb::Status AppendPages(const std::string &source, uint64_t page, uint64_t pages, RemapFile *file,
                              MovedPages *moved);
  leveldb::Status Copy(const std::string &source, uint64_t page, RemapFile *file);

  leveldb::Env *const env_;
  RemapEnv *const remap_;
  const std::string dbname_;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_SEGMENT_MOVER_H_
