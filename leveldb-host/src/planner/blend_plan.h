// SPDX-License-Identifier: Apache-2.0
//
// Decides what a compaction in mode blend does with each table of the level that it writes to. The key space is divided
// into consecutive segments. In an attached segment, one table of that level goes into one output table unchanged, with
// all of its runs, and the entries of the upper level in the segment become the newest run beside them. In all other
// segments tables are merged as in the other modes.
//
// A table is attached unless
//  - it, or a table of the upper level, has no block metadata because another mode wrote it,
//  - it would have more runs than Options::remap.blend_runs,
//  - with BlendRule::kRuns, its runs and those of the upper level's tables in the segment are together more than
//    blend_runs. This is the rule of KVSSD (DATE 2018, section III.C), where the number of levels that the pages of a
//    new table are from may be at most TH. Tables of level 0 count as one run, as they are of one level,
//  - with BlendRule::kSpace, its newer runs would exceed Options::remap.blend_space_percent of its oldest run and of
//    the data of deeper levels in its key range, in bytes or in entries. Both count, because each entry may hide
//    another, and a deletion hides more than its own size. So tables of the deepest level, which has nearly all of the
//    data, are merged early; tables of upper levels, which hide little of the whole, are merged late,
//  - it would be larger than two tables, which bounds what a later compaction has to merge,
//  - the tables of the next level in its key range hold more than kWidestTables full ones. Its output cannot end early
//    as merged outputs do, so it would span them all, and its own compaction would rewrite them and need twice their
//    space meanwhile,
//  - no entry is known to fall into it, so that its output might have no newest run,
//  - it and the adjacent table have versions of the same user key. Merging only one of the two could drop a deletion
//    and bring back the entry that it hides.
#ifndef OPENREMAP_LEVELDB_HOST_BLEND_PLAN_H_
#define OPENREMAP_LEVELDB_HOST_BLEND_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "db/dbformat.h"
#include "leveldb/slice.h"
#include "merge/sorted_run.h"
#include "paged_table/block_metadata.h"
#include "remap_options.h"

namespace openremap {

// A table of the level that a compaction writes to.
struct LowerTable {
  TableRef table;
  std::string smallest;  // internal keys
  std::string largest;
  uint64_t beneath = 0;     // approximate bytes of deeper levels in its key range
  uint64_t next_level = 0;  // of these, bytes of the next level
};

// LevelDB ends a table that overlaps ten full tables of the next level, and lets a compaction grow to twenty-five. The
// difference is room for that level to grow under an attached table.
constexpr uint64_t kWidestTables = 25;

// A table that goes into an output table unchanged: all blocks of its metadata.
struct AttachedTable {
  LowerTable lower;
  std::shared_ptr<const TableMetadata> metadata;
};

struct Segment {
  bool attaches = false;
  std::string end;           // last user key of the segment; the last segment also has all later keys
  uint64_t table_bytes = 0;  // target size of its output tables; an attached segment has one output table
  AttachedTable attached;
  bool begun = false;  // its output table exists
};

class BlendPlan {
 public:
  // `space_percent`: Options::remap.blend_space_percent, of no meaning with the rule kRuns.
  BlendPlan(const leveldb::InternalKeyComparator *comparator, BlendRule rule, size_t most_runs, int space_percent,
            uint64_t max_table_bytes)
      : comparator_(comparator),
        rule_(rule),
        most_runs_(most_runs),
        space_share_(space_percent / 100.0),
        max_table_bytes_(max_table_bytes) {}

  // `metadata` returns null for a table without metadata. Sets *merged to the lower tables that are not attached, in
  // order. REQUIRES: `lower` is in key order and not empty.
  std::vector<Segment> Make(const std::vector<TableRef> &upper, const std::vector<LowerTable> &lower,
                            const MetadataReader &metadata, std::vector<TableRef> *merged) const;

 private:
  // Approximate share of the upper level in a segment.
  struct Share {
    uint64_t bytes = 0;
    uint64_t entries = 0;
    size_t runs = 0;   // most that a table of the upper level has which has entries there
    bool any = false;  // at least one entry is known to be in the segment
  };

  std::vector<Share> Shares(const std::vector<std::shared_ptr<const TableMetadata>> &upper_metadata,
                            const std::vector<TableRef> &upper, const std::vector<LowerTable> &lower) const;
  bool SharesUserKey(const LowerTable &table, const LowerTable &next) const;
  // Whether the table may take the share as a further run, by the rule.
  bool HasRoom(const LowerTable &table, const TableMetadata &metadata, const Share &share) const;

  const leveldb::InternalKeyComparator *comparator_;
  const BlendRule rule_;
  const size_t most_runs_;
  const double space_share_;
  const uint64_t max_table_bytes_;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BLEND_PLAN_H_
