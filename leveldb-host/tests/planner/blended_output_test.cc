// SPDX-License-Identifier: Apache-2.0
//
// Tests of compactions in mode blend that use only the planner.
#include <algorithm>

#include "leveldb/filter_policy.h"
#include "planner/planner_fixture.h"

namespace openremap {
namespace {

using leveldb::Slice;
using leveldb::Status;

class BlendedOutputTest : public PlannerFixture {
 protected:
  BlendedOutputTest() {
    options_.remap.mode = RemapMode::kBlend;
    options_.remap.blend_space_percent = 1000;  // tables of two blocks are attached, too
  }

  size_t RunsOf(uint64_t number) {
    size_t runs = 0;
    WithTable(number, nullptr, [&runs](leveldb::Table *table) { runs = table->Runs(); });
    return runs;
  }

  // Makes a data block of a table one that cannot be decoded.
  void Damage(uint64_t number, size_t block) {
    const leveldb::BlockHandle place = Blocks(number).at(block);
    std::string bytes = Bytes(number);
    bytes.replace(place.offset() + place.size() - 4, 4, std::string(4, '\xff'));  // the number of restarts
    leveldb::WritableFile *raw = nullptr;
    ASSERT_TRUE(env_.NewWritableFile(Name(number), &raw).ok());
    const std::unique_ptr<leveldb::WritableFile> file(raw);
    ASSERT_TRUE(file->Append(bytes).ok());
    ASSERT_TRUE(file->Sync().ok());
    ASSERT_TRUE(file->Close().ok());
  }
};

TEST_F(BlendedOutputTest, BothLevelsAreRemappedAndNothingIsRead) {
  lower_ = {Lower({{Items({10, 11, 12, 13}), Items({20, 21, 22, 23})}})};
  const auto upper = Run({Items({11, 12, 21, 22}, 5)});
  Damage(lower_[0].table.number, 0);  // what nobody reads nobody finds damaged
  const uint64_t written = env_.GetCounters().written_pages;
  const std::vector<uint64_t> out = Compact({upper});
  ASSERT_TRUE(status_.ok()) << status_.ToString();
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(RunsOf(out[0]), 2u);
  EXPECT_EQ(env_.GetRemapStats().remapped_pages, 3u);
  EXPECT_LE(env_.GetCounters().written_pages - written, 1u) << "index and metadata";
  EXPECT_EQ(Counters().attached_blocks, 2u);
  EXPECT_EQ(Counters().blended_tables, 1u);
  EXPECT_EQ(bounds_[0].first, Item(10).Internal()) << "of the lower table";
  EXPECT_EQ(bounds_[0].second, Item(23).Internal());
}

TEST_F(BlendedOutputTest, ReadsAsAMergeWould) {
  lower_ = {Lower({{Items({10, 11, 12, 13}), Items({20, 21, 22, 23})}}), Lower({{Items({30, 31}), Items({40, 41})}})};
  const std::vector<uint64_t> out = Compact({Run({Items({5, 11, 21}, 5), Items({25, 31, 50}, 5)})});
  ASSERT_TRUE(status_.ok()) << status_.ToString();
  ASSERT_EQ(out.size(), 2u);
  std::vector<Entry> first = {Item(5, 5), Item(10)}, second = Items({25}, 5);
  for (const Entry &e :
       {Item(11, 5), Item(11), Item(12), Item(13), Item(20), Item(21, 5), Item(21), Item(22), Item(23)}) {
    first.push_back(e);
  }
  for (const Entry &e : {Item(30), Item(31, 5), Item(31), Item(40), Item(41), Item(50, 5)}) second.push_back(e);
  EXPECT_EQ(ReadTable(out[0]), first) << "the gap before a table goes with it";
  EXPECT_EQ(ReadTable(out[1]), second) << "and what follows the last with that";
  EXPECT_EQ(bounds_[0].first, Item(5, 5).Internal());
  EXPECT_EQ(bounds_[0].second, Item(23).Internal());
  EXPECT_EQ(bounds_[1].first, Item(25, 5).Internal());
  EXPECT_EQ(bounds_[1].second, Item(50, 5).Internal());
}

// 13 and 20 share a block of the upper level. It is split, because a block cannot belong to two tables.
TEST_F(BlendedOutputTest, ABlockOnABorderIsWrittenAnew) {
  lower_ = {Lower({{Items({10, 11})}}), Lower({{Items({20, 21})}})};
  const std::vector<uint64_t> out = Compact({Run({Items({5, 6, 7, 8}, 5), Items({11, 12, 20, 21}, 5)})});
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(env_.GetRemapStats().remapped_pages, 3u) << "one of the upper level, two of the lower";
  EXPECT_EQ(ReadAll(out).size(), 12u);
}

TEST_F(BlendedOutputTest, ATableFullOfRunsIsMerged) {
  options_.remap.blend_runs = 3;
  uint64_t number = 0;
  for (uint64_t round = 0; round < 5; round++) {
    SCOPED_TRACE(round);
    if (round == 0) {
      lower_ = {Lower({{Items({10, 11, 12, 13}), Items({20, 21, 22, 23})}})};
    } else {
      lower_ = {{{number, Bytes(number).size()}, bounds_.back().first, bounds_.back().second}};
    }
    const std::vector<uint64_t> out = Compact({Run({Items({11, 21}, 5 + round)})});
    ASSERT_TRUE(status_.ok()) << status_.ToString();
    ASSERT_EQ(out.size(), 1u);
    number = out[0];
    EXPECT_EQ(RunsOf(number), std::vector<size_t>({2, 3, 1, 2, 3})[round]);
    EXPECT_EQ(ReadTable(number).size(), std::vector<size_t>({10, 12, 8, 10, 12})[round]) << "old versions are bounded";
  }
}

// Without filters the rule of space has three; the rule of runs has as many as it is told.
TEST_F(BlendedOutputTest, OnlyTheRuleOfSpaceHasFewRunsWithoutFilters) {
  options_.remap.blend_runs = 4;
  for (const BlendRule rule : {BlendRule::kSpace, BlendRule::kRuns}) {
    options_.remap.blend_rule = rule;
    lower_ = {Lower({{Items({10, 11}, 3)}, {Items({12, 13}, 2)}, {Items({14, 15})}})};
    const std::vector<uint64_t> out = Compact({Run({Items({11, 13}, 5)})});
    ASSERT_TRUE(status_.ok()) << status_.ToString();
    ASSERT_EQ(out.size(), 1u);
    EXPECT_EQ(RunsOf(out[0]), rule == BlendRule::kRuns ? 4u : 1u);
  }
}

// KVSSD's threshold of 2: two tables of one run become one of two, and that is merged by the next compaction.
TEST_F(BlendedOutputTest, ByTheRuleOfRunsAnUpperTableOfTwoMerges) {
  options_.remap.blend_rule = BlendRule::kRuns;
  options_.remap.blend_runs = 2;
  lower_ = {Lower({{Items({10, 11, 12, 13})}})};
  EXPECT_EQ(RunsOf(Compact({{Lower({{Items({11}, 9)}}).table}}).at(0)), 2u);
  EXPECT_EQ(RunsOf(Compact({{Lower({{Items({11}, 9)}, {Items({11, 12}, 7)}}).table}}).at(0)), 1u);
  EXPECT_TRUE(status_.ok()) << status_.ToString();
}

// A table of the level below counts for the table of the output level in which it ends, or else for the next one.
TEST_F(BlendedOutputTest, WhatLiesUnderATableAllowsItMoreRuns) {
  options_.remap.blend_space_percent = 10;
  lower_ = {Lower({{Items({10, 11})}}), Lower({{Items({20, 21})}}), Lower({{Items({30, 31})}})};
  grandparents_ = {{Item(12).Internal(), 10 * kPageBytes}, {Item(40).Internal(), 20 * kPageBytes}};
  const std::vector<uint64_t> out = Compact({Run({Items({11}, 5), Items({21}, 5), Items({31}, 5)})});
  ASSERT_TRUE(status_.ok()) << status_.ToString();
  ASSERT_EQ(out.size(), 3u);
  EXPECT_EQ(RunsOf(out[0]), 1u) << "nothing is under it";
  EXPECT_EQ(RunsOf(out[1]), 2u);
  EXPECT_EQ(RunsOf(out[2]), 2u);
}

// The level below may be one that data only passes through.
TEST_F(BlendedOutputTest, AllDeeperLevelsLieUnderATable) {
  options_.remap.blend_space_percent = 10;
  lower_ = {Lower({{Items({10, 11})}}), Lower({{Items({20, 21})}}), Lower({{Items({30, 31})}})};
  grandparents_ = {{Item(40).Internal(), kPageBytes}};
  deeper_ = {{{Item(9).Internal(), 20 * kPageBytes}}, {}, {{Item(31).Internal(), 20 * kPageBytes}}};
  const std::vector<uint64_t> out = Compact({Run({Items({11}, 5), Items({21}, 5), Items({31}, 5)})});
  ASSERT_TRUE(status_.ok()) << status_.ToString();
  ASSERT_EQ(out.size(), 3u);
  EXPECT_EQ(RunsOf(out[0]), 2u);
  EXPECT_EQ(RunsOf(out[1]), 1u);
  EXPECT_EQ(RunsOf(out[2]), 2u);
}

// The part of the next level that a table spans bounds the table's own compaction. Deeper levels do not take part in
// it.
TEST_F(BlendedOutputTest, OnlyTheNextLevelBoundsWhatATableSpans) {
  constexpr uint64_t kMaxTable = 1 << 20;  // of Compact()
  lower_ = {Lower({{Items({10, 11})}}), Lower({{Items({20, 21})}})};
  grandparents_ = {{Item(11).Internal(), kWidestTables * kMaxTable + 1}};
  deeper_ = {{{Item(21).Internal(), 2 * kWidestTables * kMaxTable}}};
  const std::vector<uint64_t> out = Compact({Run({Items({11}, 5), Items({21}, 5)})});
  ASSERT_TRUE(status_.ok()) << status_.ToString();
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(RunsOf(out[0]), 1u);
  EXPECT_EQ(RunsOf(out[1]), 2u);
}

TEST_F(BlendedOutputTest, TheUpperLevelsRunsBecomeOne) {
  lower_ = {Lower({{Items({10, 11, 12, 13})}})};
  const LowerTable upper = Lower({{Items({11}, 9)}, {Items({11, 12}, 7)}});
  const std::vector<uint64_t> out = Compact({{upper.table}});
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(RunsOf(out[0]), 2u);
  const std::vector<Entry> expected = {Item(10), Item(11, 9), Item(11), Item(12, 7), Item(12), Item(13)};
  EXPECT_EQ(ReadTable(out[0]), expected);
}

TEST_F(BlendedOutputTest, DeletionsStayWhereTheyHideSomething) {
  options_.remap.blend_runs = 2;
  lower_ = {Lower({{Items({10, 11})}}), Lower({{Items({20, 21}, 2)}, {Items({22})}})};
  Compact({Run({Items({11, 21}, 5)})});
  EXPECT_EQ(keeps_deletions_, std::set<std::string>({NumberKey(11)})) << "the second table is merged";
}

TEST_F(BlendedOutputTest, FiltersComeAlong) {
  std::unique_ptr<const leveldb::FilterPolicy> bloom(leveldb::NewBloomFilterPolicy(10));
  leveldb::InternalFilterPolicy policy(bloom.get());
  options_.filter_policy = &policy;
  lower_ = {Lower({{Items({10, 11, 12, 13}), Items({20, 21, 22, 23})}})};
  const std::vector<uint64_t> out = Compact({Run({Items({11, 12, 21, 22}, 5)})});
  std::shared_ptr<const TableMetadata> metadata;
  ASSERT_TRUE(TableMetadata::Read(options_, Name(out[0]), Bytes(out[0]).size(), &metadata).ok());
  ASSERT_EQ(metadata->runs(), 2u);
  EXPECT_TRUE(policy.KeyMayMatch(Item(22).Internal(), metadata->blocks(0)[0].filter));
  EXPECT_TRUE(policy.KeyMayMatch(Item(13).Internal(), metadata->blocks(1)[0].filter));
  EXPECT_FALSE(policy.KeyMayMatch(Item(13).Internal(), metadata->blocks(1)[1].filter));
}

TEST_F(BlendedOutputTest, ADeviceThatCannotRemapGetsTheSameTable) {
  lower_ = {Lower({{Items({10, 11, 12, 13}), Items({20, 21, 22, 23})}})};
  const auto upper = Run({Items({11, 12, 21, 22}, 5)});
  const std::vector<uint64_t> remapped = Compact({upper});
  env_.SetRefusal([] { return true; });
  const std::vector<uint64_t> refused = Compact({upper});
  EXPECT_GT(env_.GetRemapStats().fallback_pages, 0u);
  EXPECT_EQ(Bytes(remapped.at(0)), Bytes(refused.at(0)));
}

TEST_F(BlendedOutputTest, TheSameTableWhicheverBlocksAreRemapped) {
  lower_ = {Lower({{Items({10, 11, 12, 13}), Items({20, 21, 22, 23})}})};
  const auto upper = Run({Items({11, 12, 21, 22}, 5)});
  const std::string all = Bytes(Compact({upper}).at(0));
  const auto remapped = [this, &upper, &all](RemapBlocks blocks) {
    options_.remap.remap_blocks = blocks;
    const uint64_t before = env_.GetRemapStats().remapped_pages;
    EXPECT_EQ(Bytes(Compact({upper}).at(0)), all);
    return env_.GetRemapStats().remapped_pages - before;
  };
  EXPECT_EQ(remapped(RemapBlocks::kAll), 3u);
  EXPECT_EQ(remapped(RemapBlocks::kAttached), 2u) << "of the lower table";
  EXPECT_EQ(remapped(RemapBlocks::kNone), 0u);
}

TEST_F(BlendedOutputTest, ParanoidChecksReadAllAndMerge) {
  options_.paranoid_checks = true;
  lower_ = {Lower({{Items({10, 11, 12, 13}), Items({20, 21, 22, 23})}})};
  const std::vector<uint64_t> out = Compact({Run({Items({11, 12, 21, 22}, 5)})});
  EXPECT_EQ(RunsOf(out.at(0)), 1u);
  EXPECT_EQ(Counters().skipped_blocks, 0u);
  EXPECT_EQ(ReadAll(out).size(), 8u);
}

// All known entries of the second table are in a block that cannot be read. It has to be read, because it lies on a
// border.
TEST_F(BlendedOutputTest, AnErrorBeforeATableIsLost) {
  lower_ = {Lower({{Items({10, 11})}}), Lower({{Items({20, 21})}})};
  const auto upper = Run({Items({5}, 5), Items({11, 12, 20, 21}, 5)});
  Damage(upper[0].number, 1);
  options_.paranoid_checks = false;
  Compact({upper});
  EXPECT_FALSE(status_.ok());
}

}  // namespace
}  // namespace openremap
