// SPDX-License-Identifier: Apache-2.0
//
// A folder on a kernel file system that has the database of db_bench. Not thread-safe.
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
  // Returns nullptr and sets *failure if there is no such folder, if it has a database although `options` ask for a new
  // one, if it has none although they ask for an existing one, or if this process may not make one.
  static std::unique_ptr<BenchFolder> Open(const std::string &path, const BenchDeviceOptions &options,
                                           OpenFailure *failure);
  ~BenchFolder();
  BenchFolder(const BenchFolder &) = delete;
  BenchFolder &operator=(const BenchFolder &) = delete;

  int fd() const { return fd_; }  // of the folder
  std::string DbName() const { return path_ + "/db"; }
  uint64_t FreeBytes() const;
  // Free bytes of the whole file system.
  uint64_t UsedPages() const;

  // Writes the kernel's dirty pages to the device.
  leveldb::Status Settle() const;
  // Also drops the database from the page cache, so that the next reads go to the device.
  leveldb::Status ForgetCached() const;

 private:
  BenchFolder(std::string path, int fd);

  const std::string path_;
  const int fd_;
};

// Returns false and sets *failure if an option is given that only simulated devices have.
bool NoSimulation(const BenchDeviceOptions &options, OpenFailure *failure);

}  // namespace openremap

#endif  // OPENREMAP_LINUXFS_BENCH_FOLDER_H_
