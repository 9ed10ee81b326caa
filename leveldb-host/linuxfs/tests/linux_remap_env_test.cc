// SPDX-License-Identifier: Apache-2.0
//
// The file layer on files of a temporary folder, over a namespace that is made of them: page n of the k-th file lies at
// LPN k * kFilePages + n, and a remap copies bytes from one file into another.
#include "linux_remap_env.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "database_reads_back.h"
#include "remap_options.h"
#include "test_pages.h"

namespace openremap {
namespace {

namespace fs = std::filesystem;
using leveldb::Status;

constexpr uint64_t kFilePages = 1 << 16;

// Both sides of the file layer.
class FakeNamespace : public PageDevice, public FilePlaces {
 public:
  uint64_t Pages() const override { return kFilePages * kFilePages; }
  size_t MaxRemapRuns() const override { return most_runs; }
  uint64_t MaxRemapPages() const override { return most_pages; }

  Status Read(uint64_t lpn, uint64_t pages, char *data) override {
    reads += pages;
    return Transfer(lpn, pages, data, /*write=*/false);
  }
  Status Write(const std::vector<WriteRun> &, bool) override { return Status::NotSupported("by files alone"); }
  Status Flush() override { return Status::OK(); }
  Status Deallocate(const std::vector<PageRun> &) override { return Status::NotSupported("by files alone"); }
  Status Remap(const std::vector<RemapRun> &runs, bool *refused) override {
    *refused = accept == 0 || (refuse_every != 0 && ++asked % refuse_every == 0);
    if (*refused) return Status::OK();
    accept--;
    if (!remap_error.ok()) return remap_error;
    uint64_t pages = 0;
    for (const RemapRun &run : runs) {
      pages += run.pages;
      std::string data(run.pages * kPageBytes, '\0');
      Status s = Transfer(run.source, run.pages, &data[0], false);
      if (s.ok()) s = Transfer(run.target, run.pages, &data[0], true);
      if (!s.ok()) return s;
    }
    EXPECT_LE(runs.size(), most_runs);
    EXPECT_LE(pages, most_pages);
    commands.push_back(runs);
    return Status::OK();
  }

  Status Locate(int fd, uint64_t offset, uint64_t pages, PageRun *run) override {
    if (!places) return Status::NotSupported("no places");
    struct stat status {};
    if (fstat(fd, &status) != 0) return Status::IOError("fstat");
    const uint64_t page = offset / kPageBytes;
    // Extents end here and there.
    *run = {Number(status.st_ino) * kFilePages + page, std::min(pages, extent_pages - page % extent_pages)};
    return Status::OK();
  }
  Status MakeWritten(int fd, uint64_t offset, uint64_t bytes) override {
    if (!written) return Status::NotSupported("no written extents");
    struct stat status {};
    if (fstat(fd, &status) != 0) return Status::IOError("fstat");
    made.push_back({offset / kPageBytes, bytes / kPageBytes});
    const uint64_t size = std::max<uint64_t>(static_cast<uint64_t>(status.st_size), offset + bytes);
    return ftruncate(fd, static_cast<off_t>(size)) == 0 ? Status::OK() : Status::IOError("ftruncate");
  }

  fs::path folder;
  bool places = true, written = true;
  uint64_t extent_pages = 5;
  size_t most_runs = 8;
  uint64_t most_pages = 64;
  int accept = 1 << 30;  // commands, before the device has no room
  uint64_t refuse_every = 0, asked = 0;
  Status remap_error;
  uint64_t reads = 0;
  std::vector<std::vector<RemapRun>> commands;
  std::vector<PageRun> made;

 private:
  uint64_t Number(ino_t inode) { return numbers_.emplace(inode, numbers_.size()).first->second; }

  Status Transfer(uint64_t lpn, uint64_t pages, char *data, bool write) {
    for (const auto &entry : fs::directory_iterator(folder)) {
      struct stat status {};
      if (stat(entry.path().c_str(), &status) != 0) continue;
      const auto found = numbers_.find(status.st_ino);
      if (found == numbers_.end() || found->second != lpn / kFilePages) continue;
      const auto offset = static_cast<std::streamoff>(lpn % kFilePages * kPageBytes);
      const auto bytes = static_cast<std::streamsize>(pages * kPageBytes);
      std::FILE *file = std::fopen(entry.path().c_str(), write ? "r+b" : "rb");
      std::fseek(file, offset, SEEK_SET);
      const auto wanted = static_cast<size_t>(bytes);
      const size_t done = write ? std::fwrite(data, 1, wanted, file) : std::fread(data, 1, wanted, file);
      std::fclose(file);
      return done == wanted ? Status::OK() : Status::IOError("beyond the file");
    }
    return Status::IOError("no file at LPN " + std::to_string(lpn));
  }

