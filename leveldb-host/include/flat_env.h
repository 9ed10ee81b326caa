// SPDX-License-Identifier: Apache-2.0
//
// Base class of Envs that keep files by name, without directories.
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

// Names are whole paths. A directory exists if the name of a file begins with it, or if it was created. Created
// directories are remembered by this object only: an empty one is gone when the object is. Locks separate the databases
// of one process, since no other process has the files. Threads and time come from the base Env. Thread-safe.
class FlatEnv : public leveldb::EnvWrapper, public RemapEnv {
 public:
  explicit FlatEnv(leveldb::Env *base) : EnvWrapper(base) {}

  // Reads through NewRandomAccessFile().
  leveldb::Status NewSequentialFile(const std::string &fname, leveldb::SequentialFile **result) override;
  bool FileExists(const std::string &fname) override;
  leveldb::Status GetChildren(const std::string &dir, std::vector<std::string> *result) override;
  leveldb::Status CreateDir(const std::string &dirname) override;
  // IOError if a file or directory lies below it. OK if it does not exist.
  leveldb::Status RemoveDir(const std::string &dirname) override;
  // `from` was renamed: directories that were created there are below `to` then.
  void MoveDirs(const std::string &from, const std::string &to);
  leveldb::Status LockFile(const std::string &fname, leveldb::FileLock **lock) override;
  leveldb::Status UnlockFile(leveldb::FileLock *lock) override;
  leveldb::Status GetTestDirectory(std::string *path) override;

 protected:
  // Names of all files, sorted.
  virtual std::vector<std::string> Names() = 0;
  // Drops what the end of the process would drop: locks and empty directories.
  void Forget();

 private:
  std::mutex mutex_;  // guards the members below
  std::set<std::string> locks_;
  std::set<std::string> directories_;  // created and not removed; each ends with a slash
};

// Drops all log lines. The log contains times, so with a log no two runs would write the same bytes.
class NullLogger : public leveldb::Logger {
 public:
  void Logv(const char *, std::va_list) override {}
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_FLAT_ENV_H_
