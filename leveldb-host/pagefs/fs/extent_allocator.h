// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_PAGEFS_EXTENT_ALLOCATOR_H_
#define OPENREMAP_PAGEFS_EXTENT_ALLOCATOR_H_

#include <cstdint>
#include <map>
#include <vector>

#include "remap_env.h"

namespace openremap {

// Where the search for free pages begins.
enum class Allocation {
  kFirst,  // first fit: at the lowest page, so that a partly filled device is used at its front again and again
  kNext,   // next fit: behind the pages that were allocated last, round and round, as many file systems do
};

// The free pages of the device as runs. In memory only: a mount rebuilds it from the extents of all files, and a next
// fit begins at the lowest page again. Not thread-safe.
class ExtentAllocator {
 public:
  // Extents of at least `granularity` pages should begin at a multiple of it.
  ExtentAllocator(uint64_t first, uint64_t pages, uint64_t granularity = 1, Allocation allocation = Allocation::kFirst);

  // Allocates `pages` pages and appends their runs to *out in file order. Prefers, in this order: the pages at `goal`
  // (0: none); the first free run that holds them all from a multiple of the granularity on; the first free run that
  // holds them all; several runs, largest first. A next fit takes the part of a free run that is ahead of it for a run
  // of its own. Returns false and allocates nothing if there are not enough pages.
  bool Allocate(uint64_t pages, uint64_t goal, std::vector<PageRun> *out);
  // Allocates exactly this run. Returns false if any page of it is allocated.
  bool Reserve(const PageRun &run);
  // REQUIRES: all pages of the run are allocated.
  void Free(const PageRun &run);

  uint64_t FreePages() const { return free_pages_; }
  std::vector<PageRun> FreeRuns() const;

 private:
  using Runs = std::map<uint64_t, uint64_t>;  // first page -> pages
  void Take(Runs::iterator run, uint64_t first, uint64_t pages);
  PageRun Choose(uint64_t pages, Runs::iterator *run);

  const uint64_t granularity_;
  const Allocation allocation_;
  uint64_t next_ = 0;  // of a next fit: where the search begins
  Runs free_;
  uint64_t free_pages_ = 0;
};

}  // namespace openremap

#endif  // OPENREMAP_PAGEFS_EXTENT_ALLOCATOR_H_
