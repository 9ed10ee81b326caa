// SPDX-License-Identifier: Apache-2.0
#include "pagefs/fs/extent_allocator.h"

#include <algorithm>
#include <cassert>

namespace openremap {

ExtentAllocator::ExtentAllocator(uint64_t first, uint64_t pages, uint64_t granularity, Allocation allocation)
    : granularity_(std::max<uint64_t>(1, granularity)), allocation_(allocation), free_pages_(pages) {
  if (pages != 0) free_[first] = pages;
}

void ExtentAllocator::Take(Runs::iterator run, uint64_t first, uint64_t pages) {
  const uint64_t start = run->first;
  const uint64_t end = start + run->second;
  assert(first >= start && first + pages <= end);
  free_.erase(run);
  if (first != start) free_[start] = first - start;
  if (first + pages != end) free_[first + pages] = end - first - pages;
  free_pages_ -= pages;
}

bool ExtentAllocator::Allocate(uint64_t pages, uint64_t goal, std::vector<PageRun> *out) {
  if (pages > free_pages_) return false;
  // Growing in place keeps a file in one extent; a part of the growth is worth it too.
  const auto behind = goal != 0 ? free_.find(goal) : free_.end();
  if (behind != free_.end()) {
    const uint64_t part = std::min(pages, behind->second);
    if (!out->empty() && out->back().lpn + out->back().pages == goal) {
      out->back().pages += part;
    } else {
      out->push_back({goal, part});
    }
    Take(behind, goal, part);
    pages -= part;
  }
  while (pages != 0) {
    auto chosen = free_.begin();
    const PageRun run = Choose(pages, &chosen);
    Take(chosen, run.lpn, run.pages);
    out->push_back(run);
    pages -= run.pages;
    if (allocation_ == Allocation::kNext) next_ = run.lpn + run.pages;
  }
  return true;
}

// Where the next piece of `pages` pages goes. REQUIRES: some page is free.
PageRun ExtentAllocator::Choose(uint64_t pages, Runs::iterator *run) {
  const uint64_t unit = pages < granularity_ ? 1 : granularity_;
  // The run with free pages on both sides of next_ is looked at twice: from next_ on first of all, and whole at the
  // end.
  auto start = free_.upper_bound(next_);
  if (start != free_.begin() && std::prev(start)->first + std::prev(start)->second > next_) --start;
  if (start == free_.end()) start = free_.begin();
  const bool within = start->first < next_ && next_ < start->first + start->second;
  auto largest = start, holds = free_.end(), it = start;
  uint64_t holds_from = 0;
  for (size_t looked_at = 0; looked_at <= free_.size(); looked_at++) {
    const uint64_t from = looked_at == 0 && within ? next_ : it->first;
    const uint64_t end = it->first + it->second;
    if (it->second > largest->second) largest = it;
    if (end - from >= pages) {
      const uint64_t aligned = (from + unit - 1) / unit * unit;
      if (aligned - from <= end - from - pages) {
        *run = it;
        return {aligned, pages};
      }
      if (holds == free_.end()) {
        holds = it;
        holds_from = from;
      }
    }
    if (++it == free_.end()) it = free_.begin();
  }
  *run = holds != free_.end() ? holds : largest;
  return holds != free_.end() ? PageRun{holds_from, pages} : PageRun{largest->first, largest->second};
}

bool ExtentAllocator::Reserve(const PageRun &run) {
  auto it = free_.upper_bound(run.lpn);
  if (it == free_.begin()) return false;
  --it;
  if (run.pages == 0 || run.lpn + run.pages < run.lpn || run.lpn + run.pages > it->first + it->second) return false;
  Take(it, run.lpn, run.pages);
  return true;
}

void ExtentAllocator::Free(const PageRun &run) {
  if (run.pages == 0) return;
  auto next = free_.lower_bound(run.lpn);
  assert(next == free_.end() || run.lpn + run.pages <= next->first);
  PageRun merged = run;
  if (next != free_.end() && next->first == run.lpn + run.pages) {
    merged.pages += next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    auto previous = std::prev(next);
    assert(previous->first + previous->second <= run.lpn);
    if (previous->first + previous->second == run.lpn) {
      merged = {previous->first, previous->second + merged.pages};
      free_.erase(previous);
    }
  }
  free_[merged.lpn] = merged.pages;
  free_pages_ += run.pages;
}

std::vector<PageRun> ExtentAllocator::FreeRuns() const {
  std::vector<PageRun> runs;
  for (const auto &[lpn, pages] : free_) runs.push_back({lpn, pages});
  return runs;
}

}  // namespace openremap
