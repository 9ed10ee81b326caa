// SPDX-License-Identifier: Apache-2.0
#include "compaction_planner.h"

#include <algorithm>
#include <map>
#include <memory>

#include "db/table_cache.h"
#include "helpers/memenv/memenv.h"
#include "leveldb/filter_policy.h"
#include "table_factory.h"
#include "table_fixture.h"
#include "test_seed.h"
#include "util/random.h"

namespace openremap {
namespace {

using leveldb::Status;

// Runs the planner as DBImpl's compaction loop does: an entry is dropped when a newer one of its user key went before.
class CompactionPlannerTest : public TableFixture {
 protected:
  CompactionPlannerTest() { options_.remap.statistics = &statistics_; }

  // One table of given blocks as a sorted run by itself.
  std::vector<TableRef> Run(const std::vector<std::vector<Entry>> &blocks) {
    const uint64_t number = next_number_++;
    return {{number, BuildPaged(number, blocks)}};
  }

  // Merges `runs`; returns the numbers of the output tables.
  std::vector<uint64_t> Compact(const std::vector<std::vector<TableRef>> &runs, uint64_t max_table = 1 << 20,
                                leveldb::Env *env = nullptr) {
    leveldb::Options options = options_;
    if (env != nullptr) options.env = env;
    leveldb::TableCache cache("/db", options, 100);
    CompactionPlanner planner(options, "/db", &cache, runs, 2, max_table, grandparents_);
    std::unique_ptr<leveldb::Iterator> input(planner.NewInputIterator());
    std::unique_ptr<leveldb::WritableFile> file;
    std::unique_ptr<leveldb::TableBuilder> builder;
    std::vector<uint64_t> outputs;
    auto finish = [&] {
      if (builder == nullptr) return;
      entries_of_.push_back(builder->NumEntries());
      status_ = builder->Finish();
      if (status_.ok()) status_ = file->Sync();
      if (status_.ok()) status_ = file->Close();
      builder.reset();
      file.reset();
    };
    std::string last_user_key;
    bool any = false;
    for (input->SeekToFirst(); input->Valid() && status_.ok(); input->Next()) {
      if (planner.TableFull()) finish();
      const leveldb::Slice user_key = leveldb::ExtractUserKey(input->key());
      const bool drop = any && user_key == leveldb::Slice(last_user_key);
      any = true;
      last_user_key = user_key.ToString();
      if (drop) {
        planner.Dropped();
        continue;
      }
      if (builder == nullptr) {
        outputs.push_back(next_number_++);
        leveldb::WritableFile *raw = nullptr;
        EXPECT_TRUE(NewTableFile(options, options.env, Name(outputs.back()), 2, &raw).ok());
        file.reset(raw);
        builder.reset(NewTableBuilder(options, raw, &planner));
      }
      builder->Add(input->key(), input->value());
    }
    finish();
    if (status_.ok()) status_ = input->status();
    return outputs;
  }

  std::vector<Entry> ReadAll(const std::vector<uint64_t> &tables, leveldb::Env *env = nullptr) {
    std::vector<Entry> all;
    for (uint64_t number : tables) {
      const std::vector<Entry> entries = ReadTable(number, env);
      all.insert(all.end(), entries.begin(), entries.end());
    }
    return all;
  }

  // What a table says of its blocks is what is in them.
  void ExpectRightMetadata(uint64_t number) {
    std::shared_ptr<const TableMetadata> metadata;
    ASSERT_TRUE(TableMetadata::Read(options_, Name(number), Bytes(number).size(), &metadata).ok());
    ASSERT_NE(metadata, nullptr);
    WithTable(number, nullptr, [this, &metadata](leveldb::Table *table) {
      std::unique_ptr<leveldb::Iterator> index(table->NewIndexIterator());
      size_t i = 0;
      for (index->SeekToFirst(); index->Valid(); index->Next(), i++) {
        ASSERT_LT(i, metadata->blocks().size());
        BlockMetadata said = metadata->blocks()[i];
        BlockSummary summary(options_);
        std::unique_ptr<leveldb::Iterator> it(table->NewBlockIterator(leveldb::ReadOptions(), index->value()));
        for (it->SeekToFirst(); it->Valid(); it->Next()) {
          summary.Add(it->key());
          if (options_.filter_policy != nullptr) {
            EXPECT_TRUE(options_.filter_policy->KeyMayMatch(it->key(), said.filter));
          }
        }
        leveldb::Slice encoded = index->value();
        leveldb::BlockHandle handle;
        ASSERT_TRUE(handle.DecodeFrom(&encoded).ok());
        const BlockMetadata found = summary.Take(handle.offset());
        EXPECT_EQ(said.offset, found.offset);
        EXPECT_EQ(said.first, found.first);
        EXPECT_EQ(said.last, found.last);
        EXPECT_EQ(said.entries, found.entries);
        EXPECT_EQ(said.plain, found.plain);
      }
      EXPECT_EQ(i, metadata->blocks().size());
    });
  }

