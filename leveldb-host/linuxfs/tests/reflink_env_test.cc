// SPDX-License-Identifier: Apache-2.0
//
// The reflink layer on files of a temporary folder, with a kernel that copies what it is asked to share, or refuses.
#include "reflink_env.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <vector>

#include "database_reads_back.h"
#include "range_cloner.h"
#include "test_pages.h"

namespace openremap {
namespace {

using leveldb::Status;

class FakeCloner : public RangeCloner {
 public:
  int Clone(const CloneRange &range) override {
    std::lock_guard<std::mutex> lock(mutex_);
    asked.push_back(range);
    if (error != 0 && asked.size() % error_every == 0) return -error;
    EXPECT_EQ(range.source_offset % kPageBytes, 0u);
    EXPECT_EQ(range.target_offset % kPageBytes, 0u);
    EXPECT_EQ(range.bytes % kPageBytes, 0u);
    std::string data(range.bytes, '\0');
    const ssize_t read = pread(range.source, &data[0], data.size(), static_cast<off_t>(range.source_offset));
    // As the kernel: only what is there can be shared.
    if (read < 0 || static_cast<size_t>(read) != data.size()) return -EINVAL;
    const ssize_t written = pwrite(range.target, data.data(), data.size(), static_cast<off_t>(range.target_offset));
    return written == read ? 0 : -EIO;
  }

  // Each folder is a file system.
  uint64_t FileSystemOf(int fd) override {
    std::error_code failure;
    const auto path = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd), failure);
    EXPECT_FALSE(failure) << failure.message();
    return std::hash<std::string>()(path.parent_path().string());
  }

  std::vector<CloneRange> asked;
  int error = 0;
  size_t error_every = 1;

 private:
  std::mutex mutex_;
};

class ReflinkEnvTest : public ::testing::Test {
 protected:
  std::string Path(const std::string &name) const { return folder_.Path(name); }

  std::unique_ptr<RemapFile> Create(const std::string &name) {
    RemapFile *file = nullptr;
    EXPECT_TRUE(env_.NewRemapFile(Path(name), 1, &file).ok());
    return std::unique_ptr<RemapFile>(file);
  }
  void WriteFile(const std::string &name, const std::string &data) {
    const auto file = Create(name);
    ASSERT_TRUE(file->Append(data).ok());
    ASSERT_TRUE(file->Sync().ok());
    ASSERT_TRUE(file->Close().ok());
  }
  PageRun Locate(const std::string &name, int first, int pages) {
    PageRun run;
    EXPECT_TRUE(
        env_.GetLpn(Path(name), static_cast<uint64_t>(first) * kPageBytes, static_cast<uint64_t>(pages), &run).ok());
    EXPECT_EQ(run.pages, static_cast<uint64_t>(pages));
    return run;
  }
  void Keep(RemapFile *file, const std::string &name, int first, int pages) {
    ASSERT_TRUE(file->AppendRemap(Locate(name, first, pages)).ok());
  }
  std::string Contents(const std::string &name) {
    std::string data;
    EXPECT_TRUE(leveldb::ReadFileToString(&env_, Path(name), &data).ok());
    return data;
  }
  // A table of written and kept pages, of two sources, with a tail.
  std::string Mix(RemapFile *file) {
    EXPECT_TRUE(file->Append(Page(100)).ok());
    Keep(file, "one", 3, 4);
    Keep(file, "one", 7, 5);
    Keep(file, "two", 0, 2);
    EXPECT_EQ(file->Offset(), 12 * kPageBytes);
    EXPECT_TRUE(file->Append(Page(101)).ok());
    Keep(file, "one", 20, 2);
    EXPECT_TRUE(file->Append("tail").ok());
    return Page(100) + Pages(3, 9) + Pages(200, 2) + Page(101) + Pages(20, 2) + "tail";
  }
  void WriteSources() {
    WriteFile("one", Pages(0, 40));
    WriteFile("two", Pages(200, 4));
  }

