// SPDX-License-Identifier: Apache-2.0
#include "rocksfs/page_file_system.h"

#include <chrono>
#include <utility>

#include "rocksfs/io_status.h"
#include "rocksfs/page_files.h"

namespace openremap {

using rocksdb::FileOptions;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

namespace {

using Lock = std::lock_guard<std::mutex>;

uint64_t Now() {
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count());
}

// RocksDB joins what it is given with slashes of its own: /db/ becomes /db//CURRENT.
std::string Clean(const std::string &name) {
  std::string clean = "/";
  for (const char c : name) {
    if (c != '/' || clean.back() != '/') clean += c;
  }
  if (clean.size() > 1 && clean.back() == '/') clean.pop_back();
  return clean;
}

class RocksLock : public rocksdb::FileLock {
 public:
  explicit RocksLock(leveldb::FileLock *lock) : lock_(lock) {}
  leveldb::FileLock *get() const { return lock_; }

 private:
  leveldb::FileLock *const lock_;
};

}  // namespace

PageFileSystem::PageFileSystem(PageFsEnv *env) : env_(env), made_(Now()) {}

void PageFileSystem::Modified(const std::string &name) {
  Lock lock(mutex_);
  times_[name] = Now();
}

// ---- Files ----------------------------------------------------------------------------------------------------------

IOStatus PageFileSystem::NewSequentialFile(const std::string &fname, const FileOptions &,
                                           std::unique_ptr<rocksdb::FSSequentialFile> *result, IODebugContext *) {
  result->reset();
  PageFs::File file;
  const leveldb::Status s = fs()->OpenForReading(Clean(fname), &file);
  if (s.ok()) *result = std::make_unique<RocksSequentialFile>(fs(), std::move(file));
  return ToIoStatus(s);
}

IOStatus PageFileSystem::NewRandomAccessFile(const std::string &fname, const FileOptions &options,
                                             std::unique_ptr<rocksdb::FSRandomAccessFile> *result, IODebugContext *) {
  result->reset();
  if (options.use_mmap_reads) return IOStatus::NotSupported("PageFS", "has no memory to map: allow_mmap_reads");
  PageFs::File file;
  const leveldb::Status s = fs()->OpenForReading(Clean(fname), &file);
  if (s.ok()) *result = std::make_unique<RocksRandomAccessFile>(fs(), std::move(file), options.use_direct_reads);
  return ToIoStatus(s);
}

IOStatus PageFileSystem::Writable(const std::string &name, PageFs::File file, const FileOptions &options,
                                  std::unique_ptr<rocksdb::FSWritableFile> *result) {
  Modified(name);
  FileHints hints;
  hints.kind = KindOfRocksFile(name);
  hints.temperature = options.temperature;
  *result = std::make_unique<RocksWritableFile>(fs(), std::move(file), name, hints, options);
  return IOStatus::OK();
}

IOStatus PageFileSystem::NewWritableFile(const std::string &fname, const FileOptions &options,
                                         std::unique_ptr<rocksdb::FSWritableFile> *result, IODebugContext *) {
  result->reset();
  const std::string name = Clean(fname);
  PageFs::File file;
  const leveldb::Status s = fs()->Create(name, &file);
  return s.ok() ? Writable(name, std::move(file), options, result) : ToIoStatus(s);
}

IOStatus PageFileSystem::ReopenWritableFile(const std::string &fname, const FileOptions &options,
                                            std::unique_ptr<rocksdb::FSWritableFile> *result, IODebugContext *) {
  result->reset();
  const std::string name = Clean(fname);
  PageFs::File file;
  const leveldb::Status s = fs()->OpenForAppending(name, &file);
  return s.ok() ? Writable(name, std::move(file), options, result) : ToIoStatus(s);
}

// ---- Names ----------------------------------------------------------------------------------------------------------

IOStatus PageFileSystem::NewDirectory(const std::string &name, const IOOptions &options,
                                      std::unique_ptr<rocksdb::FSDirectory> *result, IODebugContext *dbg) {
  result->reset();
  bool is_directory = false;
  IOStatus s = IsDirectory(name, options, &is_directory, dbg);
  if (s.ok() && !is_directory) s = IOStatus::IOError(name, "is no directory");
  if (s.ok()) *result = std::make_unique<RocksDirectory>(fs());
  return s;
}

IOStatus PageFileSystem::FileExists(const std::string &fname, const IOOptions &, IODebugContext *) {
  const std::string name = Clean(fname);
  return fs()->Exists(name) || env_->FileExists(name) ? IOStatus::OK() : IOStatus::NotFound(name);
}

IOStatus PageFileSystem::GetChildren(const std::string &dir, const IOOptions &options, std::vector<std::string> *result,
                                     IODebugContext *dbg) {
  result->clear();
  bool is_directory = false;
  IOStatus s = IsDirectory(dir, options, &is_directory, dbg);
  if (!s.ok()) return s;
  if (!is_directory) return IOStatus::IOError(dir, "is no directory");
  return ToIoStatus(env_->GetChildren(Clean(dir), result));
}

IOStatus PageFileSystem::DeleteFile(const std::string &fname, const IOOptions &, IODebugContext *) {
  const std::string name = Clean(fname);
  const leveldb::Status s = fs()->Remove(name);
  if (s.ok()) {
    Lock lock(mutex_);
    times_.erase(name);
  }
  return ToIoStatus(s);
}

IOStatus PageFileSystem::Truncate(const std::string &fname, size_t size, const IOOptions &options,
                                  IODebugContext *dbg) {
  uint64_t now = 0;
  IOStatus s = GetFileSize(fname, options, &now, dbg);
  if (!s.ok() || size == now) return s;
  return IOStatus::NotSupported(
      "PageFS", fname + ": cut or extended from " + std::to_string(now) + " to " + std::to_string(size) + " bytes");
}

