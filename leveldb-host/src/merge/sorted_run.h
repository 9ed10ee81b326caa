// SPDX-License-Identifier: Apache-2.0
//
// One sorted run of a compaction's input, block by block. If the tables have block metadata, a block is read only on
// demand.
#ifndef OPENREMAP_LEVELDB_HOST_SORTED_RUN_H_
#define OPENREMAP_LEVELDB_HOST_SORTED_RUN_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "leveldb/iterator.h"
#include "leveldb/options.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"
#include "paged_table/block_metadata.h"
#include "paged_table/source_block.h"

namespace leveldb {
class Table;
class TableCache;
}  // namespace leveldb

namespace openremap {

struct TableRef {
  uint64_t number = 0;
  uint64_t file_size = 0;
  size_t run = 0;  // index of the sorted run in the table, newest first
};

// Returns the metadata of a table, or null if it has none.
using MetadataReader = std::function<std::shared_ptr<const TableMetadata>(const TableRef &)>;

// A forward-only iterator over one run of each of some tables, whose key ranges do not overlap. Skips a table or block
// that cannot be read and keeps the error in status(), as leveldb's two-level iterator does. Not thread-safe.
//
// A block with metadata begins unread: key() is its first key, and it has no value(). After Read(), the iterator visits
// all of its entries. Otherwise it visits two keys, the first and the last, or one if the block has a single entry.
class SortedRun {
 public:
  // If `metadata` is null, every block is read.
  SortedRun(const leveldb::ReadOptions &options, leveldb::TableCache *cache, std::vector<TableRef> tables,
            MetadataReader metadata = nullptr);

  void SeekToFirst();
  bool Valid() const { return place_ != Place::kEnd; }

  // Slices are valid until the run moves; value() is valid as long as entries() is held. REQUIRES: Valid().
  void Next();
  leveldb::Slice key() const;
  leveldb::Slice value() const { return Unread() ? leveldb::Slice() : entries_->value(); }
  const SourceBlock &block() const { return block_; }
  const TableRef &table() const { return tables_[next_table_ - 1]; }
  bool FirstInBlock() const { return place_ == Place::kUnreadFirst || (!Unread() && first_in_block_); }
  bool LastInBlock() const;

  // Whether the block has not been read.
  bool Unread() const { return place_ == Place::kUnreadFirst || place_ == Place::kUnreadLast; }

  // The block's metadata, valid as long as metadata() is held. Unread blocks always have it. REQUIRES: Valid() and
  // IsKnown().
  bool IsKnown() const { return known_ != nullptr; }
  const BlockMetadata &known() const { return *known_; }
  std::shared_ptr<const TableMetadata> metadata() const { return metadata_; }

  // Reads the block and moves to its first entry, or to the next readable block if this one cannot be read. REQUIRES:
  // Unread() and FirstInBlock().
  void Read();

  // Keeps the block of value() loaded while it is held. REQUIRES: Valid() and not Unread().
  std::shared_ptr<const leveldb::Iterator> entries() const { return entries_; }

  // The table that has the block, and a reference that keeps it open. REQUIRES: Valid().
  const leveldb::Table &opened() const { return *table_; }
  std::shared_ptr<const leveldb::Iterator> pin() const { return pin_; }

  leveldb::Status status() const { return status_; }

 private:
  enum class Place { kEnd, kUnreadFirst, kUnreadLast, kEntry };

  void Latch(const leveldb::Status &status);
  bool OpenNextTable();
  void EnterBlocksUntilEntry();
  bool ReadBlock(const leveldb::Slice &handle);
  void NextBlock();

  leveldb::ReadOptions options_;
  leveldb::TableCache *cache_;
  std::vector<TableRef> tables_;
  MetadataReader read_metadata_;
  size_t next_table_ = 0;
  std::shared_ptr<leveldb::Iterator> pin_;  // keeps table_ open
  leveldb::Table *table_ = nullptr;
  std::shared_ptr<const TableMetadata> metadata_;  // of table_; stands in for its index
  size_t block_number_ = 0;                        // in metadata_
  std::unique_ptr<leveldb::Iterator> index_;       // of table_, where it has no metadata
  const BlockMetadata *known_ = nullptr;
  Place place_ = Place::kEnd;
  std::shared_ptr<leveldb::Iterator> entries_;  // of the current block, on an entry; null: unread, or the end
  uint64_t entries_left_ = 0;                   // of a block with metadata, the entry that it is on included
  const char *last_value_end_ = nullptr;        // of one without, where the value of its last entry ends
  bool first_in_block_ = false;
  SourceBlock block_;
  leveldb::Status status_;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_SORTED_RUN_H_
