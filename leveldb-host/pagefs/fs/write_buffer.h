// SPDX-License-Identifier: Apache-2.0
//
// Bytes of a file that wait to be written, in memory that the device reads without a copy where it has such memory.
#ifndef OPENREMAP_PAGEFS_WRITE_BUFFER_H_
#define OPENREMAP_PAGEFS_WRITE_BUFFER_H_

#include <cstddef>
#include <utility>
#include <vector>

#include "pagefs/device/page_device.h"

namespace openremap {

// Memory for all write buffers of a file system, in chunks. Freed ones are kept for the next file: what was written
// last is in the caches, and a table takes as many as the one before it. Not thread-safe.
class ChunkPool {
 public:
  static constexpr size_t kChunkBytes = 64 * kPageBytes;
  static constexpr size_t kMostSpare = 32;  // 8 MiB: a memtable of the usual size that is flushed, and the log

  explicit ChunkPool(PageDevice *device) : device_(device) {}
  ~ChunkPool();
  ChunkPool(const ChunkPool &) = delete;
  ChunkPool &operator=(const ChunkPool &) = delete;

  char *Take();
  void Give(char *chunk);

 private:
  PageDevice *const device_;
  std::vector<char *> spare_;
};

// Not thread-safe. What begins at a multiple of kPageBytes lies at one in memory, too.
class WriteBuffer {
 public:
  // `pool` outlives this.
  explicit WriteBuffer(ChunkPool *pool) : pool_(pool) {}
  ~WriteBuffer() { Clear(); }
  WriteBuffer(const WriteBuffer &) = delete;
  WriteBuffer &operator=(const WriteBuffer &) = delete;

  size_t size() const { return size_; }
  void Append(const char *data, size_t bytes);
  // All but the last `bytes` goes. REQUIRES: bytes <= size(), less than a page.
  void KeepLast(size_t bytes);
  void Clear() { KeepLast(0); }

  // What lies in one piece from `begin` on: where, and how many bytes, at most `most`. REQUIRES: begin < size(), most >
  // 0.
  std::pair<const char *, size_t> Piece(size_t begin, size_t most) const;
  // REQUIRES: begin + bytes <= size().
  void CopyTo(size_t begin, size_t bytes, char *out) const;

 private:
  ChunkPool *const pool_;
  std::vector<char *> chunks_;
  size_t size_ = 0;
};

}  // namespace openremap

#endif  // OPENREMAP_PAGEFS_WRITE_BUFFER_H_