  std::map<ino_t, uint64_t> numbers_;
};

class LinuxRemapEnvTest : public ::testing::Test {
 protected:
  void SetUp() override { space_.folder = folder_.path(); }

  std::string Path(const std::string &name) const { return folder_.Path(name); }

  std::unique_ptr<RemapFile> Create(const std::string &name) {
    RemapFile *file = nullptr;
    EXPECT_TRUE(env_.NewRemapFile(Path(name), 1, &file).ok());
    return std::unique_ptr<RemapFile>(file);
  }
  void WriteSource(int pages) {
    const auto file = Create("source");
    ASSERT_TRUE(file->Append(Pages(0, pages)).ok());
    ASSERT_TRUE(file->Sync().ok());
    ASSERT_TRUE(file->Close().ok());
  }
  // AppendRemap of pages of the source, as the planner does it.
  void Keep(RemapFile *file, int first, int pages) {
    for (int done = 0; done < pages;) {
      PageRun run;
      ASSERT_TRUE(env_.GetLpn(Path("source"), static_cast<uint64_t>(first + done) * kPageBytes,
                              static_cast<uint64_t>(pages - done), &run)
                      .ok());
      ASSERT_TRUE(file->AppendRemap(run).ok());
      done += static_cast<int>(run.pages);
    }
  }
  std::string Contents(const std::string &name) {
    std::string data;
    EXPECT_TRUE(leveldb::ReadFileToString(&env_, Path(name), &data).ok());
    return data;
  }
  // A table of written and kept pages with a tail.
  std::string Mix(RemapFile *file) {
    EXPECT_TRUE(file->Append(Page(100)).ok());
    Keep(file, 3, 9);
    EXPECT_EQ(file->Offset(), 10 * kPageBytes);
    EXPECT_TRUE(file->Append(Page(101)).ok());
    Keep(file, 20, 2);
    EXPECT_TRUE(file->Append("tail").ok());
    return Page(100) + Pages(3, 9) + Page(101) + Pages(20, 2) + "tail";
  }

