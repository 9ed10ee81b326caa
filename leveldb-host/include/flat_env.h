// SPDX-License-Identifier: Apache-2.0
//
// What every Env of ours that keeps files by name, without directories, has in common.
#ifndef OPENREMAP_LEVELDB_HOST_FLAT_ENV_H_
#define OPENREMAP_LEVELDB_HOST_FLAT_ENV_H_

#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "leveldb/env.h"
#include "remap_env.h"

namespace openremap {

// Names are whole paths; a directory is there when a file's name begins with it, or when it was created, which only this
// object remembers: an empty one is gone with it. Locks keep two databases of one process apart: nobody else has the
// files. Threads and time come from the base Env. Thread-safe.
class FlatEnv : public leveldb::EnvWrapper, public RemapEnv {
 public:
  explicit FlatEnv(leveldb::Env *base) : EnvWrapper(base) {}

  // Through NewRandomAccessFile.
  leveldb::Status NewSequentialFile(const std::string &fname, leveldb::SequentialFile **result) override;
  bool FileExists(const std::string &fname) override;
  leveldb::Status GetChildren(const std::string &dir, std::vector<std::string> *result) override;
  leveldb::Status CreateDir(const std::string &dirname) override;
  // IOError while a file or directory lies below it; of one that is not there, nothing.
  leveldb::Status RemoveDir(const std::string &dirname) override;
  leveldb::Status LockFile(const std::string &fname, leveldb::FileLock **lock) override;
  leveldb::Status UnlockFile(leveldb::FileLock *lock) override;
  leveldb::Status GetTestDirectory(std::string *path) override;

 protected:
  // Of all files, in order.
  virtual std::vector<std::string> Names() = 0;
  // What the end of the process would take: locks and empty directories.
  void Forget();

 private:
  std::mutex mutex_;  // guards what follows
  std::set<std::string> locks_;
  std::set<std::string> directories_;  // created and not removed, each with a slash behind it
};

// Takes log lines and drops them: the log has times in it, and no two runs would write the same bytes.
class NullLogger : public leveldb::Logger {
 public:
  void Logv(const char *, std::va_list) override {}
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_FLAT_ENV_H_
