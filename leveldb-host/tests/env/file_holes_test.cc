// SPDX-License-Identifier: Apache-2.0
//
// Holes on the file system of the temporary folder. One that makes no holes says so; then there is nothing to see here.
#include "file_holes.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <memory>
#include <string>

#include "inline_env.h"
#include "memory_remap_env.h"
#include "remap_env.h"
#include "temp_dir.h"

namespace openremap {
namespace {

using leveldb::Status;

class FileHolesTest : public ::testing::Test {
 protected:
  std::string Path(const std::string &name) const { return folder_.path + "/" + name; }
  static std::string Bytes() {
    std::string data;
    for (char page = 'a'; page < 'i'; page++) data += std::string(kPageBytes, page);
    return data + "tail";
  }
  static std::string Punched() { return Bytes().replace(2 * kPageBytes, 3 * kPageBytes, 3 * kPageBytes, '\0'); }
  static void WriteSynced(leveldb::Env *env, const std::string &name) {
    leveldb::WritableFile *opened = nullptr;
    ASSERT_TRUE(env->NewWritableFile(name, &opened).ok());
    const std::unique_ptr<leveldb::WritableFile> file(opened);
    ASSERT_TRUE(file->Append(Bytes()).ok());
    ASSERT_TRUE(file->Sync().ok());
    ASSERT_TRUE(file->Close().ok());
  }
  std::string Read(leveldb::Env *env, const std::string &name) {
    std::string data;
    EXPECT_TRUE(leveldb::ReadFileToString(env, name, &data).ok());
    return data;
  }

  const orm::TempDir folder_;
};

TEST_F(FileHolesTest, AHoleOfAFileReadsZeroAndTakesNoSpace) {
  leveldb::Env *const env = leveldb::Env::Default();
  ASSERT_NO_FATAL_FAILURE(WriteSynced(env, Path("a")));
  struct stat before {
  }, after{};
  ASSERT_EQ(stat(Path("a").c_str(), &before), 0);
  const Status s = PunchHole(env, Path("a"), 2, 3);
  if (s.IsNotSupportedError()) GTEST_SKIP() << s.ToString();
  ASSERT_TRUE(s.ok()) << s.ToString();
  EXPECT_EQ(Read(env, Path("a")), Punched());
  ASSERT_EQ(stat(Path("a").c_str(), &after), 0);
  EXPECT_EQ(after.st_size, before.st_size);
  if (before.st_blksize == kPageBytes) {
    EXPECT_EQ(after.st_blocks, before.st_blocks - 3 * 8);
  }
}

TEST_F(FileHolesTest, WhatCannotBeAHole) {
  leveldb::Env *const env = leveldb::Env::Default();
  EXPECT_TRUE(PunchHole(env, Path("none"), 0, 1).IsNotFound());
  ASSERT_TRUE(leveldb::WriteStringToFile(env, Bytes(), Path("a")).ok());
  EXPECT_TRUE(PunchHole(env, Path("a"), 8, 1).IsInvalidArgument()) << "the partial last page";
  EXPECT_TRUE(PunchHole(env, Path("a"), 7, 2).IsInvalidArgument());
  EXPECT_TRUE(PunchHole(env, Path("a"), UINT64_MAX, 2).IsInvalidArgument());
  EXPECT_TRUE(PunchHole(env, Path("a"), 8, 0).ok());
  InlineEnv around(env);
  EXPECT_TRUE(PunchHole(&around, Path("a"), 0, 1).IsNotSupportedError()) << "whose files may be elsewhere";
  EXPECT_EQ(Read(env, Path("a")), Bytes());
}

TEST_F(FileHolesTest, AFileLayerHasItsOwn) {
  MemoryRemapEnv env;
  ASSERT_NO_FATAL_FAILURE(WriteSynced(&env, "/a"));
  InlineRemapEnv around(&env, &env);
  ASSERT_TRUE(PunchHole(&around, "/a", 2, 3).ok());
  EXPECT_EQ(Read(&env, "/a"), Punched());
  EXPECT_EQ(env.UsedPages(), 6u);
  PageRun run;
  EXPECT_TRUE(env.GetLpn("/a", 3 * kPageBytes, 1, &run).IsNotSupportedError());
  EXPECT_TRUE(PunchHole(&env, "/a", 7, 2).IsInvalidArgument());
  EXPECT_TRUE(PunchHole(&env, "/none", 0, 1).IsNotFound());
  ASSERT_TRUE(leveldb::WriteStringToFile(&env, Bytes(), "/b").ok());
  EXPECT_TRUE(PunchHole(&env, "/b", 0, 1).IsNotSupportedError()) << "not synced";
  ASSERT_TRUE(env.RemoveFile("/a").ok());
  EXPECT_EQ(env.UsedPages(), 9u);
}

}  // namespace
}  // namespace openremap
