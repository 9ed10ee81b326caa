// SPDX-License-Identifier: Apache-2.0
#include "rocksfs/page_file_system.h"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "rocks_files.h"

namespace openremap {
namespace {

using rocksdb::FileOptions;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

class PageFileSystemTest : public ::testing::Test {
 protected:
  void Write(const std::string &name, const std::string &text) {
    const auto file = rocks_.Writer(name);
    ASSERT_TRUE(RocksFiles::Append(file.get(), text).ok());
    ASSERT_TRUE(RocksFiles::Close(file.get()).ok());
  }
  PageFileSystem &files() { return *rocks_.files(); }

  const IOOptions io_;
  RocksFiles rocks_;
};

TEST_F(PageFileSystemTest, SlashesDoNotMatter) {
  Write("/db//1.log", "abc");
  EXPECT_EQ(rocks_.Contents("db/1.log"), "abc");
  EXPECT_EQ(rocks_.Children("/db/"), "1.log");
  EXPECT_EQ(rocks_.Children("//"), "db");
  std::string absolute;
  ASSERT_TRUE(files().GetAbsolutePath("db//", io_, &absolute, nullptr).ok());
  EXPECT_EQ(absolute, "/db");
}

TEST_F(PageFileSystemTest, DirectoriesAreThereWhenMadeOrUsed) {
  bool is_directory = true;
  EXPECT_TRUE(files().IsDirectory("/db", io_, &is_directory, nullptr).IsNotFound());
  EXPECT_EQ(rocks_.Children("/db").substr(0, 9), "NotFound:");
  std::unique_ptr<rocksdb::FSDirectory> directory;
  EXPECT_TRUE(files().NewDirectory("/db", io_, &directory, nullptr).IsNotFound());
  ASSERT_TRUE(files().CreateDir("/db", io_, nullptr).ok());
  EXPECT_TRUE(files().CreateDir("/db", io_, nullptr).IsIOError());
  EXPECT_TRUE(files().CreateDirIfMissing("/db", io_, nullptr).ok());
  EXPECT_TRUE(rocks_.Exists("/db"));
  EXPECT_EQ(rocks_.Children("/db"), "");
  Write("/db/a/1.log", "x");
  ASSERT_TRUE(files().IsDirectory("/db/a", io_, &is_directory, nullptr).ok());
  EXPECT_TRUE(is_directory);
  ASSERT_TRUE(files().IsDirectory("/db/a/1.log", io_, &is_directory, nullptr).ok());
  EXPECT_FALSE(is_directory);
  EXPECT_TRUE(files().CreateDirIfMissing("/db/a/1.log", io_, nullptr).IsIOError());
  EXPECT_TRUE(files().NewDirectory("/db/a/1.log", io_, &directory, nullptr).IsIOError());
  EXPECT_TRUE(files().DeleteDir("/db", io_, nullptr).IsIOError()) << "not empty";
  ASSERT_TRUE(files().DeleteFile("/db/a/1.log", io_, nullptr).ok());
  EXPECT_TRUE(files().DeleteDir("/db", io_, nullptr).ok());
  EXPECT_FALSE(rocks_.Exists("/db"));
}

TEST_F(PageFileSystemTest, ChildrenAreOfOneLevel) {
  Write("/db/1.log", "x");
  Write("/db/sub/2.log", "x");
  Write("/dbx", "x");
  EXPECT_EQ(rocks_.Children("/db"), "1.log sub");
  EXPECT_EQ(rocks_.Children("/"), "db dbx");
}

TEST_F(PageFileSystemTest, AttributesOfAllThatIsInADirectory) {
  Write("/db/1.log", std::string(5000, 'x'));
  Write("/db/sub/2.log", "x");
  ASSERT_TRUE(files().CreateDir("/db/empty", io_, nullptr).ok());
  std::vector<rocksdb::FileAttributes> found;
  const rocksdb::IOStatus s = files().GetChildrenFileAttributes("/db", io_, &found, nullptr);
  ASSERT_TRUE(s.ok()) << s.ToString();
  std::map<std::string, uint64_t> sizes;
  for (const rocksdb::FileAttributes &file : found) sizes[file.name] = file.size_bytes;
  EXPECT_EQ(sizes, (std::map<std::string, uint64_t>{{"1.log", 5000}, {"empty", 0}, {"sub", 0}}));
}

TEST_F(PageFileSystemTest, SizesAndMissingFiles) {
  Write("/1.log", std::string(5000, 'x'));
  uint64_t size = 0;
  ASSERT_TRUE(files().GetFileSize("/1.log", io_, &size, nullptr).ok());
  EXPECT_EQ(size, 5000u);
  EXPECT_TRUE(files().GetFileSize("/2.log", io_, &size, nullptr).IsNotFound());
  EXPECT_TRUE(files().DeleteFile("/2.log", io_, nullptr).IsNotFound());
  EXPECT_TRUE(files().RenameFile("/2.log", "/3.log", io_, nullptr).IsNotFound());
  EXPECT_TRUE(files().FileExists("/2.log", io_, nullptr).IsNotFound());
  std::unique_ptr<rocksdb::FSRandomAccessFile> file;
  EXPECT_TRUE(files().NewRandomAccessFile("/2.log", FileOptions(), &file, nullptr).IsNotFound());
  EXPECT_TRUE(files().Truncate("/1.log", 5000, io_, nullptr).ok());
  EXPECT_TRUE(files().Truncate("/1.log", 4999, io_, nullptr).IsNotSupported());
}

TEST_F(PageFileSystemTest, ARenameReplacesItsTargetAndIsDurableWithTheDirectory) {
  Write("/db/CURRENT", "old");
  ASSERT_TRUE(rocks_.SyncDirectory("/db").ok());
  Write("/db/1.dbtmp", "new");
  ASSERT_TRUE(files().RenameFile("/db/1.dbtmp", "/db/CURRENT", io_, nullptr).ok());
  EXPECT_EQ(rocks_.Contents("/db/CURRENT"), "new");
  rocks_.Cut();
  EXPECT_EQ(rocks_.Contents("/db/CURRENT"), "old");
  EXPECT_EQ(rocks_.Children("/db"), "CURRENT");
  Write("/db/1.dbtmp", "new");
  ASSERT_TRUE(files().RenameFile("/db/1.dbtmp", "/db/CURRENT", io_, nullptr).ok());
  ASSERT_TRUE(rocks_.SyncDirectory("/db").ok());
  rocks_.Cut();
  EXPECT_EQ(rocks_.Contents("/db/CURRENT"), "new");
}

TEST_F(PageFileSystemTest, ADirectoryIsRenamedWithItsFiles) {
  Write("/db.tmp/1.log", "one");
  Write("/db.tmp/2.log", "two");
  Write("/db.tmpx", "beside");
  ASSERT_TRUE(files().RenameFile("/db.tmp", "/db", io_, nullptr).ok());
  EXPECT_EQ(rocks_.Children("/db"), "1.log 2.log");
  EXPECT_EQ(rocks_.Contents("/db/2.log"), "two");
  EXPECT_FALSE(rocks_.Exists("/db.tmp"));
  Write("/other/3.log", "x");
  EXPECT_TRUE(files().RenameFile("/other", "/db", io_, nullptr).IsIOError()) << "not empty";
  EXPECT_TRUE(files().RenameFile("/other", "/other/below", io_, nullptr).IsInvalidArgument());
  EXPECT_EQ(rocks_.Contents("/other/3.log"), "x");
}

TEST_F(PageFileSystemTest, ADirectoryIsRenamedWithItsDirectories) {
  Write("/db.tmp/1.log", "one");
  Write("/db.tmp/sub/2.log", "two");
  ASSERT_TRUE(files().CreateDir("/db.tmp/empty", io_, nullptr).ok());
  const rocksdb::IOStatus s = files().RenameFile("/db.tmp", "/db", io_, nullptr);
  EXPECT_TRUE(s.ok()) << s.ToString();
  EXPECT_EQ(rocks_.Children("/db"), "1.log empty sub");
  EXPECT_EQ(rocks_.Contents("/db/sub/2.log"), "two");
  EXPECT_FALSE(rocks_.Exists("/db.tmp"));
  EXPECT_EQ(rocks_.Children("/"), "db");
}

// As RocksDB publishes a checkpoint. The names take several pages of metadata.
TEST_F(PageFileSystemTest, APowerCutLeavesADirectoryUnderOneName) {
  const std::string long_name(500, 'n');
  int before = 0, after = 0;
  for (uint64_t cut = 0; cut < 40; cut++) {
    SCOPED_TRACE(cut);
    RocksFiles rocks;
    for (int i = 0; i < 30; i++) {
      const auto file = rocks.Writer("/db.tmp/" + long_name + std::to_string(i));
      ASSERT_TRUE(RocksFiles::Append(file.get(), "x").ok());
      ASSERT_TRUE(RocksFiles::Close(file.get()).ok());
    }
    ASSERT_TRUE(rocks.SyncDirectory("/db.tmp").ok());
    ASSERT_TRUE(rocks.files()->RenameFile("/db.tmp", "/db", io_, nullptr).ok());
    rocks.device().CutAfter(cut);
    (void)rocks.SyncDirectory("/").ok();
    rocks.Unmount();
    rocks.device().PowerOn(cut);
    rocks.Mount();
    const bool moved = rocks.Exists("/db");
    std::vector<std::string> names;
    ASSERT_TRUE(rocks.files()->GetChildren(moved ? "/db" : "/db.tmp", io_, &names, nullptr).ok());
    EXPECT_EQ(names.size(), 30u);
    EXPECT_EQ(rocks.Exists("/db.tmp"), !moved);
    (moved ? after : before)++;
  }
  EXPECT_GT(before, 2) << "cuts in the middle";
  EXPECT_GT(after, 2);
}

TEST_F(PageFileSystemTest, AFileOpenedAnewGrowsAtItsEnd) {
  Write("/1.log", std::string(5000, 'a'));
  std::unique_ptr<rocksdb::FSWritableFile> file;
  ASSERT_TRUE(files().ReopenWritableFile("/1.log", FileOptions(), &file, nullptr).ok());
  EXPECT_EQ(file->GetFileSize(io_, nullptr), 5000u);
  ASSERT_TRUE(RocksFiles::Append(file.get(), "b").ok());
  std::unique_ptr<rocksdb::FSWritableFile> other;
  EXPECT_TRUE(files().ReopenWritableFile("/1.log", FileOptions(), &other, nullptr).IsIOError());
  ASSERT_TRUE(RocksFiles::Close(file.get()).ok());
  EXPECT_EQ(rocks_.Contents("/1.log"), std::string(5000, 'a') + "b");
  ASSERT_TRUE(files().ReuseWritableFile("/2.log", "/1.log", FileOptions(), &file, nullptr).ok());
  ASSERT_TRUE(RocksFiles::Append(file.get(), "c").ok());
  ASSERT_TRUE(RocksFiles::Close(file.get()).ok());
  EXPECT_EQ(rocks_.Children("/"), "2.log");
  EXPECT_EQ(rocks_.Contents("/2.log"), "c");
}

TEST_F(PageFileSystemTest, ALockIsHeldOnce) {
  rocksdb::FileLock *lock = nullptr, *other = nullptr;
  ASSERT_TRUE(files().LockFile("/db/LOCK", io_, &lock, nullptr).ok());
  EXPECT_TRUE(files().LockFile("/db//LOCK", io_, &other, nullptr).IsIOError());
  ASSERT_TRUE(files().UnlockFile(lock, io_, nullptr).ok());
  ASSERT_TRUE(files().LockFile("/db/LOCK", io_, &lock, nullptr).ok());
  ASSERT_TRUE(files().UnlockFile(lock, io_, nullptr).ok());
}

TEST_F(PageFileSystemTest, TimesAreThoseOfThisMount) {
  const auto now = static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count());
  Write("/1.log", "x");
  uint64_t time = 0;
  ASSERT_TRUE(files().GetFileModificationTime("/1.log", io_, &time, nullptr).ok());
  EXPECT_GE(time, now);
  ASSERT_TRUE(files().RenameFile("/1.log", "/2.log", io_, nullptr).ok());
  EXPECT_TRUE(files().GetFileModificationTime("/1.log", io_, &time, nullptr).IsNotFound());
  ASSERT_TRUE(rocks_.SyncDirectory("/").ok());
  rocks_.Unmount();
  rocks_.Mount();
  ASSERT_TRUE(files().GetFileModificationTime("/2.log", io_, &time, nullptr).ok());
  EXPECT_GE(time, now);
  EXPECT_LE(time, now + 60);
}

TEST_F(PageFileSystemTest, FreeSpaceShrinks) {
  uint64_t before = 0, after = 0;
  ASSERT_TRUE(files().GetFreeSpace("/", io_, &before, nullptr).ok());
  Write("/1.sst", std::string(10 * kPageBytes, 'x'));
  ASSERT_TRUE(files().GetFreeSpace("/", io_, &after, nullptr).ok());
  EXPECT_EQ(before - after, 10 * kPageBytes);
}

TEST_F(PageFileSystemTest, WhatIsNotThereSaysSo) {
  Write("/1.sst", "x");
  FileOptions mapped;
  mapped.use_mmap_reads = true;
  std::unique_ptr<rocksdb::FSRandomAccessFile> file;
  EXPECT_TRUE(files().NewRandomAccessFile("/1.sst", mapped, &file, nullptr).IsNotSupported());
  EXPECT_TRUE(files().LinkFile("/1.sst", "/2.sst", io_, nullptr).IsNotSupported());
  std::unique_ptr<rocksdb::FSRandomRWFile> random;
  EXPECT_TRUE(files().NewRandomRWFile("/1.sst", FileOptions(), &random, nullptr).IsNotSupported());
  std::unique_ptr<rocksdb::FSWritableFile> writer;
  EXPECT_TRUE(files().NewWritableFile(std::string(2000, 'x'), FileOptions(), &writer, nullptr).IsInvalidArgument());
  EXPECT_EQ(writer, nullptr);
}

}  // namespace
}  // namespace openremap
