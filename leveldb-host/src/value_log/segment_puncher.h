// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_LEVELDB_HOST_SEGMENT_PUNCHER_H_
#define OPENREMAP_LEVELDB_HOST_SEGMENT_PUNCHER_H_

#include <cstdint>
#include <string>

#include "leveldb/env.h"
#include "leveldb/status.h"
#include "value_log/segment_map.h"

namespace openremap {

// Makes holes of the dead pages of a segment, in the file that it is in.
class SegmentPuncher {
 public:
  SegmentPuncher(leveldb::Env *env, std::string dbname);

  // Of the segment's pages only `pages` stay. They are in the file `source`, which has them where `map` says, or has
  // the segment as it is if that is null. A partial last page stays, too. Adds to *punched the pages of the holes, of
  // which some may have been holes. An error: that of PunchHole() or of looking at the file; some of the holes may be
  // there. REQUIRES: nobody can see what lies in the other pages, and what the segment has is durable.
  leveldb::Status Punch(const SegmentPages &pages, uint64_t source, const SegmentMap *map, uint64_t *punched);

 private:
  leveldb::Env *const env_;
  const std::string dbname_;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_SEGMENT_PUNCHER_H_
