// SPDX-License-Identifier: Apache-2.0
//
// The blocks that the planner keeps, and those that it does not read, in modes fill and skip.
#include "planner/planner_fixture.h"

namespace openremap {
namespace {

class RetentionByCostTest : public PlannerFixture {};

// Key 15 of the upper run ends a block after one of four entries. The page is written and stays three quarters empty.
TEST_F(RetentionByCostTest, FillKeepsABlockWhereThereIsSpaceForIt) {
  for (RemapMode mode : {RemapMode::kFill, RemapMode::kSkip}) {
    for (int percent : {0, 5}) {
      SCOPED_TRACE(std::string(RemapModeName(mode)) + " " + std::to_string(percent));
      options_.remap.mode = mode;
      options_.remap.fill_space_percent = percent;
      const LevelCounters before = Counters();
      const auto lower = Run({Items({10, 11, 12, 13}), Items({20, 21, 22, 23}), Items({30, 31})});
      const auto upper = Run({Items({11, 15, 31}, 2)});
      const std::vector<uint64_t> out = Compact({upper, lower});
      EXPECT_EQ(Counters().unchanged_blocks - before.unchanged_blocks, 1u);
      EXPECT_EQ(Counters().remapped_blocks - before.remapped_blocks, percent == 0 ? 0u : 1u);
      EXPECT_EQ(ReadAll(out).size(), 11u);
    }
  }
}

// Two sparsely filled blocks side by side: written again, they fill one page.
TEST_F(RetentionByCostTest, FillDoesNotKeepThinBlocksForNothing) {
  options_.remap.mode = RemapMode::kFill;
  options_.remap.fill_space_percent = 1;
  const auto lower = Run({Items({10}), Items({20}), Items({30}), Items({40}), Items({50}), Items({60})});
  const std::vector<uint64_t> out = Compact({Run({Items({70, 71}, 2)}), lower});
  EXPECT_EQ(Counters().remapped_blocks, 0u);
  EXPECT_EQ(Blocks(out.at(0)).size(), 2u);
  EXPECT_EQ(ReadAll(out).size(), 8u);
}

// A long run of unchanged blocks is worth ending the page early for; its first block alone is not.
TEST_F(RetentionByCostTest, FillLooksAtTheWholeRunOfUnchangedBlocks) {
  options_.remap.mode = RemapMode::kFill;
  options_.remap.fill_space_percent = 1;  // 64 pages in advance: 0.64 of a page
  std::vector<std::vector<Entry>> blocks = {Items({10, 11, 12, 13})};
  for (uint64_t b = 2; b < 8; b++) blocks.push_back(Items({b * 10, b * 10 + 1, b * 10 + 2, b * 10 + 3}));
  const auto upper = Run({Items({11, 14, 15}, 2)});  // half a block is open when 20 comes
  Compact({upper, Run(blocks)});
  EXPECT_EQ(Counters().remapped_blocks, 6u);
}

TEST_F(RetentionByCostTest, SkipReadsNoBlockThatStays) {
  options_.remap.mode = RemapMode::kSkip;
  const auto lower = Run({Items({10, 11, 12, 13}), Items({20, 21, 22, 23}), Items({30, 31, 32, 33})});
  const auto upper = Run({Items({22}, 2)});
  // What nobody reads nobody finds damaged; it is damaged in the output as well.
  std::string bytes = Bytes(lower[0].number);
  bytes[100] = static_cast<char>(bytes[100] ^ 1);
  ASSERT_TRUE(leveldb::WriteStringToFile(&env_, bytes, Name(lower[0].number)).ok());
  const uint64_t read = env_.GetCounters().read_pages;
  const std::vector<uint64_t> out = Compact({upper, lower});
  ASSERT_TRUE(status_.ok()) << status_.ToString();
  EXPECT_EQ(Counters().input_blocks, 4u);
  EXPECT_EQ(Counters().skipped_blocks, 2u);
  EXPECT_EQ(Counters().remapped_blocks + Counters().copied_blocks, 2u);
  EXPECT_LE(env_.GetCounters().read_pages - read, 20u);
  EXPECT_EQ(Bytes(out.at(0)).substr(0, kPageBytes), bytes.substr(0, kPageBytes));
}

TEST_F(RetentionByCostTest, SkipReadsAllWhereChecksAreParanoid) {
  options_.remap.mode = RemapMode::kSkip;
  options_.paranoid_checks = true;
  const auto lower = Run({Items({10, 11, 12, 13}), Items({20, 21, 22, 23})});
  Compact({Run({Items({30}, 2)}), lower});
  EXPECT_EQ(Counters().skipped_blocks, 0u);
  EXPECT_EQ(Counters().remapped_blocks, 3u);
}

TEST_F(RetentionByCostTest, SkipReadsBlocksThatSpanMuchOfTheLevelBelow) {
  options_.remap.mode = RemapMode::kSkip;
  const auto run = Run({Items({10, 11, 12, 13}), Items({20, 30, 40, 50}), Items({60, 61, 62, 63})});
  for (uint64_t n : {5, 13, 25, 35, 60}) grandparents_.push_back({Item(n).Internal(), 700 << 10});
  const std::vector<uint64_t> out = Compact({run});
  EXPECT_EQ(Counters().unchanged_blocks, 3u);
  EXPECT_EQ(Counters().skipped_blocks, 2u);
  EXPECT_EQ(ReadAll(out).size(), 12u);
}

TEST_F(RetentionByCostTest, ABlockThatIsReadAfterAllAndDamagedFailsTheCompaction) {
  options_.remap.mode = RemapMode::kSkip;
  options_.remap.fill_space_percent = 0;
  const auto lower = Run({Items({10}), Items({20}), Items({30})});  // thin: not kept
  std::string bytes = Bytes(lower[0].number);
  for (size_t at = 0; at < kPageBytes; at++) bytes[at] = static_cast<char>(0xff);
  ASSERT_TRUE(leveldb::WriteStringToFile(&env_, bytes, Name(lower[0].number)).ok());
  Compact({Run({Items({15}, 2)}), lower});
  EXPECT_FALSE(status_.ok());
}

}  // namespace
}  // namespace openremap
