// SPDX-License-Identifier: Apache-2.0
#include "planner/blend_plan.h"

#include <map>
#include <memory>

#include "paged_table/table_fixture.h"

namespace openremap {
namespace {

constexpr uint64_t kMaxTable = 1 << 20;
const std::vector<uint64_t> kTen = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};

// Tables without files: only their metadata exists.
class BlendPlanTest : public TableFixture {
 protected:
  BlendPlanTest() { options_.remap.mode = RemapMode::kBlend; }

  // A table of `file_size` bytes with these keys, one to a block, in each of its runs.
  TableRef Table(const std::vector<uint64_t> &keys, uint64_t file_size = 10 * kPageBytes, size_t runs = 1) {
    std::vector<std::vector<Entry>> blocks;
    for (uint64_t n : keys) blocks.push_back({Item(n)});
    const TableRef table{next_++, file_size};
    const uint64_t bytes = BuildRuns(table.number, std::vector<std::vector<std::vector<Entry>>>(runs, blocks));
    std::shared_ptr<const TableMetadata> metadata;
    EXPECT_TRUE(TableMetadata::Read(options_, Name(table.number), bytes, &metadata).ok());
    metadata_[table.number] = metadata;
    return table;
  }

  LowerTable Lower(const std::vector<uint64_t> &keys, uint64_t file_size = 10 * kPageBytes, size_t runs = 1) {
    return {Table(keys, file_size, runs), Item(keys.front()).Internal(), Item(keys.back()).Internal()};
  }

  // One letter for each segment: h is attached, m is merged.
  std::string Plan(const std::vector<TableRef> &upper, const std::vector<LowerTable> &lower, size_t most_runs = 3,
                   int space_percent = 1000, BlendRule rule = BlendRule::kSpace) {
    const BlendPlan plan(&comparator_, rule, most_runs, space_percent, kMaxTable);
    merged_.clear();
    segments_ = plan.Make(
        upper, lower, [this](const TableRef &table) { return metadata_[table.number]; }, &merged_);
    std::string kinds;
    for (const Segment &segment : segments_) kinds += segment.attaches ? 'h' : 'm';
    return kinds;
  }

