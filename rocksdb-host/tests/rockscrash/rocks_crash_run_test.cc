// SPDX-License-Identifier: Apache-2.0
//
// That cuts under RocksDB show what they are there to show: a sound stack has no violation, defects made on purpose
// have one. OPENREMAP_SEED seeds them.
#include "rocks_crash_run.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <utility>

#include "pagefs/device/passing_page_device.h"
#include "rocksfs/file_hints.h"
#include "test_seed.h"

namespace openremap {
namespace {

using leveldb::Status;
using rocksdb::FileOptions;
using rocksdb::FileSystem;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

// A device that leaves out flushes, or keeps in its cache what is to be durable at once.
class ForgetfulDevice : public PassingPageDevice {
 public:
  ForgetfulDevice(PageDevice *device, bool flushes) : PassingPageDevice(device), flushes_(flushes) {}
  Status Write(const std::vector<WriteRun> &runs, bool durable) override {
    return below_->Write(runs, durable && !flushes_);
  }
  Status Flush() override { return flushes_ ? below_->Flush() : Status::OK(); }

 private:
  const bool flushes_;
};

// A file whose Sync does nothing.
class FileWithoutSync : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  using FSWritableFileOwnerWrapper::FSWritableFileOwnerWrapper;
  IOStatus Sync(const IOOptions &, IODebugContext *) override { return IOStatus::OK(); }
  IOStatus Fsync(const IOOptions &, IODebugContext *) override { return IOStatus::OK(); }
};

class DirectoryWithoutSync : public rocksdb::FSDirectory {
 public:
  IOStatus Fsync(const IOOptions &, IODebugContext *) override { return IOStatus::OK(); }
  IOStatus Close(const IOOptions &, IODebugContext *) override { return IOStatus::OK(); }
};

// A file system that leaves out the syncs of some files, or of all directories.
class ForgetfulFiles : public rocksdb::FileSystemWrapper {
 public:
  using Forgets = bool (*)(const std::string &fname);
  // `forgets`: whose files are not synced; null: no file's, but directories.
  ForgetfulFiles(const std::shared_ptr<FileSystem> &files, Forgets forgets)
      : FileSystemWrapper(files), forgets_(forgets) {}
  const char *Name() const override { return "ForgetfulFiles"; }

  IOStatus NewWritableFile(const std::string &fname, const FileOptions &options,
                           std::unique_ptr<rocksdb::FSWritableFile> *result, IODebugContext *dbg) override {
    IOStatus s = FileSystemWrapper::NewWritableFile(fname, options, result, dbg);
    if (s.ok() && forgets_ != nullptr && forgets_(fname)) {
      *result = std::make_unique<FileWithoutSync>(std::move(*result));
    }
    return s;
  }
  IOStatus NewDirectory(const std::string &name, const IOOptions &options,
                        std::unique_ptr<rocksdb::FSDirectory> *result, IODebugContext *dbg) override {
    IOStatus s = FileSystemWrapper::NewDirectory(name, options, result, dbg);
    if (s.ok() && forgets_ == nullptr) *result = std::make_unique<DirectoryWithoutSync>();
    return s;
  }

 private:
  const Forgets forgets_;
};

bool IsLog(const std::string &fname) { return KindOfRocksFile(fname) == RocksFileKind::kLog; }
bool IsManifest(const std::string &fname) { return fname.find("MANIFEST-") != std::string::npos; }

std::function<std::shared_ptr<FileSystem>(std::shared_ptr<FileSystem>)> Without(ForgetfulFiles::Forgets syncs) {
  return [syncs](const std::shared_ptr<FileSystem> &files) { return std::make_shared<ForgetfulFiles>(files, syncs); };
}

RocksCrashOptions Options() {
  RocksCrashOptions options;
  options.seed = openremap::TestSeed();
  options.cuts = 12;
  return options;
}

// The first violation that some runs find. Empty: none of them finds one.
std::string FirstViolation(RocksCrashOptions options, int runs = 8) {
  for (int run = 0; run < runs; run++, options.seed++) {
    const RocksCrashResult result = RunRocksWithCuts(options);
    if (!result.wrong.empty()) return result.wrong;
  }
  return "";
}

TEST(RocksCrashRunTest, ASoundRunHasNoViolationAndRepeats) {
  const RocksCrashOptions options = Options();
  const RocksCrashResult first = RunRocksWithCuts(options);
  EXPECT_EQ(first.wrong, "");
  EXPECT_GE(first.cuts, options.cuts);
  EXPECT_GT(first.synced, 0u);
  EXPECT_GT(first.writes, first.synced);
  EXPECT_GT(first.log_syncs, 0u);
  EXPECT_GT(first.range_deletions, 0u);
  EXPECT_GT(first.flushes, 0u);
  EXPECT_GT(first.compactions, 0u);
  const RocksCrashResult again = RunRocksWithCuts(options);
  EXPECT_EQ(again.cuts_in, first.cuts_in);
  EXPECT_EQ(again.writes, first.writes);
}

TEST(RocksCrashRunTest, FlushesLeftOutAreFound) {
  RocksCrashOptions options = Options();
  options.wrap = [](PageDevice *device) { return std::make_unique<ForgetfulDevice>(device, /*flushes=*/false); };
  EXPECT_NE(FirstViolation(options), "");
}

TEST(RocksCrashRunTest, VolatileMetadataIsFound) {
  RocksCrashOptions options = Options();
  options.wrap = [](PageDevice *device) { return std::make_unique<ForgetfulDevice>(device, /*flushes=*/true); };
  EXPECT_NE(FirstViolation(options), "");
}

TEST(RocksCrashRunTest, WritesThatAreNotSyncedAreFound) {
  RocksCrashOptions options = Options();
  options.forget_sync = true;
  EXPECT_NE(FirstViolation(options).find("synced"), std::string::npos);
}

TEST(RocksCrashRunTest, LogsThatAreNotSyncedAreFound) {
  RocksCrashOptions options = Options();
  options.wrap_files = Without(IsLog);
  EXPECT_NE(FirstViolation(options), "");
}

TEST(RocksCrashRunTest, ManifestsThatAreNotSyncedAreFound) {
  RocksCrashOptions options = Options();
  options.wrap_files = Without(IsManifest);
  EXPECT_NE(FirstViolation(options), "");
}

// PageFS makes all changes of names durable in their order, and tables with the manifest that names them.
TEST(RocksCrashRunTest, DirectoriesNeedNoSync) {
  RocksCrashOptions options = Options();
  options.wrap_files = Without(nullptr);
  EXPECT_EQ(FirstViolation(options, /*runs=*/2), "");
}

TEST(RocksCrashRunTest, ADeviceThatIsNotThereIsRefused) {
  RocksCrashOptions options = Options();
  options.device = "none";
  EXPECT_THROW(RunRocksWithCuts(options), std::runtime_error);
}

}  // namespace
}  // namespace openremap
