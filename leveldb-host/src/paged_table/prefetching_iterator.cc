// SPDX-License-Identifier: Apache-2.0
#include "paged_table/prefetching_iterator.h"

#include "leveldb/table.h"
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

const std::vector<std::unique_ptr<Iterator>> &PrefetchingIterator::Indexes() {
  for (size_t run = indexes_.size(); run < table_.Runs(); run++) indexes_.emplace_back(table_.NewIndexIterator(run));
  sought_.resize(indexes_.size(), UINT64_MAX);
  return indexes_;
}

void PrefetchingIterator::Prefetch() {
  std::vector<FileRange> blocks;
  for (size_t run = 0; run < indexes_.size(); run++) {
    if (!indexes_[run]->Valid()) continue;
    Slice encoded = indexes_[run]->value();
    leveldb::BlockHandle block;
    if (!block.DecodeFrom(&encoded).ok() || block.offset() == sought_[run]) continue;
    sought_[run] = block.offset();
    if (source_.Holds(block.offset())) continue;
    blocks.push_back({block.offset(), block.size() + leveldb::kBlockTrailerSize});
  }
  // A single one is read as soon by who needs it.
  if (blocks.size() > 1) source_.file->Prefetch(blocks);
}

void PrefetchingIterator::SeekToFirst() {
  for (const auto &index : Indexes()) index->SeekToFirst();
  Prefetch();
  merged_->SeekToFirst();
}

void PrefetchingIterator::SeekToLast() {
  for (const auto &index : Indexes()) index->SeekToLast();
  Prefetch();
  merged_->SeekToLast();
}

void PrefetchingIterator::Seek(const Slice &target) {
  for (const auto &index : Indexes()) index->Seek(target);
  Prefetch();
  merged_->Seek(target);
}

}  // namespace openremap
