// SPDX-License-Identifier: Apache-2.0
#include "pagefs/metadata/extents.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace openremap {

void AppendExtent(const PageRun &run, Extents *extents) {
  if (run.pages == 0) return;
  PageRun *const last = extents->empty() ? nullptr : &extents->back();
  const bool continues =
      last != nullptr && IsHole(*last) == IsHole(run) && (IsHole(run) || last->lpn + last->pages == run.lpn);
  if (continues) {
    last->pages += run.pages;
  } else {
    extents->push_back(run);
  }
}

Extents SliceExtents(const Extents &extents, uint64_t first, uint64_t pages) {
  Extents runs;
  for (const PageRun &extent : extents) {
    if (pages == 0) break;
    if (first >= extent.pages) {
      first -= extent.pages;
      continue;
    }
    const uint64_t part = std::min(pages, extent.pages - first);
    runs.push_back({IsHole(extent) ? 0 : extent.lpn + first, part});
    pages -= part;
    first = 0;
  }
  assert(pages == 0);
  return runs;
}

std::vector<PageRun> PunchExtents(uint64_t first, uint64_t pages, Extents *extents) {
  std::vector<PageRun> freed;
  for (const PageRun &run : SliceExtents(*extents, first, pages)) {
    if (!IsHole(run)) freed.push_back(run);
  }
  if (freed.empty()) return freed;
  Extents punched;
  for (const PageRun &run : SliceExtents(*extents, 0, first)) AppendExtent(run, &punched);
  AppendExtent({0, pages}, &punched);
  const uint64_t end = first + pages;
  for (const PageRun &run : SliceExtents(*extents, end, FilePages(*extents) - end)) AppendExtent(run, &punched);
  *extents = std::move(punched);
  return freed;
}

uint64_t FilePages(const Extents &extents) {
  uint64_t pages = 0;
  for (const PageRun &run : extents) pages += run.pages;
  return pages;
}

uint64_t DevicePages(const Extents &extents) {
  uint64_t pages = 0;
  for (const PageRun &run : extents) pages += IsHole(run) ? 0 : run.pages;
  return pages;
}

}  // namespace openremap
