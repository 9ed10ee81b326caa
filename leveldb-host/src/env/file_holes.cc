// SPDX-License-Identifier: Apache-2.0
#include "file_holes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "remap_env.h"

namespace openremap {

using leveldb::Status;

namespace {

Status Error(const std::string &fname, int number) {
  switch (number) {
    case ENOENT:
      return Status::NotFound(fname, std::strerror(number));
    case EOPNOTSUPP:
    case ENOSYS:
    case ENODEV:  // no regular file
      return Status::NotSupported(fname, std::strerror(number));
    default:
      return Status::IOError(fname, std::strerror(number));
  }
}

Status Punch(int fd, const std::string &fname, uint64_t first, uint64_t pages) {
  struct stat status {};
  if (fstat(fd, &status) != 0) return Error(fname, errno);
  const uint64_t whole = static_cast<uint64_t>(status.st_size) / kPageBytes;
  if (first > whole || pages > whole - first) {
    return Status::InvalidArgument(fname, "does not have these pages as whole ones");
  }
  if (pages == 0) return Status::OK();
  // A hole in a part of a block only sets bytes to 0.
  struct statvfs blocks {};
  if (fstatvfs(fd, &blocks) != 0) return Error(fname, errno);
  if (blocks.f_frsize > kPageBytes) return Status::NotSupported(fname, "its blocks are larger than a page");
  int rc = 0;
  do {
    rc = fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(first * kPageBytes),
                   static_cast<off_t>(pages * kPageBytes));
  } while (rc != 0 && errno == EINTR);
  return rc == 0 ? Status::OK() : Error(fname, errno);
}

}  // namespace

Status PunchFileHole(const std::string &fname, uint64_t first, uint64_t pages) {
  const int fd = open(fname.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) return Error(fname, errno);
  const Status s = Punch(fd, fname, first, pages);
  close(fd);
  return s;
}

Status PunchHole(leveldb::Env *env, const std::string &fname, uint64_t first, uint64_t pages) {
  if (RemapEnv *const remap = RemapEnv::From(env)) return remap->PunchHole(fname, first, pages);
  // An Env around it may have its files elsewhere.
  if (env == leveldb::Env::Default()) return PunchFileHole(fname, first, pages);
  return Status::NotSupported(fname, "no holes in files");
}

}  // namespace openremap
