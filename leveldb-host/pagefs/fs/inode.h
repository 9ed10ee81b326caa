// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_PAGEFS_INODE_H_
#define OPENREMAP_PAGEFS_INODE_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "pagefs/fs/write_buffer.h"
#include "pagefs/metadata/checkpoint_size.h"
#include "pagefs/metadata/extents.h"
#include "remap_env.h"

namespace openremap {

inline uint64_t PagesOf(uint64_t bytes) { return (bytes + kPageBytes - 1) / kPageBytes; }

// A part of a file that is not on the device yet: bytes to write, or pages to share.
struct PendingSegment {
  uint64_t first_page = 0;  // page of the file
  size_t begin = 0;         // in Inode::buffer
  size_t bytes = 0;         // 0 for pages to be shared
  PageRun source;           // pages = 0 for bytes

  uint64_t Pages() const { return source.pages != 0 ? source.pages : PagesOf(bytes); }
};

// The in-memory state of a file. Guarded by PageFs's mutex.
struct Inode {
  static constexpr int kNoLevel = -1;

  // `chunks` outlives this.
  Inode(uint64_t number, ChunkPool *chunks) : id(number), buffer(chunks) {}

  const uint64_t id;
  uint64_t size = 0;  // bytes appended
  Extents extents;
  uint64_t allocated_pages = 0;  // sum of the extents, holes included
  uint64_t punched = 0;          // holes that were made, for what was read ahead
  // Number of pages that the pending segments will need.
  uint64_t MissingPages() const { return PagesOf(size) - std::min(PagesOf(size), allocated_pages); }

  // Pending segments in file order, contiguous up to `size`. The last one may begin with a page that is on the device
  // already: a partial last page stays here, because a device page can only be rewritten as a whole.
  std::vector<PendingSegment> pending;
  WriteBuffer buffer;       // the bytes of all segments
  bool tail_clean = false;  // the last segment is one partial page that is on the device

  // State according to the metadata log, including records that are queued.
  uint64_t recorded_size = 0;
  uint64_t recorded_pages = 0;
  // Number of bytes that are recorded durably.
  uint64_t durable_size = 0;

  size_t name_bytes = 0;  // of its name; 0: it has none
  FileRecords counted;    // what a checkpoint is to have room for

  int level = kNoLevel;                   // LSM level of the table
  bool log = false;                       // a write-ahead log, by its name
  WriteCause cause = WriteCause::kOther;  // what its pages are counted by

  PageKind Kind() const { return level != kNoLevel ? PageKind::kTable : log ? PageKind::kLog : PageKind::kOther; }

  int handles = 0;         // number of open handles
  bool writing = false;    // one of them is for writing
  bool forgotten = false;  // its removal is durable; its pages are freed with the last handle
};

}  // namespace openremap

#endif  // OPENREMAP_PAGEFS_INODE_H_
