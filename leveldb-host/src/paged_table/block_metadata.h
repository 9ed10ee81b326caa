// SPDX-License-Identifier: Apache-2.0
//
// Metadata of data blocks, kept in the table's index beside the block's handle. With it a merge finds blocks that it
// does not change without reading them.
//
// Format of an index entry. The key is the block's last internal key; stock LevelDB writes any short key up to the next
// block. The value begins with the block's handle, as LevelDB's does, so stock LevelDB can read it. There follow three
// varints: the number of entries, flags (1: plain), and the number of bytes that the first internal key shares with the
// last; then the rest of the first internal key.
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

// Whether tables of this mode have block metadata, and compactions use it.
constexpr bool HasBlockMetadata(RemapMode mode) { return mode == RemapMode::kSkip || mode == RemapMode::kBlend; }

struct BlockMetadata {
  uint64_t offset = 0;   // bytes, in its table; a multiple of kPageBytes
  uint64_t size = 0;     // bytes as stored, without the block trailer
  leveldb::Slice first;  // internal keys
  leveldb::Slice last;
  uint64_t entries = 0;
  bool plain = false;  // no deletion and no two versions of a user key, so that a merge drops none of its entries

  // The block's filter in the table's filter block. Set only when read, and only if the options have a filter policy.
  leveldb::Slice filter;

  SourceBlock In(uint64_t file_number) const { return {file_number, offset, size}; }
  std::string EncodedHandle() const;
};

// Sets *value to the value of the index entry for a block at `handle`. Ignores block.offset and block.size. The entry's
// key is block.last.
void EncodeIndexValue(const leveldb::BlockHandle &handle, const BlockMetadata &block, std::string *value);

// Builds a block's metadata from its entries. Not thread-safe.
class BlockSummary {
 public:
  // REQUIRES: options.comparator is a leveldb::InternalKeyComparator.
  explicit BlockSummary(const leveldb::Options &options) : comparator_(options.comparator) {}

  void Add(const leveldb::Slice &internal_key);
  bool empty() const { return block_.entries == 0; }

  // Returns the metadata without offset and size. Valid until the next Add(), which begins another block.
  BlockMetadata Take();

 private:
  const leveldb::Comparator *comparator_;
  BlockMetadata block_;  // but for its keys
  std::string first_;
  std::string last_;
};

// The metadata of all blocks of a table. Keys and filters are valid as long as this object lives. Immutable.
class TableMetadata {
 public:
  TableMetadata() = default;
  TableMetadata(const TableMetadata &) = delete;
  TableMetadata &operator=(const TableMetadata &) = delete;

  // *result stays null if the table has no metadata, or has no filters although the options have a policy.
  static leveldb::Status Read(const leveldb::Options &options, const std::string &fname, uint64_t file_size,
                              std::shared_ptr<const TableMetadata> *result);

  // Number of sorted runs; more than one only in mode blend. Run 0 is the newest.
  size_t runs() const { return runs_.size(); }

  // The data blocks of a run, in key order.
  const std::vector<BlockMetadata> &blocks(size_t run = 0) const { return runs_[run]; }

 private:
  leveldb::Slice Keep(const leveldb::Slice &key, size_t shared, const leveldb::Slice &rest);

  std::vector<std::vector<BlockMetadata>> runs_;
  leveldb::Arena keys_;
  std::string filters_;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BLOCK_METADATA_H_
