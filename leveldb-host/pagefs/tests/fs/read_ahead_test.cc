// SPDX-License-Identifier: Apache-2.0
#include "pagefs/fs/read_ahead.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "pagefs/tests/fs/read_file.h"
#include "test_seed.h"

namespace openremap {
namespace {

using leveldb::Status;
using Reads = ReadFile::Reads;

class ReadAheadTest : public ::testing::Test {
 protected:
  ReadAheadTest() : file_(600), ahead_(&windows_) {}

  Status Read(uint64_t offset, size_t n) {
    std::string out(n, '\0');
    Status s = ahead_.Read(file_.Reader(), offset, n, file_.data.size(), &out[0]);
    if (s.ok()) {
      EXPECT_EQ(out, file_.data.substr(static_cast<size_t>(offset), n)) << offset;
    }
    return s;
  }
  void Prefetch(const std::vector<FileRange> &ranges) {
    ahead_.Prefetch(file_.TogetherReader(), ranges, file_.data.size());
  }
  void ReadPage(uint64_t page) { ASSERT_TRUE(Read(page * kPageBytes, 4000).ok()); }

  ReadFile file_;
  ReadWindows windows_;
  ReadAhead ahead_;
};

TEST_F(ReadAheadTest, ReadsHereAndThereReadWhatTheyAreAskedFor) {
  std::mt19937_64 random(TestSeed());
  Reads expected;
  for (int i = 0; i < 1000; i++) {
    const uint64_t page = random() % 100 * 6 + 1;  // never neighbours
    ASSERT_TRUE(Read(page * kPageBytes + 100, 5000).ok());
    expected.emplace_back(page, 2);
  }
  EXPECT_EQ(file_.Taken(), expected);
  EXPECT_EQ(windows_.count(), 0u);
}

// Gets of a table of 2 MiB. Four of them that happen to be neighbours look like a stream.
TEST_F(ReadAheadTest, RandomReadsReadHardlyAPageMore) {
  std::mt19937_64 random(TestSeed());
  constexpr uint64_t kGets = 50000;
  for (uint64_t i = 0; i < kGets; i++) ReadPage(random() % 512);
  uint64_t pages = 0;
  for (const auto &[first, count] : file_.Taken()) pages += count;
  EXPECT_LE(pages, kGets + kGets / 1000);
}

TEST_F(ReadAheadTest, TheSameBlockAgainAndAgainIsNoStream) {
  for (int i = 0; i < 10; i++) ReadPage(7);
  EXPECT_EQ(file_.Taken(), Reads(10, {7, 1}));
}

TEST_F(ReadAheadTest, StreamsGoOnSideBySide) {
  constexpr uint64_t kRuns = 12;  // as many as a table of mode blend has
  file_.Grow(100 * kRuns * kPageBytes);
  for (uint64_t page = 0; page < 63; page++) {
    for (uint64_t run = 0; run < kRuns; run++) ReadPage(100 * run + page);
  }
  // Of each run three reads of a page each, then windows of 4, 8, 16 and 32.
  const Reads reads = file_.Taken();
  EXPECT_EQ(reads.size(), kRuns * 7);
  uint64_t pages = 0;
  for (const auto &[first, count] : reads) pages += count;
  EXPECT_EQ(pages, kRuns * 63);
  EXPECT_EQ(windows_.count(), kRuns);
}

TEST_F(ReadAheadTest, AFewReadsElsewhereLeaveAWindowAndMoreTakeIt) {
  for (uint64_t page = 0; page < 4; page++) ReadPage(page);
  ASSERT_EQ(windows_.count(), 1u);
  for (uint64_t i = 1; i < ReadAhead::kStreams; i++) ReadPage(100 + 10 * i);
  file_.Taken();
  ReadPage(4);
  EXPECT_EQ(file_.Taken(), Reads()) << "it is there";
  for (uint64_t i = 0; i < ReadAhead::kStreams; i++) ReadPage(205 + 10 * i);
  EXPECT_EQ(windows_.count(), 0u);
  file_.Taken();
  ReadPage(5);
  EXPECT_EQ(file_.Taken(), (Reads{{5, 1}}));
}

TEST_F(ReadAheadTest, AStreamMayComeToWhereAnotherOneBegan) {
  for (uint64_t page = 40; page < 44; page++) ReadPage(page);
  for (uint64_t page = 0; page < 80; page++) ReadPage(page);
  for (uint64_t page = 44; page < 80; page++) ReadPage(page);
}

TEST_F(ReadAheadTest, WhatIsAppendedIsSeen) {
  file_.Grow(600 * kPageBytes + 50);
  for (uint64_t page = 596; page < 600; page++) ReadPage(page);
  ASSERT_TRUE(Read(600 * kPageBytes, 50).ok());
  file_.Grow(601 * kPageBytes);
  ASSERT_TRUE(Read(600 * kPageBytes, 4096).ok());
  ASSERT_TRUE(Read(600 * kPageBytes + 50, 4000).ok());
}

TEST_F(ReadAheadTest, ForgettingFreesTheWindows) {
  for (uint64_t page = 0; page < 5; page++) ReadPage(page);
  EXPECT_EQ(windows_.count(), 1u);
  ahead_.Forget();
  EXPECT_EQ(windows_.count(), 0u);
  file_.Taken();
  ReadPage(5);
  EXPECT_EQ(file_.Taken(), (Reads{{5, 1}}));
}

TEST_F(ReadAheadTest, PrefetchedPlacesAreReadAtOnce) {
  Prefetch({{10 * kPageBytes, 4000}, {200 * kPageBytes + 7, 4096}, {20 * kPageBytes, 100}});
  EXPECT_EQ(file_.together, 1);
  EXPECT_EQ(file_.Taken(), (Reads{{10, 1}, {200, 2}, {20, 1}}));
  EXPECT_EQ(windows_.count(), 3u);
  ReadPage(400);  // somebody else's
  EXPECT_EQ(file_.Taken(), (Reads{{400, 1}}));
  ASSERT_TRUE(Read(20 * kPageBytes, 100).ok());
  ASSERT_TRUE(Read(10 * kPageBytes, 4000).ok());
  ASSERT_TRUE(Read(200 * kPageBytes + 7, 4096).ok());
  EXPECT_EQ(file_.Taken(), Reads());
  EXPECT_EQ(windows_.count(), 0u);
  ReadPage(10);
  EXPECT_EQ(file_.Taken(), (Reads{{10, 1}})) << "for one read";
}

TEST_F(ReadAheadTest, WhatAWindowHasIsNotPrefetched) {
  for (uint64_t page = 0; page < 5; page++) ReadPage(page);
  file_.Taken();
  Prefetch({{5 * kPageBytes, 4000}, {100 * kPageBytes, 4000}});
  EXPECT_EQ(file_.Taken(), (Reads{{100, 1}}));
  Prefetch({{100 * kPageBytes, 4000}});
  EXPECT_EQ(file_.together, 1);
  for (uint64_t page = 5; page < 7; page++) ReadPage(page);
  EXPECT_EQ(file_.Taken(), Reads());
}

TEST_F(ReadAheadTest, PlacesThatCannotBePrefetchedAreLeftOut) {
  const uint64_t end = file_.data.size();
  Prefetch({{end, 1}, {end - 1, 2}, {UINT64_MAX, 2}, {0, UINT64_MAX}, {5, 0}, {0, 40 * kPageBytes}});
  EXPECT_EQ(file_.together, 0);
  Prefetch({{end - 1, 1}});
  EXPECT_EQ(file_.Taken(), (Reads{{599, 1}}));
  std::vector<FileRange> many;
  for (uint64_t i = 0; i < 2 * ReadAhead::kStreams; i++) many.push_back({10 * i * kPageBytes, 4000});
  Prefetch(many);
  EXPECT_EQ(file_.Taken().size(), ReadAhead::kStreams);
  EXPECT_EQ(windows_.count(), ReadAhead::kStreams);
  for (const FileRange &range : many) ASSERT_TRUE(Read(range.offset, 4000).ok());
  EXPECT_EQ(file_.Taken().size(), ReadAhead::kStreams) << "the others are read when they are asked for";
}

TEST_F(ReadAheadTest, AnErrorOfPrefetchingIsLeftToTheRead) {
  file_.damaged = {200};
  Prefetch({{10 * kPageBytes, 4000}, {200 * kPageBytes, 4000}});
  EXPECT_EQ(windows_.count(), 0u);
  ReadPage(10);
  EXPECT_FALSE(Read(200 * kPageBytes, 4000).ok());
}

TEST_F(ReadAheadTest, WhatIsAppendedAfterPrefetchingIsSeen) {
  file_.Grow(600 * kPageBytes + 50);
  Prefetch({{600 * kPageBytes, 50}, {3, 4}});
  file_.Grow(601 * kPageBytes);
  ASSERT_TRUE(Read(600 * kPageBytes, 4096).ok());
}

// Whatever is read, it is what the file holds, and only damage that was asked for is an error.
TEST_F(ReadAheadTest, AnyReadsReadTheFile) {
  std::mt19937_64 random(TestSeed());
  uint64_t places[12] = {};
  file_.damaged = {77, 300, 301, 599};
  for (int i = 0; i < 30000; i++) {
    uint64_t &at = places[random() % 12];
    switch (random() % 16) {
      case 0:
        at = random() % file_.data.size();
        break;
      case 1:
        at += random() % (12 * kPageBytes);
        break;
      case 2:
        at -= std::min<uint64_t>(at, random() % (3 * kPageBytes));
        break;
      default:
        break;
    }
    if (random() % 2000 == 0) file_.Grow(file_.data.size() + random() % 5000);
    at %= file_.data.size();
    const auto n = static_cast<size_t>(std::min<uint64_t>(1 + random() % 9000, file_.data.size() - at));
    bool damaged = false;
    for (uint64_t page = at / kPageBytes; page < PagesOf(at + n); page++) damaged |= file_.damaged.count(page) != 0;
    if (random() % 8 == 0) {
      std::vector<FileRange> ranges{{at, n}};
      for (uint64_t place : places) ranges.push_back({place, random() % 9000});
      ranges.resize(1 + random() % ranges.size());
      Prefetch(ranges);
    }
    const Status s = Read(at, n);
    if (!s.ok()) {
      ASSERT_TRUE(damaged) << at << " " << s.ToString();
    }
    at += n;
  }
  for (const auto &[first, count] : file_.Taken()) ASSERT_LE(count, ReadStream::kMostPages) << first;
}

}  // namespace
}  // namespace openremap
