// SPDX-License-Identifier: Apache-2.0
#include "rocksfs/page_file_system.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

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
