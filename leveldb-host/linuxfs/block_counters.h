// SPDX-License-Identifier: Apache-2.0
//
// What Linux counts of the block device below a folder: everything that the file system on it sends, its journal included.
#ifndef OPENREMAP_LINUXFS_BLOCK_COUNTERS_H_
#define OPENREMAP_LINUXFS_BLOCK_COUNTERS_H_

#include <cstdint>
#include <string>

namespace openremap {

struct BlockBytes {
  uint64_t read = 0;
  uint64_t written = 0;
};

class BlockCounters {
 public:
  // Of the device that the open folder lies on. Without one (a file system in memory, over a network, on several devices that
  // are joined by it) found() is false.
  explicit BlockCounters(int fd);

  bool found() const { return !path_.empty(); }
  const std::string &device() const { return device_; }  // "8:1"
  // False: it has gone.
  bool Read(BlockBytes *bytes) const;

 private:
  std::string device_;
  std::string path_;  // of its statistics
};

// The numbers in a device's `stat` file, Linux's Documentation/block/stat.rst. False: they are not there.
bool ParseBlockStat(const std::string &text, BlockBytes *bytes);

}  // namespace openremap

#endif  // OPENREMAP_LINUXFS_BLOCK_COUNTERS_H_
