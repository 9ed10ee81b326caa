// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_PAGEFS_PAGE_FS_ENV_H_
#define OPENREMAP_PAGEFS_PAGE_FS_ENV_H_

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "leveldb/env.h"
#include "page_fs.h"
#include "remap_env.h"

namespace openremap {

// PageFS as LevelDB sees it. Threads and time come from the base Env; names are whole paths, and a directory is there
// when a file's name begins with it. The log file (NewLogger) has neither times nor thread numbers, so that a run
// repeats to the byte. Thread-safe. Must outlive the files it made.
class PageFsEnv : public leveldb::EnvWrapper, public RemapEnv {
 public:
  // Takes the file system over; its device must outlive this.
  explicit PageFsEnv(std::unique_ptr<PageFs> fs, leveldb::Env *base = leveldb::Env::Default());
  ~PageFsEnv() override;

  PageFs *fs() { return fs_.get(); }

  leveldb::Status NewSequentialFile(const std::string &fname, leveldb::SequentialFile **result) override;
  leveldb::Status NewRandomAccessFile(const std::string &fname, leveldb::RandomAccessFile **result) override;
  leveldb::Status NewWritableFile(const std::string &fname, leveldb::WritableFile **result) override;
  leveldb::Status NewAppendableFile(const std::string &fname, leveldb::WritableFile **result) override;
  bool FileExists(const std::string &fname) override;
  leveldb::Status GetChildren(const std::string &dir, std::vector<std::string> *result) override;
  leveldb::Status RemoveFile(const std::string &fname) override;
  leveldb::Status CreateDir(const std::string &dirname) override;
  leveldb::Status RemoveDir(const std::string &dirname) override;
  leveldb::Status GetFileSize(const std::string &fname, uint64_t *size) override;
  leveldb::Status RenameFile(const std::string &from, const std::string &to) override;
  leveldb::Status LockFile(const std::string &fname, leveldb::FileLock **lock) override;
  leveldb::Status UnlockFile(leveldb::FileLock *lock) override;
  leveldb::Status GetTestDirectory(std::string *path) override;
  leveldb::Status NewLogger(const std::string &fname, leveldb::Logger **result) override;

  leveldb::Status NewRemapFile(const std::string &fname, int level, RemapFile **result) override;
  leveldb::Status GetLpn(const std::string &fname, uint64_t offset, uint64_t max_pages, PageRun *run) override;
  RemapStats GetRemapStats() const override;

 private:
  std::unique_ptr<PageFs> fs_;
  std::mutex mutex_;  // guards locks_
  std::set<std::string> locks_;
};

}  // namespace openremap

#endif  // OPENREMAP_PAGEFS_PAGE_FS_ENV_H_
