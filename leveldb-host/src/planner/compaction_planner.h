// SPDX-License-Identifier: Apache-2.0
//
// Decides, for one compaction, which input data blocks go into the output tables unchanged (RemapCom, section 4).
//
// The compaction loop is LevelDB's. The planner supplies its input iterator, which knows blocks; its table builder,
// which hands each surviving entry back to the planner; and the decision where an output table ends:
//
//     CompactionInput --entry--> loop --kept--> PlannedTableBuilder::Add --> Reserved() --> state machine of the block
//                                     --dropped----------------------------> Dropped()            |
//                  PagedTableBuilder::Add (rewritten) or AppendKept (remapped) <--- LazyBuffer ---+
//
// In modes base and retain an unchanged block is kept at once. From fill on it waits, together with the unchanged
// blocks after it, until keeping all of them is worth the space, or until another entry has to be written. In skip and
// blend the input does not read blocks that the merge cannot change (CompactionInput); for such a block its metadata
// waits.
//
// In blend the planner also decides which tables of the output level are not merged at all (BlendPlan). They are not in
// the input. When an output table is finished, their blocks are appended to it as further sorted runs.
//
// Not thread-safe: a compaction runs on one thread.
#ifndef OPENREMAP_LEVELDB_HOST_COMPACTION_PLANNER_H_
#define OPENREMAP_LEVELDB_HOST_COMPACTION_PLANNER_H_

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compaction_statistics.h"
#include "leveldb/options.h"
#include "leveldb/slice.h"
#include "merge/block_state.h"
#include "merge/compaction_input.h"
#include "paged_table/kept_block_writer.h"
#include "paged_table/lazy_buffer.h"
#include "paged_table/paged_table_builder.h"
#include "planner/blend_plan.h"
#include "planner/space_budget.h"
#include "remap_env.h"

namespace leveldb {
class Compaction;
class Table;
class TableCache;
}  // namespace leveldb

namespace openremap {

// A table of a level below the one that a compaction writes to. An output table is later merged with the tables of the
// first of these levels that it overlaps.
struct Grandparent {
  std::string largest;  // internal key
  uint64_t bytes = 0;
};

class CompactionPlanner {
 public:
  // Returns null in mode off. `options` are the DB's own, sanitized. Everything that is passed must outlive the
  // planner. `manual`: the compaction was requested by CompactRange, so everything is merged.
  static std::unique_ptr<CompactionPlanner> Create(const leveldb::Options &options, const std::string &dbname,
                                                   leveldb::TableCache *cache, leveldb::Compaction *compaction,
                                                   bool manual);

  // As Create(), for input given as groups of tables whose key ranges do not overlap within a group. Mode skip needs
  // the grandparents; mode blend also needs the tables of the output level and of the levels below the grandparents.
  CompactionPlanner(const leveldb::Options &options, const std::string &dbname, leveldb::TableCache *cache,
                    std::vector<std::vector<TableRef>> groups, int output_level, uint64_t max_table_bytes,
                    std::vector<Grandparent> grandparents = {}, std::vector<LowerTable> lower = {},
                    std::vector<std::vector<Grandparent>> deeper = {});
  ~CompactionPlanner();

  CompactionPlanner(const CompactionPlanner &) = delete;
  CompactionPlanner &operator=(const CompactionPlanner &) = delete;

  // Returns the merged input, which the caller owns and deletes before the planner. REQUIRES: called once.
  leveldb::Iterator *NewInputIterator();

  // Returns a builder for the next output table. REQUIRES: the builder before it is finished or abandoned.
  leveldb::TableBuilder *NewTableBuilder(leveldb::WritableFile *file);

  // Whether the open output table should end before the input's current entry. Once the table is large enough, waits
  // for a block boundary, so that the table does not end with a short block.
  bool TableFull();

  // Whether no table can end before the input's current entry, because it is the last one of an unread block, or
  // because it belongs to the open output table of an attached segment.
  bool MustGoOn();

  // Whether deletions must be kept, because the current entry goes into a table whose other runs are not merged.
  bool KeepsDeletions();

