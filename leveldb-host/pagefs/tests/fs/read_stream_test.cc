// SPDX-License-Identifier: Apache-2.0
#include "pagefs/fs/read_stream.h"

#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <utility>

#include "pagefs/tests/fs/read_file.h"

namespace openremap {
namespace {

using leveldb::Status;
using Reads = ReadFile::Reads;

class ReadStreamTest : public ::testing::Test {
 protected:
  ReadStreamTest() : file_(200), stream_(&windows_) {}

  Status Read(uint64_t offset, size_t n) {
    std::string out(n, '\0');
    Status s;
    if (stream_.Holds(offset, n) || stream_.Follows(offset)) {
      s = stream_.Read(file_.Reader(), offset, n, file_.pages(), &out[0]);
    } else {
      stream_.Begin(offset + n);
      s = ReadExactly(file_.Reader(), offset, n, &out[0]);
    }
    if (s.ok()) {
      EXPECT_EQ(out, file_.data.substr(static_cast<size_t>(offset), n)) << offset;
    }
    return s;
  }
  // Blocks that fill a page but for some bytes, as those of our tables do.
  void ReadPage(uint64_t page) { ASSERT_TRUE(Read(page * kPageBytes, 4061).ok()); }
  void ReadPages(uint64_t first, uint64_t behind) {
    for (uint64_t page = first; page < behind; page++) ReadPage(page);
  }

