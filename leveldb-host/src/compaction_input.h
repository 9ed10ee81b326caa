// SPDX-License-Identifier: Apache-2.0
//
// The merged input of a compaction, like VersionSet::MakeInputIterator(), that also tells which data block of which
// sorted run each entry comes from.
#ifndef OPENREMAP_LEVELDB_HOST_COMPACTION_INPUT_H_
#define OPENREMAP_LEVELDB_HOST_COMPACTION_INPUT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "leveldb/comparator.h"
#include "leveldb/iterator.h"
#include "leveldb/options.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"
#include "source_block.h"

namespace leveldb {
class Table;
class TableCache;
}  // namespace leveldb

namespace openremap {

struct TableRef {
  uint64_t number = 0;
  uint64_t file_size = 0;
};

// Walks tables whose key ranges do not overlap, in order, forwards only. A table or block that cannot be read is passed
// over and latched in status(), as leveldb's two-level iterator does.
class SortedRun {
 public:
  SortedRun(const leveldb::ReadOptions &options, leveldb::TableCache *cache, std::vector<TableRef> tables);

  void SeekToFirst();
  bool Valid() const { return entries_ != nullptr; }

  // REQUIRES: Valid(). Slices live until the run moves; value() lives until the run leaves the block.
  void Next();
  leveldb::Slice key() const { return entries_->key(); }
  leveldb::Slice value() const { return entries_->value(); }
  const SourceBlock &block() const { return block_; }
  bool FirstInBlock() const { return first_in_block_; }
  bool LastInBlock() const;

  leveldb::Status status() const { return status_; }

 private:
  void Latch(const leveldb::Status &status);
  bool OpenNextTable();
  void LoadBlocksUntilEntry();

  leveldb::ReadOptions options_;
  leveldb::TableCache *cache_;
  std::vector<TableRef> tables_;
  size_t next_table_ = 0;
  std::unique_ptr<leveldb::Iterator> pin_;  // keeps table_ open
  leveldb::Table *table_ = nullptr;
  std::unique_ptr<leveldb::Iterator> index_;
  std::unique_ptr<leveldb::Iterator> entries_;  // of the current block, on an entry; null: the end
  const char *last_value_end_ = nullptr;        // where the value of the block's last entry ends
  bool first_in_block_ = false;
  SourceBlock block_;
  leveldb::Status status_;
};

// Forward-only iterator over the merge of some runs. The runs must outlive it.
class CompactionInput : public leveldb::Iterator {
 public:
  CompactionInput(const leveldb::Comparator *comparator, std::vector<SortedRun> *runs);

  bool Valid() const override { return current_ != kNone; }
  void SeekToFirst() override;
  void Next() override;
  leveldb::Slice key() const override { return run().key(); }
  leveldb::Slice value() const override { return run().value(); }
  leveldb::Status status() const override;

  // A compaction never moves any other way.
  void SeekToLast() override;
  void Seek(const leveldb::Slice &target) override;
  void Prev() override;

  // Index of the run that the current entry comes from. REQUIRES: Valid().
  size_t current() const { return current_; }
  const SortedRun &run() const { return (*runs_)[current_]; }

 private:
  static constexpr size_t kNone = SIZE_MAX;

  void FindSmallest();

  const leveldb::Comparator *comparator_;
  std::vector<SortedRun> *runs_;
  size_t current_ = kNone;
  leveldb::Status misuse_;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_COMPACTION_INPUT_H_
