// SPDX-License-Identifier: Apache-2.0
#include "pagefs/fs/extent_allocator.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace openremap {
namespace {

uint64_t Total(const std::vector<PageRun> &runs) {
  uint64_t pages = 0;
  for (const PageRun &run : runs) pages += run.pages;
  return pages;
}

TEST(ExtentAllocatorTest, OneExtentWhereItFits) {
  ExtentAllocator allocator(10, 90);
  std::vector<PageRun> runs;
  ASSERT_TRUE(allocator.Allocate(50, 0, &runs));
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].lpn, 10u);
  EXPECT_EQ(runs[0].pages, 50u);
  EXPECT_EQ(allocator.FreePages(), 40u);
}

TEST(ExtentAllocatorTest, GrowsInPlaceAtTheGoal) {
  ExtentAllocator allocator(10, 90);
  std::vector<PageRun> a, b;
  ASSERT_TRUE(allocator.Allocate(5, 0, &a));
  ASSERT_TRUE(allocator.Allocate(5, 15, &a));
  ASSERT_EQ(a.size(), 1u);
  EXPECT_EQ(a[0].pages, 10u);
  ASSERT_TRUE(allocator.Allocate(5, 0, &b));
  ASSERT_TRUE(allocator.Allocate(5, 20, &a)) << "the goal is taken";
  EXPECT_EQ(a.size(), 2u);
}

TEST(ExtentAllocatorTest, FallsBackToPiecesAndRefusesTooMuch) {
  ExtentAllocator allocator(0, 30);
  std::vector<PageRun> all, pieces;
  ASSERT_TRUE(allocator.Allocate(30, 0, &all));
  allocator.Free({2, 4});
  allocator.Free({10, 8});
  allocator.Free({25, 3});
  ASSERT_TRUE(allocator.Allocate(12, 0, &pieces));
  EXPECT_EQ(pieces.size(), 2u) << "the largest first";
  EXPECT_EQ(pieces[0].lpn, 10u);
  EXPECT_EQ(allocator.FreePages(), 3u);
  std::vector<PageRun> none;
  EXPECT_FALSE(allocator.Allocate(4, 0, &none));
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(allocator.FreePages(), 3u);
}

TEST(ExtentAllocatorTest, BeginsAtAMultipleOfTheGranularityWhereThatHoldsAll) {
  ExtentAllocator allocator(10, 90, 16);
  std::vector<PageRun> large, small, behind, unaligned;
  ASSERT_TRUE(allocator.Allocate(20, 0, &large));
  ASSERT_EQ(large.size(), 1u);
  EXPECT_EQ(large[0].lpn, 16u);
  ASSERT_TRUE(allocator.Allocate(6, 0, &small)) << "less than the granularity goes into the gaps";
  EXPECT_EQ(small[0].lpn, 10u);
  ASSERT_TRUE(allocator.Allocate(20, 36, &behind)) << "behind the file's last page all the same";
  EXPECT_EQ(behind[0].lpn, 36u);
  // Free: 56 to 99. From 64 on there are 36 pages.
  ASSERT_TRUE(allocator.Allocate(40, 0, &unaligned)) << "one extent is worth more than where it begins";
  ASSERT_EQ(unaligned.size(), 1u);
  EXPECT_EQ(unaligned[0].lpn, 56u);
  EXPECT_EQ(unaligned[0].pages, 40u);
  EXPECT_EQ(allocator.FreePages(), 4u);
}

TEST(ExtentAllocatorTest, PassesARunWhoseAlignedPartIsTooSmall) {
  ExtentAllocator allocator(0, 200, 32);
  std::vector<PageRun> all, run;
  ASSERT_TRUE(allocator.Allocate(200, 0, &all));
  allocator.Free({1, 60});   // from 32 on 29 pages
  allocator.Free({90, 80});  // from 96 on 74
  ASSERT_TRUE(allocator.Allocate(50, 0, &run));
  ASSERT_EQ(run.size(), 1u);
  EXPECT_EQ(run[0].lpn, 96u);
  ASSERT_TRUE(allocator.Allocate(90, 0, &run)) << "the rest in pieces, wherever they are";
  EXPECT_EQ(Total(run), 140u);
  EXPECT_EQ(allocator.FreePages(), 0u);
}

TEST(ExtentAllocatorTest, FirstFitComesBackToTheFront) {
  ExtentAllocator allocator(10, 90);
  std::vector<PageRun> runs;
  ASSERT_TRUE(allocator.Allocate(5, 0, &runs));
  allocator.Free(runs[0]);
  ASSERT_TRUE(allocator.Allocate(5, 0, &runs));
  EXPECT_EQ(runs[1].lpn, 10u);
}

TEST(ExtentAllocatorTest, NextFitGoesRoundThroughRunsThatItHasFreed) {
  ExtentAllocator allocator(10, 90, 1, Allocation::kNext);
  // One free run at all times, which the last allocation splits in thought only.
  std::vector<uint64_t> begins;
  for (int i = 0; i < 6; i++) {
    std::vector<PageRun> runs;
    ASSERT_TRUE(allocator.Allocate(25, 0, &runs));
    ASSERT_EQ(runs.size(), 1u);
    begins.push_back(runs[0].lpn);
    allocator.Free(runs[0]);
    ASSERT_EQ(allocator.FreeRuns().size(), 1u);
  }
  EXPECT_EQ(begins, (std::vector<uint64_t>{10, 35, 60, 10, 35, 60})) << "from 85 on there are only 15 pages";
}

