// SPDX-License-Identifier: Apache-2.0
//
// The pages of a file as extents, in the order of the file. A hole is an extent at page 0, which is the superblock's.
#ifndef OPENREMAP_PAGEFS_EXTENTS_H_
#define OPENREMAP_PAGEFS_EXTENTS_H_

#include <cstdint>
#include <vector>

#include "remap_env.h"

namespace openremap {

using Extents = std::vector<PageRun>;

// Whether pages of a file are on no page of the device, and read zero.
inline bool IsHole(const PageRun &run) { return run.lpn == 0; }

// Appends a run, to the last extent where it continues that.
void AppendExtent(const PageRun &run, Extents *extents);

// The file's pages `first` to `first + pages - 1`. REQUIRES: the extents have them.
Extents SliceExtents(const Extents &extents, uint64_t first, uint64_t pages);

// Makes these pages of the file a hole. Returns the pages of the device that they were on. REQUIRES: the extents have
// them.
std::vector<PageRun> PunchExtents(uint64_t first, uint64_t pages, Extents *extents);

// Number of pages of the file, and of pages of the device that it has: those that are no hole.
uint64_t FilePages(const Extents &extents);
uint64_t DevicePages(const Extents &extents);

}  // namespace openremap

#endif  // OPENREMAP_PAGEFS_EXTENTS_H_
