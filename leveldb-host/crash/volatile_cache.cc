// SPDX-License-Identifier: Apache-2.0
#include "volatile_cache.h"

#include <algorithm>

namespace openremap {

using leveldb::Status;

void VolatileCache::Forget(const PageRun &run) {
  held_.erase(held_.lower_bound(run.lpn), held_.lower_bound(run.lpn + run.pages));
}

Status VolatileCache::Read(uint64_t lpn, uint64_t pages, char *data) {
  Status s = below_->Read(lpn, pages, data);
  if (!s.ok()) return s;
  for (auto page = held_.lower_bound(lpn); page != held_.end() && page->first < lpn + pages; ++page) {
    std::copy(page->second.data.begin(), page->second.data.end(), data + (page->first - lpn) * kPageBytes);
  }
  return s;
}

Status VolatileCache::Write(const std::vector<WriteRun> &runs, bool durable) {
  std::vector<WriteRun> through;
  for (const WriteRun &run : runs) {
    for (uint64_t i = 0; i < run.pages; i++) {
      const uint64_t lpn = run.lpn + i;
      const char *data = run.data + i * kPageBytes;
      if (durable || random_.coin()) {
        held_.erase(lpn);
        through.push_back({lpn, 1, data, run.placement, run.kind});
      } else {
        held_[lpn] = {std::string(data, kPageBytes), run.placement};
      }
    }
  }
  return through.empty() ? Status::OK() : below_->Write(through, durable);
}

Status VolatileCache::WriteBack() {
  std::vector<WriteRun> runs;
  for (const auto &[lpn, page] : held_) runs.push_back({lpn, 1, page.data.data(), page.placement});
  const Status s = runs.empty() ? Status::OK() : below_->Write(runs, /*durable=*/false);
  if (s.ok()) held_.clear();
  return s;
}

Status VolatileCache::Flush() {
  const Status s = WriteBack();
  return s.ok() ? below_->Flush() : s;
}

Status VolatileCache::Deallocate(const std::vector<PageRun> &runs) {
  for (const PageRun &run : runs) Forget(run);
  return below_->Deallocate(runs);
}

Status VolatileCache::Remap(const std::vector<RemapRun> &runs, bool *refused) {
  bool held = false;
  for (const RemapRun &run : runs) {
    for (uint64_t i = 0; i < run.pages; i++) held = held || held_.count(run.source + i) != 0;
  }
  if (held) {
    const Status s = Flush();
    if (!s.ok()) return s;
  }
  const Status s = below_->Remap(runs, refused);
  if (s.ok() && !*refused) {
    for (const RemapRun &run : runs) Forget({run.target, run.pages});
  }
  return s;
}

}  // namespace openremap
