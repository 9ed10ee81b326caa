// SPDX-License-Identifier: Apache-2.0
#include "page_fs_env.h"

#include <cstdarg>
#include <cstdio>
#include <utility>

namespace openremap {

using leveldb::Slice;
using leveldb::Status;

namespace {

class PageSequentialFile : public leveldb::SequentialFile {
 public:
  PageSequentialFile(PageFs *fs, PageFs::File file) : fs_(fs), file_(std::move(file)) {}
  ~PageSequentialFile() override { fs_->CloseReading(file_); }

  Status Read(size_t n, Slice *result, char *scratch) override {
    Status s = fs_->Read(file_, offset_, n, result, scratch);
    if (s.ok()) offset_ += result->size();
    return s;
  }

  Status Skip(uint64_t n) override {
    offset_ += n;
    return Status::OK();
  }

 private:
  PageFs *const fs_;
  const PageFs::File file_;
  uint64_t offset_ = 0;
};

class PageRandomAccessFile : public leveldb::RandomAccessFile {
 public:
  PageRandomAccessFile(PageFs *fs, PageFs::File file) : fs_(fs), file_(std::move(file)) {}
  ~PageRandomAccessFile() override { fs_->CloseReading(file_); }

  Status Read(uint64_t offset, size_t n, Slice *result, char *scratch) const override {
    return fs_->Read(file_, offset, n, result, scratch);
  }

 private:
  PageFs *const fs_;
  const PageFs::File file_;
};

// Every file that is written, tables with remapped parts too.
class PageWritableFile : public RemapFile {
 public:
  // `gather`: a table, which is written at once and is best kept together.
  PageWritableFile(PageFs *fs, PageFs::File file, bool gather) : fs_(fs), file_(std::move(file)), gather_(gather) {}
  ~PageWritableFile() override { (void)Close(); }

  Status Append(const Slice &data) override { return fs_->Append(file_, data, gather_); }
  // Readers see buffered bytes anyway, and the device gets whole pages.
  Status Flush() override { return Status::OK(); }
  Status Sync() override { return fs_->Sync(file_); }
  Status Close() override {
    if (closed_) return Status::OK();
    closed_ = true;
    return fs_->CloseWriting(file_);
  }

  uint64_t Offset() const override { return fs_->Offset(file_); }
  Status AppendRemap(const PageRun &source) override { return fs_->AppendRemap(file_, source); }

 private:
  PageFs *const fs_;
  const PageFs::File file_;
  const bool gather_;
  bool closed_ = false;
};

class PageFileLock : public leveldb::FileLock {
 public:
  explicit PageFileLock(std::string name) : name_(std::move(name)) {}
  const std::string &name() const { return name_; }

 private:
  const std::string name_;
};

class PageLogger : public leveldb::Logger {
 public:
  PageLogger(PageFs *fs, PageFs::File file) : file_(fs, std::move(file), /*gather=*/false) {}

  void Logv(const char *format, std::va_list arguments) override {
    std::va_list again;
    va_copy(again, arguments);
    const int length = std::vsnprintf(nullptr, 0, format, arguments);
    std::string line(length > 0 ? static_cast<size_t>(length) + 1 : 1, '\0');
    std::vsnprintf(&line[0], line.size(), format, again);
    va_end(again);
    line.back() = '\n';
    // A log that cannot be written must not stop the database.
    (void)file_.Append(line);
  }

