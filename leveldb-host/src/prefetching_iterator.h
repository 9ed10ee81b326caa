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

namespace openremap {

// Where the data blocks of an open table are read from.
struct BlockSource {
  const PrefetchingFile *file = nullptr;  // null: nothing is prefetched
  leveldb::Cache *cache = nullptr;        // null: no block is kept
  uint64_t cache_id = 0;                  // of the table, what LevelDB's cache keys begin with

  // The blocks that these index iterators stand on, if several have to be read.
  void Prefetch(const std::vector<std::unique_ptr<leveldb::Iterator>> &indexes) const;
  bool Holds(uint64_t block_offset) const;
};

// The merged runs of a table. A seek is first made in the indexes, which are in memory, and the block of each run is asked
// for; then the seeks that read them, one after the other, wait for one read of the device in place of one each.
class PrefetchingIterator : public leveldb::Iterator {
 public:
  // `merged`, and the indexes of the runs that it merges.
  PrefetchingIterator(std::unique_ptr<leveldb::Iterator> merged,
                      std::vector<std::unique_ptr<leveldb::Iterator>> indexes, const BlockSource &source)
      : merged_(std::move(merged)), indexes_(std::move(indexes)), source_(source) {}

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
  const std::unique_ptr<leveldb::Iterator> merged_;
  const std::vector<std::unique_ptr<leveldb::Iterator>> indexes_;
  const BlockSource source_;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_PREFETCHING_ITERATOR_H_
