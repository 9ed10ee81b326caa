// SPDX-License-Identifier: Apache-2.0
#include "memory_remap_env.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "inline_env.h"

namespace openremap {
namespace {

using leveldb::Status;

std::string Pattern(char c, size_t size) { return std::string(size, c); }

class MemoryRemapEnvTest : public ::testing::Test {
 protected:
  std::unique_ptr<RemapFile> Create(const std::string &name) {
    RemapFile *file = nullptr;
    EXPECT_TRUE(env_.NewRemapFile(name, 0, &file).ok());
    return std::unique_ptr<RemapFile>(file);
  }

  void Write(const std::string &name, const std::string &bytes) {
    std::unique_ptr<RemapFile> file = Create(name);
    ASSERT_TRUE(file->Append(bytes).ok());
    ASSERT_TRUE(file->Sync().ok());
    ASSERT_TRUE(file->Close().ok());
  }

  std::string Read(const std::string &name) {
    std::string bytes;
    EXPECT_TRUE(leveldb::ReadFileToString(&env_, name, &bytes).ok());
    return bytes;
  }

  MemoryRemapEnv env_;
};

TEST_F(MemoryRemapEnvTest, FromFindsItAndOnlyIt) {
  EXPECT_EQ(RemapEnv::From(&env_), &env_);
  EXPECT_EQ(RemapEnv::From(leveldb::Env::Default()), nullptr);
  InlineEnv plain(leveldb::Env::Default());
  EXPECT_EQ(RemapEnv::From(&plain), nullptr);
  InlineRemapEnv remapping(&env_, &env_);
  EXPECT_EQ(RemapEnv::From(&remapping), &remapping);
}

TEST_F(MemoryRemapEnvTest, RemappedPagesReadAsTheSourceAndCostNoWrite) {
  Write("/d/a", Pattern('a', 4096) + Pattern('b', 4096) + "tail");
  PageRun run;
  ASSERT_TRUE(env_.GetLpn("/d/a", 4096, 10, &run).ok());
  EXPECT_EQ(run.pages, 1u) << "whole pages only";
  const uint64_t written = env_.GetCounters().written_pages;
  std::unique_ptr<RemapFile> file = Create("/d/b");
  ASSERT_TRUE(file->AppendRemap(run).ok());
  EXPECT_EQ(file->Offset(), 4096u);
  ASSERT_TRUE(file->Append("end").ok());
  ASSERT_TRUE(file->Sync().ok());
  EXPECT_EQ(env_.GetCounters().written_pages, written + 1);
  EXPECT_EQ(env_.GetRemapStats().remapped_pages, 1u);
  ASSERT_TRUE(file->Close().ok());
  ASSERT_TRUE(env_.RemoveFile("/d/a").ok());
  EXPECT_EQ(Read("/d/b"), Pattern('b', 4096) + "end") << "the other sharer is gone";
}

TEST_F(MemoryRemapEnvTest, RefusalCopies) {
  Write("/d/a", Pattern('a', 8192));
  env_.SetRefusal([] { return true; });
  PageRun run;
  ASSERT_TRUE(env_.GetLpn("/d/a", 0, 2, &run).ok());
  std::unique_ptr<RemapFile> file = Create("/d/b");
  ASSERT_TRUE(file->AppendRemap(run).ok());
  ASSERT_TRUE(file->Sync().ok());
  EXPECT_EQ(env_.GetRemapStats().remapped_pages, 0u);
  EXPECT_EQ(env_.GetRemapStats().fallback_pages, 2u);
  ASSERT_TRUE(file->Close().ok());
  EXPECT_EQ(Read("/d/b"), Pattern('a', 8192));
}

TEST_F(MemoryRemapEnvTest, GetLpnErrors) {
  PageRun run;
  EXPECT_TRUE(env_.GetLpn("/d/none", 0, 1, &run).IsNotFound());
  Write("/d/a", Pattern('a', 8192));
  EXPECT_TRUE(env_.GetLpn("/d/a", 8192, 1, &run).IsInvalidArgument());
  EXPECT_TRUE(env_.GetLpn("/d/a", 17, 1, &run).IsInvalidArgument());
  std::unique_ptr<RemapFile> open = Create("/d/b");
  ASSERT_TRUE(open->Append(Pattern('b', 4096)).ok());
  EXPECT_TRUE(env_.GetLpn("/d/b", 0, 1, &run).IsNotSupportedError()) << "not synced yet";
}

TEST_F(MemoryRemapEnvTest, RemapAtAnOddOffsetIsRefused) {
  Write("/d/a", Pattern('a', 4096));
  std::unique_ptr<RemapFile> file = Create("/d/b");
  ASSERT_TRUE(file->Append("x").ok());
  EXPECT_TRUE(file->AppendRemap({0, 1}).IsInvalidArgument());
}

TEST_F(MemoryRemapEnvTest, SyncsOfAPartialPageWriteItAgain) {
  std::unique_ptr<RemapFile> file = Create("/d/log");
  for (int i = 0; i < 3; i++) {
    ASSERT_TRUE(file->Append("record").ok());
    ASSERT_TRUE(file->Sync().ok());
  }
  ASSERT_TRUE(file->Sync().ok());
  EXPECT_EQ(env_.GetCounters().written_pages, 3u);
  EXPECT_EQ(env_.UsedPages(), 1u);
}

TEST_F(MemoryRemapEnvTest, AppendingGoesOnInThePartialPage) {
  Write("/d/a", "first ");
  leveldb::WritableFile *raw = nullptr;
  ASSERT_TRUE(env_.NewAppendableFile("/d/a", &raw).ok());
  std::unique_ptr<leveldb::WritableFile> file(raw);
  ASSERT_TRUE(file->Append("second").ok());
  ASSERT_TRUE(file->Close().ok());
  EXPECT_EQ(Read("/d/a"), "first second");
  EXPECT_EQ(env_.UsedPages(), 1u);
}

TEST_F(MemoryRemapEnvTest, PowerCutLeavesWhatWasSynced) {
  Write("/d/kept", "kept");
  std::unique_ptr<RemapFile> file = Create("/d/half");
  ASSERT_TRUE(file->Append("durable").ok());
  ASSERT_TRUE(file->Sync().ok());
  ASSERT_TRUE(file->Append(Pattern('x', 10000)).ok());
  ASSERT_TRUE(file->Close().ok());
  std::unique_ptr<RemapFile> lost = Create("/d/lost");
  ASSERT_TRUE(lost->Append("lost").ok());
  ASSERT_TRUE(lost->Close().ok());
  env_.DropUnsynced();
  EXPECT_EQ(Read("/d/kept"), "kept");
  EXPECT_EQ(Read("/d/half"), "durable");
  EXPECT_FALSE(env_.FileExists("/d/lost"));
}

TEST_F(MemoryRemapEnvTest, RemovedFileStaysReadableWhileOpen) {
  Write("/d/a", "still here");
  leveldb::RandomAccessFile *raw = nullptr;
  ASSERT_TRUE(env_.NewRandomAccessFile("/d/a", &raw).ok());
  std::unique_ptr<leveldb::RandomAccessFile> file(raw);
  ASSERT_TRUE(env_.RemoveFile("/d/a").ok());
  char scratch[16];
  leveldb::Slice read;
  ASSERT_TRUE(file->Read(0, 10, &read, scratch).ok());
  EXPECT_EQ(read.ToString(), "still here");
}

TEST_F(MemoryRemapEnvTest, NamesAndLocks) {
  Write("/d/a", "1");
  Write("/d/b", "2");
  Write("/e/c", "3");
  std::vector<std::string> children;
  ASSERT_TRUE(env_.GetChildren("/d", &children).ok());
  EXPECT_EQ(children, (std::vector<std::string>{"a", "b"}));
  ASSERT_TRUE(env_.RenameFile("/d/a", "/d/b").ok());
  EXPECT_EQ(Read("/d/b"), "1");
  EXPECT_TRUE(env_.RenameFile("/d/a", "/d/x").IsNotFound());
  EXPECT_TRUE(env_.RemoveFile("/d/a").IsNotFound());
  uint64_t size = 0;
  EXPECT_TRUE(env_.GetFileSize("/d/a", &size).IsNotFound());
  leveldb::FileLock *lock = nullptr, *second = nullptr;
  ASSERT_TRUE(env_.LockFile("/d/LOCK", &lock).ok());
  EXPECT_FALSE(env_.LockFile("/d/LOCK", &second).ok());
  ASSERT_TRUE(env_.UnlockFile(lock).ok());
  ASSERT_TRUE(env_.LockFile("/d/LOCK", &lock).ok());
  ASSERT_TRUE(env_.UnlockFile(lock).ok());
}

}  // namespace
}  // namespace openremap
