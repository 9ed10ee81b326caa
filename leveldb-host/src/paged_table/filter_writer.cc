// SPDX-License-Identifier: Apache-2.0
#include "paged_table/filter_writer.h"

#include <cassert>

#include "util/coding.h"

namespace openremap {

using leveldb::Slice;
using leveldb::Status;

namespace {

constexpr unsigned kBaseLg = 11;  // a filter for each 2 KiB of file offsets, upstream's only choice

}  // namespace

void FilterWriter::StartBlock(uint64_t offset) {
  const uint64_t index = offset >> kBaseLg;
  assert(index >= offsets_.size());
  while (index > offsets_.size()) EndFilter();
}

void FilterWriter::AddKey(const Slice &key) {
  starts_.push_back(keys_.size());
  keys_.append(key.data(), key.size());
}

void FilterWriter::SetFilter(const Slice &filter) {
  assert(starts_.empty());
  offsets_.push_back(static_cast<uint32_t>(result_.size()));
  result_.append(filter.data(), filter.size());
}

void FilterWriter::EndFilter() {
  offsets_.push_back(static_cast<uint32_t>(result_.size()));
  if (starts_.empty()) return;
  std::vector<Slice> keys;
  for (size_t i = 0; i < starts_.size(); i++) {
    const size_t end = i + 1 < starts_.size() ? starts_[i + 1] : keys_.size();
    keys.emplace_back(keys_.data() + starts_[i], end - starts_[i]);
  }
  policy_->CreateFilter(keys.data(), static_cast<int>(keys.size()), &result_);
  keys_.clear();
  starts_.clear();
}

Slice FilterWriter::Finish() {
  if (!starts_.empty()) EndFilter();
  const uint32_t end = static_cast<uint32_t>(result_.size());
  for (uint32_t offset : offsets_) leveldb::PutFixed32(&result_, offset);
  leveldb::PutFixed32(&result_, end);
  result_.push_back(static_cast<char>(kBaseLg));
  return result_;
}

Status FilterSource::Parse(const Slice &contents, FilterSource *source) {
  const Status bad = Status::Corruption("filter block");
  constexpr size_t kTail = sizeof(uint32_t) + 1;
  if (contents.size() < kTail || contents[contents.size() - 1] != static_cast<char>(kBaseLg)) return bad;
  const uint32_t end = leveldb::DecodeFixed32(contents.data() + contents.size() - kTail);
  if (end > contents.size() - kTail || (contents.size() - 1 - end) % sizeof(uint32_t) != 0) return bad;
  source->filters_ = Slice(contents.data(), end);
  // The word that says where the offsets begin is also where the last filter ends.
  source->offsets_ = Slice(contents.data() + end, contents.size() - 1 - end);
  return Status::OK();
}

bool FilterSource::Find(uint64_t offset, Slice *filter) const {
  const uint64_t index = offset >> kBaseLg;
  if (index + 1 >= offsets_.size() / sizeof(uint32_t)) return false;
  const uint32_t begin = leveldb::DecodeFixed32(offsets_.data() + index * sizeof(uint32_t));
  const uint32_t end = leveldb::DecodeFixed32(offsets_.data() + (index + 1) * sizeof(uint32_t));
  if (begin > end || end > filters_.size()) return false;
  *filter = Slice(filters_.data() + begin, end - begin);
  return true;
}

}  // namespace openremap
