// SPDX-License-Identifier: Apache-2.0
#include "side_pages.h"

namespace openremap {

void SidePages::Forget(const PageRecord &run) {
  lpns_.erase(lpns_.lower_bound(run.lpn), lpns_.lower_bound(run.lpn + run.pages));
}

// What lies between the pages of the side device.
void SidePages::Rest(const PageRecord &run, std::vector<PageRecord> *parts) const {
  uint64_t begin = run.lpn;
  const auto take = [&](uint64_t end) {
    if (end == begin) return;
    parts->push_back(run);
    parts->back().lpn = begin;
    parts->back().pages = end - begin;
  };
  for (auto side = lpns_.lower_bound(run.lpn); side != lpns_.end() && *side < run.lpn + run.pages; ++side) {
    take(*side);
    begin = *side + 1;
  }
  take(run.lpn + run.pages);
}

std::vector<PageRecord> SidePages::Filter(const std::vector<PageRecord> &call) {
  std::vector<PageRecord> parts;
  for (const PageRecord &record : call) {
    switch (record.operation) {
      case PageOperation::kWrite:
        if (IsSide(record)) {
          for (uint64_t lpn = record.lpn; lpn < record.lpn + record.pages; lpn++) lpns_.insert(lpn);
        } else {
          Forget(record);
          parts.push_back(record);
        }
        break;
      case PageOperation::kRead:
        Rest(record, &parts);
        break;
      case PageOperation::kDeallocate:
        Rest(record, &parts);
        Forget(record);
        break;
      case PageOperation::kRemap:
        Forget(record);
        parts.push_back(record);
        break;
      case PageOperation::kFlush:
      case PageOperation::kBeginUnit:
        parts.push_back(record);
    }
  }
  return parts;
}

}  // namespace openremap