TEST(ExtentAllocatorTest, NextFitPassesWhatIsTakenAndUsesTheFrontWhereNothingElseHolds) {
  ExtentAllocator allocator(0, 100, 1, Allocation::kNext);
  std::vector<PageRun> all, run;
  ASSERT_TRUE(allocator.Allocate(100, 0, &all));
  allocator.Free({10, 10});
  allocator.Free({40, 8});
  allocator.Free({70, 10});
  ASSERT_TRUE(allocator.Allocate(8, 0, &run)) << "behind the last page: round";
  ASSERT_TRUE(allocator.Allocate(8, 0, &run));
  ASSERT_TRUE(allocator.Allocate(8, 0, &run));
  ASSERT_EQ(run.size(), 3u);
  EXPECT_EQ(run[0].lpn, 10u);
  EXPECT_EQ(run[1].lpn, 40u);
  EXPECT_EQ(run[2].lpn, 70u);
  // Free: 18 and 19, 78 and 79; then 60 to 79 as well, of which 78 is next.
  allocator.Free({60, 18});
  ASSERT_TRUE(allocator.Allocate(3, 0, &run)) << "78 and 79 are too few, and the front of that run comes last";
  EXPECT_EQ(run[3].lpn, 60u);
  ASSERT_TRUE(allocator.Allocate(19, 0, &run)) << "no run holds them: the largest, then the rest";
  EXPECT_EQ(Total(run), 8u * 3 + 3 + 19);
  EXPECT_EQ(allocator.FreePages(), 0u);
}

TEST(ExtentAllocatorTest, NextFitBeginsAtMultiplesOfTheGranularity) {
  ExtentAllocator allocator(3, 97, 16, Allocation::kNext);
  std::vector<PageRun> runs;
  ASSERT_TRUE(allocator.Allocate(20, 0, &runs));
  ASSERT_TRUE(allocator.Allocate(20, 0, &runs));
  EXPECT_EQ(runs[0].lpn, 16u);
  EXPECT_EQ(runs[1].lpn, 48u);
}

TEST(ExtentAllocatorTest, ReserveTakesOnlyWhatIsFree) {
  ExtentAllocator allocator(5, 10);
  EXPECT_TRUE(allocator.Reserve({7, 3}));
  EXPECT_FALSE(allocator.Reserve({9, 2}));
  EXPECT_FALSE(allocator.Reserve({0, 1}));
  EXPECT_FALSE(allocator.Reserve({14, 2}));
  EXPECT_FALSE(allocator.Reserve({14, UINT64_MAX}));
  EXPECT_FALSE(allocator.Reserve({5, 0}));
  EXPECT_TRUE(allocator.Reserve({5, 2}));
  EXPECT_TRUE(allocator.Reserve({10, 5}));
  EXPECT_EQ(allocator.FreePages(), 0u);
}

class ExtentAllocatorRandomTest : public ::testing::TestWithParam<Allocation> {};

TEST_P(ExtentAllocatorRandomTest, NeverGivesAPageTwiceAndMergesBack) {
  std::mt19937_64 random(1);
  ExtentAllocator allocator(100, 1000, 8, GetParam());
  std::vector<std::vector<PageRun>> files;
  std::set<uint64_t> taken;
  for (int i = 0; i < 3000; i++) {
    if (files.empty() || random() % 2 == 0) {
      std::vector<PageRun> runs;
      const uint64_t pages = 1 + random() % 60;
      const uint64_t goal = !files.empty() ? files.back().back().lpn + files.back().back().pages : 0;
      const uint64_t before = allocator.FreePages();
      if (!allocator.Allocate(pages, goal, &runs)) {
        EXPECT_LT(before, pages);
        continue;
      }
      EXPECT_EQ(Total(runs), pages);
      for (const PageRun &run : runs) {
        for (uint64_t p = run.lpn; p < run.lpn + run.pages; p++) ASSERT_TRUE(taken.insert(p).second);
      }
      files.push_back(runs);
    } else {
      const size_t victim = random() % files.size();
      for (const PageRun &run : files[victim]) {
        allocator.Free(run);
        for (uint64_t p = run.lpn; p < run.lpn + run.pages; p++) taken.erase(p);
      }
      files.erase(files.begin() + static_cast<std::ptrdiff_t>(victim));
    }
    ASSERT_EQ(allocator.FreePages(), 1000 - taken.size());
  }
  for (const auto &file : files) {
    for (const PageRun &run : file) allocator.Free(run);
  }
  ASSERT_EQ(allocator.FreeRuns().size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(, ExtentAllocatorRandomTest, ::testing::Values(Allocation::kFirst, Allocation::kNext),
                         [](const auto &given) { return given.param == Allocation::kFirst ? "FirstFit" : "NextFit"; });

}  // namespace
}  // namespace openremap
