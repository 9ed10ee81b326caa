// SPDX-License-Identifier: Apache-2.0
#include "value_log/segment_mover.h"

#include <gtest/gtest.h>

#include <memory>

#include "db/filename.h"
#include "memory_remap_env.h"

namespace openremap {
namespace {

using leveldb::Status;

// Refuses reads beyond a file's end, as LevelDB's own files do.
class StrictFile : public leveldb::RandomAccessFile {
 public:
  StrictFile(leveldb::RandomAccessFile *file, uint64_t size) : file_(file), size_(size) {}
  Status Read(uint64_t offset, size_t n, leveldb::Slice *result, char *scratch) const override {
    if (offset + n > size_) return Status::IOError("beyond the end of the file");
    return file_->Read(offset, n, result, scratch);
  }

 private:
  const std::unique_ptr<leveldb::RandomAccessFile> file_;
  const uint64_t size_;
};

class StrictEnv : public MemoryRemapEnv {
 public:
  Status NewRandomAccessFile(const std::string &fname, leveldb::RandomAccessFile **file) override {
    uint64_t size = 0;
    Status s = GetFileSize(fname, &size);
    if (s.ok()) s = MemoryRemapEnv::NewRandomAccessFile(fname, file);
    if (s.ok() && strict) *file = new StrictFile(*file, size);
    return s;
  }

  bool strict = false;  // MemoryRemapEnv's own sequential files read beyond the end
};

class SegmentMoverTest : public ::testing::Test {
 protected:
  // A segment of twenty pages, the last one partial; synced or not.
  void Write(bool sync) {
    for (uint64_t page = 0; page < 20; page++) contents_ += std::string(kPageBytes, static_cast<char>('a' + page));
    contents_.resize(19 * kPageBytes + 100);
    const std::string name = leveldb::ValueLogFileName("/db", 5);
    leveldb::WritableFile *opened = nullptr;
    ASSERT_TRUE(env_.NewWritableFile(name, &opened).ok());
    const std::unique_ptr<leveldb::WritableFile> file(opened);
    ASSERT_TRUE(file->Append(contents_).ok());
    if (sync) {
      ASSERT_TRUE(file->Sync().ok());
    }
    ASSERT_TRUE(file->Close().ok());
    for (const uint64_t page : {1, 2, 7, 18, 19}) pages_.Add(page * kPageBytes, 1);
  }
  Status Move(uint64_t source, const SegmentMap *map, uint64_t target) {
    env_.strict = true;
    const Status s = SegmentMover(&env_, "/db").Move(5, pages_, source, map, target, &moved_);
    env_.strict = false;
    return s;
  }
  void ExpectPages(uint64_t file, const std::vector<uint64_t> &pages) {
    std::string bytes;
    ASSERT_TRUE(leveldb::ReadFileToString(&env_, leveldb::ValueLogFileName("/db", file), &bytes).ok());
    for (size_t i = 0; i < pages.size(); i++) {
      std::string expected = contents_.substr(pages[i] * kPageBytes, kPageBytes);
      expected.resize(kPageBytes);
      EXPECT_EQ(bytes.substr(i * kPageBytes, kPageBytes), expected) << pages[i];
    }
    SegmentMap map;
    ASSERT_TRUE(SegmentMap::Read(&env_, leveldb::ValueLogFileName("/db", file), &map).ok());
    EXPECT_EQ(map.segment(), 5u);
    EXPECT_EQ(map.pages(), pages.size());
  }

  StrictEnv env_;
  std::string contents_;
  SegmentPages pages_;
  MovedPages moved_;
};

TEST_F(SegmentMoverTest, LivePagesAreRemappedAndAPartialOneIsCopied) {
  Write(/*sync=*/true);
  const uint64_t written = env_.GetCounters().written_pages;
  ASSERT_TRUE(Move(5, nullptr, 9).ok());
  EXPECT_EQ(moved_.remapped, 4u);
  EXPECT_EQ(moved_.copied, 1u);
  EXPECT_EQ(env_.GetCounters().written_pages - written, 2u) << "the copy and the map";
  EXPECT_EQ(env_.GetRemapStats().remapped_pages, 4u);
  ExpectPages(9, {1, 2, 7, 18, 19});
  env_.DropUnsynced();
  ExpectPages(9, {1, 2, 7, 18, 19});
}

TEST_F(SegmentMoverTest, WhatMovedMovesAgain) {
  Write(/*sync=*/true);
  ASSERT_TRUE(Move(5, nullptr, 9).ok());
  SegmentMap map;
  ASSERT_TRUE(SegmentMap::Read(&env_, leveldb::ValueLogFileName("/db", 9), &map).ok());
  pages_ = SegmentPages();
  for (const uint64_t page : {2, 7, 19}) pages_.Add(page * kPageBytes, 1);
  ASSERT_TRUE(Move(9, &map, 10).ok());
  EXPECT_EQ(moved_.remapped, 3u) << "what was filled up is a whole page now";
  ExpectPages(10, {2, 7, 19});
  pages_.Add(0, 1);
  EXPECT_TRUE(Move(9, &map, 11).IsCorruption()) << "the page was left behind";
  EXPECT_FALSE(env_.FileExists(leveldb::ValueLogFileName("/db", 11)));
}

TEST_F(SegmentMoverTest, PagesThatTheLayerCannotNameAreCopied) {
  Write(/*sync=*/false);
  ASSERT_TRUE(Move(5, nullptr, 9).ok());
  EXPECT_EQ(moved_.copied, 5u);
  EXPECT_EQ(moved_.remapped, 0u);
  ExpectPages(9, {1, 2, 7, 18, 19});
}

TEST_F(SegmentMoverTest, ASegmentThatEndsBeforeALivePageIsDamaged) {
  Write(/*sync=*/true);
  pages_.Add(20 * kPageBytes, 1);
  EXPECT_TRUE(Move(5, nullptr, 9).IsCorruption());
  EXPECT_FALSE(env_.FileExists(leveldb::ValueLogFileName("/db", 9)));
}

TEST_F(SegmentMoverTest, ASegmentThatIsGoneIsNotFoundAndLeavesNothing) {
  pages_.Add(0, 1);
  EXPECT_TRUE(Move(5, nullptr, 9).IsNotFound());
  EXPECT_FALSE(env_.FileExists(leveldb::ValueLogFileName("/db", 9)));
}

}  // namespace
}  // namespace openremap
