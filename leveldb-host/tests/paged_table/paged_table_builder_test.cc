// SPDX-License-Identifier: Apache-2.0
#include "paged_table/paged_table_builder.h"

#include <algorithm>
#include <memory>

#include "leveldb/filter_policy.h"
#include "paged_table/table_fixture.h"
#include "util/random.h"

namespace openremap {
namespace {

using leveldb::BlockHandle;

class PagedTableBuilderTest : public TableFixture {
 protected:
  void ExpectWholePages(uint64_t number) {
    uint64_t end = 0;  // of the pages used so far
    for (const BlockHandle &block : Blocks(number)) {
      EXPECT_EQ(block.offset() % kPageBytes, 0u);
      EXPECT_GE(block.offset(), end) << "two blocks on one page";
      end = block.offset() + PagesFor(block.size() + leveldb::kBlockTrailerSize) * kPageBytes;
    }
  }

  // All in one go; the builder ends blocks by itself.
  void RoundTrip(const std::vector<Entry> &entries) {
    RemapFile *raw = nullptr;
    ASSERT_TRUE(env_.NewRemapFile(Name(1), 1, &raw).ok());
    std::unique_ptr<RemapFile> file(raw);
    PagedTableBuilder builder(options_, file.get(), 1);
    for (const Entry &entry : entries) builder.Add(entry.Internal(), entry.value);
    EXPECT_EQ(builder.NumEntries(), entries.size());
    ASSERT_TRUE(builder.Finish().ok());
    ASSERT_TRUE(file->Sync().ok());
    ASSERT_TRUE(file->Close().ok());
    EXPECT_EQ(builder.FileSize(), Bytes(1).size());
    EXPECT_EQ(ReadTable(1), entries);
    ExpectWholePages(1);
  }
};

TEST_F(PagedTableBuilderTest, FourItemsOfThousandBytesToAPage) {
  std::vector<Entry> entries;
  for (uint64_t n = 0; n < 400; n++) entries.push_back(Item(n));
  RoundTrip(entries);
  const std::vector<BlockHandle> blocks = Blocks(1);
  ASSERT_EQ(blocks.size(), 100u);
  for (size_t i = 0; i < blocks.size(); i++) {
    EXPECT_EQ(blocks[i].offset(), i * kPageBytes);
    EXPECT_LE(blocks[i].size() + leveldb::kBlockTrailerSize, kPageBytes);
  }
}

TEST_F(PagedTableBuilderTest, FourToAPageWithoutAnySharedKeyPrefix) {
  std::vector<Entry> entries;
  for (uint64_t n = 0; n < 200; n++) {
    Entry entry = Item(n);
    std::reverse(entry.key.begin(), entry.key.end());
    entries.push_back(entry);
  }
  std::sort(entries.begin(), entries.end(), [](const Entry &a, const Entry &b) { return a.key < b.key; });
  RoundTrip(entries);
  EXPECT_EQ(Blocks(1).size(), 50u);
}

TEST_F(PagedTableBuilderTest, SizesFromNothingToManyPages) {
  for (size_t size : {0, 1, 100, 984, 1100, 2100, 4000, 4091, 4096, 5000, 10000, 70000}) {
    SCOPED_TRACE(size);
    std::vector<Entry> entries;
    for (uint64_t n = 0; n < 60; n++) entries.push_back({NumberKey(n), std::string(size, 'v'), 7, leveldb::kTypeValue});
    RoundTrip(entries);
  }
}

TEST_F(PagedTableBuilderTest, RandomSizes) {
  for (uint32_t seed = 1; seed <= 20; seed++) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    leveldb::Random random(seed);
    options_.block_restart_interval = 1 + static_cast<int>(random.Uniform(20));
    options_.block_size = 1024u << random.Uniform(5);
    std::vector<Entry> entries;
    for (uint64_t n = 0; n < 300; n++) {
      Entry entry = {NumberKey(n * 3), std::string(random.Skewed(14), static_cast<char>('a' + n % 26)), 1 + n,
                     leveldb::kTypeValue};
      if (random.OneIn(10)) entry = {entry.key, "", 1 + n, leveldb::kTypeDeletion};
      entries.push_back(entry);
    }
    RoundTrip(entries);
  }
}

TEST_F(PagedTableBuilderTest, EmptyTable) {
  RoundTrip({});
  EXPECT_TRUE(Blocks(1).empty());
}

TEST_F(PagedTableBuilderTest, CompressesOnlyWhatSavesPages) {
  options_.compression = leveldb::kSnappyCompression;
  std::string compressed;
  if (!leveldb::port::Snappy_Compress("", 0, &compressed)) GTEST_SKIP() << "built without snappy";
  RoundTrip({Item(1), Item(2), Item(3), Item(4)});
  EXPECT_GT(Blocks(1).at(0).size(), 4000u) << "one page stays one page: not compressed";
  RoundTrip({{NumberKey(1), std::string(40000, 'x'), 1, leveldb::kTypeValue}});
  EXPECT_LT(Blocks(1).at(0).size(), 4096u);
}

TEST_F(PagedTableBuilderTest, FilterFindsEveryKey) {
  std::unique_ptr<const leveldb::FilterPolicy> bloom(leveldb::NewBloomFilterPolicy(10));
  leveldb::InternalFilterPolicy policy(bloom.get());
  options_.filter_policy = &policy;
  std::vector<Entry> entries;
  for (uint64_t n = 0; n < 100; n++) entries.push_back(Item(n));
  RoundTrip(entries);
  std::string bytes = Bytes(1);
  EXPECT_NE(bytes.find("filter.leveldb.BuiltinBloomFilter2"), std::string::npos);
}

TEST_F(PagedTableBuilderTest, CountsTablesAndPadding) {
  CompactionStatistics statistics;
  options_.remap.statistics = &statistics;
  RoundTrip({Item(1)});
  const LevelCounters counters = statistics.Level(1);
  EXPECT_EQ(counters.tables, 1u);
  EXPECT_EQ(counters.table_bytes, Bytes(1).size());
  EXPECT_EQ(counters.padding_bytes, kPageBytes - Blocks(1).at(0).size() - leveldb::kBlockTrailerSize);
}

TEST_F(PagedTableBuilderTest, AbandonLeavesNoStatistics) {
  CompactionStatistics statistics;
  options_.remap.statistics = &statistics;
  RemapFile *raw = nullptr;
  ASSERT_TRUE(env_.NewRemapFile(Name(1), 1, &raw).ok());
  std::unique_ptr<RemapFile> file(raw);
  PagedTableBuilder builder(options_, file.get(), 1);
  builder.Add(Item(1).Internal(), Item(1).value);
  builder.Abandon();
  EXPECT_EQ(statistics.Total().tables, 0u);
}

class FailingFile : public leveldb::WritableFile {
 public:
  explicit FailingFile(int good) : good_(good) {}
  leveldb::Status Append(const leveldb::Slice &) override {
    return good_-- > 0 ? leveldb::Status::OK() : leveldb::Status::IOError("disk full");
  }
  leveldb::Status Close() override { return leveldb::Status::OK(); }
  leveldb::Status Flush() override { return leveldb::Status::OK(); }
  leveldb::Status Sync() override { return leveldb::Status::OK(); }

