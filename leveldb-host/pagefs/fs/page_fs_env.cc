// SPDX-License-Identifier: Apache-2.0
#include "pagefs/fs/page_fs_env.h"

#include <cstdarg>
#include <cstdio>
#include <mutex>
#include <utility>

#include "prefetching_file.h"

namespace openremap {

using leveldb::Slice;
using leveldb::Status;

namespace {

class PageRandomAccessFile : public leveldb::RandomAccessFile, public PrefetchingFile {
 public:
  PageRandomAccessFile(PageFs *fs, PageFs::File file) : fs_(fs), file_(std::move(file)), ahead_(fs->windows()) {}
  ~PageRandomAccessFile() override { fs_->CloseReading(file_, &ahead_); }

  Status Read(uint64_t offset, size_t n, Slice *result, char *scratch) const override {
    return fs_->Read(file_, offset, n, result, scratch, &ahead_);
  }
  void Prefetch(const std::vector<FileRange> &ranges) const override { fs_->Prefetch(file_, ranges, &ahead_); }

 private:
  PageFs *const fs_;
  const PageFs::File file_;
  mutable ReadAhead ahead_;  // the file system's mutex guards it, as many threads read one table
};

// Every file that is written, tables with remapped parts too.
class PageWritableFile : public RemapFile {
 public:
  // `gather`: a table, which is written at once and is best kept together.
  PageWritableFile(PageFs *fs, PageFs::File file, bool gather) : fs_(fs), file_(std::move(file)), gather_(gather) {}
  ~PageWritableFile() override { (void)Close(); }

  // Writers reckon with bytes that an append refused, and some look at no status of it (LevelDB's padding of a block):
  // what followed would lie elsewhere than they think.
  Status Append(const Slice &data) override {
    if (refused_.ok()) refused_ = fs_->Append(file_, data, gather_);
    return refused_;
  }
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
  Status refused_;  // by the first append that failed
  bool closed_ = false;
};

// A database's background thread and its users log at once.
class PageLogger : public leveldb::Logger {
 public:
  PageLogger(PageFs *fs, PageFs::File file) : fs_(fs), file_(fs, std::move(file), /*gather=*/false) {}

  void Logv(const char *format, std::va_list arguments) override {
    std::va_list again;
    va_copy(again, arguments);
    const int length = std::vsnprintf(nullptr, 0, format, arguments);
    std::string line(length > 0 ? static_cast<size_t>(length) + 1 : 1, '\0');
    std::vsnprintf(&line[0], line.size(), format, again);
    va_end(again);
    line.back() = '\n';
    std::lock_guard<std::mutex> lock(mutex_);
    // A log that cannot be written must not stop the database, nor take the pages that keep it going.
    if (!fs_->GetFileSpace().IsShort()) (void)file_.Append(line);
  }

 private:
  PageFs *const fs_;
  std::mutex mutex_;  // guards file_
  PageWritableFile file_;
};

}  // namespace

PageFsEnv::PageFsEnv(std::unique_ptr<PageFs> fs, leveldb::Env *base) : FlatEnv(base), fs_(std::move(fs)) {}

PageFsEnv::~PageFsEnv() = default;

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
  *result = nullptr;
  PageFs::File file;
  Status s = fs_->Create(fname, &file);
  if (!s.ok()) return s;
  fs_->Place(file, level);
  *result = new PageWritableFile(fs_.get(), std::move(file), /*gather=*/true);
  return s;
}

void PageFsEnv::PlaceFile(const std::string &fname, int level) { fs_->Place(fname, level); }

Status PageFsEnv::RemoveFile(const std::string &fname) { return fs_->Remove(fname); }

Status PageFsEnv::GetFileSize(const std::string &fname, uint64_t *size) { return fs_->FileSize(fname, size); }

Status PageFsEnv::RenameFile(const std::string &from, const std::string &to) { return fs_->Rename(from, to); }

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

Status PageFsEnv::PunchHole(const std::string &fname, uint64_t first, uint64_t pages) {
  return fs_->PunchHole(fname, first, pages);
}

RemapStats PageFsEnv::GetRemapStats() const { return fs_->GetStats().remap; }

}  // namespace openremap
