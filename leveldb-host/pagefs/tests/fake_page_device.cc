// SPDX-License-Identifier: Apache-2.0
#include "fake_page_device.h"

#include <algorithm>
#include <set>

namespace openremap {

using leveldb::Status;

FakePageDevice::Page FakePageDevice::Find(const std::map<uint64_t, Page> &map, uint64_t lpn) {
  const auto found = map.find(lpn);
  return found != map.end() ? found->second : nullptr;
}

Status FakePageDevice::Step() {
  if (power_ && steps_left_ == 0) power_ = false;
  if (!power_) return Status::IOError("fake device", "no power");
  if (steps_left_ > 0) steps_left_--;
  steps_++;
  return Status::OK();
}

void FakePageDevice::PowerOn(uint64_t seed) {
  std::mt19937_64 random(seed);
  for (const auto &[lpn, page] : volatile_) {
    if (random() % 2 == 0) durable_[lpn] = page;
  }
  volatile_.clear();
  map_ = durable_;
  power_ = true;
  steps_left_ = -1;
}

void FakePageDevice::SetDurable(uint64_t lpn, const Page &page) {
  volatile_.erase(std::remove_if(volatile_.begin(), volatile_.end(), [lpn](const auto &w) { return w.first == lpn; }),
                  volatile_.end());
  if (page != nullptr) {
    map_[lpn] = durable_[lpn] = page;
  } else {
    map_.erase(lpn);
    durable_.erase(lpn);
  }
}

Status FakePageDevice::Read(uint64_t lpn, uint64_t pages, char *data) {
  if (!power_) return Status::IOError("fake device", "no power");
  if (!InRange(lpn, pages)) return Status::IOError("fake device", "read out of range");
  for (uint64_t i = 0; i < pages; i++) {
    const Page page = Find(map_, lpn + i);
    if (page != nullptr) {
      std::copy(page->begin(), page->end(), data + i * kPageBytes);
    } else {
      std::fill_n(data + i * kPageBytes, kPageBytes, '\0');
    }
  }
  return Status::OK();
}

Status FakePageDevice::Write(const std::vector<WriteRun> &runs, bool durable) {
  write_commands++;
  for (const WriteRun &run : runs) {
    if (!InRange(run.lpn, run.pages)) return Status::IOError("fake device", "write out of range");
    for (uint64_t i = 0; i < run.pages; i++) {
      Status s = Step();
      if (!s.ok()) return s;
      const Page page = std::make_shared<const std::string>(run.data + i * kPageBytes, kPageBytes);
      pages_written++;
      if (durable) {
        SetDurable(run.lpn + i, page);
      } else {
        map_[run.lpn + i] = page;
        volatile_.emplace_back(run.lpn + i, page);
      }
    }
  }
  return Status::OK();
}

Status FakePageDevice::Flush() {
  Status s = Step();
  if (!s.ok()) return s;
  flush_commands++;
  durable_ = map_;
  volatile_.clear();
  return s;
}

Status FakePageDevice::Deallocate(const std::vector<PageRun> &runs) {
  deallocate_commands++;
  for (const PageRun &run : runs) {
    if (!InRange(run.lpn, run.pages)) return Status::IOError("fake device", "deallocate out of range");
    Status s = Step();
    if (!s.ok()) return s;
    for (uint64_t i = 0; i < run.pages; i++) SetDurable(run.lpn + i, nullptr);
  }
  return Status::OK();
}

Status FakePageDevice::Remap(const std::vector<RemapRun> &runs, bool *refused) {
  *refused = refuse && refuse(runs);
  if (*refused) return Status::OK();
  if (runs.empty() || runs.size() > MaxRemapRuns()) return Status::IOError("fake device", "wrong number of runs");
  std::set<uint64_t> targets;
  for (const RemapRun &run : runs) {
    if (!InRange(run.source, run.pages) || !InRange(run.target, run.pages)) {
      return Status::IOError("fake device", "remap out of range");
    }
    for (uint64_t i = 0; i < run.pages; i++) {
      if (!targets.insert(run.target + i).second) return Status::IOError("fake device", "remap targets overlap");
      if (!Mapped(run.source + i)) return Status::IOError("fake device", "remap of an unmapped page");
    }
  }
  for (const RemapRun &run : runs) {
    for (uint64_t i = 0; i < run.pages; i++) {
      if (targets.count(run.source + i) != 0) return Status::IOError("fake device", "remap source is a target");
    }
  }
  Status s = Step();
  if (!s.ok()) return s;
  remap_commands++;
  for (const RemapRun &run : runs) {
    for (uint64_t i = 0; i < run.pages; i++) SetDurable(run.target + i, Find(map_, run.source + i));
  }
  return s;
}

}  // namespace openremap