  uint64_t next_ = 1;
  std::map<uint64_t, std::shared_ptr<const TableMetadata>> metadata_;
  std::vector<Segment> segments_;
  std::vector<TableRef> merged_;
};

TEST_F(BlendPlanTest, TablesHangSideBySide) {
  EXPECT_EQ(Plan({Table({5, 15, 25})}, {Lower({1, 9}), Lower({10, 19}), Lower({20, 29})}), "hhh");
  EXPECT_TRUE(merged_.empty());
  EXPECT_EQ(segments_[0].end, NumberKey(9));
  EXPECT_EQ(segments_[1].end, NumberKey(19));
}

TEST_F(BlendPlanTest, GapsGoToTheTableBehindAndTheRestToTheLast) {
  EXPECT_EQ(Plan({Table({12})}, {Lower({1, 9}), Lower({20, 29})}), "mh") << "nothing falls into the first";
  EXPECT_EQ(Plan({Table({5, 99})}, {Lower({1, 9}), Lower({20, 29})}), "hh");
}

TEST_F(BlendPlanTest, AsManyRunsAsAskedFor) {
  const auto lower = [this] { return std::vector<LowerTable>{Lower({1, 9}, 40960, 1), Lower({10, 19}, 40960, 2)}; };
  EXPECT_EQ(Plan({Table({5, 15})}, lower(), 1), "m");
  EXPECT_EQ(Plan({Table({5, 15})}, lower(), 2), "hm");
  EXPECT_EQ(Plan({Table({5, 15})}, lower(), 3), "hh");
}

// KVSSD's rule: TH bounds the runs of the lower table and of the upper ones that fall into it.
TEST_F(BlendPlanTest, TheRuleOfRunsCountsThoseOfBothLevels) {
  const auto plan = [this](size_t upper, size_t lower, size_t most) {
    return Plan({Table({5}, 40960, upper)}, {Lower({1, 9}, 40960, lower)}, most, 1000, BlendRule::kRuns);
  };
  EXPECT_EQ(plan(1, 1, 1), "m");
  EXPECT_EQ(plan(1, 1, 2), "h");
  EXPECT_EQ(plan(2, 1, 2), "m") << "the rule of space would attach it, as the upper runs become one";
  EXPECT_EQ(plan(1, 2, 2), "m");
  EXPECT_EQ(plan(2, 1, 3), "h");
  EXPECT_EQ(plan(2, 2, 3), "m");
  EXPECT_EQ(plan(2, 2, 4), "h");
}

TEST_F(BlendPlanTest, TheRuleOfRunsCountsOnlyTheUpperTablesThatFallIntoALowerOne) {
  const std::vector<LowerTable> lower = {Lower({1, 9}), Lower({10, 19})};
  EXPECT_EQ(Plan({Table({5}), Table({15}, 40960, 2)}, lower, 2, 1000, BlendRule::kRuns), "hm");
  EXPECT_EQ(Plan({Table({5}), Table({6})}, {Lower({1, 9})}, 2, 1000, BlendRule::kRuns), "h")
      << "tables of one level count once, level 0's too";
}

// TH alone decides; how much newer runs hide does not.
TEST_F(BlendPlanTest, TheRuleOfRunsKnowsNoSpace) {
  const TableRef upper = Table({5, 6, 7}, 9000);
  EXPECT_EQ(Plan({upper}, {Lower(kTen, 10000)}, 2, 0, BlendRule::kSpace), "m");
  EXPECT_EQ(Plan({upper}, {Lower(kTen, 10000)}, 2, 0, BlendRule::kRuns), "h");
}

// The data of newer runs may hide as much of the oldest run, and of the data under it.
TEST_F(BlendPlanTest, NewerRunsTakeNoMoreSpaceThanAllowed) {
  const TableRef upper = Table({5}, 3000);
  std::vector<LowerTable> lower = {Lower(kTen, 10000)};
  EXPECT_EQ(Plan({upper}, lower, 3, 30), "h");
  EXPECT_EQ(Plan({upper}, lower, 3, 29), "m");
  lower[0].beneath = 90000;
  EXPECT_EQ(Plan({upper}, lower, 3, 3), "h");
  EXPECT_EQ(Plan({upper}, lower, 3, 2), "m");
  EXPECT_EQ(Plan({upper}, lower, 3, 0), "m");
  lower = {Lower(kTen, 10000, 2)};  // half of it is its newer run
  EXPECT_EQ(Plan({upper}, lower, 3, 160), "h");
  EXPECT_EQ(Plan({upper}, lower, 3, 159), "m");
}

// A deletion takes less space than the value that it hides, so entries are limited, too.
TEST_F(BlendPlanTest, NewerRunsHaveNoMoreEntriesThanAllowed) {
  const TableRef upper = Table({5, 6, 7}, 30);
  std::vector<LowerTable> lower = {Lower(kTen, 10000)};
  EXPECT_EQ(Plan({upper}, lower, 3, 30), "h");
  EXPECT_EQ(Plan({upper}, lower, 3, 29), "m");
  lower[0].beneath = 90000;
  EXPECT_EQ(Plan({upper}, lower, 3, 3), "h");
  EXPECT_EQ(Plan({upper}, lower, 3, 2), "m");
  lower = {Lower(kTen, 10000, 2)};
  EXPECT_EQ(Plan({upper}, lower, 3, 130), "h");
  EXPECT_EQ(Plan({upper}, lower, 3, 129), "m");
}

TEST_F(BlendPlanTest, NoTableGrowsBeyondTwo) {
  EXPECT_EQ(Plan({Table({5}, kMaxTable)}, {Lower({1, 9}, kMaxTable)}), "h");
  EXPECT_EQ(Plan({Table({5}, kMaxTable + 1)}, {Lower({1, 9}, kMaxTable)}), "m");
}

TEST_F(BlendPlanTest, NoTableSpansMuchOfTheNextLevel) {
  std::vector<LowerTable> lower = {Lower({1, 9}), Lower({10, 19})};
  lower[0].next_level = kWidestTables * kMaxTable;
  lower[1].beneath = 1000 * kMaxTable;  // deeper than that
  EXPECT_EQ(Plan({Table({5, 15})}, lower), "hh");
  lower[0].next_level++;
  EXPECT_EQ(Plan({Table({5, 15})}, lower), "mh");
}

TEST_F(BlendPlanTest, TablesWithoutMetadataMerge) {
  const TableRef upper = Table({5, 15});
  const std::vector<LowerTable> lower = {Lower({1, 9}), Lower({10, 19})};
  metadata_[lower[0].table.number] = nullptr;
  EXPECT_EQ(Plan({upper}, lower), "mh");
  metadata_[upper.number] = nullptr;
  EXPECT_EQ(Plan({upper}, lower), "m");
}

// Merging only one of them could drop a deletion in it that hides a value in the other.
TEST_F(BlendPlanTest, TablesThatShareAUserKeyMergeTogether) {
  std::vector<LowerTable> lower = {Lower({1, 9}), Lower({10, 19}), Lower({20, 29})};
  lower[0].largest = Item(10, 7).Internal();
  EXPECT_EQ(Plan({Table({5, 15, 25})}, lower), "mh");
  EXPECT_EQ(merged_.size(), 2u);
  EXPECT_EQ(segments_[0].end, NumberKey(19));
}

TEST_F(BlendPlanTest, MergedTablesBecomeTablesOfEqualSize) {
  EXPECT_EQ(Plan({Table({5, 25}, 4096)}, {Lower({1, 9}, kMaxTable * 13 / 10, 3), Lower({20, 29})}), "mh");
  EXPECT_GE(segments_[0].table_bytes, kMaxTable * 13 / 10) << "no rest of a third";
  EXPECT_LT(segments_[0].table_bytes, kMaxTable * 14 / 10);
  EXPECT_EQ(Plan({Table({5, 25}, 4096)}, {Lower({1, 9}, kMaxTable * 16 / 10, 3), Lower({20, 29})}), "mh");
  EXPECT_GE(segments_[0].table_bytes, kMaxTable * 8 / 10);
  EXPECT_LT(segments_[0].table_bytes, kMaxTable * 9 / 10);
}

}  // namespace
}  // namespace openremap