  TestFolder folder_;
  FakeCloner cloner_;
  ReflinkEnv env_{&cloner_};
};

TEST_F(ReflinkEnvTest, KeptRangesAreClonedAndTheRestWritten) {
  WriteSources();
  const uint64_t before = SumOf(env_.GetWrittenBytes());
  const auto file = Create("table");
  const std::string wanted = Mix(file.get());
  ASSERT_TRUE(file->Sync().ok());
  EXPECT_EQ(Contents("table"), wanted);
  ASSERT_EQ(cloner_.asked.size(), 3u) << "neighbours are one range";
  EXPECT_EQ(cloner_.asked[0].bytes, 9 * kPageBytes);
  EXPECT_EQ(cloner_.asked[0].source_offset, 3 * kPageBytes);
  EXPECT_EQ(cloner_.asked[0].target_offset, kPageBytes);
  EXPECT_EQ(env_.GetRemapStats().remapped_pages, 13u);
  EXPECT_EQ(env_.GetRemapStats().remap_commands, 3u);
  EXPECT_EQ(env_.GetRemapStats().fallback_pages, 0u);
  EXPECT_EQ(SumOf(env_.GetWrittenBytes()) - before, 2 * kPageBytes + 4);
}

TEST_F(ReflinkEnvTest, AFileGoesOnAfterASync) {
  WriteSources();
  const auto file = Create("table");
  Keep(file.get(), "one", 0, 3);
  ASSERT_TRUE(file->Sync().ok());
  EXPECT_EQ(Contents("table"), Pages(0, 3));
  ASSERT_TRUE(file->Append(Page(50)).ok());
  Keep(file.get(), "two", 1, 2);
  ASSERT_TRUE(file->Close().ok()) << "closing clones what is left";
  EXPECT_EQ(Contents("table"), Pages(0, 3) + Page(50) + Pages(201, 2));
}

// A file system without reflinks is asked once.
TEST_F(ReflinkEnvTest, WithoutReflinksAllIsWritten) {
  for (const int error : {EOPNOTSUPP, ENOTTY, ENOSYS}) {
    SCOPED_TRACE(error);
    cloner_.asked.clear();
    cloner_.error = error;
    ReflinkEnv env(&cloner_);
    WriteSources();
    std::vector<PageRun> runs(3);
    for (size_t i = 0; i < runs.size(); i++) {
      ASSERT_TRUE(env.GetLpn(Path("one"), i * 5 * kPageBytes, 2, &runs[i]).ok());
    }
    RemapFile *made = nullptr;
    ASSERT_TRUE(env.NewRemapFile(Path("table"), 1, &made).ok());
    const std::unique_ptr<RemapFile> file(made);
    for (const PageRun &run : runs) ASSERT_TRUE(file->AppendRemap(run).ok());
    ASSERT_TRUE(file->Sync().ok());
    EXPECT_EQ(Contents("table"), Pages(0, 2) + Pages(5, 2) + Pages(10, 2));
    EXPECT_EQ(cloner_.asked.size(), 1u);
    EXPECT_EQ(env.GetRemapStats().fallback_pages, 6u);
    EXPECT_EQ(env.GetRemapStats().remapped_pages, 0u);
    EXPECT_TRUE(env.GetLpn(Path("one"), 0, 1, runs.data()).IsNotSupportedError()) << "blocks are copied from now on";
  }
}

