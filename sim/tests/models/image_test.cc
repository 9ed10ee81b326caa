// SPDX-License-Identifier: Apache-2.0
#include "image.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>

#include "sim_error.h"
#include "temp_dir.h"

namespace orm {
namespace {

constexpr size_t kBytes = 1 << 20;
const std::vector<ImageField> kShape = {{"blocks", 4}, {"pages", 8}};

std::string refusal(const ImageFile &file, const std::string &kind, const std::vector<ImageField> &shape,
                    size_t bytes) {
  try {
    Image image(file, kind, shape, bytes);
  } catch (const ImageError &e) {
    return e.what();
  }
  return "";
}

bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

TEST(Image, InMemoryIsZero) {
  Image image("", "test", kShape, kBytes);
  EXPECT_TRUE(image.fresh());
  EXPECT_EQ(image.size(), kBytes);
  for (size_t i = 0; i < kBytes; ++i) ASSERT_EQ(image.data()[i], 0);
}

TEST(Image, FileKeepsItsContentAndIsSparse) {
  TempDir dir;
  const std::string path = dir.path + "/a.img";
  {
    Image image(path, "test", kShape, kBytes);
    EXPECT_TRUE(image.fresh());
    *image.writable(0, 1) = 1;
    *image.writable(kBytes - 1, 1) = 2;
  }
  Image image(path, "test", kShape, kBytes);
  EXPECT_FALSE(image.fresh());
  EXPECT_EQ(image.data()[0], 1);
  EXPECT_EQ(image.data()[kBytes - 1], 2);
  struct stat st {};
  ASSERT_EQ(stat(path.c_str(), &st), 0);
  EXPECT_LT(st.st_blocks * 512, 64 * 1024);
}

TEST(Image, AReservedFileHasItsRoomAndKeepsIt) {
  TempDir dir;
  ImageFile file(dir.path + "/a.img");
  file.reserve = true;
  const auto room = [&] {
    struct stat st {};
    return stat(file.path.c_str(), &st) == 0 ? size_t(st.st_blocks) * 512 : 0;
  };
  for (const bool fresh : {true, false}) {
    if (!fresh) {
      Image sparse(dir.path + "/a.img", "test", kShape, kBytes);
    }
    Image image(file, "test", kShape, kBytes);
    EXPECT_GE(room(), kBytes) << fresh;
    std::memset(image.writable(0, kBytes), 0xEE, kBytes);
    image.discard(0, kBytes);
    EXPECT_GE(room(), kBytes) << fresh;
    EXPECT_EQ(image.data()[0] + image.data()[kBytes - 1], 0);
  }
}

TEST(Image, WhatCannotBeWrittenIsAnErrorAndLosesNothing) {
  TempDir dir;
  static size_t room;
  ImageFile file(dir.path + "/a.img");
  file.allocate = [](int, size_t, size_t) {
    if (room == 0) return ENOSPC;
    --room;
    return 0;
  };
  const std::string no_space = file.path + ": cannot be written: No space left on device";
  room = 0;
  EXPECT_EQ(refusal(file, "test", kShape, kBytes), no_space);
  EXPECT_NE(access(file.path.c_str(), F_OK), 0) << "a file that is no image is left";
  { std::ofstream empty(file.path); }
  EXPECT_EQ(refusal(file, "test", kShape, kBytes), no_space);
  struct stat st {};
  ASSERT_EQ(stat(file.path.c_str(), &st), 0) << "a file that was there is gone";
  EXPECT_EQ(st.st_size, 0);

  room = 3;
  {
    Image image(file, "test", kShape, kBytes);
    std::memset(image.writable(0, 16384), 1, 16384);
    std::string said;
    try {
      (void)image.writable(kBytes - 1, 1);
      (void)image.writable(kBytes / 2, 1);
    } catch (const ImageError &e) {
      said = e.what();
    }
    EXPECT_EQ(said, no_space);
    image.check_kept();
  }
  room = 100;
  Image image(file, "test", kShape, kBytes);
  for (size_t i = 0; i < kBytes; ++i) ASSERT_EQ(image.data()[i], i < 16384 ? 1 : 0);
}

TEST(Image, AKilledProcessLosesNothing) {
  TempDir dir;
  const std::string path = dir.path + "/a.img";
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    Image image(path, "test", kShape, kBytes);
    std::memset(image.writable(4096, 4096), 0x5A, 4096);
    raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  Image image(path, "test", kShape, kBytes);
  EXPECT_EQ(image.data()[4096], 0x5A);
  EXPECT_EQ(image.data()[8191], 0x5A);
}

TEST(Image, AnotherShapeIsRefusedByName) {
  TempDir dir;
  const std::string path = dir.path + "/a.img";
  { Image image(path, "test", kShape, kBytes); }
  EXPECT_TRUE(contains(refusal(path, "other", kShape, kBytes), "holds 'test', not 'other'"));
  EXPECT_TRUE(
      contains(refusal(path, "test", {{"blocks", 5}, {"pages", 8}}, kBytes), "made for 4 blocks, this device has 5"));
  EXPECT_TRUE(contains(refusal(path, "test", {{"blocks", 4}}, kBytes), "another shape"));
  EXPECT_EQ(refusal(path, "test", kShape, kBytes), "") << "refusing changed nothing";
}

TEST(Image, AnotherVersionIsRefused) {
  TempDir dir;
  const std::string path = dir.path + "/a.img";
  { Image image(path, "test", kShape, kBytes); }
  {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(8);
    file.put(char(Image::kVersion + 1));
  }
  EXPECT_TRUE(contains(refusal(path, "test", kShape, kBytes), "image version 2, this program knows version 1"));
}

TEST(Image, WhatIsNoImageIsRefused) {
  TempDir dir;
  const std::string path = dir.path + "/a.img";
  { std::ofstream(path) << "hello"; }
  EXPECT_TRUE(contains(refusal(path, "test", kShape, kBytes), "not an OpenRemap image"));
  { Image image(dir.path + "/b.img", "test", kShape, kBytes); }
  ASSERT_EQ(truncate((dir.path + "/b.img").c_str(), 8192), 0);
  EXPECT_TRUE(contains(refusal(dir.path + "/b.img", "test", kShape, kBytes), "truncated"));
  EXPECT_TRUE(contains(refusal(dir.path + "/none/c.img", "test", kShape, kBytes), "cannot open"));
}

TEST(Image, OneUserAtATime) {
  TempDir dir;
  Image image(dir.path + "/a.img", "test", kShape, kBytes);
  EXPECT_TRUE(contains(refusal(dir.path + "/a.img", "test", kShape, kBytes), "in use"));
}

TEST(Image, OneThatStaysUnchangedTakesChangesAlong) {
  TempDir dir;
  const std::string path = dir.path + "/a.img";
  {
    Image image(path, "test", kShape, kBytes);
    *image.writable(0, 1) = 1;
    *image.writable(5000, 1) = 1;
  }
  {
    Image one({path, true}, "test", kShape, kBytes);
    Image other({path, true}, "test", kShape, kBytes);  // several may look
    EXPECT_FALSE(one.fresh());
    *one.writable(0, 1) = 2;
    one.discard(1, kBytes - 1);
    EXPECT_EQ(one.data()[0], 2);
    EXPECT_EQ(one.data()[5000], 0);
    EXPECT_EQ(other.data()[0], 1);
    EXPECT_TRUE(contains(refusal(path, "test", kShape, kBytes), "in use"));
  }
  Image image(path, "test", kShape, kBytes);
  EXPECT_EQ(image.data()[0], 1);
  EXPECT_EQ(image.data()[5000], 1);
}

TEST(Image, OneThatStaysUnchangedMustBeThere) {
  TempDir dir;
  const std::string path = dir.path + "/a.img";
  EXPECT_TRUE(contains(refusal({path, true}, "test", kShape, kBytes), "No such file"));
  EXPECT_NE(access(path.c_str(), F_OK), 0);
  { std::ofstream file(path); }
  EXPECT_TRUE(contains(refusal({path, true}, "test", kShape, kBytes), "not an OpenRemap image"));
  struct stat st {};
  ASSERT_EQ(stat(path.c_str(), &st), 0);
  EXPECT_EQ(st.st_size, 0);
}

TEST(Image, DiscardReadsAsZeroWhateverTheAlignment) {
  TempDir dir;
  for (const std::string &path : {std::string(), dir.path + "/a.img"}) {
    Image image(path, "test", kShape, kBytes);
    std::memset(image.writable(0, kBytes), 0xEE, kBytes);
    image.discard(1000, 20000);
    for (size_t i = 0; i < 30000; ++i)
      ASSERT_EQ(image.data()[i], i >= 1000 && i < 21000 ? 0 : 0xEE) << path << " " << i;
    image.discard(50000, 10);
    for (size_t i = 49990; i < 50020; ++i)
      ASSERT_EQ(image.data()[i], i >= 50000 && i < 50010 ? 0 : 0xEE) << path << " " << i;
  }
}

}  // namespace
}  // namespace orm
