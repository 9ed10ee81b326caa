// SPDX-License-Identifier: Apache-2.0
//
// Linux's I/O counters of the block device below a folder. They include all I/O of the file system, such as its
// journal.
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
  // Finds the device of the open folder. found() is false if there is no single one: a file system in memory, over a
  // network, or on several devices.
  explicit BlockCounters(int fd);

  bool found() const { return !path_.empty(); }
  const std::string &device() const { return device_; }  // "8:1"
  // Returns false if the device is gone.
  bool Read(BlockBytes *bytes) const;

 private:
  std::string device_;
  std::string path_;  // path of its statistics
};

// Parses a device's `stat` file (Linux's Documentation/block/stat.rst). Returns false if numbers are missing.
bool ParseBlockStat(const std::string &text, BlockBytes *bytes);

}  // namespace openremap

#endif  // OPENREMAP_LINUXFS_BLOCK_COUNTERS_H_