  LevelCounters Counters() const { return statistics_.Level(2); }

  std::vector<Grandparent> grandparents_;
  CompactionStatistics statistics_;
  Status status_;
  uint64_t next_number_ = 10;
  std::vector<uint64_t> entries_of_;  // what NumEntries() said of each output before it was finished
};

std::vector<Entry> Items(std::initializer_list<uint64_t> numbers, uint64_t sequence = 1) {
  std::vector<Entry> items;
  for (uint64_t n : numbers) items.push_back(Item(n, sequence));
  return items;
}

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

// A changed block leaves two entries pending: what follows does not start on a page boundary by itself.
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

// 15 of the upper run ends a block after one of four entries: a page that is written and stays three quarters empty.
TEST_F(CompactionPlannerTest, FillKeepsABlockWhereThereIsSpaceForIt) {
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

// Two thin blocks side by side: written anew they fill a page.
TEST_F(CompactionPlannerTest, FillDoesNotKeepThinBlocksForNothing) {
  options_.remap.mode = RemapMode::kFill;
  options_.remap.fill_space_percent = 1;
  const auto lower = Run({Items({10}), Items({20}), Items({30}), Items({40}), Items({50}), Items({60})});
  const std::vector<uint64_t> out = Compact({Run({Items({70, 71}, 2)}), lower});
  EXPECT_EQ(Counters().remapped_blocks, 0u);
  EXPECT_EQ(Blocks(out.at(0)).size(), 2u);
  EXPECT_EQ(ReadAll(out).size(), 8u);
}

// A long run of unchanged blocks is worth a cut that its first block alone is not.
TEST_F(CompactionPlannerTest, FillLooksAtTheWholeRunOfUnchangedBlocks) {
  options_.remap.mode = RemapMode::kFill;
  options_.remap.fill_space_percent = 1;  // 64 pages in advance: 0.64 of a page
  std::vector<std::vector<Entry>> blocks = {Items({10, 11, 12, 13})};
  for (uint64_t b = 2; b < 8; b++) blocks.push_back(Items({b * 10, b * 10 + 1, b * 10 + 2, b * 10 + 3}));
  const auto upper = Run({Items({11, 14, 15}, 2)});  // half a block is open when 20 comes
  Compact({upper, Run(blocks)});
  EXPECT_EQ(Counters().remapped_blocks, 6u);
}

TEST_F(CompactionPlannerTest, SkipReadsNoBlockThatStays) {
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

TEST_F(CompactionPlannerTest, SkipReadsAllWhereChecksAreParanoid) {
  options_.remap.mode = RemapMode::kSkip;
  options_.paranoid_checks = true;
  const auto lower = Run({Items({10, 11, 12, 13}), Items({20, 21, 22, 23})});
  Compact({Run({Items({30}, 2)}), lower});
  EXPECT_EQ(Counters().skipped_blocks, 0u);
  EXPECT_EQ(Counters().remapped_blocks, 3u);
}

TEST_F(CompactionPlannerTest, SkipReadsBlocksThatSpanMuchOfTheLevelBelow) {
  options_.remap.mode = RemapMode::kSkip;
  const auto run = Run({Items({10, 11, 12, 13}), Items({20, 30, 40, 50}), Items({60, 61, 62, 63})});
  for (uint64_t n : {5, 13, 25, 35, 60}) grandparents_.push_back({Item(n).Internal(), 700 << 10});
  const std::vector<uint64_t> out = Compact({run});
  EXPECT_EQ(Counters().unchanged_blocks, 3u);
  EXPECT_EQ(Counters().skipped_blocks, 2u);
  EXPECT_EQ(ReadAll(out).size(), 12u);
}

TEST_F(CompactionPlannerTest, ABlockThatIsReadAfterAllAndDamagedFailsTheCompaction) {
  options_.remap.mode = RemapMode::kSkip;
  options_.remap.fill_space_percent = 0;
  const auto lower = Run({Items({10}), Items({20}), Items({30})});  // thin: not kept
  std::string bytes = Bytes(lower[0].number);
  for (size_t at = 0; at < kPageBytes; at++) bytes[at] = static_cast<char>(0xff);
  ASSERT_TRUE(leveldb::WriteStringToFile(&env_, bytes, Name(lower[0].number)).ok());
  Compact({Run({Items({15}, 2)}), lower});
  EXPECT_FALSE(status_.ok());
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

// What the merge of random runs must give, in every mode, with the device willing, refusing now and then, or absent:
// the same entries, and the same bytes whether pages were shared or copied.
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
