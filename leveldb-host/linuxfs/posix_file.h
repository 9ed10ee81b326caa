// SPDX-License-Identifier: Apache-2.0
//
// Files of a kernel file system, for both file layers over one.
#ifndef OPENREMAP_LINUXFS_POSIX_FILE_H_
#define OPENREMAP_LINUXFS_POSIX_FILE_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "leveldb/status.h"

namespace openremap {

// Size of the write buffer of a table, in bytes.
constexpr size_t kBufferBytes = 256 << 10;
// Number of pages that are copied at a time when a range cannot be shared.
constexpr uint64_t kCopyPages = 64;

// A file descriptor that is closed by the destructor.
class OpenFile {
 public:
  // `flags` of open(2).
  OpenFile(const std::string &fname, int flags);
  ~OpenFile();
  OpenFile(const OpenFile &) = delete;
  OpenFile &operator=(const OpenFile &) = delete;

  const leveldb::Status &status() const { return status_; }
  int fd() const { return fd_; }
  // Returns the descriptor and gives up its ownership.
  int Release();

 private:
  int fd_;
  leveldb::Status status_;
};

// Reads or writes all bytes, or returns an error that names `fname`.
leveldb::Status ReadAt(int fd, const std::string &fname, uint64_t offset, char *data, size_t bytes);
leveldb::Status WriteAt(int fd, const std::string &fname, uint64_t offset, const char *data, size_t bytes);

// Number of whole pages of the open file from `offset` on, at most `max_pages`. Errors as of RemapEnv::GetLpn().
leveldb::Status WholePages(int fd, const std::string &fname, uint64_t offset, uint64_t max_pages, uint64_t *pages);

}  // namespace openremap

#endif  // OPENREMAP_LINUXFS_POSIX_FILE_H_
