// SPDX-License-Identifier: Apache-2.0
//
// What a merge learns of a data block by reading it, kept in a meta block of the table ("openremap.blocks" in its
// metaindex; where a table has several sorted runs, one for each, named by the run directory): with it a block that nothing
// falls into is found without being read. Stock LevelDB passes over meta blocks that it does not know.
//
// The meta block has LevelDB's block format, with an entry for each data block, in order. The key is the first internal
// key of the data block; the value (varints): offset in the table / 4096, entries, flags (1: plain), bytes that the last
// internal key shares with the first; then the rest of the last internal key.
#ifndef OPENREMAP_LEVELDB_HOST_BLOCK_METADATA_H_
#define OPENREMAP_LEVELDB_HOST_BLOCK_METADATA_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "leveldb/options.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"
#include "table/block_builder.h"

namespace openremap {

constexpr char kBlockMetadataName[] = "openremap.blocks";

// Whether the mode writes it, and compactions look at it.
constexpr bool HasBlockMetadata(RemapMode mode) { return mode == RemapMode::kSkip || mode == RemapMode::kBlend; }

struct BlockMetadata {
  uint64_t offset = 0;  // bytes, in its table; a multiple of kPageBytes
  std::string first;    // internal keys
  std::string last;
  uint64_t entries = 0;
  bool plain = false;  // no deletion and no two versions of a user key: a merge has nothing of its own to drop

  // The block's filter in its table's filter block. Only as read, and where the options have a filter policy.
  leveldb::Slice filter;
};

// Gathers a block's metadata from its entries.
class BlockSummary {
 public:
  // REQUIRES: options.comparator is a leveldb::InternalKeyComparator.
  explicit BlockSummary(const leveldb::Options &options) : comparator_(options.comparator) {}

  void Add(const leveldb::Slice &internal_key);
  bool empty() const { return block_.entries == 0; }

  // The block, at `offset`; the next Add begins another.
  BlockMetadata Take(uint64_t offset);

 private:
  const leveldb::Comparator *comparator_;
  BlockMetadata block_;
};

class BlockMetadataWriter {
 public:
  explicit BlockMetadataWriter(const leveldb::Options &options);

  void Add(const BlockMetadata &block);
  leveldb::BlockBuilder *block() { return &builder_; }

 private:
  const leveldb::Options options_;
  leveldb::BlockBuilder builder_;
};

// All that a table says of its blocks.
class TableMetadata {
 public:
  // *result stays null where the table has none, or no filters though the options have a policy.
  static leveldb::Status Read(const leveldb::Options &options, const std::string &fname, uint64_t file_size,
                              std::shared_ptr<const TableMetadata> *result);

  // Sorted runs, newest first: one, but for tables of mode blend.
  size_t runs() const { return runs_.size(); }

  // Of a run, in key order, one for each data block.
  const std::vector<BlockMetadata> &blocks(size_t run = 0) const { return runs_[run]; }

 private:
  std::vector<std::vector<BlockMetadata>> runs_;
  std::string filters_;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BLOCK_METADATA_H_
