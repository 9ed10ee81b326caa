// SPDX-License-Identifier: Apache-2.0
//
// A folder of a file system of the kernel that db_bench keeps its database in.
#ifndef OPENREMAP_LINUXFS_BENCH_FOLDER_H_
#define OPENREMAP_LINUXFS_BENCH_FOLDER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "bench_device.h"
#include "leveldb/status.h"

namespace openremap {

class BenchFolder {
 public:
  // nullptr and *failure where there is no such folder, or it holds a database and `options` do not want one, or the
  // other way round.
  static std::unique_ptr<BenchFolder> Open(const std::string &path, const BenchDeviceOptions &options,
                                           OpenFailure *failure);
  ~BenchFolder();
  BenchFolder(const BenchFolder &) = delete;
  BenchFolder &operator=(const BenchFolder &) = delete;

  int fd() const { return fd_; }  // of the folder
  std::string DbName() const { return path_ + "/db"; }
  uint64_t FreeBytes() const;
  // Of the whole file system.
  uint64_t UsedPages() const;

  // What was written and lies in the kernel's memory reaches the device.
  leveldb::Status Settle() const;
  // Settles, and everything of the database leaves the page cache, so that what is read next is what the device holds.
  leveldb::Status ForgetCached() const;

 private:
  BenchFolder(std::string path, int fd);

  const std::string path_;
  const int fd_;
};

// False and *failure where an option is given that only a simulated device has.
bool NoSimulation(const BenchDeviceOptions &options, OpenFailure *failure);

}  // namespace openremap

#endif  // OPENREMAP_LINUXFS_BENCH_FOLDER_H_
