// SPDX-License-Identifier: Apache-2.0
//
// Decides, for one compaction, which input data blocks go into the output tables as they are (RemapCom, section 4).
//
// The compaction loop stays LevelDB's. The planner supplies its input (which knows blocks), its table builder (which
// hands each surviving entry back to the planner) and the place where an output table ends:
//
//     CompactionInput --entry--> loop --kept--> PlannedTableBuilder::Add --> Reserved() --> state machine of the block
//                                     --dropped----------------------------> Dropped()            |
//                  PagedTableBuilder::Add (rewritten) or AppendKept (remapped) <--- LazyBuffer ---+
//
// An unchanged block is kept at once in modes base and retain. From fill on it waits with those that follow it until
// keeping them all pays, or until something else has to be written. In skip and blend the input does not read what it
// need not (CompactionInput); such a block waits as its metadata.
//
// In blend the planner also says which tables of the output level are not merged at all (BlendPlan). Those are not in the
// input: their blocks follow the output table's own, as further sorted runs, when it is finished.
//
// Thread-safety: none needed, a compaction runs on one thread.
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

namespace leveldb {
class Compaction;
class Table;
class TableCache;
}  // namespace leveldb

namespace openremap {

// A table of a level below the one that a compaction writes to. What an output table overlaps of the first of these levels is
// merged with it later.
struct Grandparent {
  std::string largest;  // internal key
  uint64_t bytes = 0;
};

class CompactionPlanner {
 public:
  // Null in mode off. `options` are the DB's own (sanitized) ones; everything passed must outlive the planner.
  // `manual`: somebody asked for this compaction, so everything is merged.
  static std::unique_ptr<CompactionPlanner> Create(const leveldb::Options &options, const std::string &dbname,
                                                   leveldb::TableCache *cache, leveldb::Compaction *compaction,
                                                   bool manual);

  // As Create, for input that is given as groups of tables whose key ranges do not overlap within a group; in mode
  // skip the grandparents; in mode blend the tables of the output level, and those of the levels below the grandparents.
  CompactionPlanner(const leveldb::Options &options, const std::string &dbname, leveldb::TableCache *cache,
                    std::vector<std::vector<TableRef>> groups, int output_level, uint64_t max_table_bytes,
                    std::vector<Grandparent> grandparents = {}, std::vector<LowerTable> lower = {},
                    std::vector<std::vector<Grandparent>> deeper = {});
  ~CompactionPlanner();

  CompactionPlanner(const CompactionPlanner &) = delete;
  CompactionPlanner &operator=(const CompactionPlanner &) = delete;

  // The merged input. Call once; the caller owns it and deletes it before the planner.
  leveldb::Iterator *NewInputIterator();

  // A builder for the next output table. Call again only when the one before is finished or abandoned.
  leveldb::TableBuilder *NewTableBuilder(leveldb::WritableFile *file);

  // Whether the open output table should end before the entry under the input. Asks for a block boundary once the
  // table is large enough, so that ending it does not leave a short block behind.
  bool TableFull();

  // Whether no table can end before the entry under the input: it is the last of a block that is not read, or the open
  // table is one with an attached run and the entry belongs to it.
  bool MustGoOn();

  // Whether deletions have to stay, because the entry under the input goes into a table whose other runs are not merged.
  bool KeepsDeletions();

  // Widens the bounds of the output table that has just been finished by those of the attached table in it.
  void Widen(leveldb::InternalKey *smallest, leveldb::InternalKey *largest) const;

  // The entry under the input does not go to the output.
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

  // The entry under the input goes to the output.
  void Reserved(const leveldb::Slice &key, const leveldb::Slice &value);
  void TableEnds();
  bool InsideBlock() const;

  // Opens the input tables and decides what attaches; before the first entry.
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
  std::vector<LowerTable> lower_;                                      // that may hang
  const std::vector<std::vector<Grandparent>> deeper_;                 // by level, each in key order
  std::map<uint64_t, std::shared_ptr<const TableMetadata>> metadata_;  // by table number; null: it has none
  std::vector<Segment> segments_;                                      // empty: nothing hangs
  size_t segment_ = 0;                                                 // those before it end before the input
  size_t open_segment_ = 0;                                            // of the open output table
  const AttachedTable *finished_ = nullptr;                            // in the last output table
  std::vector<SortedRun> runs_;
  std::vector<BlockStateMachine> machines_;  // of the current block of each run
  CompactionInput *input_ = nullptr;         // owned by the caller
  PlannedTableBuilder *builder_ = nullptr;   // of the open output table, owned by the caller
  KeptBlockWriter kept_writer_;
  size_t traversed_run_ = 0;  // where the last entry came from; runs_.size(): nowhere yet
  bool hold_ = false;         // entries of the traversed block wait in held_
  LazyBuffer held_;           // of the traversed block; those of waiting_ go before them
  std::deque<Waiting> waiting_;
  SpaceBudget budget_;
  uint64_t finished_bytes_ = 0;  // of output tables before the open one
  double flow_fill_;             // how full the builder's own blocks are, as of the last table
  leveldb::Status status_;       // of opening tables, and of reading a block after all
  LevelCounters counters_;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_COMPACTION_PLANNER_H_
