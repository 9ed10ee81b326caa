// SPDX-License-Identifier: Apache-2.0
#include "prefetching_iterator.h"

#include "table/format.h"
#include "util/coding.h"

namespace openremap {

using leveldb::Iterator;
using leveldb::Slice;

bool BlockSource::Holds(uint64_t block_offset) const {
  if (cache == nullptr) return false;
  char key[2 * sizeof(uint64_t)];  // as Table::BlockReader makes it
  leveldb::EncodeFixed64(key, cache_id);
  leveldb::EncodeFixed64(key + sizeof(uint64_t), block_offset);
  leveldb::Cache::Handle *const found = cache->Lookup(Slice(key, sizeof(key)));
  if (found != nullptr) cache->Release(found);
  return found != nullptr;
}

void BlockSource::Prefetch(const std::vector<std::unique_ptr<Iterator>> &indexes) const {
  std::vector<FileRange> blocks;
  for (const auto &index : indexes) {
    if (!index->Valid()) continue;
    Slice encoded = index->value();
    leveldb::BlockHandle block;
    if (!block.DecodeFrom(&encoded).ok() || Holds(block.offset())) continue;
    blocks.push_back({block.offset(), block.size() + leveldb::kBlockTrailerSize});
  }
  // A single one is read as soon by who needs it.
  if (blocks.size() > 1) file->Prefetch(blocks);
}

void PrefetchingIterator::SeekToFirst() {
  for (const auto &index : indexes_) index->SeekToFirst();
  source_.Prefetch(indexes_);
  merged_->SeekToFirst();
}

void PrefetchingIterator::SeekToLast() {
  for (const auto &index : indexes_) index->SeekToLast();
  source_.Prefetch(indexes_);
  merged_->SeekToLast();
}

void PrefetchingIterator::Seek(const Slice &target) {
  for (const auto &index : indexes_) index->Seek(target);
  source_.Prefetch(indexes_);
  merged_->Seek(target);
}

}  // namespace openremap
