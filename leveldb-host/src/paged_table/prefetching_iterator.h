// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_LEVELDB_HOST_PREFETCHING_ITERATOR_H_
#define OPENREMAP_LEVELDB_HOST_PREFETCHING_ITERATOR_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "leveldb/cache.h"
#include "leveldb/iterator.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"
#include "prefetching_file.h"

namespace leveldb {
class Table;
}  // namespace leveldb

namespace openremap {

// The source of an open table's data blocks.
struct BlockSource {
  const PrefetchingFile *file = nullptr;  // null: no prefetching
  leveldb::Cache *cache = nullptr;        // null: blocks are not cached
  uint64_t cache_id = 0;                  // of the table, what LevelDB's cache keys begin with

  // Whether the cache has the block at this offset.
  bool Holds(uint64_t block_offset) const;
};

// An iterator over the merged runs of a table that prefetches. A seek first looks up the block of each run in the
// indexes, which are in memory, and prefetches these blocks in parallel. The runs' own seeks then wait for one device
// read in all instead of one each. Not thread-safe.
class PrefetchingIterator : public leveldb::Iterator {
 public:
  // `merged` iterates over the runs of `table`. REQUIRES: `table` outlives this, and source.file is not null.
  PrefetchingIterator(std::unique_ptr<leveldb::Iterator> merged, const leveldb::Table &table, const BlockSource &source)
      : merged_(std::move(merged)), table_(table), source_(source) {}

  bool Valid() const override { return merged_->Valid(); }
  void SeekToFirst() override;
  void SeekToLast() override;
  void Seek(const leveldb::Slice &target) override;
  void Next() override { merged_->Next(); }
  void Prev() override { merged_->Prev(); }
  leveldb::Slice key() const override { return merged_->key(); }
  leveldb::Slice value() const override { return merged_->value(); }
  leveldb::Status status() const override { return merged_->status(); }

 private:
  // The runs' indexes. Opened by the first seek, because some iterators are never used for one.
  const std::vector<std::unique_ptr<leveldb::Iterator>> &Indexes();
  // Prefetches the blocks that the indexes point to, if more than one has to be read.
  void Prefetch();

  const std::unique_ptr<leveldb::Iterator> merged_;
  const leveldb::Table &table_;
  const BlockSource source_;
  std::vector<std::unique_ptr<leveldb::Iterator>> indexes_;
  // The block of the last seek in each run; its iterator may hold it without the cache.
  std::vector<uint64_t> sought_;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_PREFETCHING_ITERATOR_H_
