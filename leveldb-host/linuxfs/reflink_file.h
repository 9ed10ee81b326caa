// SPDX-License-Identifier: Apache-2.0
//
// A table on a file system with reflinks, some of whose ranges are other tables'.
//
// Order of a Sync: what was appended is written, then each kept range cloned, as they come; then one fdatasync, which makes data,
// extents, reference counts and length durable together. A crash before it leaves a file that is in no manifest. What cannot be
// cloned is copied.
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

namespace openremap {

// Those that said that they never clone: they are not asked again, and others are. Thread-safe.
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

// What the files of one layer share.
struct ReflinkShared {
  explicit ReflinkShared(RangeCloner *ranges) : cloner(ranges) {}

  RangeCloner *const cloner;
  FileNumbers numbers;
  FileSystemsWithoutReflinks without;
  std::atomic<uint64_t> cloned_pages{0};
  std::atomic<uint64_t> clones{0};
  std::atomic<uint64_t> copied_pages{0};   // that should have been cloned
  std::atomic<uint64_t> written_bytes{0};  // copied ones included
};

class ReflinkFile : public RemapFile {
 public:
  // Takes `fd` over, an empty file open for reading and writing. `shared` outlives the file.
  ReflinkFile(ReflinkShared *shared, std::string name, int fd);
  ~ReflinkFile() override;

  leveldb::Status Append(const leveldb::Slice &data) override;
  leveldb::Status AppendRemap(const PageRun &source) override;
  // Nobody reads a table while it is written, so whole buffers go out.
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
  uint64_t written_ = 0;    // the file system has all before it
  std::string buffer_;      // what follows; empty while something is kept
  PageRun kept_;            // what follows, to be cloned
  leveldb::Status failed_;  // the first failure: nothing of the file can be relied on after it
};

}  // namespace openremap

#endif  // OPENREMAP_LINUXFS_REFLINK_FILE_H_
