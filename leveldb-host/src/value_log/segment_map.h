// SPDX-License-Identifier: Apache-2.0
//
// Segments of the value log that the collector `remap` has moved to a file of their own, without their dead pages
// (docs/design/value-log.md).
#ifndef OPENREMAP_LEVELDB_HOST_SEGMENT_MAP_H_
#define OPENREMAP_LEVELDB_HOST_SEGMENT_MAP_H_

#include <cstdint>
#include <string>
#include <vector>

#include "leveldb/env.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"

namespace openremap {

// A set of pages of a segment.
class SegmentPages {
 public:
  // Those that have any of these bytes. REQUIRES: bytes > 0.
  void Add(uint64_t offset, uint64_t bytes);
  bool Has(uint64_t page) const { return page < pages_.size() && pages_[page]; }
  uint64_t count() const { return count_; }
  // One behind the last.
  uint64_t end() const { return pages_.size(); }

 private:
  std::vector<bool> pages_;
  uint64_t count_ = 0;
};

// Which pages of a segment a file has: they lie in it in their order, from its first byte on. Behind them it has this
// map, so that the file says by itself what it is:
//
//     segment varint64 | runs varint64 | for each: pages left out before it varint64, pages varint64
//     bytes of the above fixed32 | CRC-32C of the above, masked, fixed32 | magic fixed64
class SegmentMap {
 public:
  struct Run {
    uint64_t first = 0;  // page of the segment
    uint64_t pages = 0;
    uint64_t at = 0;  // page of the file
  };

  SegmentMap() = default;
  SegmentMap(uint64_t segment, const SegmentPages &pages);

  uint64_t segment() const { return segment_; }
  uint64_t pages() const { return pages_; }
  // In the order of the file, which is that of the segment.
  const std::vector<Run> &runs() const { return runs_; }
  // Sets *at to where the file has these bytes of the segment. False: it does not have all of them.
  bool Find(uint64_t offset, uint64_t bytes, uint64_t *at) const;

  void EncodeTo(std::string *out) const;
  // Reads the map behind the pages of a file. Corruption: there is none.
  static leveldb::Status Read(leveldb::Env *env, const std::string &fname, SegmentMap *map);

 private:
  bool Decode(leveldb::Slice input);

  uint64_t segment_ = 0;
  uint64_t pages_ = 0;
  std::vector<Run> runs_;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_SEGMENT_MAP_H_