  TestFolder folder_;
  FakeNamespace space_;
  LinuxRemapEnv env_{&space_, &space_};
};

TEST_F(LinuxRemapEnvTest, KeptPagesAreSharedAndTheRestWritten) {
  WriteSource(40);
  const auto file = Create("table");
  env_.SetCause(Path("table"), WriteCause::kFlush);
  const CauseBytes before = env_.GetWrittenBytes();
  const std::string wanted = Mix(file.get());
  ASSERT_TRUE(file->Sync().ok());
  EXPECT_EQ(Contents("table"), wanted);
  CauseBytes expected = before;
  expected.at(static_cast<size_t>(WriteCause::kFlush)) += 2 * kPageBytes + 4;
  EXPECT_EQ(env_.GetWrittenBytes(), expected);
  EXPECT_EQ(env_.GetRemapStats().remapped_pages, 11u);
  EXPECT_EQ(env_.GetRemapStats().remap_commands, 1u) << "one vector for a table";
  EXPECT_EQ(env_.GetRemapStats().fallback_pages, 0u);
  EXPECT_EQ(space_.reads, 0u);
  ASSERT_EQ(space_.made.size(), 1u) << "one extent for all of it";
  EXPECT_EQ(space_.made[0].pages, 13u);
}

// What was written before the first kept page keeps its space.
TEST_F(LinuxRemapEnvTest, KeptPagesAfterWhatIsWritten) {
  WriteSource(10);
  const auto file = Create("table");
  const std::string long_part = Pages(200, 70) + "a piece of a page";
  ASSERT_TRUE(file->Append(long_part).ok());
  ASSERT_TRUE(file->Append(std::string(kPageBytes - 17, 'x')).ok());
  Keep(file.get(), 2, 3);
  ASSERT_TRUE(file->Append("tail").ok());
  ASSERT_TRUE(file->Sync().ok());
  std::string wanted = long_part + std::string(kPageBytes - 17, 'x') + Pages(2, 3) + "tail";
  EXPECT_EQ(Contents("table"), wanted);
  EXPECT_EQ(env_.GetRemapStats().remapped_pages, 3u);
  ASSERT_EQ(space_.made.size(), 1u);
  EXPECT_EQ(space_.made[0].pages, 4u) << "the page that was begun, and those kept";
  // After a sync in the middle of a page it goes on.
  ASSERT_TRUE(file->Append(std::string(kPageBytes - 4, 'y')).ok());
  Keep(file.get(), 5, 2);
  ASSERT_TRUE(file->Sync().ok());
  wanted += std::string(kPageBytes - 4, 'y') + Pages(5, 2);
  EXPECT_EQ(Contents("table"), wanted);
  EXPECT_EQ(file->Offset(), wanted.size());
  ASSERT_EQ(space_.made.size(), 2u);
  EXPECT_EQ(space_.made[1].pages, 2u) << "not the page that has been written";
  ASSERT_TRUE(file->Close().ok());
  EXPECT_EQ(Contents("table"), wanted);
}

TEST_F(LinuxRemapEnvTest, CommandsKeepTheLimitsOfTheDevice) {
  WriteSource(200);
  space_.most_pages = 7;
  space_.most_runs = 3;
  const auto file = Create("table");
  for (int i = 0; i < 30; i++) Keep(file.get(), (i * 31) % 190, 6);
  ASSERT_TRUE(file->Close().ok()) << "closing remaps what is left";
  std::string wanted;
  for (int i = 0; i < 30; i++) wanted += Pages((i * 31) % 190, 6);
  EXPECT_EQ(Contents("table"), wanted);
  EXPECT_EQ(env_.GetRemapStats().remapped_pages, 180u);
  EXPECT_EQ(env_.GetRemapStats().remap_commands, space_.commands.size());
}

TEST_F(LinuxRemapEnvTest, WhatTheDeviceRefusesIsCopied) {
  WriteSource(200);
  space_.most_pages = 7;
  for (const int accepted : {0, 1, 4}) {
    const RemapStats before = env_.GetRemapStats();
    space_.accept = accepted;
    const auto file = Create("table");
    for (int i = 0; i < 8; i++) Keep(file.get(), (i * 31) % 190, 6);
    ASSERT_TRUE(file->Sync().ok());
    std::string wanted;
    for (int i = 0; i < 8; i++) wanted += Pages((i * 31) % 190, 6);
    EXPECT_EQ(Contents("table"), wanted) << accepted;
    const RemapStats after = env_.GetRemapStats();
    EXPECT_EQ(after.remapped_pages - before.remapped_pages, 7u * static_cast<unsigned>(accepted));
    EXPECT_EQ(after.fallback_pages - before.fallback_pages, 48u - 7u * static_cast<unsigned>(accepted));
  }
}

TEST_F(LinuxRemapEnvTest, FileSystemsThatCannotAreWritten) {
  WriteSource(40);
  space_.written = false;
  auto file = Create("old kernel");
  std::string wanted = Mix(file.get());
  ASSERT_TRUE(file->Sync().ok());
  EXPECT_EQ(Contents("old kernel"), wanted);
  space_.written = true;
  file = Create("no places");
  wanted = Mix(file.get());
  space_.places = false;  // of the target
  ASSERT_TRUE(file->Sync().ok());
  EXPECT_EQ(Contents("no places"), wanted);
  EXPECT_EQ(env_.GetRemapStats().remapped_pages, 0u);
  EXPECT_EQ(env_.GetRemapStats().fallback_pages, 22u);
  PageRun run;
  EXPECT_TRUE(env_.GetLpn(Path("source"), 0, 1, &run).IsNotSupportedError());
}

TEST_F(LinuxRemapEnvTest, AFailureStaysOne) {
  WriteSource(40);
  const auto file = Create("table");
  Mix(file.get());
  space_.remap_error = Status::IOError("the device is gone");
  EXPECT_TRUE(file->Sync().IsIOError());
  space_.remap_error = Status::OK();
  EXPECT_TRUE(file->Sync().IsIOError()) << "the file may lack pages";
  EXPECT_TRUE(file->Append("more").IsIOError());
  PageRun run;
  ASSERT_TRUE(env_.GetLpn(Path("source"), 0, 1, &run).ok());
  EXPECT_TRUE(file->AppendRemap(run).IsIOError());
  EXPECT_TRUE(file->Close().IsIOError());
}

TEST_F(LinuxRemapEnvTest, OnlyWholePagesLieAnywhere) {
  const auto file = Create("source");
  ASSERT_TRUE(file->Append(Pages(0, 2) + "tail").ok());
  EXPECT_FALSE(file->AppendRemap({7, 1}).ok()) << "off the pages";
  ASSERT_TRUE(file->Close().ok());
  ExpectOnlyWholePages(&env_, folder_, "source");
}

// In each remapping mode, with a device that refuses now and then.
TEST_F(LinuxRemapEnvTest, ADatabaseReadsBack) {
  space_.refuse_every = 7;
  for (const RemapMode mode :
       {RemapMode::kBase, RemapMode::kRetain, RemapMode::kFill, RemapMode::kSkip, RemapMode::kBlend}) {
    SCOPED_TRACE(RemapModeName(mode));
    fs::remove_all(folder_.path());
    fs::create_directory(folder_.path());
    space_.folder = folder_.path() / "db";
    const RemapStats before = env_.GetRemapStats();
    DatabaseReadsBack(&env_, Path("db"), mode);
    EXPECT_GT(env_.GetRemapStats().remapped_pages, before.remapped_pages);
  }
  EXPECT_GT(env_.GetRemapStats().fallback_pages, 0u);
}

}  // namespace
}  // namespace openremap