 private:
  int good_;
};

TEST_F(PagedTableBuilderTest, EveryFailedAppendIsReported) {
  constexpr int kAppends = 2 * (5 + 2) + 1;  // of the data blocks, the metaindex, the index; the footer
  for (int good = 0; good <= kAppends; good++) {
    FailingFile file(good);
    PagedTableBuilder builder(options_, &file, 1);
    for (uint64_t n = 0; n < 20; n++) builder.Add(Item(n).Internal(), Item(n).value);
    EXPECT_EQ(builder.Finish().IsIOError(), good < kAppends) << good;
    EXPECT_EQ(builder.status().IsIOError(), good < kAppends);
  }
}

// As from entries of a damaged block, or of the block behind it.
TEST_F(PagedTableBuilderTest, KeysOutOfOrderAreAnError) {
  options_.remap.mode = RemapMode::kSkip;
  BuildPaged(2, {{Item(3)}});
  std::shared_ptr<const TableMetadata> metadata;
  ASSERT_TRUE(TableMetadata::Read(options_, Name(2), Bytes(2).size(), &metadata).ok());
  const BlockMetadata &known = metadata->blocks().at(0);
  KeptBlockWriter writer(&env_, "/db");
  LazyBuffer entries;
  entries.Push(Item(3).Internal(), Item(3).value);
  for (int way = 0; way < 3; way++) {
    SCOPED_TRACE(way);
    FailingFile file(1000);
    PagedTableBuilder builder(options_, &file, 1);
    builder.Add(Item(5).Internal(), Item(5).value);
    bool remapped = false;
    if (way == 0) builder.Add(Item(3).Internal(), Item(3).value);
    if (way == 1) builder.AppendKept(known.In(2), entries, &writer, &remapped);
    if (way == 2) builder.AppendUnread(known.In(2), known, &writer, &remapped);
    EXPECT_TRUE(builder.status().IsCorruption()) << builder.status().ToString();
    EXPECT_TRUE(builder.Finish().IsCorruption());
  }
}

TEST_F(PagedTableBuilderTest, ChangeOptionsKeepsTheComparator) {
  FailingFile file(1000);
  PagedTableBuilder builder(options_, &file, 1);
  leveldb::Options other = options_;
  other.block_restart_interval = 4;
  EXPECT_TRUE(builder.ChangeOptions(other).ok());
  other.comparator = leveldb::BytewiseComparator();
  EXPECT_TRUE(builder.ChangeOptions(other).IsInvalidArgument());
  builder.Abandon();
}

// The number of pages and of entries of a block of equal entries.
std::pair<uint64_t, int> Filled(uint64_t entry, uint64_t block_size) {
  uint64_t bytes = entry + 13;  // restarts and trailer
  int entries = 1;
  for (; BlockTakes(bytes, bytes + entry, entry, block_size); bytes += entry) entries++;
  return {PagesFor(bytes), entries};
}

TEST(BlockTakesTest, FewestPagesThatAreNearlyFull) {
  using Block = std::pair<uint64_t, int>;
  EXPECT_EQ(Filled(1012, 4096), Block(1, 4));
  EXPECT_EQ(Filled(120, 4096), Block(1, 34));
  EXPECT_EQ(Filled(1112, 4096), Block(2, 7));
  EXPECT_EQ(Filled(4000, 4096), Block(1, 1));
  EXPECT_EQ(Filled(5012, 4096), Block(4, 3));
  EXPECT_EQ(Filled(4124, 4096), Block(8, 7)) << "a value of 4096 bytes";
  EXPECT_EQ(Filled(50000, 4096), Block(13, 1));
  EXPECT_EQ(Filled(1112, 2048), Block(1, 3)) << "small blocks were asked for";
  EXPECT_EQ(Filled(100, 16384), Block(4, 163));
}

TEST(BlockTakesTest, EntriesOfAllSizes) {
  EXPECT_TRUE(BlockTakes(3000, 4096, 2900, 4096)) << "the page is full to the byte";
  EXPECT_TRUE(BlockTakes(3000, 4097, 2900, 4096)) << "a quarter of it would be empty";
  EXPECT_FALSE(BlockTakes(3600, 4097, 2900, 4096)) << "less than an eighth";
  EXPECT_TRUE(BlockTakes(13000, 17000, 2900, 65536)) << "16 pages were asked for";
  EXPECT_FALSE(BlockTakes(13000, 17000, 2900, 4096)) << "a fifth page";
  EXPECT_TRUE(BlockTakes(13000, 17500, 2900, 4096)) << "for an entry of more than a page";
  EXPECT_FALSE(BlockTakes(13000, 40000, 2900, 4096)) << "ten pages";
}

}  // namespace
}  // namespace openremap
