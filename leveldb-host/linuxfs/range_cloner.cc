// SPDX-License-Identifier: Apache-2.0
#include "range_cloner.h"

#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <cerrno>

namespace openremap {

int LinuxRangeCloner::Clone(const CloneRange &range) {
  file_clone_range asked{};
  asked.src_fd = range.source;
  asked.src_offset = range.source_offset;
  asked.src_length = range.bytes;
  asked.dest_offset = range.target_offset;
  int rc = 0;
  do {
    rc = ioctl(range.target, FICLONERANGE, &asked);
  } while (rc != 0 && errno == EINTR);
  return rc == 0 ? 0 : -errno;
}

uint64_t LinuxRangeCloner::FileSystemOf(int fd) {
  struct stat status {};
  return fstat(fd, &status) == 0 ? status.st_dev : 0;
}

CloneResult CloneResultOf(int rc) {
  switch (-rc) {
    case 0:
      return CloneResult::kDone;
    case EOPNOTSUPP:
    case ENOTTY:  // a file system without any calls of this kind
    case ENOSYS:  // one in user space
      return CloneResult::kNever;
    case EXDEV:
    case EINVAL:
    case ENOSPC:  // XFS says so as well while there is room for data: its group of blocks has none for reference counts
      return CloneResult::kNotHere;
    default:
      return CloneResult::kFailed;
  }
}

}  // namespace openremap