// A database on another file system of the same layer goes on cloning.
TEST_F(ReflinkEnvTest, AFileSystemWithoutReflinksIsNoneOfTheOthers) {
  std::filesystem::create_directory(Path("with"));
  WriteFile("one", Pages(0, 4));
  WriteFile("with/one", Pages(4, 4));
  const PageRun without = Locate("one", 0, 4);
  const PageRun with = Locate("with/one", 0, 4);
  cloner_.error = EOPNOTSUPP;
  const auto copied = Create("copied");
  ASSERT_TRUE(copied->AppendRemap(without).ok());
  ASSERT_TRUE(copied->Sync().ok());
  cloner_.error = 0;
  PageRun run;
  EXPECT_TRUE(env_.GetLpn(Path("one"), 0, 1, &run).IsNotSupportedError());
  EXPECT_TRUE(env_.GetLpn(Path("with/one"), 0, 1, &run).ok());
  const auto cloned = Create("with/cloned");
  ASSERT_TRUE(cloned->AppendRemap(with).ok());
  ASSERT_TRUE(cloned->Sync().ok());
  EXPECT_EQ(Contents("copied"), Pages(0, 4));
  EXPECT_EQ(Contents("with/cloned"), Pages(4, 4));
  EXPECT_EQ(cloner_.asked.size(), 2u);
  EXPECT_EQ(env_.GetRemapStats().fallback_pages, 4u);
  EXPECT_EQ(env_.GetRemapStats().remapped_pages, 4u);
}

// Other ranges may go: they are asked for.
TEST_F(ReflinkEnvTest, RefusedRangesAreWritten) {
  WriteSources();
  int tables = 0;
  for (const int error : {EXDEV, EINVAL, ENOSPC}) {
    SCOPED_TRACE(error);
    cloner_.asked.clear();
    cloner_.error = error;
    cloner_.error_every = 2;
    const RemapStats before = env_.GetRemapStats();
    const auto file = Create("table" + std::to_string(tables));
    const std::string wanted = Mix(file.get());
    ASSERT_TRUE(file->Sync().ok());
    EXPECT_EQ(Contents("table" + std::to_string(tables++)), wanted);
    EXPECT_EQ(cloner_.asked.size(), 3u);
    EXPECT_EQ(env_.GetRemapStats().fallback_pages - before.fallback_pages, 2u);
    EXPECT_EQ(env_.GetRemapStats().remapped_pages - before.remapped_pages, 11u);
  }
}

TEST_F(ReflinkEnvTest, AFailureStaysOne) {
  WriteSources();
  for (const int error : {EIO, EPERM, ETXTBSY}) {
    SCOPED_TRACE(error);
    cloner_.error = error;
    const auto file = Create("table");
    Keep(file.get(), "one", 0, 1);
    const Status s = file->Sync();
    EXPECT_TRUE(s.IsIOError()) << s.ToString();
    cloner_.error = 0;
    EXPECT_TRUE(file->Sync().IsIOError()) << "the file may lack pages";
    EXPECT_TRUE(file->Append("more").IsIOError());
    EXPECT_TRUE(file->AppendRemap(Locate("one", 0, 1)).IsIOError());
    EXPECT_TRUE(file->Close().IsIOError());
  }
}

TEST_F(ReflinkEnvTest, ASourceThatIsGoneIsAnError) {
  WriteSources();
  const PageRun one = Locate("one", 0, 2);
  const PageRun two = Locate("two", 0, 2);
  ASSERT_TRUE(env_.RemoveFile(Path("one")).ok());
  ASSERT_TRUE(env_.RenameFile(Path("two"), Path("three")).ok());
  for (const PageRun &run : {one, two}) {
    const auto file = Create("table");
    ASSERT_TRUE(file->AppendRemap(run).ok());
    EXPECT_FALSE(file->Sync().ok());
  }
  // A new file of an old name is another file.
  WriteFile("one", Pages(60, 2));
  EXPECT_NE(Locate("one", 0, 2).lpn, one.lpn);
  const auto file = Create("table");
  Keep(file.get(), "one", 0, 2);
  ASSERT_TRUE(file->Sync().ok());
  EXPECT_EQ(Contents("table"), Pages(60, 2));
  // Removed by somebody else.
  Keep(file.get(), "three", 0, 1);
  ASSERT_EQ(unlink(Path("three").c_str()), 0);
  EXPECT_TRUE(file->Sync().IsNotFound());
}

