// SPDX-License-Identifier: Apache-2.0
//
// What a merge learns of a data block by reading it, kept in the table's index beside the block's place: with it a block that
// nothing falls into is found without being read.
//
// The key of an index entry is the block's last internal key itself, where stock LevelDB takes any short one up to the next
// block. Its value begins with the block's handle, as LevelDB's does; readers that look no further, stock LevelDB among them,
// ignore what follows (varints): entries, flags (1: plain), bytes that the first internal key shares with the last; then the
// rest of the first internal key.
#ifndef OPENREMAP_LEVELDB_HOST_BLOCK_METADATA_H_
#define OPENREMAP_LEVELDB_HOST_BLOCK_METADATA_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "leveldb/options.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"
#include "paged_table/source_block.h"
#include "table/format.h"
#include "util/arena.h"

namespace openremap {

// Whether the mode writes it, and compactions look at it.
constexpr bool HasBlockMetadata(RemapMode mode) { return mode == RemapMode::kSkip || mode == RemapMode::kBlend; }

struct BlockMetadata {
  uint64_t offset = 0;   // bytes, in its table; a multiple of kPageBytes
  uint64_t size = 0;     // bytes as stored, without the block trailer
  leveldb::Slice first;  // internal keys
  leveldb::Slice last;
  uint64_t entries = 0;
  bool plain = false;  // no deletion and no two versions of a user key: a merge has nothing of its own to drop

  // The block's filter in its table's filter block. Only as read, and where the options have a filter policy.
  leveldb::Slice filter;

  SourceBlock In(uint64_t file_number) const { return {file_number, offset, size}; }
  std::string EncodedHandle() const;
};

// *value: that of the index entry of a block at `handle`, of which offset and size in `block` say nothing; its key is
// block.last.
void EncodeIndexValue(const leveldb::BlockHandle &handle, const BlockMetadata &block, std::string *value);

// Gathers a block's metadata from its entries.
class BlockSummary {
 public:
  // REQUIRES: options.comparator is a leveldb::InternalKeyComparator.
  explicit BlockSummary(const leveldb::Options &options) : comparator_(options.comparator) {}

  void Add(const leveldb::Slice &internal_key);
  bool empty() const { return block_.entries == 0; }

  // The block, but for its place; valid until the next Add, which begins another.
  BlockMetadata Take();

 private:
  const leveldb::Comparator *comparator_;
  BlockMetadata block_;  // but for its keys
  std::string first_;
  std::string last_;
};

// All that a table says of its blocks. Keys and filters live as long as it does.
class TableMetadata {
 public:
  TableMetadata() = default;
  TableMetadata(const TableMetadata &) = delete;
  TableMetadata &operator=(const TableMetadata &) = delete;

  // *result stays null where the table has none, or no filters though the options have a policy.
  static leveldb::Status Read(const leveldb::Options &options, const std::string &fname, uint64_t file_size,
                              std::shared_ptr<const TableMetadata> *result);

  // Sorted runs, newest first: one, but for tables of mode blend.
  size_t runs() const { return runs_.size(); }

  // Of a run, in key order, one for each data block.
  const std::vector<BlockMetadata> &blocks(size_t run = 0) const { return runs_[run]; }

 private:
  leveldb::Slice Keep(const leveldb::Slice &key, size_t shared, const leveldb::Slice &rest);

  std::vector<std::vector<BlockMetadata>> runs_;
  leveldb::Arena keys_;
  std::string filters_;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BLOCK_METADATA_H_
