// SPDX-License-Identifier: Apache-2.0
#include "compaction_input.h"

#include <cassert>
#include <utility>

#include "db/table_cache.h"
#include "leveldb/table.h"

namespace openremap {

using leveldb::Slice;
using leveldb::Status;

SortedRun::SortedRun(const leveldb::ReadOptions &options, leveldb::TableCache *cache, std::vector<TableRef> tables)
    : options_(options), cache_(cache), tables_(std::move(tables)) {}

void SortedRun::Latch(const Status &status) {
  if (status_.ok() && !status.ok()) status_ = status;
}

void SortedRun::SeekToFirst() {
  next_table_ = 0;
  index_.reset();
  LoadBlocksUntilEntry();
}

bool SortedRun::LastInBlock() const {
  const Slice last = entries_->value();
  return last.data() + last.size() == last_value_end_;
}

void SortedRun::Next() {
  assert(Valid());
  if (LastInBlock()) {
    index_->Next();
    LoadBlocksUntilEntry();
    return;
  }
  entries_->Next();
  first_in_block_ = false;
  if (!entries_->Valid()) {  // a damaged block: entries that the restart array does not agree with
    Latch(entries_->status());
    Latch(Status::Corruption("data block ends before its last entry"));
    index_->Next();
    LoadBlocksUntilEntry();
  }
}

bool SortedRun::OpenNextTable() {
  while (next_table_ < tables_.size()) {
    const TableRef &ref = tables_[next_table_++];
    index_.reset();
    pin_.reset(cache_->NewIterator(options_, ref.number, ref.file_size, &table_));
    if (table_ == nullptr) {
      Latch(pin_->status());
      continue;
    }
    block_.file_number = ref.number;
    index_.reset(table_->NewIndexIterator());
    index_->SeekToFirst();
    return true;
  }
  return false;
}

void SortedRun::LoadBlocksUntilEntry() {
  entries_.reset();
  for (;;) {
    if (index_ == nullptr || !index_->Valid()) {
      if (index_ != nullptr) Latch(index_->status());
      if (!OpenNextTable()) return;
      continue;
    }
    std::unique_ptr<leveldb::Iterator> entries(table_->NewBlockIterator(options_, index_->value()));
    Slice encoded = index_->value();
    leveldb::BlockHandle handle;
    Latch(handle.DecodeFrom(&encoded));
    // The last entry is told by where its value ends, because an iterator cannot look ahead.
    entries->SeekToLast();
    if (entries->Valid()) last_value_end_ = entries->value().data() + entries->value().size();
    entries->SeekToFirst();
    Latch(entries->status());
    if (entries->Valid()) {
      block_.offset = handle.offset();
      block_.size = handle.size();
      first_in_block_ = true;
      entries_ = std::move(entries);
      return;
    }
    index_->Next();
  }
}

CompactionInput::CompactionInput(const leveldb::Comparator *comparator, std::vector<SortedRun> *runs)
    : comparator_(comparator), runs_(runs) {}

void CompactionInput::SeekToFirst() {
  for (SortedRun &run : *runs_) run.SeekToFirst();
  FindSmallest();
}

void CompactionInput::Next() {
  assert(Valid());
  (*runs_)[current_].Next();
  FindSmallest();
}

Status CompactionInput::status() const {
  if (!misuse_.ok()) return misuse_;
  for (const SortedRun &run : *runs_) {
    if (!run.status().ok()) return run.status();
  }
  return Status::OK();
}

void CompactionInput::FindSmallest() {
  // Few runs (level-0 tables and one level): a scan beats a heap. The first of equals wins, as in leveldb's merger.
  current_ = kNone;
  for (size_t i = 0; i < runs_->size(); i++) {
    const SortedRun &run = (*runs_)[i];
    if (run.Valid() && (current_ == kNone || comparator_->Compare(run.key(), (*runs_)[current_].key()) < 0)) {
      current_ = i;
    }
  }
}

void CompactionInput::SeekToLast() {
  current_ = kNone;
  misuse_ = Status::NotSupported("compaction input moves forwards only");
}

void CompactionInput::Seek(const Slice &target) {
  (void)target;
  SeekToLast();
}

void CompactionInput::Prev() { SeekToLast(); }

}  // namespace openremap
