// SPDX-License-Identifier: Apache-2.0
#include "planner/compaction_planner.h"

#include <algorithm>
#include <map>
#include <memory>

#include "helpers/memenv/memenv.h"
#include "leveldb/filter_policy.h"
#include "planner/planner_fixture.h"
#include "test_seed.h"
#include "util/random.h"

namespace openremap {
namespace {

class CompactionPlannerTest : public PlannerFixture {};

TEST_F(CompactionPlannerTest, BlocksThatNothingFallsIntoAreRemapped) {
  const auto lower = Run({Items({10, 11, 12, 13}), Items({20, 21, 22, 23}), Items({30, 31, 32, 33})});
  const auto upper = Run({Items({40, 41, 42, 43}, 2)});
  const uint64_t written = env_.GetCounters().written_pages;
  const std::vector<uint64_t> out = Compact({upper, lower});
  ASSERT_TRUE(status_.ok());
  EXPECT_EQ(Counters().input_blocks, 4u);
  EXPECT_EQ(Counters().unchanged_blocks, 4u);
  EXPECT_EQ(Counters().remapped_blocks, 4u);
  EXPECT_EQ(Counters().copied_blocks, 0u);
  EXPECT_EQ(env_.GetRemapStats().remapped_pages, 4u);
  EXPECT_EQ(env_.GetRemapStats().remap_commands, 1u) << "one vector command a table";
  EXPECT_EQ(env_.GetCounters().written_pages - written, 1u) << "the index page only";
  EXPECT_EQ(ReadAll(out).size(), 16u);
}

TEST_F(CompactionPlannerTest, DroppedEntryChangesItsBlock) {
  const auto lower = Run({Items({10, 11, 12, 13}), Items({20, 21, 22, 23})});
  const auto upper = Run({Items({13}, 2)});
  const std::vector<uint64_t> out = Compact({upper, lower});
  EXPECT_EQ(Counters().input_blocks, 3u);
  EXPECT_EQ(Counters().unchanged_blocks, 2u) << "13 of the upper run, and 20..23";
  std::vector<Entry> expected = Items({10, 11, 12});
  expected.push_back(Item(13, 2));
  for (const Entry &entry : Items({20, 21, 22, 23})) expected.push_back(entry);
  EXPECT_EQ(ReadAll(out), expected);
}

TEST_F(CompactionPlannerTest, BlockSwitchChangesBothBlocks) {
  const auto lower = Run({Items({10, 12, 14, 16})});
  const auto upper = Run({Items({11, 13}, 2)});
  const std::vector<uint64_t> out = Compact({upper, lower});
  EXPECT_EQ(Counters().unchanged_blocks, 0u);
  std::vector<Entry> expected = {Item(10), Item(11, 2), Item(12), Item(13, 2), Item(14), Item(16)};
  EXPECT_EQ(ReadAll(out), expected);
}

TEST_F(CompactionPlannerTest, FirstEntryDropped) {
  const auto lower = Run({Items({10, 11, 12, 13})});
  const auto upper = Run({Items({10}, 2)});
  Compact({upper, lower});
  EXPECT_EQ(Counters().unchanged_blocks, 1u) << "only the upper run's";
}

// A changed block leaves two entries pending, so the next block does not start on a page boundary by itself.
TEST_F(CompactionPlannerTest, BaseKeepsOnlyWhatFallsOnAPageBoundary) {
  for (RemapMode mode : {RemapMode::kBase, RemapMode::kRetain}) {
    SCOPED_TRACE(RemapModeName(mode));
    options_.remap.mode = mode;
    const LevelCounters before = Counters();
    const auto lower = Run({Items({10, 11, 12, 13}), Items({20, 21, 22, 23}), Items({30, 31, 32, 33})});
    const auto upper = Run({Items({15, 16}, 2)});
    const std::vector<uint64_t> out = Compact({upper, lower});
    const LevelCounters after = Counters();
    EXPECT_EQ(after.unchanged_blocks - before.unchanged_blocks, 4u);
    EXPECT_EQ(after.remapped_blocks - before.remapped_blocks, 4u) << "15, 16 is a short block and stays one";
    EXPECT_EQ(ReadAll(out).size(), 14u);
  }
  for (RemapMode mode : {RemapMode::kBase, RemapMode::kRetain}) {
    SCOPED_TRACE(RemapModeName(mode));
    options_.remap.mode = mode;
    const LevelCounters before = Counters();
    const auto lower = Run({Items({10, 11, 12, 13}), Items({20, 21, 22, 23}), Items({30, 31, 32, 33})});
    const auto upper = Run({Items({11, 15}, 2)});
    const std::vector<uint64_t> out = Compact({upper, lower});
    const LevelCounters after = Counters();
    // 10, 11', 12, 13 fill a page; 15 is pending when 20 comes.
    EXPECT_EQ(after.unchanged_blocks - before.unchanged_blocks, 2u);
    EXPECT_EQ(after.remapped_blocks - before.remapped_blocks, mode == RemapMode::kBase ? 0u : 2u);
    EXPECT_EQ(Blocks(out.at(0)).size(), 4u);
    EXPECT_EQ(ReadAll(out).size(), 13u);
  }
}

TEST_F(CompactionPlannerTest, RetentionCutsThePendingBlock) {
  const auto lower = Run({Items({10, 11, 12, 13}), Items({20, 21, 22, 23})});
  const auto upper = Run({Items({11, 15}, 2)});
  const std::vector<uint64_t> out = Compact({upper, lower});
  const std::vector<leveldb::BlockHandle> blocks = Blocks(out.at(0));
  ASSERT_EQ(blocks.size(), 3u);  // 10 11' 12 13 | 15 | 20..23
  EXPECT_LT(blocks[1].size(), 1100u);
  EXPECT_EQ(blocks[2].offset(), 2 * kPageBytes);
}

TEST_F(CompactionPlannerTest, TableEndsBetweenBlocks) {
  std::vector<std::vector<Entry>> blocks;
  for (uint64_t b = 0; b < 64; b++) blocks.push_back(Items({b * 10, b * 10 + 1, b * 10 + 2, b * 10 + 3}));
  for (RemapMode mode : {RemapMode::kBase, RemapMode::kRetain, RemapMode::kFill, RemapMode::kSkip}) {
    SCOPED_TRACE(RemapModeName(mode));
    options_.remap.mode = mode;
    const LevelCounters before = Counters();
    entries_of_.clear();
    const std::vector<uint64_t> out = Compact({Run({Items({9999}, 2)}), Run(blocks)}, 16 * kPageBytes);
    EXPECT_EQ(Counters().remapped_blocks - before.remapped_blocks, 65u) << "no block is cut by a table's end";
    EXPECT_EQ(out.size(), 5u);
    EXPECT_EQ(entries_of_.front(), 64u);
    EXPECT_EQ(ReadAll(out).size(), 257u);
  }
}

TEST_F(CompactionPlannerTest, NumEntriesCountsWhatIsHeldBack) {
  leveldb::TableCache cache("/db", options_, 100);
  CompactionPlanner planner(options_, "/db", &cache, {Run({Items({1, 2, 3, 4})})}, 2, 1 << 20);
  std::unique_ptr<leveldb::Iterator> input(planner.NewInputIterator());
  leveldb::WritableFile *raw = nullptr;
  ASSERT_TRUE(NewTableFile(options_, &env_, Name(99), 2, &raw).ok());
  std::unique_ptr<leveldb::WritableFile> file(raw);
  std::unique_ptr<leveldb::TableBuilder> builder(NewTableBuilder(options_, raw, &planner));
  input->SeekToFirst();
  for (uint64_t n = 1; n <= 2; n++, input->Next()) {
    builder->Add(input->key(), input->value());
    EXPECT_EQ(builder->NumEntries(), n);
    EXPECT_EQ(builder->FileSize(), 0u) << "the block is InProgress: nothing is written";
  }
  ASSERT_TRUE(builder->Finish().ok());  // cuts the block: its entries are written, not lost
  ASSERT_TRUE(file->Sync().ok());
  EXPECT_EQ(ReadTable(99), Items({1, 2}));
  EXPECT_EQ(builder->NumEntries(), 2u);
}

TEST_F(CompactionPlannerTest, StockTablesAreRewritten) {
  // Unaligned blocks, as a database that ran without remapping has them.
  leveldb::WritableFile *raw = nullptr;
  ASSERT_TRUE(env_.NewWritableFile(Name(5), &raw).ok());
  std::unique_ptr<leveldb::WritableFile> file(raw);
  leveldb::TableBuilder builder(options_, raw);
  for (uint64_t n = 0; n < 50; n++) builder.Add(Item(n).Internal(), Item(n).value);
  ASSERT_TRUE(builder.Finish().ok());
  ASSERT_TRUE(file->Sync().ok());
  ASSERT_TRUE(file->Close().ok());
  const std::vector<uint64_t> out = Compact({{{5, builder.FileSize()}}});
  EXPECT_EQ(Counters().unchanged_blocks, 10u);
  EXPECT_LE(Counters().remapped_blocks, 1u) << "at most the one that starts at offset 0";
  EXPECT_EQ(ReadAll(out).size(), 50u);
}

TEST_F(CompactionPlannerTest, DamagedBlockFailsTheCompaction) {
  options_.paranoid_checks = true;
  const auto run = Run({Items({10, 11, 12, 13}), Items({20, 21, 22, 23})});
  std::string bytes = Bytes(run[0].number);
  bytes[100] = static_cast<char>(bytes[100] ^ 1);
  ASSERT_TRUE(leveldb::WriteStringToFile(&env_, bytes, Name(run[0].number)).ok());
  Compact({run});
  EXPECT_TRUE(status_.IsCorruption()) << status_.ToString();
}

// The run is in the second table when the blocks of the first one have to be read after all.
TEST_F(CompactionPlannerTest, UnreadBlocksKeepTheirTableOpen) {
  options_.remap.mode = RemapMode::kSkip;
  options_.remap.fill_space_percent = 0;
  cached_tables_ = 0;
  std::vector<TableRef> run = Run({Items({10, 11, 12}), Items({20, 21})});
  run.push_back(Run({Items({30, 31, 32})}).front());
  const std::vector<uint64_t> out = Compact({Run({Items({5}, 2)}), run});
  ASSERT_TRUE(status_.ok()) << status_.ToString();
  EXPECT_EQ(Counters().skipped_blocks, 4u);
  EXPECT_LT(Counters().remapped_blocks, 3u);
  std::vector<Entry> all = Items({5}, 2);
  for (const Entry &entry : Items({10, 11, 12, 20, 21, 30, 31, 32})) all.push_back(entry);
  EXPECT_EQ(ReadAll(out), all);
}

// There are no checksums. The earlier entries wait for the last one, in a block that is gone by then.
TEST_F(CompactionPlannerTest, ABlockThatEndsBeforeItsLastEntryFailsTheCompaction) {
  for (const bool other_run : {false, true}) {
    SCOPED_TRACE(other_run);
    const auto run = Run({Items({10, 11, 12, 13}), Items({20, 21, 22, 23})});
    std::string bytes = Bytes(run[0].number);
    const size_t third = bytes.find(std::string(100, Item(12).value[0]));
    ASSERT_NE(third, std::string::npos);
    for (size_t at = third - 40; at < third; at++) bytes[at] = static_cast<char>(0xff);  // lengths, and the key
    ASSERT_TRUE(leveldb::WriteStringToFile(&env_, bytes, Name(run[0].number)).ok());
    std::vector<std::vector<TableRef>> runs = {run};
    if (other_run) runs.push_back(Run({Items({12, 14})}));
    Compact(runs);
    EXPECT_TRUE(status_.IsCorruption()) << status_.ToString();
  }
}

// Fails to open a table the first time.
class UnopenedOnceEnv : public leveldb::EnvWrapper {
 public:
  UnopenedOnceEnv(leveldb::Env *target, std::string name) : EnvWrapper(target), name_(std::move(name)) {}
  leveldb::Status NewRandomAccessFile(const std::string &name, leveldb::RandomAccessFile **file) override {
    if (name != name_) return target()->NewRandomAccessFile(name, file);
    name_.clear();
    return leveldb::Status::IOError(name, "too many files");
  }

