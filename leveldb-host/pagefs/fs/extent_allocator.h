// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_PAGEFS_EXTENT_ALLOCATOR_H_
#define OPENREMAP_PAGEFS_EXTENT_ALLOCATOR_H_

#include <cstdint>
#include <map>
#include <vector>

#include "remap_env.h"

namespace openremap {

// The free pages of the device, as runs. In memory only: mounting rebuilds it from the files' extents.
class ExtentAllocator {
 public:
  // `granularity`: extents of so many pages and more should begin at a multiple of it.
  ExtentAllocator(uint64_t first, uint64_t pages, uint64_t granularity = 1);

  // Takes `pages` pages: right behind `goal` where they are free (0: no wish), else the first run that holds them all from a
  // multiple of the granularity on, else the first that holds them all, else several runs, largest first. False, with
  // nothing taken, when there are not that many. Appends to *out in file order.
  bool Allocate(uint64_t pages, uint64_t goal, std::vector<PageRun> *out);
  // Takes just this run; false when any of it is taken.
  bool Reserve(const PageRun &run);
  // REQUIRES: all of the run is taken.
  void Free(const PageRun &run);

  uint64_t FreePages() const { return free_pages_; }
  std::vector<PageRun> FreeRuns() const;

 private:
  using Runs = std::map<uint64_t, uint64_t>;  // first page -> pages
  void Take(Runs::iterator run, uint64_t first, uint64_t pages);
  PageRun Choose(uint64_t pages, Runs::iterator *run);

  const uint64_t granularity_;
  Runs free_;
  uint64_t free_pages_ = 0;
};

}  // namespace openremap

#endif  // OPENREMAP_PAGEFS_EXTENT_ALLOCATOR_H_
