// SPDX-License-Identifier: Apache-2.0
//
// What a file layer can offer a reader that knows several places of a file which it is about to read: to read them side
// by side. A seek in a table of several sorted runs reads a block of each. A file layer implements it beside
// leveldb::RandomAccessFile (PageFS does); the reader finds it with PrefetchingFile::From().
//
// Thread-safety: as leveldb::RandomAccessFile (any thread, at once).
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

  // `file` itself, or nullptr where its layer has no such thing (a plain file system).
  static const PrefetchingFile *From(const leveldb::RandomAccessFile *file);

  // Reads the ranges at once and keeps their bytes for the Read of each, which is to follow soon. A hint: what lies
  // beyond the end is left out, what there is no room for is left to its Read, and so is every error.
  virtual void Prefetch(const std::vector<FileRange> &ranges) const = 0;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_PREFETCHING_FILE_H_
