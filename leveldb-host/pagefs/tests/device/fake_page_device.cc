// SPDX-License-Identifier: Apache-2.0
#include "pagefs/tests/device/fake_page_device.h"

#include <algorithm>

namespace openremap {

using leveldb::Status;

FakePageDevice::Page FakePageDevice::Find(const std::map<uint64_t, Page> &map, uint64_t lpn) {
  const auto found = map.find(lpn);
  return found != map.end() ? found->second : nullptr;
}

Status FakePageDevice::Step() {
  int64_t left = steps_left_.value;
  if (left == 0) power_ = false;
  if (!power_) return Status::IOError("fake device", "no power");
  if (left > 0) steps_left_.value.compare_exchange_strong(left, left - 1);  // CutAfter may have come in between
  steps_++;
  return Status::OK();
}

void FakePageDevice::PowerOn(uint64_t seed) {
  std::mt19937_64 random(seed);
  PowerOn([&random](uint64_t) { return random() % 2 == 0; });
}

void FakePageDevice::PowerOn(const std::function<bool(uint64_t lpn)> &arrived) {
  for (const Change &change : volatile_) {
    if (!arrived(change[0].first)) continue;
    for (const auto &[lpn, page] : change) Set(&durable_, lpn, page);
  }
  volatile_.clear();
  map_ = durable_;
  power_ = true;
  steps_left_ = StepsLeft();
}

void FakePageDevice::Set(std::map<uint64_t, Page> *map, uint64_t lpn, const Page &page) {
  if (page != nullptr) {
    (*map)[lpn] = page;
  } else {
    map->erase(lpn);
  }
}

void FakePageDevice::SetDurable(const Change &change) {
  for (const auto &[lpn, page] : change) {
    // Nothing older may win against it.
    for (Change &older : volatile_) {
      older.erase(std::remove_if(older.begin(), older.end(), [at = lpn](const auto &w) { return w.first == at; }),
                  older.end());
    }
    volatile_.erase(std::remove_if(volatile_.begin(), volatile_.end(), [](const Change &c) { return c.empty(); }),
                    volatile_.end());
    Set(&map_, lpn, page);
    Set(&durable_, lpn, page);
  }
}

// One command. The device has all of it when the first change takes effect, so after a cut the rest may have arrived.
Status FakePageDevice::Apply(std::vector<Change> changes, bool durable, bool all_or_none) {
  std::shuffle(changes.begin(), changes.end(), order_);
  for (size_t i = 0; i < changes.size(); i++) {
    Status s = Step();
    if (!s.ok()) {
      for (; i < changes.size(); i++) {
        if (all_or_none) {
          volatile_.push_back(std::move(changes[i]));
        } else {
          for (const auto &change : changes[i]) volatile_.push_back({change});
        }
      }
      return s;
    }
    if (durable) {
      SetDurable(changes[i]);
    } else {
      for (const auto &[lpn, page] : changes[i]) Set(&map_, lpn, page);
      volatile_.push_back(std::move(changes[i]));
    }
  }
  return Status::OK();
}

Status FakePageDevice::Read(uint64_t lpn, uint64_t pages, char *data) {
  if (!power_) return Status::IOError("fake device", "no power");
  if (!InRange(lpn, pages)) return Status::IOError("fake device", "read out of range");
  read_commands++;
  pages_read += pages;
  const auto bad = damaged.lower_bound(lpn);
  if (bad != damaged.end() && *bad < lpn + pages) return Status::IOError("fake device", "damaged page");
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

Status FakePageDevice::BeginUnit(unsigned placement) {
  if (!power_) return Status::IOError("fake device", "no power");
  if (unit_pages == 0) return PageDevice::BeginUnit(placement);
  if (placement >= std::max(1u, placements)) return Status::IOError("fake device", "no such placement handle");
  units_[placement] = ++units_begun;
  return Status::OK();
}

Status FakePageDevice::Write(const std::vector<WriteRun> &runs, bool durable) {
  if (!power_) return Status::IOError("fake device", "no power");
  std::vector<Change> changes;
  std::set<uint64_t> targets;
  for (const WriteRun &run : runs) {
    if (!InRange(run.lpn, run.pages)) return Status::IOError("fake device", "write out of range");
    if (run.placement >= std::max(1u, placements)) return Status::IOError("fake device", "no such placement handle");
    for (uint64_t i = 0; i < run.pages; i++) {
      // In no order: which one would win?
      if (!targets.insert(run.lpn + i).second) return Status::IOError("fake device", "written twice by one command");
      placed[run.lpn + i] = run.placement;
      written_with[run.placement]++;
      unit_of[run.lpn + i] = units_[run.placement];
      damaged.erase(run.lpn + i);
      changes.push_back({{run.lpn + i, std::make_shared<const std::string>(run.data + i * kPageBytes, kPageBytes)}});
    }
  }
  write_commands++;
  pages_written += changes.size();
  return Apply(std::move(changes), durable);
}

Status FakePageDevice::Flush() {
  Status s = Step();
  if (!s.ok()) return s;
  flush_commands++;
  // Makes it the same as what reads see: a copy of all that would be most of the time of long tests.
  for (const Change &change : volatile_) {
    for (const auto &[lpn, page] : change) Set(&durable_, lpn, page);
  }
  volatile_.clear();
  return s;
}

Status FakePageDevice::Deallocate(const std::vector<PageRun> &runs) {
  if (!power_) return Status::IOError("fake device", "no power");
  std::vector<Change> changes;
  for (const PageRun &run : runs) {
    if (!InRange(run.lpn, run.pages)) return Status::IOError("fake device", "deallocate out of range");
    changes.emplace_back();
    for (uint64_t i = 0; i < run.pages; i++) {
      changes.back().emplace_back(run.lpn + i, nullptr);
      damaged.erase(run.lpn + i);
    }
  }
  deallocate_commands++;
  return Apply(std::move(changes), /*durable=*/true);
}

Status FakePageDevice::Remap(const std::vector<RemapRun> &runs, bool *refused) {
  if (!power_) return Status::IOError("fake device", "no power");
  *refused = refuse && refuse(runs);
  if (*refused) return Status::OK();
  if (runs.empty() || runs.size() > MaxRemapRuns()) return Status::IOError("fake device", "wrong number of runs");
  uint64_t pages = 0;
  for (const RemapRun &run : runs) pages += run.pages;
  if (pages > max_remap_pages) return Status::IOError("fake device", "too many pages in one remap");
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
  remap_commands++;
  Change vector;
  for (const RemapRun &run : runs) {
    for (uint64_t i = 0; i < run.pages; i++) vector.emplace_back(run.target + i, Find(map_, run.source + i));
  }
  return Apply({std::move(vector)}, /*durable=*/true, /*all_or_none=*/true);
}

}  // namespace openremap
