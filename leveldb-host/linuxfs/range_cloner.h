// SPDX-License-Identifier: Apache-2.0
//
// The kernel call that the reflink layer is built on: makes a range of one file share the data of a range of another
// file, without writing data.
#ifndef OPENREMAP_LINUXFS_RANGE_CLONER_H_
#define OPENREMAP_LINUXFS_RANGE_CLONER_H_

#include <cstdint>

namespace openremap {

struct CloneRange {
  int source;  // descriptor open for reading
  uint64_t source_offset;
  int target;  // descriptor open for writing
  uint64_t target_offset;
  uint64_t bytes;
};

// The outcome of a clone.
enum class CloneResult : uint8_t {
  kDone,
  kNever,    // this file system, or this kernel, has no reflinks
  kNotHere,  // not these ranges: different file systems, blocks larger than the alignment, no space for metadata
  kFailed,   // another error, which writing the data would not avoid
};

// Thread-safe.
class RangeCloner {
 public:
  virtual ~RangeCloner() = default;
  // 0 or a negative errno.
  virtual int Clone(const CloneRange &range) = 0;
  // Identifies the file system (st_dev); 0 for an invalid descriptor.
  virtual uint64_t FileSystemOf(int fd) = 0;
};

// FICLONERANGE: XFS, Btrfs.
class LinuxRangeCloner : public RangeCloner {
 public:
  int Clone(const CloneRange &range) override;
  uint64_t FileSystemOf(int fd) override;
};

// Classifies a result of Clone().
CloneResult CloneResultOf(int rc);

}  // namespace openremap

#endif  // OPENREMAP_LINUXFS_RANGE_CLONER_H_
