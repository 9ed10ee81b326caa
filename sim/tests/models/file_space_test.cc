// SPDX-License-Identifier: Apache-2.0
#include "file_space.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>
#include <vector>

#include "sim_error.h"
#include "temp_dir.h"

namespace orm {
namespace {

constexpr size_t kChunk = FileSpace::kChunk;
constexpr size_t kBytes = 10 * kChunk + 4096;

/// What was asked of the file system: place and length. It fails with `fails` once `room` calls were served.
std::vector<std::pair<size_t, size_t>> asked;
size_t room;
int fails;

int note(int, size_t from, size_t bytes) {
  if (asked.size() == room) return fails;
  asked.emplace_back(from, bytes);
  return 0;
}

class FileSpaceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    asked.clear();
    room = 100;
    fails = ENOSPC;
  }
  FileSpace space_{"a.img", -1, kBytes, note};
};

std::string refusal(FileSpace *space, size_t from, size_t bytes) {
  try {
    space->take(from, bytes);
  } catch (const ImageError &e) {
    return e.what();
  }
  return "";
}

using Asked = std::vector<std::pair<size_t, size_t>>;

TEST_F(FileSpaceTest, AChunkIsTakenOnce) {
  space_.take(kChunk + 5, 8);
  space_.take(kChunk, kChunk);
  space_.take(2 * kChunk - 1, 2);
  EXPECT_EQ(asked, (Asked{{kChunk, kChunk}, {2 * kChunk, kChunk}}));
}

TEST_F(FileSpaceTest, NoBytesTakeNoChunk) {
  for (const size_t from : {size_t(0), kChunk, kChunk + 5, kBytes}) space_.take(from, 0);
  EXPECT_EQ(asked, Asked{});
}

TEST_F(FileSpaceTest, TheLastChunkEndsWithTheFile) {
  space_.take(kBytes - 1, 1);
  EXPECT_EQ(asked, (Asked{{10 * kChunk, 4096}}));
}

TEST_F(FileSpaceTest, WhatWasGivenBackIsTakenAgain) {
  space_.take(0, 3 * kChunk);
  space_.given_back(kChunk + 4096, kChunk);
  asked.clear();
  space_.take(0, 3 * kChunk);
  EXPECT_EQ(asked, (Asked{{kChunk, kChunk}, {2 * kChunk, kChunk}}));
}

TEST_F(FileSpaceTest, AllIsTakenAtOnce) {
  space_.take_all();
  space_.take(0, kBytes);
  EXPECT_EQ(asked, (Asked{{0, kBytes}}));
}

TEST_F(FileSpaceTest, NoRoomIsAnErrorThatNamesTheFile) {
  const std::pair<int, const char *> errors[] = {
      {ENOSPC, "a.img: cannot be written: No space left on device"},
      {EDQUOT, "a.img: cannot be written: Disk quota exceeded"},
      {EIO, "a.img: cannot be written: Input/output error"},
      {EROFS, "a.img: cannot be written: Read-only file system"},
  };
  room = 0;
  for (const auto &[error, text] : errors) {
    fails = error;
    EXPECT_EQ(refusal(&space_, 5, 1), text);
  }
  EXPECT_THROW(space_.take_all(), ImageError);
  room = 1;
  EXPECT_EQ(refusal(&space_, 5, 1), "") << "it is tried again";
}

TEST(AllocateInFile, KeepsContentAndSize) {
  TempDir dir;
  const std::string path = dir.path + "/a";
  for (const FileSpace::Allocate allocate : {allocate_in_file, allocate_at_once, allocate_by_writing}) {
    const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ASSERT_GE(fd, 0);
    ASSERT_EQ(ftruncate(fd, 1 << 20), 0);
    ASSERT_EQ(pwrite(fd, "xyz", 3, 4096), 3);
    EXPECT_EQ(allocate(fd, 0, 128 * 1024), 0);
    struct stat st {};
    ASSERT_EQ(fstat(fd, &st), 0);
    EXPECT_EQ(st.st_size, 1 << 20);
    EXPECT_GE(st.st_blocks * 512, 128 * 1024);
    EXPECT_LT(st.st_blocks * 512, 256 * 1024);
    char found[4] = {1, 1, 1, 1};
    ASSERT_EQ(pread(fd, found, 4, 4096), 4);
    EXPECT_EQ(std::string(found, 4), std::string("xyz\0", 4));
    // A file that was truncated stays so.
    ASSERT_EQ(ftruncate(fd, 4096), 0);
    EXPECT_EQ(allocate(fd, 0, 128 * 1024), 0);
    ASSERT_EQ(fstat(fd, &st), 0);
    EXPECT_EQ(st.st_size, 4096);
    close(fd);
  }
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  for (const FileSpace::Allocate allocate : {allocate_in_file, allocate_at_once, allocate_by_writing})
    EXPECT_EQ(allocate(fd, 0, 4096), EBADF);
  close(fd);
}

}  // namespace
}  // namespace orm
