// SPDX-License-Identifier: Apache-2.0
#include "posix_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "remap_env.h"

namespace openremap {

using leveldb::Status;

OpenFile::OpenFile(const std::string &fname, int flags) : fd_(open(fname.c_str(), flags | O_CLOEXEC, 0644)) {
  if (fd_ < 0) {
    const char *why = std::strerror(errno);
    status_ = errno == ENOENT ? Status::NotFound(fname, why) : Status::IOError(fname, why);
  }
}

OpenFile::~OpenFile() {
  if (fd_ >= 0) close(fd_);
}

int OpenFile::Release() { return std::exchange(fd_, -1); }

Status ReadAt(int fd, const std::string &fname, uint64_t offset, char *data, size_t bytes) {
  while (bytes != 0) {
    const ssize_t done = pread(fd, data, bytes, static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return Status::IOError(fname, std::strerror(errno));
    if (done == 0) return Status::IOError(fname, "ends too early");
    offset += static_cast<uint64_t>(done);
    data += done;
    bytes -= static_cast<size_t>(done);
  }
  return Status::OK();
}

Status WriteAt(int fd, const std::string &fname, uint64_t offset, const char *data, size_t bytes) {
  while (bytes != 0) {
    const ssize_t done = pwrite(fd, data, bytes, static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return Status::IOError(fname, std::strerror(done < 0 ? errno : EIO));
    offset += static_cast<uint64_t>(done);
    data += done;
    bytes -= static_cast<size_t>(done);
  }
  return Status::OK();
}

Status WholePages(int fd, const std::string &fname, uint64_t offset, uint64_t max_pages, uint64_t *pages) {
  if (offset % kPageBytes != 0 || max_pages == 0) return Status::InvalidArgument(fname, "not on a page");
  struct stat status {};
  if (fstat(fd, &status) != 0) return Status::IOError(fname, std::strerror(errno));
  const auto size = static_cast<uint64_t>(status.st_size);
  if (offset >= size) return Status::InvalidArgument(fname, "past the end");
  // Behind the file's end an extent may go on.
  const uint64_t whole = (size - offset) / kPageBytes;
  if (whole == 0) return Status::NotSupported(fname, "the last page is not whole");
  *pages = std::min(max_pages, whole);
  return Status::OK();
}

}  // namespace openremap
