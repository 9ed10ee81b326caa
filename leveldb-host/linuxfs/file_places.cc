// SPDX-License-Identifier: Apache-2.0
#include "file_places.h"

#include <fcntl.h>

#include <cerrno>
#include <cstring>

namespace openremap {

using leveldb::Status;

namespace {

// In <linux/falloc.h> from Linux 6.17 on.
constexpr int kWriteZeroes = 0x80;

}  // namespace

Status LinuxFilePlaces::Locate(int fd, uint64_t offset, uint64_t pages, PageRun *run) {
  openremap_file_run found{};
  const int rc = openremap_getlpn(fd, &volume_, offset, pages, &found);
  if (rc == -ENODATA || rc == -EAGAIN || rc == -ENOTSUP) return Status::NotSupported("FIEMAP", std::strerror(-rc));
  if (rc != 0) return Status::IOError("FIEMAP", std::strerror(-rc));
  *run = {found.lpn, found.pages};
  return Status::OK();
}

Status LinuxFilePlaces::MakeWritten(int fd, uint64_t offset, uint64_t bytes) {
  int rc = 0;
  do {
    rc = fallocate(fd, kWriteZeroes, static_cast<off_t>(offset), static_cast<off_t>(bytes));
  } while (rc != 0 && errno == EINTR);
  if (rc == 0) return Status::OK();
  // EINVAL: a kernel that does not know the flag, or a file system that knows it for other devices.
  if (errno == EOPNOTSUPP || errno == EINVAL) return Status::NotSupported("FALLOC_FL_WRITE_ZEROES");
  return Status::IOError("FALLOC_FL_WRITE_ZEROES", std::strerror(errno));
}

}  // namespace openremap
