// SPDX-License-Identifier: Apache-2.0
#include "pagefs/device/journal_page_device.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace openremap {

using leveldb::Status;

JournalPageDevice::JournalPageDevice(PageDevice *below, bool data)
    : PassingPageDevice(below),
      data_(data),
      ring_(std::max(kLeastPages, below->Pages() / kShare)),
      control_(below->NewMemory(kPageBytes)) {
  assert(below->Pages() > ring_);
  std::memset(control_, 0x4a, kPageBytes);
}

JournalPageDevice::~JournalPageDevice() { below_->FreeMemory(control_); }

// The next pages of the ring.
void JournalPageDevice::Append(const char *data, uint64_t pages, std::vector<WriteRun> *out) {
  while (pages != 0) {
    const uint64_t part = std::min(pages, ring_ - next_);
    out->push_back({Pages() + next_, part, data, 0, PageKind::kMetadata});
    next_ = (next_ + part) % ring_;
    data += part * kPageBytes;
    pages -= part;
  }
}

void JournalPageDevice::AppendControl(std::vector<WriteRun> *out) {
  Append(control_, 1, out);
  stats_.control_pages++;
}

void JournalPageDevice::Copy(const WriteRun &run, std::vector<WriteRun> *out) {
  for (uint64_t done = 0; done < run.pages;) {
    if (open_ % kTags == 0) AppendControl(out);
    const uint64_t room = std::min(kTags - open_ % kTags, ring_ / 4 - open_);
    const uint64_t part = std::min(room, run.pages - done);
    Append(run.data + done * kPageBytes, part, out);
    stats_.copied_pages += part;
    open_ += part;
    done += part;
    if (open_ == ring_ / 4) Commit(out);
  }
}

// Of what was copied since the last one, if anything was.
void JournalPageDevice::Commit(std::vector<WriteRun> *out) {
  if (open_ == 0) return;
  AppendControl(out);
  open_ = 0;
}

Status JournalPageDevice::Write(const std::vector<WriteRun> &runs, bool durable) {
  std::vector<WriteRun> all;
  for (const WriteRun &run : runs) {
    if (run.lpn >= Pages() || run.pages > Pages() - run.lpn) return Status::IOError("journal", "write out of range");
    if (IsCopied(run)) Copy(run, &all);
  }
  if (durable) Commit(&all);
  all.insert(all.end(), runs.begin(), runs.end());
  // A write may be longer than the ring: a page is not written twice by one call.
  std::vector<WriteRun> call;
  uint64_t of_ring = 0;
  for (const WriteRun &run : all) {
    const uint64_t added = run.lpn >= Pages() ? run.pages : 0;
    if (of_ring + added > ring_) {
      const Status s = below_->Write(call, durable);
      if (!s.ok()) return s;
      call.clear();
      of_ring = 0;
    }
    of_ring += added;
    call.push_back(run);
  }
  return below_->Write(call, durable);
}

}  // namespace openremap
