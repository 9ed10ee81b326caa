// SPDX-License-Identifier: Apache-2.0
//
// What the Linux file layer asks of the file system below it.
#ifndef OPENREMAP_LINUXFS_FILE_PLACES_H_
#define OPENREMAP_LINUXFS_FILE_PLACES_H_

#include <cstdint>

#include "leveldb/status.h"
#include "openremap_file.h"
#include "remap_env.h"

namespace openremap {

// Descriptors are of open files; offsets are multiples of kPageBytes. Thread-safe.
class FilePlaces {
 public:
  virtual ~FilePlaces() = default;

  // Where the page at `offset` lies on the namespace, and how many of the `pages` from there on lie behind it in a row.
  // NotSupported: nowhere for certain (a hole, not written yet, a file system that cannot tell).
  virtual leveldb::Status Locate(int fd, uint64_t offset, uint64_t pages, PageRun *run) = 0;

  // Gives the range space of which the file system believes that it is written, and makes the file as long; what is read
  // there until it is remapped does not matter. NotSupported: it cannot, the pages have to be written.
  virtual leveldb::Status MakeWritten(int fd, uint64_t offset, uint64_t bytes) = 0;
};

// ext4 on an NVMe namespace or a partition of one: FIEMAP and FALLOC_FL_WRITE_ZEROES (Linux 6.17, a device whose
// Write Zeroes deallocates). Plain reserved space would not do: it reads zeroes whatever the namespace holds.
class LinuxFilePlaces : public FilePlaces {
 public:
  explicit LinuxFilePlaces(const openremap_volume &volume) : volume_(volume) {}

  leveldb::Status Locate(int fd, uint64_t offset, uint64_t pages, PageRun *run) override;
  leveldb::Status MakeWritten(int fd, uint64_t offset, uint64_t bytes) override;

 private:
  const openremap_volume volume_;
};

}  // namespace openremap

#endif  // OPENREMAP_LINUXFS_FILE_PLACES_H_
