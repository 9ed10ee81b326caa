// SPDX-License-Identifier: Apache-2.0
#include "pagefs/fs/write_buffer.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace openremap {

ChunkPool::~ChunkPool() {
  for (char *chunk : spare_) device_->FreeMemory(chunk);
}

char *ChunkPool::Take() {
  if (spare_.empty()) return device_->NewMemory(kChunkBytes);
  char *const chunk = spare_.back();
  spare_.pop_back();
  return chunk;
}

void ChunkPool::Give(char *chunk) {
  if (spare_.size() < kMostSpare) {
    spare_.push_back(chunk);
  } else {
    device_->FreeMemory(chunk);
  }
}

void WriteBuffer::Append(const char *data, size_t bytes) {
  while (bytes != 0) {
    const size_t at = size_ % ChunkPool::kChunkBytes;
    if (size_ == chunks_.size() * ChunkPool::kChunkBytes) chunks_.push_back(pool_->Take());
    const size_t part = std::min(bytes, ChunkPool::kChunkBytes - at);
    std::memcpy(chunks_.back() + at, data, part);
    size_ += part;
    data += part;
    bytes -= part;
  }
}

void WriteBuffer::KeepLast(size_t bytes) {
  assert(bytes <= size_ && bytes < kPageBytes);
  char tail[kPageBytes];
  CopyTo(size_ - bytes, bytes, tail);
  while (chunks_.size() > (bytes == 0 ? 0 : 1)) {
    pool_->Give(chunks_.back());
    chunks_.pop_back();
  }
  if (bytes != 0) std::memcpy(chunks_[0], tail, bytes);
  size_ = bytes;
}

std::pair<const char *, size_t> WriteBuffer::Piece(size_t begin, size_t most) const {
  assert(begin < size_ && most > 0);
  const size_t at = begin % ChunkPool::kChunkBytes;
  return {chunks_[begin / ChunkPool::kChunkBytes] + at, std::min({most, ChunkPool::kChunkBytes - at, size_ - begin})};
}

void WriteBuffer::CopyTo(size_t begin, size_t bytes, char *out) const {
  while (bytes != 0) {
    const auto [data, part] = Piece(begin, bytes);
    std::memcpy(out, data, part);
    begin += part;
    out += part;
    bytes -= part;
  }
}

}  // namespace openremap
