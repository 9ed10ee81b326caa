// SPDX-License-Identifier: Apache-2.0
#include "merge/compaction_input.h"

#include <cassert>
#include <utility>

namespace openremap {

using leveldb::Slice;
using leveldb::Status;

namespace {

constexpr size_t kTagBytes = 8;  // sequence and type, behind the user key

}  // namespace

CompactionInput::CompactionInput(const leveldb::InternalKeyComparator *comparator, std::vector<SortedRun> *runs,
                                 MayPass may_pass)
    : comparator_(comparator), runs_(runs), may_pass_(std::move(may_pass)) {}

void CompactionInput::SeekToFirst() {
  keys_.resize(runs_->size());
  for (size_t i = 0; i < runs_->size(); i++) {
    (*runs_)[i].SeekToFirst();
    Moved(i);
  }
  passed_any_ = false;
  Find();
}

void CompactionInput::Next() {
  assert(Valid());
  passed_any_ = key().size() >= kTagBytes;  // a damaged block may hold anything
  if (passed_any_) passed_user_key_.assign(key().data(), key().size() - kTagBytes);
  (*runs_)[current_].Next();
  Moved(current_);
  Find();
}

void CompactionInput::Moved(size_t run) {
  keys_[run] = (*runs_)[run].Valid() ? (*runs_)[run].key() : Slice(nullptr, 0);
}

Status CompactionInput::status() const {
  if (!misuse_.ok()) return misuse_;
  for (const SortedRun &run : *runs_) {
    if (!run.status().ok()) return run.status();
  }
  return Status::OK();
}

void CompactionInput::Find() {
  for (;;) {
    FindSmallest();
    if (current_ == kNone || !run().Unread() || !run().FirstInBlock() || MayStayUnread()) return;
    (*runs_)[current_].Read();
    Moved(current_);
  }
}

// Whether no entry of the block under the input can be dropped, and none of another run comes before its last one.
bool CompactionInput::MayStayUnread() const {
  const BlockMetadata &block = run().known();
  const leveldb::Comparator *user = comparator_->user_comparator();
  if (!block.plain) return false;
  // Older versions of what went before are the loop's to drop.
  if (passed_any_ && user->Compare(passed_user_key_, leveldb::ExtractUserKey(block.first)) == 0) return false;
  const Slice last = leveldb::ExtractUserKey(block.last);
  for (size_t i = 0; i < keys_.size(); i++) {
    if (i == current_ || keys_[i].data() == nullptr) continue;
    if (user->Compare(leveldb::ExtractUserKey(keys_[i]), last) <= 0) return false;
  }
  return may_pass_ == nullptr || may_pass_(block);
}

bool CompactionInput::OthersFallIn() const {
  if (!run().IsKnown()) return false;
  for (size_t i = 0; i < keys_.size(); i++) {
    if (i == current_ || keys_[i].data() == nullptr) continue;
    if (comparator_->Compare(keys_[i], run().known().last) < 0) return true;
  }
  return false;
}

void CompactionInput::FindSmallest() {
  // Few runs, of which mostly one goes on: a scan beats a heap. The first of equals wins, as in leveldb's merger.
  current_ = kNone;
  for (size_t i = 0; i < keys_.size(); i++) {
    if (keys_[i].data() == nullptr) continue;
    if (current_ == kNone || comparator_->Compare(keys_[i], keys_[current_]) < 0) current_ = i;
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
