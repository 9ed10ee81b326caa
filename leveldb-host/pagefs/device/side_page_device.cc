// SPDX-License-Identifier: Apache-2.0
#include "pagefs/device/side_page_device.h"

#include <algorithm>
#include <cstring>

namespace openremap {

using leveldb::Status;

bool SidePageDevice::HasAny(uint64_t lpn, uint64_t pages) const {
  const auto first = side_.lower_bound(lpn);
  return first != side_.end() && first->first - lpn < pages;
}

void SidePageDevice::Forget(uint64_t lpn, uint64_t pages) {
  // Not up to lower_bound(lpn + pages), which may be more than there are numbers.
  auto page = side_.lower_bound(lpn);
  while (page != side_.end() && page->first - lpn < pages) page = side_.erase(page);
}

Status SidePageDevice::ReadTogether(const std::vector<ReadRun> &runs) {
  std::vector<ReadRun> below;
  for (const ReadRun &run : runs) {
    uint64_t begin = 0;  // of what lies below, within the run
    const auto take = [&](uint64_t end) {
      if (end != begin) below.push_back({run.lpn + begin, end - begin, run.data + begin * kPageBytes});
    };
    for (auto page = side_.lower_bound(run.lpn); page != side_.end() && page->first - run.lpn < run.pages; ++page) {
      const uint64_t within = page->first - run.lpn;
      std::memcpy(run.data + within * kPageBytes, page->second.data(), kPageBytes);
      take(within);
      begin = within + 1;
    }
    take(run.pages);
  }
  if (below.empty()) return Status::OK();
  return below.size() == 1 ? below_->Read(below[0].lpn, below[0].pages, below[0].data) : below_->ReadTogether(below);
}

Status SidePageDevice::Write(const std::vector<WriteRun> &runs, bool durable) {
  std::vector<WriteRun> below;
  for (const WriteRun &run : runs) {
    if (run.lpn >= Pages() || run.pages > Pages() - run.lpn) return Status::IOError("side", "write out of range");
    if (!IsSide(run.kind)) {
      Forget(run.lpn, run.pages);
      below.push_back(run);
      continue;
    }
    for (uint64_t i = 0; i < run.pages; i++) side_[run.lpn + i].assign(run.data + i * kPageBytes, kPageBytes);
    written_ += run.pages;
  }
  if (below.empty()) return Status::OK();
  unflushed_ = true;
  return below_->Write(below, durable);
}

Status SidePageDevice::Flush() {
  if (!unflushed_) return Status::OK();
  const Status s = below_->Flush();
  if (s.ok()) unflushed_ = false;
  return s;
}

Status SidePageDevice::Deallocate(const std::vector<PageRun> &runs) {
  std::vector<PageRun> below;
  for (const PageRun &run : runs) {
    uint64_t begin = run.lpn;
    const auto take = [&](uint64_t end) {
      if (end != begin) below.push_back({begin, end - begin});
    };
    for (auto page = side_.lower_bound(run.lpn); page != side_.end() && page->first - run.lpn < run.pages; ++page) {
      take(page->first);
      begin = page->first + 1;
    }
    take(run.lpn + run.pages);
  }
  const Status s = below.empty() ? Status::OK() : below_->Deallocate(below);
  if (!s.ok()) return s;
  for (const PageRun &run : runs) Forget(run.lpn, run.pages);
  return s;
}

Status SidePageDevice::Remap(const std::vector<RemapRun> &runs, bool *refused) {
  *refused = std::any_of(runs.begin(), runs.end(), [this](const RemapRun &run) {
    return HasAny(run.source, run.pages) || HasAny(run.target, run.pages);
  });
  return *refused ? Status::OK() : below_->Remap(runs, refused);
}

}  // namespace openremap
