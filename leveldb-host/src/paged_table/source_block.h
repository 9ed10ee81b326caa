// SPDX-License-Identifier: Apache-2.0
//
// The place of a data block in its table.
#ifndef OPENREMAP_LEVELDB_HOST_SOURCE_BLOCK_H_
#define OPENREMAP_LEVELDB_HOST_SOURCE_BLOCK_H_

#include <cstdint>

#include "remap_env.h"
#include "table/format.h"

namespace openremap {

// Number of pages for `bytes` bytes that begin at a page boundary.
constexpr uint64_t PagesFor(uint64_t bytes) { return (bytes + kPageBytes - 1) / kPageBytes; }

struct SourceBlock {
  uint64_t file_number = 0;
  uint64_t offset = 0;  // bytes, in the file
  uint64_t size = 0;    // bytes as stored, without the block trailer (BlockHandle::size)

  // Whether the block begins at a page boundary, so that another table can share its pages.
  bool PageAligned() const { return offset % kPageBytes == 0; }
  uint64_t StoredBytes() const { return size + leveldb::kBlockTrailerSize; }
  uint64_t Pages() const { return PagesFor(StoredBytes()); }
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_SOURCE_BLOCK_H_
