// SPDX-License-Identifier: Apache-2.0
#include "pagefs/device/side_page_device.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "pagefs/fs/page_fs_env.h"
#include "pagefs/tests/device/fake_page_device.h"

namespace openremap {
namespace {

using leveldb::Status;

// Writes a file and syncs it.
leveldb::Status WriteSynced(leveldb::Env *env, const std::string &name, const std::string &text) {
  leveldb::WritableFile *made = nullptr;
  leveldb::Status s = env->NewWritableFile(name, &made);
  const std::unique_ptr<leveldb::WritableFile> file(made);
  if (s.ok()) s = file->Append(text);
  if (s.ok()) s = file->Sync();
  return s.ok() ? file->Close() : s;
}

class SidePageDeviceTest : public ::testing::Test {
 protected:
  void Write(uint64_t lpn, uint64_t pages, PageKind kind, char fill) {
    const std::string data(static_cast<size_t>(pages * kPageBytes), fill);
    ASSERT_TRUE(device_.Write({{lpn, pages, data.data(), 0, kind}}, false).ok());
  }
  // The first byte of each page, '.' where nothing was written.
  std::string Read(uint64_t lpn, uint64_t pages) {
    std::string data(static_cast<size_t>(pages * kPageBytes), '?'), bytes;
    EXPECT_TRUE(device_.Read(lpn, pages, &data[0]).ok());
    for (uint64_t i = 0; i < pages; i++) {
      const char byte = data[static_cast<size_t>(i * kPageBytes)];
      bytes += byte == '\0' ? '.' : byte;
    }
    return bytes;
  }

  FakePageDevice below_{100};
  SidePageDevice device_{&below_, false};
};

TEST_F(SidePageDeviceTest, TablesLieBelowAndTheOthersBeside) {
  Write(0, 2, PageKind::kMetadata, 'm');
  Write(10, 3, PageKind::kLog, 'l');
  Write(13, 2, PageKind::kTable, 't');
  Write(15, 1, PageKind::kOther, 'o');
  EXPECT_EQ(device_.WrittenPages(), 4u);
  EXPECT_EQ(below_.pages_written, 4u);
  EXPECT_EQ(Read(0, 3), "mm.");
  EXPECT_EQ(Read(9, 8), ".llltto.");
  EXPECT_FALSE(below_.Mapped(10));
  EXPECT_TRUE(below_.Mapped(13));
}

TEST_F(SidePageDeviceTest, APageIsWhereItWasWrittenLast) {
  Write(10, 4, PageKind::kLog, 'l');
  Write(11, 2, PageKind::kTable, 't');
  EXPECT_EQ(Read(10, 4), "lttl");
  Write(12, 1, PageKind::kOther, 'o');
  EXPECT_EQ(Read(10, 4), "ltol");
}

TEST_F(SidePageDeviceTest, AFlushGoesOutIfSomethingDid) {
  Write(10, 4, PageKind::kLog, 'l');
  ASSERT_TRUE(device_.Flush().ok());
  EXPECT_EQ(below_.flush_commands, 0u);
  Write(20, 1, PageKind::kTable, 't');
  ASSERT_TRUE(device_.Flush().ok());
  ASSERT_TRUE(device_.Flush().ok());
  EXPECT_EQ(below_.flush_commands, 1u);
}

TEST_F(SidePageDeviceTest, WhatIsDeallocatedIsGoneFromBoth) {
  Write(10, 2, PageKind::kLog, 'l');
  Write(12, 2, PageKind::kTable, 't');
  ASSERT_TRUE(device_.Deallocate({{10, 4}}).ok());
  EXPECT_EQ(Read(10, 4), "....");
  EXPECT_EQ(below_.deallocate_commands, 1u);
  Write(10, 2, PageKind::kLog, 'l');
  ASSERT_TRUE(device_.Deallocate({{10, 2}}).ok());
  EXPECT_EQ(below_.deallocate_commands, 1u) << "nothing of it lies below";
  EXPECT_EQ(Read(10, 2), "..");
}

TEST_F(SidePageDeviceTest, RemapsOfItsPagesAreRefused) {
  Write(10, 2, PageKind::kLog, 'l');
  Write(20, 2, PageKind::kTable, 't');
  bool refused = false;
  ASSERT_TRUE(device_.Remap({{10, 40, 1}}, &refused).ok());
  EXPECT_TRUE(refused);
  ASSERT_TRUE(device_.Remap({{20, 9, 2}}, &refused).ok());
  EXPECT_TRUE(refused);
  ASSERT_TRUE(device_.Remap({{20, 40, 2}}, &refused).ok());
  EXPECT_FALSE(refused);
  EXPECT_EQ(Read(40, 2), "tt");
}

TEST_F(SidePageDeviceTest, WritesOutOfRangeAreRefused) {
  const std::string page(kPageBytes, 'x');
  EXPECT_TRUE(device_.Write({{100, 1, page.data(), 0, PageKind::kLog}}, false).IsIOError());
  EXPECT_TRUE(device_.Write({{99, UINT64_MAX, page.data(), 0, PageKind::kLog}}, false).IsIOError());
  EXPECT_EQ(device_.WrittenPages(), 0u);
}

// With the metadata beside it, too, the device below has tables and nothing else.
TEST(SidePageDeviceOfAFileSystemTest, HasAllButTables) {
  FakePageDevice below(500);
  SidePageDevice device(&below, true);
  std::unique_ptr<PageFs> fs;
  ASSERT_TRUE(PageFs::Open(&device, &fs).ok());
  PageFsEnv env(std::move(fs));
  ASSERT_TRUE(WriteSynced(&env, "/db/000003.log", std::string(5000, 'l')).ok());
  ASSERT_TRUE(WriteSynced(&env, "/db/MANIFEST-000002", "manifest").ok());
  EXPECT_EQ(below.pages_written, 0u);
  RemapFile *made = nullptr;
  ASSERT_TRUE(env.NewRemapFile("/db/000005.ldb", 1, &made).ok());
  const std::unique_ptr<RemapFile> table(made);
  ASSERT_TRUE(table->Append(std::string(9000, 't')).ok());
  ASSERT_TRUE(table->Sync().ok());
  ASSERT_TRUE(table->Close().ok());
  EXPECT_EQ(below.pages_written, 3u);
  std::string read;
  ASSERT_TRUE(leveldb::ReadFileToString(&env, "/db/000005.ldb", &read).ok());
  EXPECT_EQ(read, std::string(9000, 't'));
  ASSERT_TRUE(leveldb::ReadFileToString(&env, "/db/000003.log", &read).ok());
  EXPECT_EQ(read, std::string(5000, 'l'));
}

}  // namespace
}  // namespace openremap
