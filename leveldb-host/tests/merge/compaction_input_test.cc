// SPDX-License-Identifier: Apache-2.0
#include "merge/compaction_input.h"

#include <list>

#include "db/table_cache.h"
#include "paged_table/table_fixture.h"

namespace openremap {
namespace {

class CompactionInputTest : public TableFixture {
 protected:
  void SetUp() override { cache_ = std::make_unique<leveldb::TableCache>("/db", options_, 100); }

  TableRef Table(uint64_t number, const std::vector<std::vector<Entry>> &blocks) {
    return {number, BuildPaged(number, blocks)};
  }
  SortedRun Run(std::vector<TableRef> tables) {
    leveldb::ReadOptions read;
    read.verify_checksums = true;
    return SortedRun(read, cache_.get(), std::move(tables));
  }
  // One whose tables have metadata.
  SortedRun KnownRun(std::vector<TableRef> tables) {
    return SortedRun(leveldb::ReadOptions(), cache_.get(), std::move(tables), [this](const TableRef &table) {
      std::shared_ptr<const TableMetadata> metadata;
      EXPECT_TRUE(TableMetadata::Read(options_, Name(table.number), table.file_size, &metadata).ok());
      return metadata;
    });
  }
  // Writes byte `at` of a table anew.
  void Damage(uint64_t number, size_t at) {
    std::string bytes = Bytes(number);
    bytes.at(at) = static_cast<char>(bytes[at] ^ 0x55);
    ASSERT_TRUE(leveldb::WriteStringToFile(&env_, bytes, Name(number)).ok());
  }

  std::unique_ptr<leveldb::TableCache> cache_;
};

// Serves reads from the file's own memory, as a mapped file does. That memory must not be read after the file is
// closed.
class MappedEnv : public leveldb::EnvWrapper {
 public:
  using EnvWrapper::EnvWrapper;
  leveldb::Status NewRandomAccessFile(const std::string &name, leveldb::RandomAccessFile **file) override {
    std::string bytes;
    leveldb::Status s = leveldb::ReadFileToString(target(), name, &bytes);
    if (s.ok()) *file = new File(&memory_.emplace_back(std::move(bytes)));
    return s;
  }

 private:
  class File : public leveldb::RandomAccessFile {
   public:
    explicit File(std::string *bytes) : bytes_(bytes) {}
    ~File() override { bytes_->assign(bytes_->size(), '!'); }
    leveldb::Status Read(uint64_t offset, size_t n, leveldb::Slice *result, char *) const override {
      *result = leveldb::Slice(bytes_->data() + offset, n);
      return leveldb::Status::OK();
    }

   private:
    std::string *const bytes_;
  };

