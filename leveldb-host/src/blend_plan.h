// SPDX-License-Identifier: Apache-2.0
//
// What a compaction in mode blend does with each table of the level it writes to. The key space is cut into segments, one
// behind the other. In a segment that hangs, one table of that level goes into one output table as it is, all its runs,
// and the entries of the upper level that fall into the segment become the newest run beside them. In the others tables
// are merged as in any mode.
//
// A table hangs unless
//  - it, or a table of the upper level, has no metadata of its blocks (another mode wrote it),
//  - it would have more runs than Options::remap.blend_runs,
//  - it would be larger than two tables, which bounds what one compaction has to merge later,
//  - nothing is known to fall into it, so that its output could have no newest run,
//  - versions of one user key lie in it and in the table beside it: merging one without the other could drop a deletion
//    and bring back what it hides.
#ifndef OPENREMAP_LEVELDB_HOST_BLEND_PLAN_H_
#define OPENREMAP_LEVELDB_HOST_BLEND_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "block_metadata.h"
#include "db/dbformat.h"
#include "leveldb/slice.h"
#include "sorted_run.h"
#include "source_block.h"

namespace openremap {

// A table of the level that a compaction writes to.
struct LowerTable {
  TableRef table;
  std::string smallest;  // internal keys
  std::string largest;
};

struct HungBlock {
  SourceBlock block;
  const BlockMetadata *known = nullptr;
};

// A table that goes into an output table as it is.
struct HungTable {
  LowerTable lower;
  std::shared_ptr<const TableMetadata> metadata;  // holds what `runs` points to
  std::vector<std::vector<HungBlock>> runs;       // newest first
};

struct Segment {
  bool hangs = false;
  std::string end;           // the last user key that belongs to it; the last segment has all that follow as well
  uint64_t table_bytes = 0;  // where its output tables are to end; one that hangs has a single one
  HungTable hung;
  bool begun = false;  // it has an output table
};

// All blocks of a table, from its indexes; false where they do not agree with its metadata.
using BlockLister = std::function<bool(const TableRef &, const TableMetadata &, std::vector<std::vector<HungBlock>> *)>;

class BlendPlan {
 public:
  BlendPlan(const leveldb::InternalKeyComparator *comparator, size_t most_runs, uint64_t max_table_bytes)
      : comparator_(comparator), most_runs_(most_runs), max_table_bytes_(max_table_bytes) {}

  // `lower` in key order, not empty; `metadata` gives null for a table that has none. `merged` gets the lower tables that
  // do not hang, in order.
  std::vector<Segment> Make(const std::vector<TableRef> &upper, const std::vector<LowerTable> &lower,
                            const MetadataReader &metadata, const BlockLister &list_blocks,
                            std::vector<TableRef> *merged) const;

 private:
  struct Share {
    uint64_t bytes = 0;  // of the upper level, about
    bool any = false;    // an entry is known to be there
  };

  std::vector<Share> Shares(const std::vector<std::shared_ptr<const TableMetadata>> &upper_metadata,
                            const std::vector<TableRef> &upper, const std::vector<LowerTable> &lower) const;
  bool SharesUserKey(const LowerTable &table, const LowerTable &next) const;

  const leveldb::InternalKeyComparator *comparator_;
  const size_t most_runs_;
  const uint64_t max_table_bytes_;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BLEND_PLAN_H_
