// SPDX-License-Identifier: Apache-2.0
#include "hybrid_ftl.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "test_seed.h"

namespace openremap {
namespace {

constexpr uint32_t kBlock = 4;

// 10 logical blocks of 4 pages, 3 log blocks: the sequential one and two others.
class HybridFtlTest : public ::testing::Test {
 protected:
  void Write(uint64_t lpn, uint64_t pages = 1) {
    for (uint64_t i = 0; i < pages; i++) {
      ftl_.Write(lpn + i, ++stamp_);
      newest_[lpn + i] = stamp_;
    }
    ASSERT_EQ(ftl_.Check(), "");
    for (uint64_t i = 0; i < ftl_.Pages(); i++) ASSERT_EQ(ftl_.Read(i), newest_[i]) << i;
  }
  void Deallocate(uint64_t lpn, uint64_t pages) {
    for (uint64_t i = 0; i < pages; i++) {
      ftl_.Deallocate(lpn + i);
      newest_[lpn + i] = 0;
    }
    ASSERT_EQ(ftl_.Check(), "");
  }
  const HybridFtlStats &stats() { return ftl_.stats(); }

  HybridFtl ftl_{{40, kBlock, 30}};
  uint64_t stamp_ = 0;
  uint64_t newest_[40] = {};
};

TEST_F(HybridFtlTest, SizesAreRoundedUp) {
  EXPECT_EQ(ftl_.LogBlocks(), 3u);
  EXPECT_EQ(HybridFtl({41, kBlock, 0}).Pages(), 44u);
  EXPECT_EQ(HybridFtl({41, kBlock, 0}).LogBlocks(), 2u) << "the least";
  EXPECT_EQ(HybridFtl({24 << 18, 256, 14}).LogBlocks(), 24576u * 14 / 100);
}

TEST_F(HybridFtlTest, AFillInOrderGoesToDataBlocks) {
  Write(0, 40);
  EXPECT_EQ(stats().direct_pages, 40u);
  EXPECT_EQ(stats().ProgrammedPages(), 40u);
  EXPECT_EQ(stats().erases, 0u);
}

TEST_F(HybridFtlTest, ABlockThatIsOverwrittenInOrderIsSwitched) {
  Write(0, 8);
  Write(0, 8);
  EXPECT_EQ(stats().sequential_pages, 8u);
  EXPECT_EQ(stats().switch_merges, 2u);
  EXPECT_EQ(stats().merged_pages, 0u);
  EXPECT_EQ(stats().erases, 2u) << "the old data blocks";
}

TEST_F(HybridFtlTest, AnotherBlockEndsTheSequentialOne) {
  Write(0, 8);
  Write(0, 2);
  Write(4, 1);  // page 0 of another logical block
  EXPECT_EQ(stats().partial_merges, 1u);
  EXPECT_EQ(stats().merged_pages, 2u) << "pages 2 and 3";
  EXPECT_EQ(stats().erases, 1u);
  EXPECT_EQ(stats().sequential_pages, 3u);
}

TEST_F(HybridFtlTest, OtherWritesGetASecondChanceAndThenAMerge) {
  Write(0, 40);
  // 8 pages fill both log blocks.
  for (const uint64_t lpn : {1, 5, 9, 13, 17, 21, 25, 29}) Write(lpn);
  EXPECT_EQ(stats().log_pages, 8u);
  EXPECT_EQ(stats().reclaims, 0u);
  // None of them is outdated: 4 move, 4 more do, and then the first ones are merged.
  Write(33);
  EXPECT_EQ(stats().second_chance_pages, 8u);
  EXPECT_EQ(stats().full_merges, 4u);
  EXPECT_EQ(stats().merged_pages, 16u);
  EXPECT_EQ(stats().reclaims, 3u);
  EXPECT_EQ(stats().erases, 4u + 3) << "data blocks, log blocks";
}

TEST_F(HybridFtlTest, OutdatedPagesOfTheLogCostNothing) {
  Write(0, 40);
  for (int i = 0; i < 80; i++) Write(5);
  EXPECT_EQ(stats().full_merges, 0u);
  EXPECT_LE(stats().second_chance_pages, 1u);
  EXPECT_EQ(stats().reclaims, 80u / kBlock - 2);
}

TEST_F(HybridFtlTest, AMergeOfTheSequentialBlocksOwnerEndsIt) {
  Write(0, 40);
  Write(0, 2);  // the sequential block is that of logical block 0
  Write(3);     // and one of its pages is in the log
  for (uint64_t lpn = 5; lpn < 40; lpn += 4) Write(lpn);
  for (uint64_t lpn = 6; lpn < 40; lpn += 4) Write(lpn);
  EXPECT_GT(stats().full_merges, 0u);
  const uint64_t sequential = stats().sequential_pages;
  Write(2);
  EXPECT_EQ(stats().sequential_pages, sequential) << "its block is a data block's by now";
}

TEST_F(HybridFtlTest, ADeallocatedBlockIsErasedWithoutAMerge) {
  Write(0, 12);
  Write(4, 2);  // its sequential block
  Deallocate(4, 3);
  EXPECT_EQ(stats().dead_blocks, 0u);
  Deallocate(7, 1);
  EXPECT_EQ(stats().dead_blocks, 2u);
  Deallocate(4, 4);
  EXPECT_EQ(stats().dead_blocks, 2u) << "once";
  Write(4, 4);
  EXPECT_EQ(stats().direct_pages, 16u);
  EXPECT_EQ(stats().merged_pages, 0u);
}

// ---- Against an oracle ----------------------------------------------------------------------------------------------

TEST(HybridFtlRandomTest, EachPageReadsAsItWasWrittenLast) {
  RecordProperty("seed", std::to_string(TestSeed()));
  for (uint64_t run = 0; run < 40; run++) {
    std::mt19937_64 random(TestSeed() * 1000 + run);
    HybridFtlOptions options;
    options.pages = 1 + random() % 200;
    options.block_pages = static_cast<uint32_t>(1 + random() % 16);
    options.log_percent = static_cast<uint32_t>(random() % 60);
    HybridFtl ftl(options);
    std::vector<uint64_t> newest(ftl.Pages(), 0);
    uint64_t stamp = 0;
    for (int i = 0; i < 400; i++) {
      const uint64_t first = random() % ftl.Pages();
      // Single pages, runs, and whole blocks from their beginning on.
      const uint64_t lpn = random() % 4 == 0 ? first / options.block_pages * options.block_pages : first;
      const uint64_t pages = std::min(ftl.Pages() - lpn, 1 + random() % (random() % 3 == 0 ? 40 : 2));
      const bool deallocate = random() % 8 == 0;
      for (uint64_t p = lpn; p < lpn + pages; p++) {
        if (deallocate) {
          ftl.Deallocate(p);
        } else {
          ftl.Write(p, stamp + 1);
        }
        newest[p] = deallocate ? 0 : ++stamp;
      }
      const std::string wrong = ftl.Check();
      ASSERT_EQ(wrong, "") << "OPENREMAP_SEED=" << TestSeed() << ", run " << run;
      for (uint64_t p = 0; p < ftl.Pages(); p++) {
        ASSERT_EQ(ftl.Read(p), newest[p]) << "page " << p << ", OPENREMAP_SEED=" << TestSeed() << ", run " << run;
      }
    }
  }
}

}  // namespace
}  // namespace openremap
