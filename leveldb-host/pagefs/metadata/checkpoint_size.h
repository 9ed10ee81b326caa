// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_PAGEFS_CHECKPOINT_SIZE_H_
#define OPENREMAP_PAGEFS_CHECKPOINT_SIZE_H_

#include <cstddef>
#include <cstdint>
#include <map>

namespace openremap {

// What a checkpoint has to say of a file.
struct FileRecords {
  size_t name_bytes = 0;  // 0: the file has no name, and no record
  uint64_t extents = 0;
};

// The pages that a checkpoint of all files takes at most. Kept file by file, so that a change can be refused before a
// file system has more metadata than fits. Not thread-safe.
class CheckpointSize {
 public:
  void Add(const FileRecords &file);
  // REQUIRES: the same was added.
  void Remove(const FileRecords &file);

  // Of all records, without headers of pages.
  uint64_t Bytes() const { return bytes_; }
  // In whatever order the records come: they are whole, so what is left of a page depends on the next one. With less of
  // a file, or without it, it is no more.
  uint64_t MaxPages() const;

 private:
  void Count(const FileRecords &file, bool add);
  void Count(size_t record_bytes, uint64_t records, bool add);

  uint64_t bytes_ = 0;
  std::map<size_t, uint64_t> records_;  // bytes of a record -> records of that size
};

}  // namespace openremap

#endif  // OPENREMAP_PAGEFS_CHECKPOINT_SIZE_H_
