// SPDX-License-Identifier: Apache-2.0
//
// Files of a file system of the kernel, as both layers over one use them.
#ifndef OPENREMAP_LINUXFS_POSIX_FILE_H_
#define OPENREMAP_LINUXFS_POSIX_FILE_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "leveldb/status.h"

namespace openremap {

// What a table that is written may hold back, but for the reasons of its layer; bytes.
constexpr size_t kBufferBytes = 256 << 10;
// Pages of a copy in place of a kept range that are in memory at a time.
constexpr uint64_t kCopyPages = 64;

// Closes what it opened.
class OpenFile {
 public:
  // `flags` of open(2).
  OpenFile(const std::string &fname, int flags);
  ~OpenFile();
  OpenFile(const OpenFile &) = delete;
  OpenFile &operator=(const OpenFile &) = delete;

  const leveldb::Status &status() const { return status_; }
  int fd() const { return fd_; }
  // It is the caller's from now on.
  int Release();

 private:
  int fd_;
  leveldb::Status status_;
};

// All of it, or an error; `fname` is for the error.
leveldb::Status ReadAt(int fd, const std::string &fname, uint64_t offset, char *data, size_t bytes);
leveldb::Status WriteAt(int fd, const std::string &fname, uint64_t offset, const char *data, size_t bytes);

// How many of `max_pages` pages from `offset` on are whole pages of the open file. The statuses are RemapEnv::GetLpn's.
leveldb::Status WholePages(int fd, const std::string &fname, uint64_t offset, uint64_t max_pages, uint64_t *pages);

}  // namespace openremap

#endif  // OPENREMAP_LINUXFS_POSIX_FILE_H_
