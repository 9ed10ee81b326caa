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
// Thread-safety: none needed, a compaction runs on one thread.
#ifndef OPENREMAP_LEVELDB_HOST_COMPACTION_PLANNER_H_
#define OPENREMAP_LEVELDB_HOST_COMPACTION_PLANNER_H_

#include <cstdint>
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

namespace leveldb {
class Compaction;
class TableCache;
}  // namespace leveldb

namespace openremap {

class CompactionPlanner {
 public:
  // Null in mode off. `options` are the DB's own (sanitized) ones; everything passed must outlive the planner.
  static std::unique_ptr<CompactionPlanner> Create(const leveldb::Options &options, const std::string &dbname,
                                                   leveldb::TableCache *cache, leveldb::Compaction *compaction);

  // As Create, for input that is given as sorted runs of tables, newest run first.
  CompactionPlanner(const leveldb::Options &options, const std::string &dbname, leveldb::TableCache *cache,
                    const std::vector<std::vector<TableRef>> &runs, int output_level, uint64_t max_table_bytes);
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

  // The entry under the input does not go to the output.
  void Dropped();

 private:
  class PlannedTableBuilder;

  // The entry under the input goes to the output.
  void Reserved(const leveldb::Slice &key, const leveldb::Slice &value);
  void TableEnds();

  void EnterBlock();
  bool MayKeep(const leveldb::Slice &key, const leveldb::Slice &value) const;
  void Release();
  void Keep();

  const leveldb::Options &options_;
  const int output_level_;
  const uint64_t max_table_bytes_;
  std::vector<SortedRun> runs_;
  std::vector<BlockStateMachine> machines_;  // of the current block of each run
  CompactionInput *input_ = nullptr;         // owned by the caller
  PlannedTableBuilder *builder_ = nullptr;   // of the open output table, owned by the caller
  KeptBlockWriter kept_writer_;
  size_t traversed_run_;  // where the last entry came from; runs_.size(): nowhere yet
  bool hold_ = false;     // entries of the traversed block wait in held_
  LazyBuffer held_;
  LevelCounters counters_;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_COMPACTION_PLANNER_H_