  std::list<std::string> memory_;
};

std::string UserKey(const leveldb::Slice &internal) { return leveldb::ExtractUserKey(internal).ToString(); }

TEST_F(CompactionInputTest, ARunTellsWhereItsBlocksBeginAndEnd) {
  SortedRun run = Run({Table(7, {{Item(1), Item(2), Item(3)}, {Item(4)}}), Table(9, {{Item(5), Item(6)}})});
  struct Seen {
    std::string key;
    uint64_t file;
    bool first, last;
    bool operator==(const Seen &o) const {
      return key == o.key && file == o.file && first == o.first && last == o.last;
    }
  };
  std::vector<Seen> seen;
  std::vector<uint64_t> offsets;
  for (run.SeekToFirst(); run.Valid(); run.Next()) {
    seen.push_back({UserKey(run.key()), run.block().file_number, run.FirstInBlock(), run.LastInBlock()});
    if (run.FirstInBlock()) offsets.push_back(run.block().offset);
  }
  EXPECT_TRUE(run.status().ok()) << run.status().ToString();
  EXPECT_EQ(seen, (std::vector<Seen>{{NumberKey(1), 7, true, false},
                                     {NumberKey(2), 7, false, false},
                                     {NumberKey(3), 7, false, true},
                                     {NumberKey(4), 7, true, true},
                                     {NumberKey(5), 9, true, false},
                                     {NumberKey(6), 9, false, true}}));
  ASSERT_EQ(offsets.size(), 3u);
  EXPECT_EQ(offsets[0], Blocks(7)[0].offset());
  EXPECT_EQ(offsets[1], Blocks(7)[1].offset());
  EXPECT_EQ(offsets[2], Blocks(9)[0].offset());
  run.SeekToFirst();
  ASSERT_TRUE(run.Valid()) << "and again";
  EXPECT_EQ(UserKey(run.key()), NumberKey(1));
}

// An unchanged block may still wait after the run has gone on to the next table, when nothing else needs the previous
// one.
TEST_F(CompactionInputTest, EntriesKeepTheirTableOpen) {
  MappedEnv mapped(&env_);
  options_.env = &mapped;
  leveldb::TableCache cache("/db", options_, 1);
  SortedRun run(leveldb::ReadOptions(), &cache, {Table(7, {{Item(1)}}), Table(9, {{Item(2)}})});
  run.SeekToFirst();
  ASSERT_TRUE(run.Valid());
  const leveldb::Slice value = run.value();
  std::shared_ptr<const leveldb::Iterator> entries = run.entries();
  run.Next();
  ASSERT_EQ(UserKey(run.key()), NumberKey(2));
  cache.Evict(7);
  EXPECT_EQ(value.ToString(), Item(1).value);
  entries.reset();
  EXPECT_EQ(value.ToString(), std::string(value.size(), '!')) << "and no longer";
}

TEST_F(CompactionInputTest, RunsWithoutTablesAreEmpty) {
  SortedRun run = Run({});
  run.SeekToFirst();
  EXPECT_FALSE(run.Valid());
  EXPECT_TRUE(run.status().ok());
}

TEST_F(CompactionInputTest, ATableThatIsGoneIsAnErrorAndTheOthersAreStillRead) {
  const TableRef good = Table(9, {{Item(5)}});
  SortedRun run = Run({{8, 5000}, good});
  run.SeekToFirst();
  ASSERT_TRUE(run.Valid());
  EXPECT_EQ(UserKey(run.key()), NumberKey(5));
  EXPECT_FALSE(run.status().ok()) << "the compaction must not succeed";
}

TEST_F(CompactionInputTest, ADamagedBlockIsAnErrorAndTheNextOneIsStillRead) {
  const TableRef table = Table(7, {{Item(1), Item(2), Item(3)}, {Item(4)}});
  Damage(7, 100);
  SortedRun run = Run({table});
  std::vector<std::string> keys;
  for (run.SeekToFirst(); run.Valid(); run.Next()) keys.push_back(UserKey(run.key()));
  EXPECT_EQ(keys, std::vector<std::string>{NumberKey(4)});
  EXPECT_TRUE(run.status().IsCorruption()) << run.status().ToString();
}

TEST_F(CompactionInputTest, RunsMergeInOrderAndNewerRunsGoFirstAmongEquals) {
  std::vector<SortedRun> runs;
  runs.push_back(Run({Table(7, {{Item(2, 9), Item(5, 9)}})}));
  runs.push_back(Run({Table(8, {{Item(1), Item(2)}, {Item(5), Item(6)}})}));
  runs.push_back(Run({}));
  CompactionInput input(&comparator_, &runs);
  EXPECT_FALSE(input.Valid()) << "until SeekToFirst";
  std::vector<std::pair<std::string, size_t>> seen;
  for (input.SeekToFirst(); input.Valid(); input.Next()) {
    EXPECT_EQ(input.value().size(), 984u);
    seen.emplace_back(UserKey(input.key()), input.current());
  }
  EXPECT_TRUE(input.status().ok());
  const std::vector<std::pair<std::string, size_t>> expected = {
      {NumberKey(1), 1}, {NumberKey(2), 0}, {NumberKey(2), 1}, {NumberKey(5), 0}, {NumberKey(5), 1}, {NumberKey(6), 1}};
  EXPECT_EQ(seen, expected);
}

TEST_F(CompactionInputTest, AnErrorOfAnyRunIsTheInputs) {
  std::vector<SortedRun> runs;
  runs.push_back(Run({Table(7, {{Item(1)}})}));
  runs.push_back(Run({{8, 5000}}));
  CompactionInput input(&comparator_, &runs);
  input.SeekToFirst();
  EXPECT_TRUE(input.Valid());
  EXPECT_FALSE(input.status().ok());
}

TEST_F(CompactionInputTest, BlocksThatNothingFallsIntoAreNotRead) {
  options_.remap.mode = RemapMode::kSkip;
  std::vector<SortedRun> runs;
  runs.push_back(KnownRun({Table(7, {{Item(15, 9), Item(25, 9)}})}));
  runs.push_back(KnownRun({Table(8, {{Item(10), Item(11), Item(12)}, {Item(20), Item(21), Item(30)}, {Item(40)}})}));
  CompactionInput input(&comparator_, &runs);
  struct Seen {
    std::string key;
    bool unread, first, last;
    bool operator==(const Seen &o) const {
      return key == o.key && unread == o.unread && first == o.first && last == o.last;
    }
  };
  std::vector<Seen> seen;
  for (input.SeekToFirst(); input.Valid(); input.Next()) {
    EXPECT_EQ(input.value().empty(), input.run().Unread());
    seen.push_back({UserKey(input.key()), input.run().Unread(), input.run().FirstInBlock(), input.run().LastInBlock()});
  }
  EXPECT_TRUE(input.status().ok());
  EXPECT_EQ(seen, (std::vector<Seen>{{NumberKey(10), true, true, false},
                                     {NumberKey(12), true, false, true},  // 11 is not seen
                                     {NumberKey(15), false, true, false},
                                     {NumberKey(20), false, true, false},
                                     {NumberKey(21), false, false, false},
                                     {NumberKey(25), false, false, true},
                                     {NumberKey(30), false, false, true},
                                     {NumberKey(40), true, true, true}}));
}

TEST_F(CompactionInputTest, BlocksFromWhichSomethingMayBeDroppedAreRead) {
  options_.remap.mode = RemapMode::kSkip;
  const Entry deletion = {NumberKey(3), "", 5, leveldb::kTypeDeletion};
  std::vector<SortedRun> runs;
  runs.push_back(
      KnownRun({Table(7, {{Item(1), deletion}, {Item(4, 9), Item(4, 8)}, {Item(4, 7), Item(5)}, {Item(6)}})}));
  CompactionInput input(&comparator_, &runs);
  std::vector<bool> unread;
  for (input.SeekToFirst(); input.Valid(); input.Next()) unread.push_back(input.run().Unread());
  EXPECT_EQ(unread, (std::vector<bool>{false, false, false, false, false, false, true}))
      << "a deletion; two versions; one more version of the key before";
}

TEST_F(CompactionInputTest, ADamagedBlockOfARunWithMetadata) {
  options_.remap.mode = RemapMode::kSkip;
  const TableRef table = Table(7, {{Item(1), Item(3)}, {Item(5)}});
  std::string bytes = Bytes(7);
  for (size_t at = 4000; at < kPageBytes; at++) bytes[at] = 'x';  // its restart array
  for (size_t at = 1900; at < 2200; at++) bytes[at] = static_cast<char>(0xff);
  ASSERT_TRUE(leveldb::WriteStringToFile(&env_, bytes, Name(7)).ok());
  std::vector<SortedRun> runs;
  runs.push_back(Run({Table(8, {{Item(2, 9)}})}));
  runs.push_back(KnownRun({table}));
  CompactionInput input(&comparator_, &runs);
  std::vector<std::string> keys;
  for (input.SeekToFirst(); input.Valid(); input.Next()) keys.push_back(UserKey(input.key()));
  EXPECT_EQ(keys.back(), NumberKey(5)) << "the next one is still there";
  EXPECT_TRUE(input.status().IsCorruption()) << input.status().ToString();
}

// Two tables whose first blocks have the same size and the same beginning. Each is read with the metadata of the other.
TEST_F(CompactionInputTest, MetadataOfAnotherNumberOfEntriesIsAnError) {
  options_.remap.mode = RemapMode::kSkip;
  const TableRef three = Table(7, {{Item(1), Item(2), Item(3)}, {Item(5)}});
  Entry rest = {NumberKey(3), std::string(1000, 'r'), 1, leveldb::kTypeValue};
  Table(8, {{Item(1), rest}, {Item(5)}});
  rest.value.resize(rest.value.size() + Blocks(7)[0].size() - Blocks(8)[0].size());
  const TableRef two = Table(8, {{Item(1), rest}, {Item(5)}});
  ASSERT_EQ(Blocks(7)[0].size(), Blocks(8)[0].size());
  for (const bool more : {true, false}) {
    SCOPED_TRACE(more);
    const TableRef says = more ? two : three;
    SortedRun run(leveldb::ReadOptions(), cache_.get(), {more ? three : two}, [&](const TableRef &) {
      std::shared_ptr<const TableMetadata> metadata;
      EXPECT_TRUE(TableMetadata::Read(options_, Name(says.number), says.file_size, &metadata).ok());
      return metadata;
    });
    run.SeekToFirst();
    ASSERT_TRUE(run.Valid() && run.Unread());
    run.Read();
    std::vector<std::string> keys;
    for (; run.Valid(); run.Next()) keys.push_back(UserKey(run.key()));
    EXPECT_EQ(keys, (std::vector<std::string>{NumberKey(1), NumberKey(more ? 2 : 3), NumberKey(5)}));
    EXPECT_TRUE(run.status().IsCorruption()) << run.status().ToString();
  }
}

TEST_F(CompactionInputTest, TellsWhereOtherRunsFallIn) {
  options_.remap.mode = RemapMode::kSkip;
  const Entry deletion = {NumberKey(31), "", 9, leveldb::kTypeDeletion};
  std::vector<SortedRun> runs;
  runs.push_back(KnownRun({Table(7, {{Item(11, 9), Item(22, 9), deletion, Item(50, 9)}})}));
  runs.push_back(KnownRun({Table(8, {{Item(10), Item(12)}, {Item(20), Item(22)}, {Item(30), Item(32)}, {Item(40)}})}));
  runs.push_back(Run({Table(9, {{Item(40, 0), Item(49)}})}));
  CompactionInput input(&comparator_, &runs);
  std::vector<std::string> seen;
  for (input.SeekToFirst(); input.Valid(); input.Next()) {
    if (input.run().FirstInBlock() && input.OthersFallIn()) seen.push_back(UserKey(input.key()));
  }
  EXPECT_TRUE(input.status().ok());
  EXPECT_EQ(seen, (std::vector<std::string>{NumberKey(10), NumberKey(11), NumberKey(20), NumberKey(30)}))
      << "an older version of the last one does not, and of run 9 nobody knows";
}

// A block of zeros has no restarts, and LevelDB's reader takes it for an empty block.
TEST_F(CompactionInputTest, ABlockOfZerosIsAnError) {
  options_.remap.mode = RemapMode::kSkip;
  const TableRef table = Table(7, {{Item(1), Item(3)}, {Item(5)}});
  std::string bytes = Bytes(7);
  std::fill(bytes.begin(), bytes.begin() + kPageBytes, '\0');
  ASSERT_TRUE(leveldb::WriteStringToFile(&env_, bytes, Name(7)).ok());
  for (const bool known : {true, false}) {
    SCOPED_TRACE(known);
    std::vector<SortedRun> runs;
    runs.push_back(KnownRun({Table(8, {{Item(2, 9)}})}));
    runs.push_back(known ? KnownRun({table}) : SortedRun(leveldb::ReadOptions(), cache_.get(), {table}));
    CompactionInput input(&comparator_, &runs);
    std::vector<std::string> keys;
    for (input.SeekToFirst(); input.Valid(); input.Next()) keys.push_back(UserKey(input.key()));
    EXPECT_EQ(keys, (std::vector<std::string>{NumberKey(2), NumberKey(5)}));
    EXPECT_TRUE(input.status().IsCorruption()) << input.status().ToString();
  }
}

TEST_F(CompactionInputTest, ARunWithMetadataBeginsAgain) {
  options_.remap.mode = RemapMode::kSkip;
  const TableRef known = Table(7, {{Item(1), Item(2)}, {Item(3), Item(4)}});
  options_.remap.mode = RemapMode::kRetain;
  const TableRef unknown = Table(8, {{Item(5), Item(6)}});
  options_.remap.mode = RemapMode::kSkip;
  SortedRun run = KnownRun({known, unknown});
  for (const int steps : {3, 6, 100}) {  // into the second block, into the second table, to the end
    run.SeekToFirst();
    for (int i = 0; i < steps && run.Valid(); i++) run.Next();
    std::vector<std::string> keys;
    for (run.SeekToFirst(); run.Valid(); run.Next()) keys.push_back(UserKey(run.key()));
    EXPECT_EQ(keys, (std::vector<std::string>{NumberKey(1), NumberKey(2), NumberKey(3), NumberKey(4), NumberKey(5),
                                              NumberKey(6)}));
    EXPECT_TRUE(run.status().ok());
  }
}

TEST_F(CompactionInputTest, MovingAnyOtherWayIsRefused) {
  for (int way = 0; way < 3; way++) {
    std::vector<SortedRun> runs;
    runs.push_back(Run({Table(7, {{Item(1)}})}));
    CompactionInput input(&comparator_, &runs);
    input.SeekToFirst();
    ASSERT_TRUE(input.Valid());
    if (way == 0) input.SeekToLast();
    if (way == 1) input.Seek(Item(1).Internal());
    if (way == 2) input.Prev();
    EXPECT_FALSE(input.Valid());
    EXPECT_TRUE(input.status().IsNotSupportedError());
  }
}

}  // namespace
}  // namespace openremap
