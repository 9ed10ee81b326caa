// SPDX-License-Identifier: Apache-2.0
//
// PageFileSystem on a fake device, and the calls of it that tests need, without what they do not look at.
#ifndef OPENREMAP_TESTS_ROCKS_FILES_H_
#define OPENREMAP_TESTS_ROCKS_FILES_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "pagefs/fs/page_fs_env.h"
#include "pagefs/tests/device/fake_page_device.h"
#include "rocksfs/page_file_system.h"

namespace openremap {

class RocksFiles {
 public:
  explicit RocksFiles(uint64_t pages = 4096, unsigned placements = 1) : device_(pages) {
    device_.placements = placements;
    Mount();
  }
  ~RocksFiles() { Unmount(); }

  void Mount(const PageFsOptions &options = {}) {
    std::unique_ptr<PageFs> fs;
    const leveldb::Status s = PageFs::Open(&device_, &fs, options);
    ASSERT_TRUE(s.ok()) << s.ToString();
    env_ = std::make_unique<PageFsEnv>(std::move(fs));
    files_ = std::make_shared<PageFileSystem>(env_.get());
  }
  void Unmount() {
    files_.reset();
    env_.reset();
  }
  // Power goes, and comes back with nothing that was not durable.
  void Cut() {
    device_.CutAfter(0);
    Unmount();
    device_.PowerOn([](uint64_t) { return false; });
    Mount();
  }

  FakePageDevice &device() { return device_; }
  PageFsEnv *env() { return env_.get(); }
  const std::shared_ptr<PageFileSystem> &files() { return files_; }

  std::unique_ptr<rocksdb::FSWritableFile> Writer(const std::string &name, const rocksdb::FileOptions &options = {}) {
    std::unique_ptr<rocksdb::FSWritableFile> file;
    const rocksdb::IOStatus s = files_->NewWritableFile(name, options, &file, nullptr);
    EXPECT_TRUE(s.ok()) << s.ToString();
    return file;
  }
  std::unique_ptr<rocksdb::FSRandomAccessFile> Reader(const std::string &name, bool direct = false) {
    rocksdb::FileOptions options;
    options.use_direct_reads = direct;
    std::unique_ptr<rocksdb::FSRandomAccessFile> file;
    const rocksdb::IOStatus s = files_->NewRandomAccessFile(name, options, &file, nullptr);
    EXPECT_TRUE(s.ok()) << s.ToString();
    return file;
  }
  static rocksdb::IOStatus Append(rocksdb::FSWritableFile *file, const std::string &data) {
    return file->Append(data, rocksdb::IOOptions(), nullptr);
  }
  static rocksdb::IOStatus Sync(rocksdb::FSWritableFile *file) { return file->Sync(rocksdb::IOOptions(), nullptr); }
  static rocksdb::IOStatus Close(rocksdb::FSWritableFile *file) { return file->Close(rocksdb::IOOptions(), nullptr); }
  rocksdb::IOStatus SyncDirectory(const std::string &name) {
    std::unique_ptr<rocksdb::FSDirectory> directory;
    rocksdb::IOStatus s = files_->NewDirectory(name, rocksdb::IOOptions(), &directory, nullptr);
    return s.ok() ? directory->Fsync(rocksdb::IOOptions(), nullptr) : s;
  }
  bool Exists(const std::string &name) { return files_->FileExists(name, rocksdb::IOOptions(), nullptr).ok(); }
  // The whole file; its error where it cannot be read.
  std::string Contents(const std::string &name) {
    std::unique_ptr<rocksdb::FSSequentialFile> file;
    rocksdb::IOStatus s = files_->NewSequentialFile(name, rocksdb::FileOptions(), &file, nullptr);
    std::string all;
    for (std::string scratch(1000, '\0'); s.ok();) {
      rocksdb::Slice part;
      s = file->Read(scratch.size(), rocksdb::IOOptions(), &part, &scratch[0], nullptr);
      if (s.ok() && part.empty()) return all;
      all.append(part.data(), part.size());
    }
    return s.ToString();
  }
  // Names below a directory, sorted, joined by spaces; the error where there are none to be had.
  std::string Children(const std::string &dir) {
    std::vector<std::string> names;
    const rocksdb::IOStatus s = files_->GetChildren(dir, rocksdb::IOOptions(), &names, nullptr);
    if (!s.ok()) return s.ToString();
    std::sort(names.begin(), names.end());
    std::string joined;
    for (const std::string &name : names) joined += (joined.empty() ? "" : " ") + name;
    return joined;
  }

 private:
  FakePageDevice device_;
  std::unique_ptr<PageFsEnv> env_;
  std::shared_ptr<PageFileSystem> files_;
};

}  // namespace openremap

#endif  // OPENREMAP_TESTS_ROCKS_FILES_H_
