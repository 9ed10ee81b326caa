// SPDX-License-Identifier: Apache-2.0
#include "file_space.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "image_guard.h"
#include "sim_error.h"

namespace orm {
int allocate_by_writing(int fd, size_t from, size_t bytes) {
  const NoSizeSignal no_signal;
  std::array<char, FileSpace::kChunk> content;
  for (size_t at = from, end = from + bytes; at < end;) {
    const ssize_t got = pread(fd, content.data(), std::min(content.size(), end - at), off_t(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) return 0;  // the file was truncated; a write would make it longer
    const ssize_t put = pwrite(fd, content.data(), size_t(got), off_t(at));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return put == 0 ? ENOSPC : errno;
    at += size_t(put);
  }
  return 0;
}

int allocate_at_once(int fd, size_t from, size_t bytes) {
  while (fallocate(fd, FALLOC_FL_KEEP_SIZE, off_t(from), off_t(bytes)) != 0) {
    if (errno == EINTR) continue;
    if (errno == EOPNOTSUPP || errno == ENOSYS) return allocate_by_writing(fd, from, bytes);
    return errno;
  }
  return 0;
}

int allocate_in_file(int fd, size_t from, size_t bytes) {
  return bytes <= FileSpace::kChunk ? allocate_by_writing(fd, from, bytes) : allocate_at_once(fd, from, bytes);
}

void FileSpace::take_chunk(size_t chunk) {
  const size_t from = chunk * kChunk;
  if (const int error = allocate_(fd_, from, std::min(kChunk, bytes_ - from)))
    throw ImageError(path_ + ": cannot be written: " + std::strerror(error));
  taken_[chunk] = true;
}

void FileSpace::take_all() {
  if (const int error = allocate_(fd_, 0, bytes_))
    throw ImageError(path_ + ": cannot reserve " + std::to_string(bytes_) + " bytes: " + std::strerror(error));
  taken_.assign(taken_.size(), true);
}

void FileSpace::given_back(size_t from, size_t bytes) {
  for (size_t chunk = from / kChunk; chunk * kChunk < from + bytes; ++chunk) taken_[chunk] = false;
}

}  // namespace orm
