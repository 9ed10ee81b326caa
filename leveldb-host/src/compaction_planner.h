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
// An unchanged block is kept at once in modes base and retain. In fill and skip it waits with those that follow it until
// keeping them all pays, or until something else has to be written. In skip the input does not read what it need not
// (CompactionInput); such a block waits as its metadata.
//
// Thread-safety: none needed, a compaction runs on one thread.
#ifndef OPENREMAP_LEVELDB_HOST_COMPACTION_PLANNER_H_
#define OPENREMAP_LEVELDB_HOST_COMPACTION_PLANNER_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "block_state.h"
#include "compaction_input.h"
#include "compaction_statistics.h"
#include "kept_block_writer.h"
#include "lazy_buffer.h"
#include "leveldb/options.h"
#include "leveldb/slice.h"
#include "paged_table_builder.h"
#include "space_budget.h"

namespace leveldb {
class Compaction;
class TableCache;
}  // namespace leveldb

namespace openremap {

// A table two levels below a compaction's inputs: what an output table overlaps of them is merged with it later.
struct Grandparent {
  std::string largest;  // internal key
  uint64_t bytes = 0;
};

class CompactionPlanner {
 public:
  // Null in mode off. `options` are the DB's own (sanitized) ones; everything passed must outlive the planner.
  static std::unique_ptr<CompactionPlanner> Create(const leveldb::Options &options, const std::string &dbname,
                                                   leveldb::TableCache *cache, leveldb::Compaction *compaction);

  // As Create, for input that is given as sorted runs of tables, newest run first, and in mode skip the grandparents.
  CompactionPlanner(const leveldb::Options &options, const std::string &dbname, leveldb::TableCache *cache,
                    const std::vector<std::vector<TableRef>> &runs, int output_level, uint64_t max_table_bytes,
                    std::vector<Grandparent> grandparents = {});
  ~CompactionPlanner();

  CompactionPlanner(const CompactionPlanner &) = delete;
  CompactionPlanner &operator=(const CompactionPlanner &) = delete;

  // The merged input. Call once; the caller owns it and deletes it before the planner.
  leveldb::Iterator *NewInputIterator();

  // A builder for the next output table. Call again only when the one before is finished or abandoned.
  leveldb::TableBuilder *NewTableBuilder(leveldb::WritableFile *file);

  // Whether the open output table should end before the entry under the input. Asks for a block boundary once the
  // table is large enough, so that ending it does not leave a short block behind.
  bool TableFull() const;

  // Whether the entry under the input is the last of a block that is not read: no table can end before it.
  bool InsideBlock() const;

  // The entry under the input does not go to the output.
  void Dropped();

 private:
  class PlannedTableBuilder;

  // An unchanged block that waits for its pages to be kept or its entries to be written.
  struct Waiting {
    SourceBlock block;
    uint64_t table_bytes = 0;
    LazyBuffer entries;                            // empty: unread
    std::shared_ptr<const leveldb::Iterator> pin;  // holds the values of `entries`
    const BlockMetadata *known = nullptr;          // of an unread block, held by `metadata`
    std::shared_ptr<const TableMetadata> metadata;

    uint64_t Entries() const { return known != nullptr ? known->entries : entries.size(); }
  };

  // The entry under the input goes to the output.
  void Reserved(const leveldb::Slice &key, const leveldb::Slice &value);
  void TableEnds();

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
  uint64_t HeldEntries() const;

  const leveldb::Options &options_;
  const std::string dbname_;
  leveldb::TableCache *cache_;
  leveldb::ReadOptions read_;
  const int output_level_;
  const uint64_t max_table_bytes_;
  const std::vector<Grandparent> grandparents_;  // in key order
  size_t next_grandparent_ = 0;                  // those before it end before the input
  std::vector<SortedRun> runs_;
  std::vector<BlockStateMachine> machines_;  // of the current block of each run
  CompactionInput *input_ = nullptr;         // owned by the caller
  PlannedTableBuilder *builder_ = nullptr;   // of the open output table, owned by the caller
  KeptBlockWriter kept_writer_;
  size_t traversed_run_;  // where the last entry came from; runs_.size(): nowhere yet
  bool hold_ = false;     // entries of the traversed block wait in held_
  LazyBuffer held_;       // of the traversed block; those of waiting_ go before them
  std::deque<Waiting> waiting_;
  SpaceBudget budget_;
  uint64_t finished_bytes_ = 0;  // of output tables before the open one
  double flow_fill_;             // how full the builder's own blocks are, as of the last table
  leveldb::Status status_;       // of reading a block after all
  LevelCounters counters_;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_COMPACTION_PLANNER_H_
