// SPDX-License-Identifier: Apache-2.0
//
// A file layer in memory that shares pages: the host-only fake of a remapping device, for tests and for tuning LevelDB.
// It counts page writes as a page cache over a device would cause them: a full page once, a partial last page at each
// Sync and at Close. It has no flash, no garbage collection and no metadata of a file layer.
#ifndef OPENREMAP_LEVELDB_HOST_MEMORY_REMAP_ENV_H_
#define OPENREMAP_LEVELDB_HOST_MEMORY_REMAP_ENV_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "flat_env.h"

namespace openremap {

struct MemoryRemapCounters {
  uint64_t written_pages = 0;  // data pages that the host wrote, including copies after a refused remap
  uint64_t read_pages = 0;
};

// Thread-safe. Threads and time come from the base Env. There is no log file.
class MemoryRemapEnv : public FlatEnv {
 public:
  explicit MemoryRemapEnv(leveldb::Env *base = leveldb::Env::Default());
  ~MemoryRemapEnv() override;

  // `refuse` is called once for each vector command; true refuses the whole command.
  void SetRefusal(std::function<bool()> refuse);

  // What GetFileSpace() says from now on; nothing here keeps to it.
  void SetFileSpace(FileSpace space);

  // Simulates a power cut: truncates each file to its length at the last Sync, and removes files that were never
  // synced. File creation, renaming and removal, and holes, are durable at once. REQUIRES: no file is open.
  void DropUnsynced();

  MemoryRemapCounters GetCounters() const;
  uint64_t UsedPages() const;  // logical pages of all files, without holes

  leveldb::Status NewRandomAccessFile(const std::string &fname, leveldb::RandomAccessFile **result) override;
  leveldb::Status NewWritableFile(const std::string &fname, leveldb::WritableFile **result) override;
  leveldb::Status NewAppendableFile(const std::string &fname, leveldb::WritableFile **result) override;
  leveldb::Status RemoveFile(const std::string &fname) override;
  leveldb::Status GetFileSize(const std::string &fname, uint64_t *size) override;
  leveldb::Status RenameFile(const std::string &from, const std::string &to) override;
  leveldb::Status NewLogger(const std::string &fname, leveldb::Logger **result) override;

  leveldb::Status NewRemapFile(const std::string &fname, int level, RemapFile **result) override;
  leveldb::Status GetLpn(const std::string &fname, uint64_t offset, uint64_t max_pages, PageRun *run) override;
  void SetCause(const std::string &fname, WriteCause cause) override;
  CauseBytes GetWrittenBytes() const override;  // written_pages in bytes
  leveldb::Status PunchHole(const std::string &fname, uint64_t first, uint64_t pages) override;
  RemapStats GetRemapStats() const override;
  FileSpace GetFileSpace() override;

 protected:
  std::vector<std::string> Names() override;

 private:
  class Store;
  std::shared_ptr<Store> store_;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_MEMORY_REMAP_ENV_H_
