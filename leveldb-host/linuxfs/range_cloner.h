// SPDX-License-Identifier: Apache-2.0
//
// The one call of the kernel that the reflink layer is about: a range of a file that becomes one of another file, without data
// being written.
#ifndef OPENREMAP_LINUXFS_RANGE_CLONER_H_
#define OPENREMAP_LINUXFS_RANGE_CLONER_H_

#include <cstdint>

namespace openremap {

struct CloneRange {
  int source;  // a descriptor open for reading
  uint64_t source_offset;
  int target;  // one open for writing
  uint64_t target_offset;
  uint64_t bytes;
};

// What became of it.
enum class CloneResult : uint8_t {
  kDone,
  kNever,    // this file system, or this kernel, has no reflinks
  kNotHere,  // not these ranges: files of two file systems, blocks larger than the alignment, no room for the metadata
  kFailed,   // anything else, which writing the data would not mend
};

// Thread-safe.
class RangeCloner {
 public:
  virtual ~RangeCloner() = default;
  // 0 or a negative errno.
  virtual int Clone(const CloneRange &range) = 0;
  // Tells file systems apart (st_dev); 0: the descriptor is none.
  virtual uint64_t FileSystemOf(int fd) = 0;
};

// FICLONERANGE: XFS, Btrfs.
class LinuxRangeCloner : public RangeCloner {
 public:
  int Clone(const CloneRange &range) override;
  uint64_t FileSystemOf(int fd) override;
};

// What a result of Clone says.
CloneResult CloneResultOf(int rc);

}  // namespace openremap

#endif  // OPENREMAP_LINUXFS_RANGE_CLONER_H_
