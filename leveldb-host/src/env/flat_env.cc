// SPDX-License-Identifier: Apache-2.0
#include "flat_env.h"

#include <memory>
#include <utility>

namespace openremap {

using leveldb::Slice;
using leveldb::Status;

namespace {

class FlatSequentialFile : public leveldb::SequentialFile {
 public:
  explicit FlatSequentialFile(std::unique_ptr<leveldb::RandomAccessFile> file) : file_(std::move(file)) {}

  Status Read(size_t n, Slice *result, char *scratch) override {
    Status s = file_->Read(offset_, n, result, scratch);
    if (s.ok()) offset_ += result->size();
    return s;
  }

  Status Skip(uint64_t n) override {
    offset_ += n;
    return Status::OK();
  }

 private:
  const std::unique_ptr<leveldb::RandomAccessFile> file_;
  uint64_t offset_ = 0;
};

class NamedLock : public leveldb::FileLock {
 public:
  explicit NamedLock(std::string name) : name_(std::move(name)) {}
  const std::string &name() const { return name_; }

 private:
  const std::string name_;
};

using Lock = std::lock_guard<std::mutex>;

std::string WithSlash(const std::string &dir) { return !dir.empty() && dir.back() == '/' ? dir : dir + "/"; }

}  // namespace

Status FlatEnv::NewSequentialFile(const std::string &fname, leveldb::SequentialFile **result) {
  *result = nullptr;
  leveldb::RandomAccessFile *file = nullptr;
  Status s = NewRandomAccessFile(fname, &file);
  if (s.ok()) *result = new FlatSequentialFile(std::unique_ptr<leveldb::RandomAccessFile>(file));
  return s;
}

bool FlatEnv::FileExists(const std::string &fname) {
  const std::string below = fname + "/";
  for (const std::string &name : Names()) {
    if (name == fname || name.compare(0, below.size(), below) == 0) return true;
  }
  Lock guard(mutex_);
  const auto made = directories_.lower_bound(below);
  return made != directories_.end() && made->compare(0, below.size(), below) == 0;
}

Status FlatEnv::GetChildren(const std::string &dir, std::vector<std::string> *result) {
  const std::string prefix = WithSlash(dir);
  std::set<std::string> children;
  const auto take = [&](const std::string &name) {
    if (name.size() <= prefix.size() || name.compare(0, prefix.size(), prefix) != 0) return;
    children.insert(name.substr(prefix.size(), name.find('/', prefix.size()) - prefix.size()));
  };
  for (const std::string &name : Names()) take(name);
  {
    Lock guard(mutex_);
    for (const std::string &made : directories_) take(made);
  }
  result->assign(children.begin(), children.end());
  return Status::OK();
}

Status FlatEnv::CreateDir(const std::string &dirname) {
  Lock guard(mutex_);
  directories_.insert(WithSlash(dirname));
  return Status::OK();
}

Status FlatEnv::RemoveDir(const std::string &dirname) {
  std::vector<std::string> children;
  Status s = FlatEnv::GetChildren(dirname, &children);  // not what a class above may add to them
  if (s.ok() && !children.empty()) s = Status::IOError(dirname, "directory not empty");
  if (s.ok()) {
    Lock guard(mutex_);
    directories_.erase(WithSlash(dirname));
  }
  return s;
}

void FlatEnv::MoveDirs(const std::string &from, const std::string &to) {
  const std::string old_dir = WithSlash(from), new_dir = WithSlash(to);
  Lock guard(mutex_);
  std::set<std::string> moved = {new_dir};
  auto made = directories_.lower_bound(old_dir);
  while (made != directories_.end() && made->compare(0, old_dir.size(), old_dir) == 0) {
    moved.insert(new_dir + made->substr(old_dir.size()));
    made = directories_.erase(made);
  }
  directories_.merge(moved);
}

Status FlatEnv::LockFile(const std::string &fname, leveldb::FileLock **lock) {
  *lock = nullptr;
  Lock guard(mutex_);
  if (!locks_.insert(fname).second) return Status::IOError("lock " + fname, "already held by process");
  *lock = new NamedLock(fname);
  return Status::OK();
}

Status FlatEnv::UnlockFile(leveldb::FileLock *lock) {
  const std::unique_ptr<NamedLock> held(static_cast<NamedLock *>(lock));
  Lock guard(mutex_);
  locks_.erase(held->name());
  return Status::OK();
}

Status FlatEnv::GetTestDirectory(std::string *path) {
  *path = "/test";
  return Status::OK();
}

void FlatEnv::Forget() {
  Lock guard(mutex_);
  locks_.clear();
  directories_.clear();
}

}  // namespace openremap
