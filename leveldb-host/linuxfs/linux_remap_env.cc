// SPDX-License-Identifier: Apache-2.0
#include "linux_remap_env.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace openremap {

using leveldb::Status;

namespace {

class OpenFile {
 public:
  OpenFile(const std::string &fname, int flags) : fd_(open(fname.c_str(), flags | O_CLOEXEC, 0644)) {
    if (fd_ < 0) {
      const char *why = std::strerror(errno);
      status_ = errno == ENOENT ? Status::NotFound(fname, why) : Status::IOError(fname, why);
    }
  }
  ~OpenFile() {
    if (fd_ >= 0) close(fd_);
  }
  OpenFile(const OpenFile &) = delete;
  OpenFile &operator=(const OpenFile &) = delete;

  const Status &status() const { return status_; }
  int fd() const { return fd_; }
  int Release() {
    const int fd = fd_;
    fd_ = -1;
    return fd;
  }

 private:
  int fd_;
  Status status_;
};

}  // namespace

Status LinuxRemapEnv::NewRemapFile(const std::string &fname, int level, RemapFile **result) {
  (void)level;  // the file system chooses the streams
  *result = nullptr;
  OpenFile file(fname, O_RDWR | O_CREAT | O_TRUNC);
  if (file.status().ok()) *result = new LinuxRemapFile(&shared_, fname, file.Release());
  return file.status();
}

Status LinuxRemapEnv::GetLpn(const std::string &fname, uint64_t offset, uint64_t max_pages, PageRun *run) {
  if (offset % kPageBytes != 0 || max_pages == 0) return Status::InvalidArgument(fname, "not on a page");
  const OpenFile file(fname, O_RDONLY);
  if (!file.status().ok()) return file.status();
  struct stat status {};
  if (fstat(file.fd(), &status) != 0) return Status::IOError(fname, std::strerror(errno));
  const auto size = static_cast<uint64_t>(status.st_size);
  if (offset >= size) return Status::InvalidArgument(fname, "past the end");
  // Whole pages of the file: behind its end the extent may go on.
  const uint64_t whole = (size - offset) / kPageBytes;
  if (whole == 0) return Status::NotSupported(fname, "the last page is not whole");
  return shared_.places->Locate(file.fd(), offset, std::min(max_pages, whole), run);
}

RemapStats LinuxRemapEnv::GetRemapStats() const {
  std::lock_guard<std::mutex> lock(shared_.mutex);
  return shared_.stats;
}

}  // namespace openremap