 private:
  PageWritableFile file_;
};

}  // namespace

PageFsEnv::PageFsEnv(std::unique_ptr<PageFs> fs, leveldb::Env *base) : EnvWrapper(base), fs_(std::move(fs)) {}

PageFsEnv::~PageFsEnv() = default;

Status PageFsEnv::NewSequentialFile(const std::string &fname, leveldb::SequentialFile **result) {
  *result = nullptr;
  PageFs::File file;
  Status s = fs_->OpenForReading(fname, &file);
  if (s.ok()) *result = new PageSequentialFile(fs_.get(), std::move(file));
  return s;
}

Status PageFsEnv::NewRandomAccessFile(const std::string &fname, leveldb::RandomAccessFile **result) {
  *result = nullptr;
  PageFs::File file;
  Status s = fs_->OpenForReading(fname, &file);
  if (s.ok()) *result = new PageRandomAccessFile(fs_.get(), std::move(file));
  return s;
}

Status PageFsEnv::NewWritableFile(const std::string &fname, leveldb::WritableFile **result) {
  *result = nullptr;
  PageFs::File file;
  Status s = fs_->Create(fname, &file);
  if (s.ok()) *result = new PageWritableFile(fs_.get(), std::move(file), /*gather=*/false);
  return s;
}

Status PageFsEnv::NewAppendableFile(const std::string &fname, leveldb::WritableFile **result) {
  *result = nullptr;
  PageFs::File file;
  Status s = fs_->OpenForAppending(fname, &file);
  if (s.ok()) *result = new PageWritableFile(fs_.get(), std::move(file), /*gather=*/false);
  return s;
}

Status PageFsEnv::NewRemapFile(const std::string &fname, int level, RemapFile **result) {
  (void)level;  // the device has one write stream for the host
  *result = nullptr;
  PageFs::File file;
  Status s = fs_->Create(fname, &file);
  if (s.ok()) *result = new PageWritableFile(fs_.get(), std::move(file), /*gather=*/true);
  return s;
}

bool PageFsEnv::FileExists(const std::string &fname) {
  if (fs_->Exists(fname)) return true;
  std::vector<std::string> children;
  return GetChildren(fname, &children).ok() && !children.empty();
}

Status PageFsEnv::GetChildren(const std::string &dir, std::vector<std::string> *result) {
  result->clear();
  const std::string prefix = !dir.empty() && dir.back() == '/' ? dir : dir + "/";
  for (const std::string &name : fs_->Names()) {
    if (name.size() <= prefix.size() || name.compare(0, prefix.size(), prefix) != 0) continue;
    const std::string child = name.substr(prefix.size(), name.find('/', prefix.size()) - prefix.size());
    // Names come in order, so the files of one subdirectory are neighbours.
    if (result->empty() || result->back() != child) result->push_back(child);
  }
  return Status::OK();
}

Status PageFsEnv::RemoveFile(const std::string &fname) { return fs_->Remove(fname); }

Status PageFsEnv::CreateDir(const std::string &) { return Status::OK(); }

Status PageFsEnv::RemoveDir(const std::string &dirname) {
  std::vector<std::string> children;
  Status s = GetChildren(dirname, &children);
  if (s.ok() && !children.empty()) s = Status::IOError(dirname, "directory not empty");
  return s;
}

Status PageFsEnv::GetFileSize(const std::string &fname, uint64_t *size) { return fs_->FileSize(fname, size); }

Status PageFsEnv::RenameFile(const std::string &from, const std::string &to) { return fs_->Rename(from, to); }

// The device has one owner, so a lock only has to keep two databases of this process apart.
Status PageFsEnv::LockFile(const std::string &fname, leveldb::FileLock **lock) {
  *lock = nullptr;
  std::lock_guard<std::mutex> guard(mutex_);
  if (!locks_.insert(fname).second) return Status::IOError("lock " + fname, "already held by process");
  *lock = new PageFileLock(fname);
  return Status::OK();
}

Status PageFsEnv::UnlockFile(leveldb::FileLock *lock) {
  auto *held = static_cast<PageFileLock *>(lock);
  {
    std::lock_guard<std::mutex> guard(mutex_);
    locks_.erase(held->name());
  }
  delete held;
  return Status::OK();
}

Status PageFsEnv::GetTestDirectory(std::string *path) {
  *path = "/test";
  return Status::OK();
}

Status PageFsEnv::NewLogger(const std::string &fname, leveldb::Logger **result) {
  *result = nullptr;
  PageFs::File file;
  Status s = fs_->Create(fname, &file);
  if (s.ok()) *result = new PageLogger(fs_.get(), std::move(file));
  return s;
}

Status PageFsEnv::GetLpn(const std::string &fname, uint64_t offset, uint64_t max_pages, PageRun *run) {
  return fs_->GetLpn(fname, offset, max_pages, run);
}

RemapStats PageFsEnv::GetRemapStats() const { return fs_->GetStats().remap; }

}  // namespace openremap
