// SPDX-License-Identifier: Apache-2.0
#include "value_log/segment_puncher.h"

#include <gtest/gtest.h>

#include <memory>

#include "db/filename.h"
#include "memory_remap_env.h"
#include "value_log/segment_mover.h"

namespace openremap {
namespace {

using leveldb::Status;

constexpr uint64_t kPages = 20;

class SegmentPuncherTest : public ::testing::Test {
 protected:
  // A segment of twenty pages, the last one partial.
  void SetUp() override {
    for (uint64_t page = 0; page < kPages; page++) {
      contents_ += std::string(kPageBytes, static_cast<char>('a' + page));
    }
    contents_.resize((kPages - 1) * kPageBytes + 100);
    leveldb::WritableFile *opened = nullptr;
    ASSERT_TRUE(env_.NewWritableFile(Name(5), &opened).ok());
    const std::unique_ptr<leveldb::WritableFile> file(opened);
    ASSERT_TRUE(file->Append(contents_).ok());
    ASSERT_TRUE(file->Sync().ok());
    ASSERT_TRUE(file->Close().ok());
  }
  static std::string Name(uint64_t number) { return leveldb::ValueLogFileName("/db", number); }
  static SegmentPages Live(std::initializer_list<uint64_t> pages) {
    SegmentPages live;
    for (const uint64_t page : pages) live.Add(page * kPageBytes + 1, 10);
    return live;
  }
  std::string Read(uint64_t number) {
    std::string data;
    EXPECT_TRUE(leveldb::ReadFileToString(&env_, Name(number), &data).ok());
    return data;
  }
  std::string Page(uint64_t page) const { return contents_.substr(page * kPageBytes, kPageBytes); }

  MemoryRemapEnv env_;
  SegmentPuncher puncher_{&env_, "/db"};
  std::string contents_;
  const std::string hole_ = std::string(kPageBytes, '\0');
};

TEST_F(SegmentPuncherTest, DeadPagesAreHolesAndLivePagesStayWhereTheyAre) {
  uint64_t punched = 0;
  ASSERT_TRUE(puncher_.Punch(Live({1, 2, 7, 18}), 5, nullptr, &punched).ok());
  EXPECT_EQ(punched, kPages - 1 - 4);
  std::string expected;
  for (const uint64_t page : {99, 1, 2, 99, 99, 99, 99, 7, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 18, 19}) {
    expected += page == 99 ? hole_ : Page(page);
  }
  EXPECT_EQ(Read(5), expected);
  EXPECT_EQ(env_.UsedPages(), 5u) << "the partial last one, too";
  // Once more: with a page less.
  punched = 0;
  ASSERT_TRUE(puncher_.Punch(Live({1, 2, 7}), 5, nullptr, &punched).ok());
  EXPECT_EQ(punched, kPages - 1 - 3);
  EXPECT_EQ(env_.UsedPages(), 4u);
}

TEST_F(SegmentPuncherTest, OfASegmentThatMovedThePagesOfItsFile) {
  const SegmentPages moved = Live({1, 2, 3, 7, 12, 18});
  MovedPages pages;
  ASSERT_TRUE(SegmentMover(&env_, "/db").Move(5, moved, 5, nullptr, 9, &pages).ok());
  const SegmentMap map(5, moved);
  const std::string before = Read(9);
  uint64_t punched = 0;
  ASSERT_TRUE(puncher_.Punch(Live({2, 12}), 9, &map, &punched).ok());
  EXPECT_EQ(punched, 4u);
  EXPECT_EQ(Read(9), hole_ + Page(2) + hole_ + hole_ + Page(12) + hole_ + before.substr(6 * kPageBytes));
  EXPECT_EQ(Read(5), contents_);
  SegmentMap again;
  EXPECT_TRUE(SegmentMap::Read(&env_, Name(9), &again).ok()) << "the map stays";
}

TEST_F(SegmentPuncherTest, Errors) {
  uint64_t punched = 0;
  EXPECT_TRUE(puncher_.Punch(Live({1}), 6, nullptr, &punched).IsNotFound());
  leveldb::EnvWrapper plain(&env_);
  EXPECT_TRUE(SegmentPuncher(&plain, "/db").Punch(Live({1}), 5, nullptr, &punched).IsNotSupportedError());
  EXPECT_EQ(punched, 0u);
  EXPECT_EQ(Read(5), contents_);
}

}  // namespace
}  // namespace openremap
