// SPDX-License-Identifier: Apache-2.0
//
// An Env that buffers as LevelDB's own files do, and of whose calls a chosen one, or all from there on, fail.
#ifndef OPENREMAP_LEVELDB_HOST_TESTS_SEGMENT_FAULTS_H_
#define OPENREMAP_LEVELDB_HOST_TESTS_SEGMENT_FAULTS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "leveldb/env.h"
#include "memory_remap_env.h"
#include "remap_env.h"

namespace openremap {

// Transparent until FailFrom(). Not thread-safe.
class SegmentFaults : public leveldb::EnvWrapper, public RemapEnv {
 public:
  static constexpr size_t kBufferBytes = 8192;

  explicit SegmentFaults(MemoryRemapEnv *target) : EnvWrapper(target), remap_(target) {}

  // Of files whose names end so, `count` calls fail from the one with this number on: creations, appends, flushes,
  // syncs, remaps, holes. An append, flush or sync that fails writes half of what is buffered, and drops the rest.
  void FailFrom(const std::string &ending, uint64_t call, uint64_t count) {
    ending_ = ending;
    calls_ = 0;
    first_ = call;
    count_ = count;
  }
  void Mend() { count_ = 0; }
  // Calls so far since FailFrom().
  uint64_t calls() const { return calls_; }
  // Sizes of files are not told.
  void HideSizes(bool hidden) { hidden_ = hidden; }

  leveldb::Status NewWritableFile(const std::string &fname, leveldb::WritableFile **result) override {
    *result = nullptr;
    leveldb::Status s = Call(fname, "create");
    return s.ok() ? Wrap(fname, target()->NewWritableFile(fname, result), result) : s;
  }
  leveldb::Status NewAppendableFile(const std::string &fname, leveldb::WritableFile **result) override {
    *result = nullptr;
    leveldb::Status s = Call(fname, "open");
    return s.ok() ? Wrap(fname, target()->NewAppendableFile(fname, result), result) : s;
  }
  leveldb::Status GetFileSize(const std::string &fname, uint64_t *size) override {
    return hidden_ ? leveldb::Status::IOError(fname, "test: no size") : target()->GetFileSize(fname, size);
  }

  leveldb::Status NewRemapFile(const std::string &fname, int level, RemapFile **result) override {
    *result = nullptr;
    leveldb::Status s = Call(fname, "create");
    if (s.ok()) s = remap_->NewRemapFile(fname, level, result);
    if (s.ok()) *result = new Pages(this, fname, std::unique_ptr<RemapFile>(*result));
    return s;
  }
  leveldb::Status GetLpn(const std::string &fname, uint64_t offset, uint64_t max_pages, PageRun *run) override {
    return remap_->GetLpn(fname, offset, max_pages, run);
  }
  leveldb::Status PunchHole(const std::string &fname, uint64_t first, uint64_t pages) override {
    const leveldb::Status s = Call(fname, "hole");
    return s.ok() ? remap_->PunchHole(fname, first, pages) : s;
  }
  void SetCause(const std::string &fname, WriteCause cause) override { remap_->SetCause(fname, cause); }
  CauseBytes GetWrittenBytes() const override { return remap_->GetWrittenBytes(); }
  RemapStats GetRemapStats() const override { return remap_->GetRemapStats(); }
  FileSpace GetFileSpace() override { return remap_->GetFileSpace(); }

 private:
  // A table, or what pages of a segment are remapped to.
  class Pages : public RemapFile {
   public:
    Pages(SegmentFaults *env, std::string name, std::unique_ptr<RemapFile> file)
        : env_(env), name_(std::move(name)), file_(std::move(file)) {}
    uint64_t Offset() const override { return file_->Offset(); }
    leveldb::Status AppendRemap(const PageRun &source) override {
      const leveldb::Status s = env_->Call(name_, "remap");
      return s.ok() ? file_->AppendRemap(source) : s;
    }
    leveldb::Status Append(const leveldb::Slice &data) override {
      const leveldb::Status s = env_->Call(name_, "append");
      return s.ok() ? file_->Append(data) : s;
    }
    leveldb::Status Flush() override { return file_->Flush(); }
    leveldb::Status Sync() override {
      const leveldb::Status s = env_->Call(name_, "sync");
      return s.ok() ? file_->Sync() : s;
    }
    leveldb::Status Close() override { return file_->Close(); }

   private:
    SegmentFaults *const env_;
    const std::string name_;
    const std::unique_ptr<RemapFile> file_;
  };

  class File : public leveldb::WritableFile {
   public:
    File(SegmentFaults *env, std::string name, std::unique_ptr<leveldb::WritableFile> file)
        : env_(env), name_(std::move(name)), file_(std::move(file)) {}
    leveldb::Status Append(const leveldb::Slice &data) override {
      buffer_.append(data.data(), data.size());
      leveldb::Status s = Check("append");
      return s.ok() && buffer_.size() > kBufferBytes ? WriteOut() : s;
    }
    leveldb::Status Flush() override {
      leveldb::Status s = Check("flush");
      return s.ok() ? WriteOut() : s;
    }
    leveldb::Status Sync() override {
      leveldb::Status s = Check("sync");
      if (s.ok()) s = WriteOut();
      return s.ok() ? file_->Sync() : s;
    }
    leveldb::Status Close() override {
      const leveldb::Status s = WriteOut();
      const leveldb::Status closed = file_->Close();
      return s.ok() ? closed : s;
    }

   private:
    leveldb::Status Check(const char *what) {
      leveldb::Status s = env_->Call(name_, what);
      if (!s.ok()) {
        buffer_.resize(buffer_.size() / 2);
        (void)WriteOut();
      }
      return s;
    }
    leveldb::Status WriteOut() {
      const leveldb::Status s = file_->Append(std::exchange(buffer_, std::string()));
      return s.ok() ? file_->Flush() : s;
    }

    SegmentFaults *const env_;
    const std::string name_;
    const std::unique_ptr<leveldb::WritableFile> file_;
    std::string buffer_;
  };

  leveldb::Status Wrap(const std::string &fname, leveldb::Status s, leveldb::WritableFile **result) {
    if (s.ok()) *result = new File(this, fname, std::unique_ptr<leveldb::WritableFile>(*result));
    return s;
  }
  leveldb::Status Call(const std::string &fname, const char *what) {
    const bool counts = fname.size() >= ending_.size() && fname.substr(fname.size() - ending_.size()) == ending_;
    if (!counts || count_ == 0) return leveldb::Status::OK();
    const uint64_t call = calls_++;
    if (call < first_ || call - first_ >= count_) return leveldb::Status::OK();
    return leveldb::Status::IOError(fname, "test: no " + std::string(what));
  }

  MemoryRemapEnv *const remap_;
  std::string ending_;
  uint64_t calls_ = 0, first_ = 0, count_ = 0;
  bool hidden_ = false;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_TESTS_SEGMENT_FAULTS_H_
