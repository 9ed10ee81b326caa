// SPDX-License-Identifier: Apache-2.0
#include "pagefs/device/coarse_page_device.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <map>
#include <numeric>
#include <string>

namespace openremap {

using leveldb::Status;

namespace {

// A unit that one write run holds only a part of.
struct PartialUnit {
  std::vector<const char *> pages;  // of the unit; null: not given
  unsigned placement = 0;
  PageKind kind = PageKind::kUnknown;
  bool begins = false;
  std::string whole;  // as it is written
};

}  // namespace

CoarsePageDevice::CoarsePageDevice(PageDevice *below, uint64_t unit) : PassingPageDevice(below), unit_(unit) {
  assert(unit != 0 && below->Pages() >= unit);
}

uint64_t CoarsePageDevice::MaxRemapPages() const {
  return std::max(unit_, below_->MaxRemapPages() / unit_ * unit_);  // runs are cut at it
}

uint64_t CoarsePageDevice::WriteGranularity() const { return std::lcm(unit_, below_->WriteGranularity()); }

Status CoarsePageDevice::Write(const std::vector<WriteRun> &runs, bool durable) {
  std::vector<WriteRun> whole;  // units that one run holds all of go out as they are
  std::map<uint64_t, PartialUnit> partial;
  for (const WriteRun &run : runs) {
    if (run.lpn >= Pages() || run.pages > Pages() - run.lpn) {
      return Status::IOError("coarse mapping", "write out of range");
    }
    stats_.host_pages += run.pages;
    for (uint64_t done = 0; done < run.pages;) {
      const uint64_t lpn = run.lpn + done;
      const char *const data = run.data + done * kPageBytes;
      const uint64_t within = lpn % unit_;
      const uint64_t units = within == 0 ? (run.pages - done) / unit_ : 0;
      if (units != 0) {
        whole.push_back({lpn, units * unit_, data, run.placement, run.kind, run.begins && done == 0});
        done += units * unit_;
        continue;
      }
      PartialUnit &unit = partial[lpn / unit_];
      unit.pages.resize(static_cast<size_t>(unit_));
      unit.placement = run.placement;
      unit.kind = run.kind;
      unit.begins = unit.begins || (run.begins && done == 0);
      const uint64_t part = std::min(unit_ - within, run.pages - done);
      for (uint64_t i = 0; i < part; i++) unit.pages[static_cast<size_t>(within + i)] = data + i * kPageBytes;
      done += part;
    }
  }
  // All reads before all writes: the pages that are read are none of those that this call writes.
  std::vector<ReadRun> reads;
  for (auto &[number, unit] : partial) {
    unit.whole.resize(static_cast<size_t>(unit_ * kPageBytes));
    bool modified = false;
    for (uint64_t i = 0; i < unit_; i++) {
      char *const place = &unit.whole[static_cast<size_t>(i * kPageBytes)];
      const uint64_t lpn = number * unit_ + i;
      if (const char *given = unit.pages[static_cast<size_t>(i)]) {
        std::memcpy(place, given, kPageBytes);
        continue;
      }
      modified = true;
      stats_.read_pages++;
      const bool goes_on = !reads.empty() && reads.back().lpn + reads.back().pages == lpn && i != 0;
      if (goes_on) {
        reads.back().pages++;
      } else {
        reads.push_back({lpn, 1, place});
      }
    }
    if (modified) stats_.modified_units++;
    whole.push_back({number * unit_, unit_, unit.whole.data(), unit.placement, unit.kind, unit.begins});
  }
  Status s = reads.empty() ? Status::OK() : below_->ReadTogether(reads);
  if (!s.ok()) return s;
  for (const WriteRun &run : whole) stats_.written_pages += run.pages;
  return below_->Write(whole, durable);
}

Status CoarsePageDevice::Deallocate(const std::vector<PageRun> &runs) {
  // Neighbours of one call make a unit whole together.
  std::vector<PageRun> sorted = runs;
  std::sort(sorted.begin(), sorted.end(), [](const PageRun &a, const PageRun &b) { return a.lpn < b.lpn; });
  std::vector<PageRun> merged;
  for (const PageRun &run : sorted) {
    if (!merged.empty() && merged.back().lpn + merged.back().pages >= run.lpn) {
      merged.back().pages = std::max(merged.back().pages, run.lpn + run.pages - merged.back().lpn);
    } else {
      merged.push_back(run);
    }
  }
  std::vector<PageRun> whole;
  for (const PageRun &run : merged) {
    const uint64_t begin = (run.lpn + unit_ - 1) / unit_ * unit_;
    const uint64_t end = (run.lpn + run.pages) / unit_ * unit_;
    stats_.kept_pages += run.pages - (end > begin ? end - begin : 0);
    if (end > begin) whole.push_back({begin, end - begin});
  }
  return whole.empty() ? Status::OK() : below_->Deallocate(whole);
}

Status CoarsePageDevice::Remap(const std::vector<RemapRun> &runs, bool *refused) {
  uint64_t pages = 0;
  for (const RemapRun &run : runs) pages += run.pages;
  *refused = pages > below_->MaxRemapPages() || std::any_of(runs.begin(), runs.end(), [this](const RemapRun &run) {
               return run.source % unit_ != 0 || run.target % unit_ != 0 || run.pages % unit_ != 0;
             });
  if (!*refused) return below_->Remap(runs, refused);
  stats_.refused_remaps++;
  return Status::OK();
}

}  // namespace openremap
