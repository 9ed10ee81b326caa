// SPDX-License-Identifier: Apache-2.0
//
// A table on a file system with reflinks that shares ranges with other tables.
//
// A Sync writes appended data and clones kept ranges in file order. One fdatasync at the end makes data, extents,
// reference counts and length durable together. A crash before it leaves a file that is in no manifest. Ranges that
// cannot be cloned are copied.
#ifndef OPENREMAP_LINUXFS_REFLINK_FILE_H_
#define OPENREMAP_LINUXFS_REFLINK_FILE_H_

#include <atomic>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>

#include "file_numbers.h"
#include "range_cloner.h"
#include "remap_env.h"
#include "write_cause.h"

namespace openremap {

// The file systems that do not support cloning, so that they are not tried again. Thread-safe.
class FileSystemsWithoutReflinks {
 public:
  void Add(uint64_t file_system) {
    std::lock_guard<std::mutex> lock(mutex_);
    known_.insert(file_system);
  }
  bool Has(uint64_t file_system) const {
    std::lock_guard<std::mutex> lock(mutex_);
    return known_.count(file_system) != 0;
  }

 private:
  mutable std::mutex mutex_;
  std::set<uint64_t> known_;  // RangeCloner::FileSystemOf
};

// The shared state of all files of a layer.
struct ReflinkShared {
  explicit ReflinkShared(RangeCloner *ranges) : cloner(ranges) {}

  RangeCloner *const cloner;
  FileNumbers numbers;
  FileSystemsWithoutReflinks without;
  std::atomic<uint64_t> cloned_pages{0};
  std::atomic<uint64_t> clones{0};
  std::atomic<uint64_t> copied_pages{0};  // pages that could not be cloned
  FileCauses causes;
  CauseCounters written;  // including copied pages
};

class ReflinkFile : public RemapFile {
 public:
  // Takes ownership of `fd`, an empty file open for reading and writing. REQUIRES: `shared` outlives the file.
  ReflinkFile(ReflinkShared *shared, std::string name, int fd);
  ~ReflinkFile() override;

  leveldb::Status Append(const leveldb::Slice &data) override;
  leveldb::Status AppendRemap(const PageRun &source) override;
  // Does nothing: a table is not read while it is written, so only full buffers are written.
  leveldb::Status Flush() override { return leveldb::Status::OK(); }
  leveldb::Status Sync() override;
  leveldb::Status Close() override;
  uint64_t Offset() const override { return written_ + buffer_.size() + kept_.pages * kPageBytes; }

 private:
  leveldb::Status WriteBuffer();
  leveldb::Status CloneKept();
  leveldb::Status Copy(int source, const std::string &fname, uint64_t offset);
  leveldb::Status WriteOut();
  leveldb::Status Write(const std::string &data);
  leveldb::Status Fail(const leveldb::Status &s);

  ReflinkShared *const shared_;
  const std::string name_;
  int fd_;
  const uint64_t file_system_;
  uint64_t written_ = 0;    // bytes before this offset are in the file system
  std::string buffer_;      // next bytes to write; empty while pages are pending
  PageRun kept_;            // next pages to clone
  leveldb::Status failed_;  // the first error; the file is unusable after it
};

}  // namespace openremap

#endif  // OPENREMAP_LINUXFS_REFLINK_FILE_H_