  ReadFile file_;
  ReadWindows windows_;
  ReadStream stream_;
};

TEST_F(ReadStreamTest, WindowsBeginWithTheFourthReadAndDoubleUpTo32Pages) {
  ReadPages(0, 3);
  EXPECT_EQ(file_.Taken(), (Reads{{0, 1}, {1, 1}, {2, 1}}));
  EXPECT_EQ(windows_.count(), 0u);
  ReadPages(3, 100);
  EXPECT_EQ(file_.Taken(), (Reads{{3, 4}, {7, 8}, {15, 16}, {31, 32}, {63, 32}, {95, 32}}));
  EXPECT_EQ(windows_.count(), 1u);
}

TEST_F(ReadStreamTest, WhatWasReadBeforeItIsAskedForIsForOneRead) {
  auto pages = NewPages(2);
  ASSERT_TRUE(file_.Reader()(50, 2, pages.get()).ok());
  stream_.BeginWith(std::move(pages), 50, 2, 50 * kPageBytes + 10);
  file_.Taken();
  EXPECT_EQ(windows_.count(), 1u);
  ASSERT_TRUE(Read(50 * kPageBytes + 10, 5000).ok());
  EXPECT_EQ(windows_.count(), 0u);
  EXPECT_EQ(file_.Taken(), Reads());
  ReadPages(52, 56);
  EXPECT_EQ(file_.Taken(), (Reads{{52, 1}, {53, 1}, {54, 4}})) << "as if the first one had been a read of its own";
}

TEST_F(ReadStreamTest, WhatWasReadBeforeGoesWithTheNextReadWhateverItIs) {
  auto pages = NewPages(1);
  ASSERT_TRUE(file_.Reader()(50, 1, pages.get()).ok());
  stream_.BeginWith(std::move(pages), 50, 1, 50 * kPageBytes);
  ReadPage(51);
  EXPECT_EQ(windows_.count(), 0u);
  EXPECT_EQ(file_.Taken(), (Reads{{50, 1}, {51, 1}}));
}

// Stock tables: blocks end anywhere, so that two of them share a page.
TEST_F(ReadStreamTest, APageThatTwoReadsShareIsReadOnce) {
  uint64_t at = 0;
  for (; at + 4205 <= 150 * kPageBytes; at += 4205) ASSERT_TRUE(Read(at, 4205).ok());
  Reads reads = file_.Taken();
  // Before there is a window, pages are read as they are asked for.
  ASSERT_GT(reads.size(), 3u);
  EXPECT_EQ(reads[0], (Reads::value_type{0, 2}));
  EXPECT_EQ(reads[1], (Reads::value_type{1, 2}));
  EXPECT_EQ(reads[2], (Reads::value_type{2, 2}));
  uint64_t next = 3;
  for (size_t i = 3; i < reads.size(); i++) {
    EXPECT_EQ(reads[i].first, next);
    next += reads[i].second;
  }
  EXPECT_EQ(reads.back().second, ReadStream::kMostPages);
}

TEST_F(ReadStreamTest, AWindowGoesWhenItsLastByteHasBeenRead) {
  for (uint64_t at = 0; at < 7 * kPageBytes; at += kPageBytes) ASSERT_TRUE(Read(at, kPageBytes).ok());
  EXPECT_EQ(file_.Taken(), (Reads{{0, 1}, {1, 1}, {2, 1}, {3, 4}}));
  EXPECT_EQ(windows_.count(), 0u);
  ReadPage(7);
  EXPECT_EQ(file_.Taken(), (Reads{{7, 8}})) << "and the next one is twice as long";
}

TEST_F(ReadStreamTest, AWindowIsReadOnceMoreAndBackwards) {
  ReadPages(0, 5);
  EXPECT_EQ(file_.Taken(), (Reads{{0, 1}, {1, 1}, {2, 1}, {3, 4}}));
  ASSERT_TRUE(stream_.Holds(3 * kPageBytes, 100));
  ReadPage(3);
  EXPECT_EQ(stream_.end(), 4 * kPageBytes + 4061) << "the stream is where it was";
  ReadPages(5, 8);
  EXPECT_EQ(file_.Taken(), (Reads{{7, 8}}));
}

TEST_F(ReadStreamTest, JumpsInsideAWindowReadNothing) {
  ReadPages(0, 15);
  file_.Taken();
  for (uint64_t page : {15u, 19u, 23u, 27u}) ReadPage(page);
  EXPECT_EQ(file_.Taken(), (Reads{{15, 16}}));
  ReadPages(31, 47);
  EXPECT_EQ(file_.Taken(), (Reads{{31, 16}})) << "a quarter of it was read: as long as the last one";
  ReadPage(47);
  EXPECT_EQ(file_.Taken(), (Reads{{47, 32}}));
}

TEST_F(ReadStreamTest, WhatIsJumpedOverBehindAWindowIsNotRead) {
  ReadPages(0, 7);
  file_.Taken();
  EXPECT_TRUE(stream_.Follows(11 * kPageBytes)) << "four pages behind a window of four";
  EXPECT_FALSE(stream_.Follows(12 * kPageBytes));
  ReadPage(11);
  EXPECT_EQ(file_.Taken(), (Reads{{11, 8}}));
}

TEST_F(ReadStreamTest, WindowsThatAreHardlyReadShrinkUntilThereIsNone) {
  ReadPages(0, 16);
  EXPECT_EQ(file_.Taken().back(), (Reads::value_type{15, 16}));
  ReadPage(20);
  ReadPage(30);  // three pages of sixteen
  ReadPage(31);
  EXPECT_EQ(file_.Taken(), (Reads{{31, 8}}));
  ReadPage(39);
  EXPECT_EQ(file_.Taken(), (Reads{{39, 4}}));
  ReadPage(43);
  ReadPages(44, 46);
  EXPECT_EQ(file_.Taken(), (Reads{{43, 1}, {44, 1}, {45, 1}})) << "as asked";
  EXPECT_EQ(windows_.count(), 0u);
  ReadPages(46, 50);
  EXPECT_EQ(file_.Taken(), (Reads{{46, 4}})) << "and again once they have followed one another";
}

TEST_F(ReadStreamTest, BeforeThereIsAWindowNothingMayBeJumpedOver) {
  ReadPage(0);
  EXPECT_TRUE(stream_.Follows(4061));
  EXPECT_TRUE(stream_.Follows(kPageBytes));
  EXPECT_FALSE(stream_.Follows(2 * kPageBytes));
  EXPECT_FALSE(stream_.Follows(0)) << "the same once more";
}

TEST_F(ReadStreamTest, NothingIsReadBehindTheEndOfTheFile) {
  file_.Grow(200 * kPageBytes + 100);
  ReadPages(192, 200);
  ASSERT_TRUE(Read(200 * kPageBytes, 100).ok());
  EXPECT_EQ(file_.Taken(), (Reads{{192, 1}, {193, 1}, {194, 1}, {195, 4}, {199, 2}}));
}

TEST_F(ReadStreamTest, ReadsThatAreLargeThemselvesAreReadAsTheyAre) {
  const size_t large = 40 * kPageBytes;
  for (uint64_t at = 0; at < 5 * large; at += large) ASSERT_TRUE(Read(at, large).ok());
  EXPECT_EQ(file_.Taken(), (Reads{{0, 40}, {40, 40}, {80, 40}, {120, 40}, {160, 40}}));
  EXPECT_EQ(windows_.count(), 0u);
}

TEST_F(ReadStreamTest, WhatWasNotAskedForMayFail) {
  file_.damaged = {5};
  ReadPages(0, 5);
  EXPECT_EQ(file_.Taken(), (Reads{{0, 1}, {1, 1}, {2, 1}, {3, 4}, {3, 1}, {4, 1}}));
  EXPECT_TRUE(Read(5 * kPageBytes, 4061).IsIOError());
  ReadPages(6, 10);
  EXPECT_EQ(windows_.count(), 1u);
}

TEST_F(ReadStreamTest, WhatWasAskedForMayNot) {
  file_.damaged = {4};
  ReadPages(0, 4);
  EXPECT_TRUE(Read(4 * kPageBytes, 4061).IsIOError());
  ReadPages(5, 10);
  EXPECT_EQ(windows_.count(), 1u) << "goes on behind it";
  EXPECT_TRUE(Read(4 * kPageBytes + 1, 1).IsIOError()) << "a new stream's first read, too";
}

TEST(ReadWindows, TheOneFilledLongestAgoGoesWhenThereAreTooMany) {
  ReadFile file(16);
  ReadWindows windows;
  std::deque<ReadStream> streams;
  char out[100];
  for (size_t i = 0; i < ReadWindows::kMost + 2; i++) {
    ReadStream &stream = streams.emplace_back(&windows);
    stream.Begin(0);
    for (uint64_t page = 0; page < 4; page++) {
      ASSERT_TRUE(stream.Read(file.Reader(), page * kPageBytes, sizeof(out), file.pages(), out).ok());
    }
    EXPECT_TRUE(stream.Holds(3 * kPageBytes, sizeof(out)));
    EXPECT_EQ(windows.count(), std::min(i + 1, ReadWindows::kMost));
  }
  EXPECT_FALSE(streams[0].Holds(3 * kPageBytes, sizeof(out)));
  EXPECT_FALSE(streams[1].Holds(3 * kPageBytes, sizeof(out)));
  EXPECT_TRUE(streams[2].Holds(3 * kPageBytes, sizeof(out)));
  ASSERT_TRUE(streams[0].Read(file.Reader(), 4 * kPageBytes, sizeof(out), file.pages(), out).ok()) << "reads it again";
  streams.clear();
  EXPECT_EQ(windows.count(), 0u);
}

}  // namespace
}  // namespace openremap
