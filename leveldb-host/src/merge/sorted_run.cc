// SPDX-License-Identifier: Apache-2.0
#include "merge/sorted_run.h"

#include <cassert>
#include <utility>

#include "db/table_cache.h"
#include "leveldb/table.h"

namespace openremap {

using leveldb::Slice;
using leveldb::Status;

SortedRun::SortedRun(const leveldb::ReadOptions &options, leveldb::TableCache *cache, std::vector<TableRef> tables,
                     MetadataReader metadata)
    : options_(options), cache_(cache), tables_(std::move(tables)), read_metadata_(std::move(metadata)) {}

void SortedRun::Latch(const Status &status) {
  if (status_.ok() && !status.ok()) status_ = status;
}

void SortedRun::SeekToFirst() {
  next_table_ = 0;
  index_.reset();
  metadata_.reset();
  EnterBlocksUntilEntry();
}

Slice SortedRun::key() const {
  if (place_ == Place::kEntry) return entries_->key();
  return place_ == Place::kUnreadFirst ? known_->first : known_->last;
}

bool SortedRun::LastInBlock() const {
  if (place_ == Place::kUnreadLast) return true;
  if (place_ == Place::kUnreadFirst) return known_->entries == 1;
  if (known_ != nullptr) return entries_left_ == 1;
  const Slice last = entries_->value();
  return last.data() + last.size() == last_value_end_;
}

void SortedRun::NextBlock() {
  if (index_ != nullptr) index_->Next();
  block_number_++;
  EnterBlocksUntilEntry();
}

void SortedRun::Next() {
  assert(Valid());
  if (LastInBlock()) {
    if (place_ == Place::kEntry && known_ != nullptr) {
      entries_->Next();
      if (entries_->Valid()) Latch(Status::Corruption("data block has more entries than its metadata says"));
      Latch(entries_->status());
    }
    NextBlock();
    return;
  }
  if (place_ == Place::kUnreadFirst) {
    place_ = Place::kUnreadLast;
    return;
  }
  entries_->Next();
  if (known_ != nullptr) entries_left_--;
  first_in_block_ = false;
  if (!entries_->Valid()) {  // a damaged block: entries that the restart array does not agree with
    Latch(entries_->status());
    Latch(Status::Corruption("data block ends before its last entry"));
    NextBlock();
  }
}

bool SortedRun::OpenNextTable() {
  while (next_table_ < tables_.size()) {
    const TableRef &ref = tables_[next_table_++];
    index_.reset();
    metadata_.reset();
    pin_.reset(cache_->NewIterator(options_, ref.number, ref.file_size, &table_));
    if (table_ == nullptr) {
      Latch(pin_->status());
      continue;
    }
    block_.file_number = ref.number;
    metadata_ = read_metadata_ ? read_metadata_(ref) : nullptr;
    if (metadata_ != nullptr && ref.run >= metadata_->runs()) metadata_ = nullptr;
    block_number_ = 0;
    if (metadata_ == nullptr) {
      index_.reset(table_->NewIndexIterator(ref.run));
      index_->SeekToFirst();
    }
    return true;
  }
  return false;
}

void SortedRun::EnterBlocksUntilEntry() {
  for (;;) {
    entries_.reset();
    place_ = Place::kEnd;
    known_ = nullptr;
    if (metadata_ != nullptr && block_number_ < metadata_->blocks(table().run).size()) {
      known_ = &metadata_->blocks(table().run)[block_number_];
      block_.offset = known_->offset;
      block_.size = known_->size;
      place_ = Place::kUnreadFirst;
      return;
    }
    if (index_ == nullptr || !index_->Valid()) {
      if (index_ != nullptr) Latch(index_->status());
      if (!OpenNextTable()) return;
      continue;
    }
    Slice encoded = index_->value();
    leveldb::BlockHandle handle;
    Latch(handle.DecodeFrom(&encoded));
    block_.offset = handle.offset();
    block_.size = handle.size();
    if (ReadBlock(index_->value())) return;
    index_->Next();
  }
}

void SortedRun::Read() {
  assert(place_ == Place::kUnreadFirst);
  if (!ReadBlock(known_->EncodedHandle())) {
    NextBlock();
  } else if (entries_->key() != known_->first) {
    Latch(Status::Corruption("metadata names another first key than the data block has"));
  }
}

bool SortedRun::ReadBlock(const Slice &handle) {
  std::unique_ptr<leveldb::Iterator> entries(table_->NewBlockIterator(options_, handle));
  if (known_ != nullptr) {
    entries_left_ = known_->entries;
  } else {
    // The last entry is told by where its value ends, because an iterator cannot look ahead.
    entries->SeekToLast();
    if (entries->Valid()) last_value_end_ = entries->value().data() + entries->value().size();
  }
  entries->SeekToFirst();
  Latch(entries->status());
  if (!entries->Valid()) {
    Latch(Status::Corruption("data block without entries"));  // as one that reads as zeros; none is written
    return false;
  }
  first_in_block_ = true;
  // A block of a mapped file does not own its bytes: they are there as long as the table is open.
  entries_.reset(entries.release(), [table = pin_](leveldb::Iterator *of_block) { delete of_block; });
  place_ = Place::kEntry;
  return true;
}

}  // namespace openremap