 private:
  std::string name_;
};

// The table may have runs that were never looked at.
TEST_F(CompactionPlannerTest, ATableThatCannotBeOpenedAtFirstFailsTheCompaction) {
  options_.remap.mode = RemapMode::kSkip;
  const auto run = Run({Items({10, 11, 12, 13})});
  UnopenedOnceEnv env(&env_, Name(run[0].number));
  Compact({run, Run({Items({20, 21})})}, 1 << 20, &env);
  EXPECT_TRUE(status_.IsIOError()) << status_.ToString();
}

TEST_F(CompactionPlannerTest, MissingTableFailsTheCompaction) {
  Compact({Run({Items({1, 2, 3, 4})}), {{77, 4096}}});
  EXPECT_FALSE(status_.ok());
}

TEST_F(CompactionPlannerTest, RefusedRemapIsWritten) {
  env_.SetRefusal([] { return true; });
  const auto lower = Run({Items({10, 11, 12, 13}), Items({20, 21, 22, 23})});
  const std::vector<uint64_t> out = Compact({Run({Items({30}, 2)}), lower});
  ASSERT_TRUE(status_.ok());
  EXPECT_EQ(env_.GetRemapStats().remapped_pages, 0u);
  EXPECT_EQ(env_.GetRemapStats().fallback_pages, 3u);
  EXPECT_EQ(ReadAll(out).size(), 9u);
}

// Merges of random runs in every mode, on a device that remaps, refuses now and then, or is absent. The entries must be
// right, and the bytes must be the same whether pages were shared or copied.
TEST_F(CompactionPlannerTest, RandomRunsAgainstAPlainMerge) {
  std::unique_ptr<const leveldb::FilterPolicy> bloom(leveldb::NewBloomFilterPolicy(10));
  const leveldb::InternalFilterPolicy policy(bloom.get());
  for (uint32_t round = 1; round <= 120; round++) {
    SCOPED_TRACE("round " + std::to_string(round));
    leveldb::Random random(static_cast<uint32_t>(openremap::TestSeed() * 1000003 + round));
    const std::vector<RemapMode> modes = RemapModes();
    options_.remap.mode = modes.at(1 + round % (modes.size() - 1));
    options_.remap.fill_space_percent = static_cast<int>(random.Uniform(40));
    options_.filter_policy = random.OneIn(2) ? &policy : nullptr;
    env_.SetRefusal([&random] { return random.OneIn(4); });
    std::vector<std::vector<TableRef>> runs;
    std::map<std::string, Entry> newest;
    const size_t run_count = 2 + random.Uniform(4);
    const size_t value_size = random.OneIn(3) ? 3000 : random.OneIn(2) ? 984 : 100;
    for (size_t r = 0; r < run_count; r++) {
      const uint64_t sequence = 100 - r;  // newest run first
      std::vector<std::vector<Entry>> blocks;
      uint64_t key = random.Uniform(50);
      for (size_t b = 0; b < 3 + random.Uniform(20); b++) {
        std::vector<Entry> block;
        for (size_t i = 0; i < 1 + random.Uniform(4); i++) {
          key += 1 + random.Skewed(6);
          const bool deletion = random.OneIn(20);
          const size_t size = deletion ? 0 : random.Uniform(static_cast<int>(value_size));
          block.push_back({NumberKey(key), std::string(size, 'a'), sequence,
                           deletion ? leveldb::kTypeDeletion : leveldb::kTypeValue});
          newest.emplace(NumberKey(key), block.back());
        }
        blocks.push_back(block);
      }
      runs.push_back(Run(blocks));
    }
    // A plain file system with the same input tables under the same numbers.
    std::unique_ptr<leveldb::Env> plain(leveldb::NewMemEnv(leveldb::Env::Default()));
    for (const auto &run : runs) {
      ASSERT_TRUE(leveldb::WriteStringToFile(plain.get(), Bytes(run[0].number), Name(run[0].number)).ok());
    }
    const uint64_t max_table = kPageBytes * (2 + random.Uniform(20));
    const uint64_t first_output = next_number_;
    const std::vector<uint64_t> out = Compact(runs, max_table);
    ASSERT_TRUE(status_.ok()) << status_.ToString();
    next_number_ = first_output;
    const std::vector<uint64_t> plain_out = Compact(runs, max_table, plain.get());
    ASSERT_TRUE(status_.ok()) << status_.ToString();

    std::vector<Entry> expected;
    for (const auto &[key, entry] : newest) expected.push_back(entry);
    EXPECT_EQ(ReadAll(out), expected);
    ASSERT_EQ(out, plain_out);
    for (uint64_t number : out) {
      EXPECT_EQ(Bytes(number), Bytes(number, plain.get())) << number;
      if (options_.remap.mode == RemapMode::kSkip) ExpectRightMetadata(number);
    }
  }
}

}  // namespace
}  // namespace openremap
