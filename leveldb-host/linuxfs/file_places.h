// SPDX-License-Identifier: Apache-2.0
//
// The interface of the Linux file layer to the file system below it.
#ifndef OPENREMAP_LINUXFS_FILE_PLACES_H_
#define OPENREMAP_LINUXFS_FILE_PLACES_H_

#include <cstdint>

#include "leveldb/status.h"
#include "openremap_file.h"
#include "remap_env.h"

namespace openremap {

// Thread-safe. REQUIRES: descriptors belong to open files, and offsets are multiples of kPageBytes.
class FilePlaces {
 public:
  virtual ~FilePlaces() = default;

  // Finds the page at `offset` on the namespace, and how many of the `pages` from there on are contiguous.
  // NotSupported: its place is not certain, because it is a hole or not written yet, or the file system does not tell.
  virtual leveldb::Status Locate(int fd, uint64_t offset, uint64_t pages, PageRun *run) = 0;

  // Allocates space for the range that the file system considers written, and extends the file to its end. The contents
  // of the range are undefined until it is remapped. NotSupported: the file system cannot; the pages must be written.
  virtual leveldb::Status MakeWritten(int fd, uint64_t offset, uint64_t bytes) = 0;
};

// ext4 on an NVMe namespace or a partition of one: FIEMAP and FALLOC_FL_WRITE_ZEROES (Linux 6.17, a device whose
// Write Zeroes deallocates). Merely reserved space does not work: it reads as zeroes whatever the
// namespace has there.
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
