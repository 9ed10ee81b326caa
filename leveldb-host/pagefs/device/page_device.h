// SPDX-License-Identifier: Apache-2.0
//
// What PageFS needs of a device: 4 KiB logical pages with a volatile write cache, and a mapping that can be edited.
#ifndef OPENREMAP_PAGEFS_PAGE_DEVICE_H_
#define OPENREMAP_PAGEFS_PAGE_DEVICE_H_

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "leveldb/status.h"
#include "remap_env.h"

namespace openremap {

struct WriteRun {
  uint64_t lpn;
  uint64_t pages;
  const char *data;        // pages * kPageBytes
  unsigned placement = 0;  // below Placements()
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

// Not thread-safe. Single pages are written whole or not at all, also by a power cut.
class PageDevice {
 public:
  virtual ~PageDevice() = default;

  virtual uint64_t Pages() const = 0;
  // Most runs of one Remap call.
  virtual size_t MaxRemapRuns() const = 0;
  // Most pages of all its runs together.
  virtual uint64_t MaxRemapPages() const = 0;
  // Pages: extents that begin at a multiple of it cost the device least. At least 1.
  virtual uint64_t WriteGranularity() const { return 1; }
  // How many kinds of data the device keeps apart on its flash, so that what dies together is erased together. At least 1;
  // kind 0 is where all goes that names none.
  virtual unsigned Placements() { return 1; }

  // Memory for data to write, at a multiple of kPageBytes; best such that the device reads without a copy. Never null.
  virtual char *NewMemory(size_t bytes) {
    return static_cast<char *>(::operator new(bytes, std::align_val_t(kPageBytes)));
  }
  virtual void FreeMemory(char *memory) { ::operator delete(memory, std::align_val_t(kPageBytes)); }

  // Pages that were never written, or deallocated, read zeroes.
  virtual leveldb::Status Read(uint64_t lpn, uint64_t pages, char *data) = 0;
  // The runs are read side by side, if the device can; returns when all are there. After an error none of them counts.
  virtual leveldb::Status ReadTogether(const std::vector<ReadRun> &runs) {
    leveldb::Status s;
    for (size_t i = 0; i < runs.size() && s.ok(); i++) s = Read(runs[i].lpn, runs[i].pages, runs[i].data);
    return s;
  }
  // The runs go out side by side, in no order; returns when the device has them all. Durable after the next Flush, or
  // at once with `durable`.
  virtual leveldb::Status Write(const std::vector<WriteRun> &runs, bool durable) = 0;
  virtual leveldb::Status Flush() = 0;
  virtual leveldb::Status Deallocate(const std::vector<PageRun> &runs) = 0;
  // The targets share the sources' flash from now on, durably; all runs or none. *refused (with an OK status): the
  // device has no room for the remap, the data should be written instead.
  virtual leveldb::Status Remap(const std::vector<RemapRun> &runs, bool *refused) = 0;
};

}  // namespace openremap

#endif  // OPENREMAP_PAGEFS_PAGE_DEVICE_H_