  // Extends the bounds of the output table that was just finished by those of the attached table in it.
  void Widen(leveldb::InternalKey *smallest, leveldb::InternalKey *largest) const;

  // The compaction loop dropped the input's current entry.
  void Dropped();

 private:
  class PlannedTableBuilder;
  class PlannedInput;

  // An unchanged block that waits for its pages to be kept or its entries to be written.
  struct Waiting {
    SourceBlock block;
    LazyBuffer entries;                            // empty: unread
    std::shared_ptr<const leveldb::Iterator> pin;  // holds the values of `entries`, or `table`
    const leveldb::Table *table = nullptr;         // of an unread block
    const BlockMetadata *known = nullptr;          // of it, held by `metadata`
    std::shared_ptr<const TableMetadata> metadata;
  };

  // The input's current entry goes to the output.
  void Reserved(const leveldb::Slice &key, const leveldb::Slice &value);
  void TableEnds();
  bool InsideBlock() const;

  // Opens the input tables and makes the segments. Called before the first entry.
  void Prepare();
  void AddRuns(const std::vector<TableRef> &tables);
  void SetBeneath();
  void PlanBlend();
  std::shared_ptr<const TableMetadata> Metadata(const TableRef &table);
  size_t SegmentOf(const leveldb::Slice &internal_key);
  bool Attaches(size_t segment) const { return segment < segments_.size() && segments_[segment].attaches; }
  void AppendAttached(const AttachedTable &attached, PagedTableBuilder *builder);
  leveldb::Status EverythingAttached(size_t before) const;

  bool MayPass(const BlockMetadata &block);
  void EnterBlock();
  bool MayKeep(const leveldb::Slice &key, const leveldb::Slice &value) const;
  void Unchanged();
  void Write(const leveldb::Slice &key, const leveldb::Slice &value);
  void Release();

  void Decide(bool table_ends);
  bool Pays(bool table_ends);
  void KeepWaiting();
  void RewriteFirstWaiting();
  void RewriteUnread(const Waiting &waiting);

  const leveldb::Options &options_;
  const std::string dbname_;
  leveldb::TableCache *cache_;
  leveldb::ReadOptions read_;
  const int output_level_;
  const uint64_t max_table_bytes_;
  const std::vector<Grandparent> grandparents_;                        // in key order
  size_t next_grandparent_ = 0;                                        // those before it end before the input
  std::vector<std::vector<TableRef>> groups_;                          // of the input, until it is prepared
  std::vector<LowerTable> lower_;                                      // candidates for attachment
  const std::vector<std::vector<Grandparent>> deeper_;                 // by level, each in key order
  std::map<uint64_t, std::shared_ptr<const TableMetadata>> metadata_;  // by table number; null: it has none
  std::vector<Segment> segments_;                                      // empty: nothing is attached
  size_t segment_ = 0;                                                 // those before it end before the input
  size_t open_segment_ = 0;                                            // of the open output table
  const AttachedTable *finished_ = nullptr;                            // in the last output table
  std::vector<SortedRun> runs_;
  std::vector<BlockStateMachine> machines_;  // of the current block of each run
  CompactionInput *input_ = nullptr;         // owned by the caller
  PlannedTableBuilder *builder_ = nullptr;   // of the open output table, owned by the caller
  KeptBlockWriter kept_writer_;
  KeptBlockWriter attached_writer_;  // of attached tables
  size_t traversed_run_ = 0;         // where the last entry came from; runs_.size(): nowhere yet
  bool hold_ = false;                // entries of the traversed block wait in held_
  LazyBuffer held_;                  // of the traversed block; those of waiting_ go before them
  std::deque<Waiting> waiting_;
  const FileSpace space_;  // as the compaction begins
  SpaceBudget budget_;
  uint64_t finished_bytes_ = 0;  // of output tables before the open one
  double flow_fill_;             // how full the builder's own blocks are, as of the last table
  leveldb::Status status_;       // of opening tables, and of reading a block after all
  LevelCounters counters_;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_COMPACTION_PLANNER_H_
