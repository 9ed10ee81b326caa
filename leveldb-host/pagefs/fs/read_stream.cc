// SPDX-License-Identifier: Apache-2.0
#include "pagefs/fs/read_stream.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "pagefs/fs/inode.h"

namespace openremap {

using leveldb::Status;

namespace {

// Gets of popular blocks are neighbours now and then, twice in a row as well.
constexpr int kFollowingBeforeWindow = 3;

}  // namespace

std::unique_ptr<char[]> NewPages(uint64_t pages) {
  return std::unique_ptr<char[]>(new char[static_cast<size_t>(pages * kPageBytes)]);
}

Status ReadExactly(const PageReader &read, uint64_t offset, size_t n, char *out) {
  const uint64_t first = offset / kPageBytes;
  const uint64_t pages = PagesOf(offset + n) - first;
  const std::unique_ptr<char[]> data = NewPages(pages);
  Status s = read(first, pages, data.get());
  if (s.ok()) std::memcpy(out, data.get() + offset % kPageBytes, n);
  return s;
}

// ---- ReadWindows ----------------------------------------------------------------------------------------------------

void ReadWindows::Add(ReadStream *stream) {
  Remove(stream);
  streams_.push_back(stream);
  if (streams_.size() > kMost) streams_.front()->DropWindow();
}

void ReadWindows::Remove(const ReadStream *stream) {
  streams_.erase(std::remove(streams_.begin(), streams_.end(), stream), streams_.end());
}

// ---- ReadStream -----------------------------------------------------------------------------------------------------

void ReadStream::Begin(uint64_t end) {
  DropWindow();
  length_ = 0;
  following_ = 0;
  end_ = end;
}

void ReadStream::DropWindow() {
  if (window_pages_ == 0) return;
  windows_->Remove(this);
  window_.reset();
  window_pages_ = 0;
}

void ReadStream::BeginWith(std::unique_ptr<char[]> pages, uint64_t first, uint64_t count, uint64_t begin) {
  Begin(begin);
  window_ = std::move(pages);
  window_first_ = first;
  window_pages_ = count;
  windows_->Add(this);
}

bool ReadStream::Holds(uint64_t offset, size_t n) const {
  return window_pages_ != 0 && offset >= window_first_ * kPageBytes && offset + n <= WindowEnd() * kPageBytes;
}

bool ReadStream::Follows(uint64_t offset) const {
  return offset >= end_ && offset / kPageBytes <= PagesOf(end_) + length_;
}

// 0: what was asked for, and no more.
uint64_t ReadStream::NextLength(uint64_t asked) const {
  if (length_ == 0) {
    return following_ < kFollowingBeforeWindow ? 0 : std::clamp(2 * asked, kFirstPages, kMostPages);
  }
  if (used_ >= length_) return std::min(2 * length_, kMostPages);
  // A command costs as much as five pages of a window.
  if (4 * used_ >= length_ && length_ > kFirstPages) return length_;
  if (2 * used_ >= length_) return length_;
  return length_ / 2 < kFirstPages ? 0 : length_ / 2;
}

// REQUIRES: Holds.
void ReadStream::Serve(uint64_t offset, size_t n, char *out) {
  std::memcpy(out, window_.get() + (offset - window_first_ * kPageBytes), n);
  if (offset < end_) return;  // once more
  const uint64_t behind = PagesOf(offset + n);
  used_ += behind - std::min(behind, std::max(offset / kPageBytes, passed_));
  passed_ = std::max(passed_, behind);
  end_ = offset + n;
  if (length_ == 0 || end_ >= WindowEnd() * kPageBytes) DropWindow();
}

Status ReadStream::Read(const PageReader &read, uint64_t offset, size_t n, uint64_t file_pages, char *out) {
  if (Holds(offset, n)) {
    Serve(offset, n, out);
    return Status::OK();
  }
  assert(Follows(offset));
  const uint64_t first = offset / kPageBytes;
  const uint64_t behind = PagesOf(offset + n);
  following_++;
  const uint64_t length = NextLength(behind - first);
  if (length == 0) {
    if (length_ != 0) Begin(offset + n);
    DropWindow();  // of BeginWith, whose read did not come
    end_ = offset + n;
    return ReadExactly(read, offset, n, out);
  }

  // The last page of the old window may be the first one of these.
  const uint64_t held = first < WindowEnd() ? WindowEnd() - first : 0;
  const uint64_t from = first + held;
  const uint64_t until = std::max(behind, std::min(from + length, file_pages));
  std::unique_ptr<char[]> pages = NewPages(until - first);
  if (held != 0) {
    std::memcpy(pages.get(), window_.get() + (first - window_first_) * kPageBytes,
                static_cast<size_t>(held * kPageBytes));
  }
  Status s = read(from, until - from, pages.get() + held * kPageBytes);
  if (!s.ok()) {
    Begin(offset + n);
    // What was read ahead is not what was asked for.
    return until > behind ? ReadExactly(read, offset, n, out) : s;
  }
  window_ = std::move(pages);
  window_first_ = first;
  window_pages_ = until - first;
  length_ = until - from;
  used_ = 0;
  passed_ = from;
  windows_->Add(this);
  Serve(offset, n, out);
  return s;
}

}  // namespace openremap