TEST_F(ReflinkEnvTest, OnlyWholePagesCanBeKept) {
  WriteFile("one", Pages(0, 2) + "tail");
  const auto file = Create("table");
  ASSERT_TRUE(file->Append("a piece").ok());
  EXPECT_TRUE(file->AppendRemap(Locate("one", 0, 1)).IsInvalidArgument()) << "off the pages";
  ASSERT_TRUE(file->Append(std::string(kPageBytes - 7, 'x')).ok());
  EXPECT_TRUE(file->AppendRemap({Locate("one", 0, 1).lpn, 0}).IsInvalidArgument());
  ExpectOnlyWholePages(&env_, folder_, "one");
}

// In each mode, with ranges that are refused now and then, and on a file system without reflinks.
TEST_F(ReflinkEnvTest, ADatabaseReadsBack) {
  for (const RemapMode mode : RemapModes()) {
    SCOPED_TRACE(RemapModeName(mode));
    cloner_.error = ENOSPC;
    cloner_.error_every = 7;
    const RemapStats before = env_.GetRemapStats();
    DatabaseReadsBack(&env_, Path(std::string("db-") + RemapModeName(mode)), mode);
    const RemapStats after = env_.GetRemapStats();
    EXPECT_EQ(after.remapped_pages > before.remapped_pages, mode != RemapMode::kOff);
    EXPECT_EQ(after.fallback_pages > before.fallback_pages, mode != RemapMode::kOff);
  }
  cloner_.error = EOPNOTSUPP;
  cloner_.error_every = 1;
  ReflinkEnv without(&cloner_);
  DatabaseReadsBack(&without, Path("db-without"), RemapMode::kRetain);
  EXPECT_EQ(without.GetRemapStats().remapped_pages, 0u);
  EXPECT_GT(without.GetRemapStats().fallback_pages, 0u);
}

// The kernel's own answers, whatever the temporary folder lies on.
TEST_F(ReflinkEnvTest, TheKernelClonesOrSaysWhyNot) {
  LinuxRangeCloner kernel;
  ReflinkEnv env(&kernel);
  WriteSources();
  RemapFile *made = nullptr;
  ASSERT_TRUE(env.NewRemapFile(Path("table"), 1, &made).ok());
  const std::unique_ptr<RemapFile> file(made);
  PageRun run;
  ASSERT_TRUE(env.GetLpn(Path("one"), kPageBytes, 3, &run).ok());
  ASSERT_TRUE(file->AppendRemap(run).ok());
  ASSERT_TRUE(file->Append("tail").ok());
  ASSERT_TRUE(file->Sync().ok());
  EXPECT_EQ(Contents("table"), Pages(1, 3) + "tail");
  const RemapStats stats = env.GetRemapStats();
  EXPECT_EQ(stats.remapped_pages + stats.fallback_pages, 3u);
  EXPECT_EQ(kernel.FileSystemOf(-1), 0u);
  EXPECT_EQ(kernel.Clone({-1, 0, -1, 0, kPageBytes}), -EBADF);
  EXPECT_EQ(CloneResultOf(-EBADF), CloneResult::kFailed);
}

TEST_F(ReflinkEnvTest, AHoleOfAFileReadsZero) {
  const std::string bytes(4 * kPageBytes, 'x');
  WriteFile("a", bytes);
  const Status s = env_.PunchHole(Path("a"), 1, 2);
  if (s.IsNotSupportedError()) GTEST_SKIP() << s.ToString();
  ASSERT_TRUE(s.ok()) << s.ToString();
  std::string read;
  ASSERT_TRUE(leveldb::ReadFileToString(&env_, Path("a"), &read).ok());
  EXPECT_EQ(read, std::string(bytes).replace(kPageBytes, 2 * kPageBytes, 2 * kPageBytes, '\0'));
  EXPECT_TRUE(env_.PunchHole(Path("a"), 4, 1).IsInvalidArgument());
}

}  // namespace
}  // namespace openremap
