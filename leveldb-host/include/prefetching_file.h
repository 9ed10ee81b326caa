// SPDX-License-Identifier: Apache-2.0
//
// An optional interface of files: reads several ranges in parallel. A seek in a table of several sorted runs needs a
// block of each run and prefetches them with it. A file layer implements it beside leveldb::RandomAccessFile, as PageFS
// does; readers find it with PrefetchingFile::From().
//
// Thread-safe, as leveldb::RandomAccessFile.
#ifndef OPENREMAP_LEVELDB_HOST_PREFETCHING_FILE_H_
#define OPENREMAP_LEVELDB_HOST_PREFETCHING_FILE_H_

#include <cstdint>
#include <vector>

#include "leveldb/env.h"

namespace openremap {

// Bytes [offset, offset + bytes) of a file.
struct FileRange {
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

class PrefetchingFile {
 public:
  virtual ~PrefetchingFile() = default;

  // Returns `file`, or nullptr if its layer cannot prefetch, for example a plain file system.
  static const PrefetchingFile *From(const leveldb::RandomAccessFile *file);

  // Reads the ranges in parallel and keeps their bytes for the Read of each, which should follow soon. A hint: ranges
  // beyond the end of the file, and ranges without buffer space, are ignored. Errors are left to the Read.
  virtual void Prefetch(const std::vector<FileRange> &ranges) const = 0;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_PREFETCHING_FILE_H_
