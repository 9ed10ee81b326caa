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

// Where the data blocks of an open table are read from.
struct BlockSource {
  const PrefetchingFile *file = nullptr;  // null: nothing is prefetched
  leveldb::Cache *cache = nullptr;        // null: no block is kept
  uint64_t cache_id = 0;                  // of the table, what LevelDB's cache keys begin with

  // Whether the block that begins there lies in the cache.
  bool Holds(uint64_t block_offset) const;
};

// The merged runs of a table. A seek is first made in the indexes, which are in memory, and the block of each run is asked
// for; then the seeks that read them, one after the other, wait for one read of the device in place of one each.
class PrefetchingIterator : public leveldb::Iterator {
 public:
  // `merged`: the runs of `table`, which outlives this. REQUIRES: source.file is not null.
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
  // The runs' indexes; made for the first seek, as some iterators only keep their table open.
  const std::vector<std::unique_ptr<leveldb::Iterator>> &Indexes();
  // The blocks that the indexes stand on, if several have to be read.
  void Prefetch();

  const std::unique_ptr<leveldb::Iterator> merged_;
  const leveldb::Table &table_;
  const BlockSource source_;
  std::vector<std::unique_ptr<leveldb::Iterator>> indexes_;
  // Of each run the block of the last seek, which its iterator may hold without the cache.
  std::vector<uint64_t> sought_;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_PREFETCHING_ITERATOR_H_
