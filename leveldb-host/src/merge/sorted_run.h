// SPDX-License-Identifier: Apache-2.0
//
// One sorted run of a compaction's input, block by block. Where tables have metadata of their blocks, a block is read
// only when that is asked for.
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
  size_t run = 0;  // which of its sorted runs, newest first
};

// Null for a table without metadata of its blocks.
using MetadataReader = std::function<std::shared_ptr<const TableMetadata>(const TableRef &)>;

// Walks one run of each of some tables whose key ranges do not overlap, in order, forwards only. A table or block that cannot be read is passed
// over and latched in status(), as leveldb's two-level iterator does.
//
// A block with metadata begins unread: key() is its first key, value() is not there. Read() turns it into one whose
// entries are all walked; without, it is passed as two keys, the first and the last (one, if it has a single entry).
class SortedRun {
 public:
  // `metadata` null: every block is read.
  SortedRun(const leveldb::ReadOptions &options, leveldb::TableCache *cache, std::vector<TableRef> tables,
            MetadataReader metadata = nullptr);

  void SeekToFirst();
  bool Valid() const { return place_ != Place::kEnd; }

  // REQUIRES: Valid(). Slices live until the run moves; value() lives as long as entries().
  void Next();
  leveldb::Slice key() const;
  leveldb::Slice value() const { return Unread() ? leveldb::Slice() : entries_->value(); }
  const SourceBlock &block() const { return block_; }
  const TableRef &table() const { return tables_[next_table_ - 1]; }
  bool FirstInBlock() const { return place_ == Place::kUnreadFirst || (!Unread() && first_in_block_); }
  bool LastInBlock() const;

  // Whether the block has not been read.
  bool Unread() const { return place_ == Place::kUnreadFirst || place_ == Place::kUnreadLast; }

  // The block's metadata, alive as long as metadata(). REQUIRES: Valid() and IsKnown(), which unread blocks are.
  bool IsKnown() const { return known_ != nullptr; }
  const BlockMetadata &known() const { return *known_; }
  std::shared_ptr<const TableMetadata> metadata() const { return metadata_; }

  // Reads the block and stands on its first entry; on a block that can be read, if this one cannot. REQUIRES: Unread()
  // and FirstInBlock().
  void Read();

  // Keeps the block of a value() loaded. REQUIRES: Valid() and not Unread().
  std::shared_ptr<const leveldb::Iterator> entries() const { return entries_; }

  // The table that the block is in, and what keeps it open. REQUIRES: Valid().
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
