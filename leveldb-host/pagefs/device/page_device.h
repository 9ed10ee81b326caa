// SPDX-License-Identifier: Apache-2.0
//
// The device interface of PageFS: 4 KiB logical pages with a volatile write cache, and a mapping that the host can
// edit.
#ifndef OPENREMAP_PAGEFS_PAGE_DEVICE_H_
#define OPENREMAP_PAGEFS_PAGE_DEVICE_H_

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "leveldb/status.h"
#include "remap_env.h"

namespace openremap {

// What pages are written for. A device needs none of it; traces of pages have it, and the values are part of their
// format.
enum class PageKind : uint8_t {
  kUnknown = 0,
  kMetadata = 1,  // of the file system
  kLog = 2,       // LevelDB's write-ahead log
  kTable = 3,
  kOther = 4,  // manifest, CURRENT, info log
};
inline constexpr unsigned kPageKinds = 5;

struct WriteRun {
  uint64_t lpn;
  uint64_t pages;
  const char *data;        // pages * kPageBytes
  unsigned placement = 0;  // below Placements()
  PageKind kind = PageKind::kUnknown;
  bool begins = false;  // the first pages of a file
};

struct ReadRun {
  uint64_t lpn;
  uint64_t pages;
  char *data;  // room for pages * kPageBytes
};

struct RemapRun {
  uint64_t source;
  uint64_t target;
  uint64_t pages;
};

// Not thread-safe. A power cut leaves each page either old or new, never torn.
class PageDevice {
 public:
  virtual ~PageDevice() = default;

  virtual uint64_t Pages() const = 0;
  // Maximum number of runs in one Remap call.
  virtual size_t MaxRemapRuns() const = 0;
  // Maximum number of pages of all of its runs together.
  virtual uint64_t MaxRemapPages() const = 0;
  // Preferred write granularity in pages: extents should begin at a multiple of it. At least 1.
  virtual uint64_t WriteGranularity() const { return 1; }
  // Number of placements: kinds of data that the device separates on its flash, so that data with the same lifetime is
  // erased together. At least 1. Placement 0 is the default.
  virtual unsigned Placements() { return 1; }
  // Size of a reclaim unit in pages: what the device erases at once, and fills with pages of one placement. 0: not
  // known.
  virtual uint64_t UnitPages() { return 0; }
  // The next write with this placement begins another reclaim unit. NotSupported: UnitPages() is 0.
  virtual leveldb::Status BeginUnit(unsigned placement) {
    (void)placement;
    return leveldb::Status::NotSupported("device", "tells of no reclaim units");
  }

  // Allocates page-aligned memory for write data, if possible memory that the device reads without a copy. Never null.
  virtual char *NewMemory(size_t bytes) {
    return static_cast<char *>(::operator new(bytes, std::align_val_t(kPageBytes)));
  }
  virtual void FreeMemory(char *memory) { ::operator delete(memory, std::align_val_t(kPageBytes)); }

  // Pages that were never written, or were deallocated, read as zeroes.
  virtual leveldb::Status Read(uint64_t lpn, uint64_t pages, char *data) = 0;
  // Reads the runs, in parallel if the device can, and returns when all are complete. After an error no data is valid.
  virtual leveldb::Status ReadTogether(const std::vector<ReadRun> &runs) {
    leveldb::Status s;
    for (size_t i = 0; i < runs.size() && s.ok(); i++) s = Read(runs[i].lpn, runs[i].pages, runs[i].data);
    return s;
  }
  // Writes the runs in parallel, in any order, and returns when the device has accepted all. They are durable after the
  // next Flush, or at once with `durable`.
  virtual leveldb::Status Write(const std::vector<WriteRun> &runs, bool durable) = 0;
  virtual leveldb::Status Flush() = 0;
  // Durable when it returns. A device that maps several pages by one entry keeps what the runs hold only a part of.
  virtual leveldb::Status Deallocate(const std::vector<PageRun> &runs) = 0;
  // Makes the targets share the flash of the sources, durably: all runs or none. Sets *refused, with an OK status, if
  // the device has no space for the remap; the caller should write the data instead.
  virtual leveldb::Status Remap(const std::vector<RemapRun> &runs, bool *refused) = 0;
};

}  // namespace openremap

#endif  // OPENREMAP_PAGEFS_PAGE_DEVICE_H_
