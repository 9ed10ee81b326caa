// SPDX-License-Identifier: Apache-2.0
#include "flat_env.h"

#include <gtest/gtest.h>

#include <memory>

#include "memory_remap_env.h"

namespace openremap {
namespace {

using leveldb::Slice;
using leveldb::Status;

class FlatEnvTest : public ::testing::Test {
 protected:
  void Write(const std::string &name, const std::string &data) {
    ASSERT_TRUE(leveldb::WriteStringToFile(env_, data, name).ok());
  }

  MemoryRemapEnv memory_;
  leveldb::Env *const env_ = &memory_;  // as LevelDB has it
};

TEST_F(FlatEnvTest, SequentialFilesReadOnAndSkip) {
  Write("/d/a", "0123456789");
  leveldb::SequentialFile *opened = nullptr;
  ASSERT_TRUE(env_->NewSequentialFile("/d/a", &opened).ok());
  const std::unique_ptr<leveldb::SequentialFile> file(opened);
  char scratch[16];
  Slice part;
  ASSERT_TRUE(file->Read(3, &part, scratch).ok());
  EXPECT_EQ(part.ToString(), "012");
  ASSERT_TRUE(file->Skip(4).ok());
  ASSERT_TRUE(file->Read(16, &part, scratch).ok());
  EXPECT_EQ(part.ToString(), "789");
  ASSERT_TRUE(file->Read(16, &part, scratch).ok());
  EXPECT_EQ(part.size(), 0u) << "the end";
  ASSERT_TRUE(env_->NewSequentialFile("/d/none", &opened).IsNotFound());
  EXPECT_EQ(opened, nullptr);
}

TEST_F(FlatEnvTest, DirectoriesArePrefixesOfNames) {
  Write("/d/a", "1");
  Write("/d/sub/b", "2");
  Write("/d/sub/c", "3");
  Write("/dd", "4");
  std::vector<std::string> children;
  ASSERT_TRUE(env_->GetChildren("/d", &children).ok());
  EXPECT_EQ(children, (std::vector<std::string>{"a", "sub"}));
  ASSERT_TRUE(env_->GetChildren("/d/sub/", &children).ok());
  EXPECT_EQ(children, (std::vector<std::string>{"b", "c"}));
  EXPECT_TRUE(env_->FileExists("/d"));
  EXPECT_TRUE(env_->FileExists("/d/a"));
  EXPECT_FALSE(env_->FileExists("/d/s"));
  EXPECT_TRUE(env_->RemoveDir("/d").IsIOError());
  ASSERT_TRUE(env_->RemoveFile("/d/sub/b").ok());
  ASSERT_TRUE(env_->RemoveFile("/d/sub/c").ok());
  EXPECT_TRUE(env_->RemoveDir("/d/sub").ok());
}

TEST_F(FlatEnvTest, EmptyDirectoriesAreThereFromCreationToRemoval) {
  ASSERT_TRUE(env_->CreateDir("/made").ok());
  ASSERT_TRUE(env_->CreateDir("/made").ok()) << "once more, as each opening of a database does";
  ASSERT_TRUE(env_->CreateDir("/made/sub/").ok());
  Write("/made/a", "1");
  EXPECT_TRUE(env_->FileExists("/made/sub"));
  EXPECT_FALSE(env_->FileExists("/mad"));
  EXPECT_FALSE(env_->FileExists("/made/su"));
  std::vector<std::string> children;
  ASSERT_TRUE(env_->GetChildren("/made", &children).ok());
  EXPECT_EQ(children, (std::vector<std::string>{"a", "sub"}));
  ASSERT_TRUE(env_->RemoveFile("/made/a").ok());
  EXPECT_TRUE(env_->RemoveDir("/made").IsIOError()) << "not empty";
  ASSERT_TRUE(env_->RemoveDir("/made/sub").ok());
  EXPECT_FALSE(env_->FileExists("/made/sub"));
  EXPECT_TRUE(env_->FileExists("/made"));
  ASSERT_TRUE(env_->RemoveDir("/made").ok());
  EXPECT_FALSE(env_->FileExists("/made"));
  ASSERT_TRUE(env_->CreateDir("/made").ok());
  memory_.DropUnsynced();
  EXPECT_FALSE(env_->FileExists("/made")) << "no device keeps it";
}

TEST_F(FlatEnvTest, CreatedDirectoriesMoveWithTheOneAbove) {
  for (const char *name : {"/a", "/a/b", "/a/b/c", "/ab"}) ASSERT_TRUE(env_->CreateDir(name).ok());
  memory_.MoveDirs("/a", "/d");
  for (const char *name : {"/d", "/d/b", "/d/b/c", "/ab"}) EXPECT_TRUE(env_->FileExists(name)) << name;
  EXPECT_FALSE(env_->FileExists("/a"));
  EXPECT_TRUE(env_->RemoveDir("/d").IsIOError()) << "not empty";
}

TEST_F(FlatEnvTest, ALockIsHeldOnceUntilItIsGivenBackOrPowerGoes) {
  leveldb::FileLock *lock = nullptr, *second = nullptr;
  ASSERT_TRUE(env_->LockFile("/d/LOCK", &lock).ok());
  EXPECT_TRUE(env_->LockFile("/d/LOCK", &second).IsIOError());
  EXPECT_EQ(second, nullptr);
  ASSERT_TRUE(env_->LockFile("/e/LOCK", &second).ok());
  ASSERT_TRUE(env_->UnlockFile(lock).ok());
  ASSERT_TRUE(env_->LockFile("/d/LOCK", &lock).ok());
  memory_.DropUnsynced();
  leveldb::FileLock *again = nullptr;
  ASSERT_TRUE(env_->LockFile("/d/LOCK", &again).ok());
  for (leveldb::FileLock *held : {lock, second, again}) ASSERT_TRUE(env_->UnlockFile(held).ok());
}

}  // namespace
}  // namespace openremap
