// SPDX-License-Identifier: Apache-2.0
//
// A file layer in memory that shares pages: the host-only fake of a remapping device. It counts page writes as a page
// cache over such a device would see them (a full page once, a partial last page at each Sync and at Close), and knows
// nothing of flash, garbage collection or the file layer's own metadata. For tests and for tuning LevelDB's side.
#ifndef OPENREMAP_LEVELDB_HOST_MEMORY_REMAP_ENV_H_
#define OPENREMAP_LEVELDB_HOST_MEMORY_REMAP_ENV_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "flat_env.h"

namespace openremap {

struct MemoryRemapCounters {
  uint64_t written_pages = 0;  // pages of data the host sent, copies after a refused remap included
  uint64_t read_pages = 0;
};

// Thread-safe. Threads, time and the log file come from (or, the log, do not exist beside) the base Env.
class MemoryRemapEnv : public FlatEnv {
 public:
  explicit MemoryRemapEnv(leveldb::Env *base = leveldb::Env::Default());
  ~MemoryRemapEnv() override;

  // Asked once for each vector command: true refuses it as a whole.
  void SetRefusal(std::function<bool()> refuse);

  // What a power cut leaves: files at the length of their last Sync, and none that never had one. File creation,
  // renaming and removal are durable at once. REQUIRES: no file is open.
  void DropUnsynced();

  MemoryRemapCounters GetCounters() const;
  uint64_t UsedPages() const;  // logical pages of all files

  leveldb::Status NewRandomAccessFile(const std::string &fname, leveldb::RandomAccessFile **result) override;
  leveldb::Status NewWritableFile(const std::string &fname, leveldb::WritableFile **result) override;
  leveldb::Status NewAppendableFile(const std::string &fname, leveldb::WritableFile **result) override;
  leveldb::Status RemoveFile(const std::string &fname) override;
  leveldb::Status GetFileSize(const std::string &fname, uint64_t *size) override;
  leveldb::Status RenameFile(const std::string &from, const std::string &to) override;
  leveldb::Status NewLogger(const std::string &fname, leveldb::Logger **result) override;

  leveldb::Status NewRemapFile(const std::string &fname, int level, RemapFile **result) override;
  leveldb::Status GetLpn(const std::string &fname, uint64_t offset, uint64_t max_pages, PageRun *run) override;
  RemapStats GetRemapStats() const override;

 protected:
  std::vector<std::string> Names() override;

 private:
  class Store;
  std::shared_ptr<Store> store_;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_MEMORY_REMAP_ENV_H_
