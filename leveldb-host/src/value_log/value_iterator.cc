// SPDX-License-Identifier: Apache-2.0
#include "value_log/value_iterator.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace openremap {

using leveldb::Slice;
using leveldb::Status;

void ValueIterator::Moved() {
  const std::lock_guard<std::mutex> lock(mutex_);
  read_ = false;
  failed_ = false;
}

void ValueIterator::SeekToFirst() {
  ahead_.clear();
  forwards_ = 0;
  tagged_->SeekToFirst();
  Moved();
}

void ValueIterator::SeekToLast() {
  ahead_.clear();
  forwards_ = 0;
  tagged_->SeekToLast();
  Moved();
}

void ValueIterator::Seek(const Slice &target) {
  ahead_.clear();
  forwards_ = 0;
  tagged_->Seek(target);
  Moved();
}

void ValueIterator::Next() {
  if (failed_) return;
  if (ahead_.empty()) {
    tagged_->Next();
  } else {
    ahead_.pop_front();
  }
  Moved();
  forwards_++;
  if (forwards_ == 1) window_ = 1;
  if (forwards_ > 1 && ahead_.empty() && tagged_->Valid()) RunAhead();
}

void ValueIterator::Prev() {
  if (failed_) return;
  forwards_ = 0;
  if (!ahead_.empty()) {
    const std::string current = std::move(ahead_.front().key);
    ahead_.clear();
    tagged_->Seek(current);
  }
  if (tagged_->Valid()) tagged_->Prev();
  Moved();
}

// Twice as far each time: a short scan reads little in vain.
void ValueIterator::RunAhead() {
  window_ = std::min(2 * window_, kMostAhead);
  std::vector<ValuePointer> pointers;
  uint64_t bytes = 0;
  for (; tagged_->Valid() && ahead_.size() < window_ && bytes < kMostBytesAhead; tagged_->Next()) {
    ahead_.push_back({tagged_->key().ToString(), tagged_->value().ToString()});
    TaggedValue value;
    if (!ParseTagged(ahead_.back().tagged, &value)) continue;
    bytes += ahead_.back().tagged.size();
    if (!value.separated) continue;
    bytes += value.pointer.bytes;
    pointers.push_back(value.pointer);
  }
  if (pointers.size() > 1) log_->Prefetch(pointers);
}

Slice ValueIterator::value() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (read_) return value_;
  if (failed_) return Slice();
  const Slice tagged = ahead_.empty() ? tagged_->value() : Slice(ahead_.front().tagged);
  TaggedValue value;
  Status s;
  if (!ParseTagged(tagged, &value)) {
    s = Status::Corruption("value log", "a value without a valid tag");
  } else if (!value.separated) {
    return value.value;
  } else {
    s = log_->Read(value.pointer, &value_);
  }
  if (!s.ok()) {
    if (status_.ok()) status_ = s;
    failed_ = true;
    return Slice();
  }
  read_ = true;
  return value_;
}

Status ValueIterator::status() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return status_.ok() ? tagged_->status() : status_;
}

}  // namespace openremap
