// SPDX-License-Identifier: Apache-2.0
//
// What a compaction in mode blend does with each table of the level it writes to. The key space is cut into segments, one
// behind the other. In a segment with an attached run, one table of that level goes into one output table as it is, all its runs,
// and the entries of the upper level that fall into the segment become the newest run beside them. In the others tables
// are merged as in any mode.
//
// A table hangs unless
//  - it, or a table of the upper level, has no metadata of its blocks (another mode wrote it),
//  - it would have more runs than Options::remap.blend_runs,
//  - its newer runs would hold more than Options::remap.blend_space_percent of its oldest one and of what lies under it in
//    deeper levels, in bytes or in entries: each entry may hide one, and a deletion hides more than it takes. So tables of
//    the deepest level, where nearly all of the data is, are merged early, and those of upper levels, which hide little of
//    the whole, late,
//  - it would be larger than two tables, which bounds what one compaction has to merge later,
//  - the tables of the next level that fall into it hold more than kWidestTables full ones: its output, which cannot end
//    early as merged ones do, would span them all, and its own compaction would write them anew, twice the space until it ends,
//  - nothing is known to fall into it, so that its output could have no newest run,
//  - versions of one user key lie in it and in the table beside it: merging one without the other could drop a deletion
//    and bring back what it hides.
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

namespace openremap {

// A table of the level that a compaction writes to.
struct LowerTable {
  TableRef table;
  std::string smallest;  // internal keys
  std::string largest;
  uint64_t beneath = 0;     // bytes of deeper levels that fall into it, about
  uint64_t next_level = 0;  // of them those of the level right below
};

// Upstream ends a table over ten full ones of the next level, and lets a compaction grow to twenty-five: room for that level to
// grow under a attached table.
constexpr uint64_t kWidestTables = 25;

// A table that goes into an output table as it is, all blocks of its metadata.
struct AttachedTable {
  LowerTable lower;
  std::shared_ptr<const TableMetadata> metadata;
};

struct Segment {
  bool attaches = false;
  std::string end;           // the last user key that belongs to it; the last segment has all that follow as well
  uint64_t table_bytes = 0;  // where its output tables are to end; one with an attached run has a single one
  AttachedTable attached;
  bool begun = false;  // it has an output table
};

class BlendPlan {
 public:
  // `space_percent`: Options::remap.blend_space_percent.
  BlendPlan(const leveldb::InternalKeyComparator *comparator, size_t most_runs, int space_percent,
            uint64_t max_table_bytes)
      : comparator_(comparator),
        most_runs_(most_runs),
        space_share_(space_percent / 100.0),
        max_table_bytes_(max_table_bytes) {}

  // `lower` in key order, not empty; `metadata` gives null for a table that has none. `merged` gets the lower tables that
  // do not hang, in order.
  std::vector<Segment> Make(const std::vector<TableRef> &upper, const std::vector<LowerTable> &lower,
                            const MetadataReader &metadata, std::vector<TableRef> *merged) const;

 private:
  // Of the upper level, about.
  struct Share {
    uint64_t bytes = 0;
    uint64_t entries = 0;
    bool any = false;  // an entry is known to be there
  };

  std::vector<Share> Shares(const std::vector<std::shared_ptr<const TableMetadata>> &upper_metadata,
                            const std::vector<TableRef> &upper, const std::vector<LowerTable> &lower) const;
  bool SharesUserKey(const LowerTable &table, const LowerTable &next) const;
  // Whether it as another run would still leave the table within its runs and its space.
  bool HasRoom(const LowerTable &table, const TableMetadata &metadata, const Share &share) const;

  const leveldb::InternalKeyComparator *comparator_;
  const size_t most_runs_;
  const double space_share_;
  const uint64_t max_table_bytes_;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BLEND_PLAN_H_
