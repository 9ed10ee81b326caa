// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_PAGEFS_INODE_H_
#define OPENREMAP_PAGEFS_INODE_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "pagefs/fs/write_buffer.h"
#include "remap_env.h"

namespace openremap {

inline uint64_t PagesOf(uint64_t bytes) { return (bytes + kPageBytes - 1) / kPageBytes; }

// Part of a file that the device does not hold yet: bytes, or pages to be shared.
struct PendingSegment {
  uint64_t first_page = 0;  // page of the file
  size_t begin = 0;         // in Inode::buffer
  size_t bytes = 0;         // 0 for pages to be shared
  PageRun source;           // pages = 0 for bytes

  uint64_t Pages() const { return source.pages != 0 ? source.pages : PagesOf(bytes); }
};

// The runs of device pages behind `pages` pages of a file from page `first` on. REQUIRES: the extents hold them.
std::vector<PageRun> SliceExtents(const std::vector<PageRun> &extents, uint64_t first, uint64_t pages);

// A file. PageFs's mutex guards all of it.
struct Inode {
  static constexpr int kNoLevel = -1;

  // `chunks` outlives this.
  Inode(uint64_t number, ChunkPool *chunks) : id(number), buffer(chunks) {}

  const uint64_t id;
  uint64_t size = 0;             // bytes appended
  std::vector<PageRun> extents;  // device pages of the file, in order
  uint64_t allocated_pages = 0;  // sum of the extents
  // Pages that what is pending will take.
  uint64_t MissingPages() const { return PagesOf(size) - std::min(PagesOf(size), allocated_pages); }

  // In file order, contiguous up to `size`. The last one may begin with a page the device holds already: a partial last
  // page stays here, because a device page can only be rewritten whole.
  std::vector<PendingSegment> pending;
  WriteBuffer buffer;       // the bytes of them all, one behind the other
  bool tail_clean = false;  // the device has all of the last segment, which is one partial page

  // What the metadata log says, or will once the records that wait are durable.
  uint64_t recorded_size = 0;
  uint64_t recorded_pages = 0;
  // Bytes that survive a power cut: recorded durably.
  uint64_t durable_size = 0;

  int level = kNoLevel;  // of the table that it is
  bool log = false;      // by its name

  int handles = 0;         // open files
  bool writing = false;    // one of them writes
  bool named = true;       // a name leads here
  bool forgotten = false;  // no name, durably: the pages go when the last handle does
};

}  // namespace openremap

#endif  // OPENREMAP_PAGEFS_INODE_H_