IOStatus PageFileSystem::CreateDir(const std::string &dirname, const IOOptions &options, IODebugContext *dbg) {
  if (FileExists(dirname, options, dbg).ok()) return IOStatus::IOError(dirname, "is there already");
  return ToIoStatus(env_->CreateDir(Clean(dirname)));
}

IOStatus PageFileSystem::CreateDirIfMissing(const std::string &dirname, const IOOptions &, IODebugContext *) {
  const std::string name = Clean(dirname);
  if (fs()->Exists(name)) return IOStatus::IOError(dirname, "is a file");
  return ToIoStatus(env_->CreateDir(name));
}

IOStatus PageFileSystem::DeleteDir(const std::string &dirname, const IOOptions &options, IODebugContext *dbg) {
  bool is_directory = false;
  IOStatus s = IsDirectory(dirname, options, &is_directory, dbg);
  if (s.ok() && !is_directory) s = IOStatus::IOError(dirname, "is no directory");
  return s.ok() ? ToIoStatus(env_->RemoveDir(Clean(dirname))) : s;
}

IOStatus PageFileSystem::GetFileSize(const std::string &fname, const IOOptions &options, uint64_t *size,
                                     IODebugContext *dbg) {
  const IOStatus s = ToIoStatus(fs()->FileSize(Clean(fname), size));
  bool is_directory = false;
  if (!s.IsNotFound() || !IsDirectory(fname, options, &is_directory, dbg).ok() || !is_directory) return s;
  *size = 0;
  return IOStatus::OK();
}

IOStatus PageFileSystem::GetFileModificationTime(const std::string &fname, const IOOptions &options, uint64_t *time,
                                                 IODebugContext *dbg) {
  IOStatus s = FileExists(fname, options, dbg);
  if (!s.ok()) return s;
  Lock lock(mutex_);
  const auto found = times_.find(Clean(fname));
  *time = found != times_.end() ? found->second : made_;
  return s;
}

IOStatus PageFileSystem::RenameOne(const std::string &from, const std::string &to) {
  const leveldb::Status s = fs()->Rename(from, to);
  if (s.ok() && from != to) {
    Lock lock(mutex_);
    const auto found = times_.find(from);
    times_[to] = found != times_.end() ? found->second : made_;
    times_.erase(from);
  }
  return ToIoStatus(s);
}

IOStatus PageFileSystem::RenameDir(const std::string &from, const std::string &to) {
  const std::string below = from + "/";
  if (to.compare(0, below.size(), below) == 0) return IOStatus::InvalidArgument(to, "lies below " + from);
  std::vector<std::string> there;
  IOStatus s = ToIoStatus(env_->GetChildren(to, &there));
  if (s.ok() && !there.empty()) s = IOStatus::IOError(to, "is there already");
  if (s.ok()) s = ToIoStatus(fs()->RenameFolder(from, to));
  if (!s.ok()) return s;
  env_->MoveDirs(from, to);
  Lock lock(mutex_);
  for (auto time = times_.lower_bound(below);
       time != times_.end() && time->first.compare(0, below.size(), below) == 0;) {
    times_[to + "/" + time->first.substr(below.size())] = time->second;
    time = times_.erase(time);
  }
  return s;
}

IOStatus PageFileSystem::RenameFile(const std::string &from, const std::string &to, const IOOptions &options,
                                    IODebugContext *dbg) {
  const std::string old_name = Clean(from), new_name = Clean(to);
  bool is_directory = false;
  IOStatus s = IsDirectory(old_name, options, &is_directory, dbg);
  if (!s.ok() || old_name == new_name) return s;
  return is_directory ? RenameDir(old_name, new_name) : RenameOne(old_name, new_name);
}

IOStatus PageFileSystem::LockFile(const std::string &fname, const IOOptions &, rocksdb::FileLock **lock,
                                  IODebugContext *) {
  *lock = nullptr;
  leveldb::FileLock *held = nullptr;
  const leveldb::Status s = env_->LockFile(Clean(fname), &held);
  if (s.ok()) *lock = new RocksLock(held);
  return ToIoStatus(s);
}

IOStatus PageFileSystem::UnlockFile(rocksdb::FileLock *lock, const IOOptions &, IODebugContext *) {
  const std::unique_ptr<RocksLock> held(static_cast<RocksLock *>(lock));
  return ToIoStatus(env_->UnlockFile(held->get()));
}

IOStatus PageFileSystem::GetTestDirectory(const IOOptions &, std::string *path, IODebugContext *) {
  return ToIoStatus(env_->GetTestDirectory(path));
}

IOStatus PageFileSystem::GetAbsolutePath(const std::string &path, const IOOptions &, std::string *absolute,
                                         IODebugContext *) {
  *absolute = Clean(path);
  return IOStatus::OK();
}

IOStatus PageFileSystem::GetFreeSpace(const std::string &, const IOOptions &, uint64_t *free, IODebugContext *) {
  *free = fs()->GetStats().free_pages * kPageBytes;
  return IOStatus::OK();
}

IOStatus PageFileSystem::IsDirectory(const std::string &path, const IOOptions &, bool *is_directory, IODebugContext *) {
  const std::string name = Clean(path);
  *is_directory = false;
  if (fs()->Exists(name)) return IOStatus::OK();
  if (name != "/" && !env_->FileExists(name)) return IOStatus::NotFound(name, "no such file or directory");
  *is_directory = true;
  return IOStatus::OK();
}

}  // namespace openremap
