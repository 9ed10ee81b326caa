// SPDX-License-Identifier: Apache-2.0
//
// Tables of several sorted runs, read through leveldb::Table and TableCache as the database does.
#include "paged_table/table_runs.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "db/table_cache.h"
#include "leveldb/filter_policy.h"
#include "paged_table/block_metadata.h"
#include "paged_table/table_fixture.h"
#include "util/coding.h"
#include "util/crc32c.h"
#include "util/random.h"

namespace openremap {
namespace {

using leveldb::Slice;
using leveldb::Status;
using Runs = std::vector<std::vector<std::vector<Entry>>>;  // newest first; of each its blocks

Entry Deletion(uint64_t n, uint64_t sequence) { return {NumberKey(n), "", sequence, leveldb::kTypeDeletion}; }

class TableRunsTest : public TableFixture {
 protected:
  TableRunsTest() { options_.remap.mode = RemapMode::kBlend; }

  // Sorted as internal keys are.
  std::vector<Entry> Sorted(const Runs &runs) const {
    std::vector<Entry> all;
    for (const auto &run : runs) {
      for (const auto &block : run) all.insert(all.end(), block.begin(), block.end());
    }
    std::sort(all.begin(), all.end(),
              [this](const Entry &a, const Entry &b) { return comparator_.Compare(a.Internal(), b.Internal()) < 0; });
    return all;
  }

  // What a Get at `sequence` finds of the user key, if anything.
  std::optional<Entry> Get(uint64_t number, uint64_t n, uint64_t sequence) {
    leveldb::TableCache cache("/db", options_, 10);
    struct Found {
      std::string user_key;
      std::optional<Entry> entry;
      int calls = 0;
    } found{NumberKey(n), std::nullopt};
    const leveldb::LookupKey key(found.user_key, sequence);
    status_ = cache.Get(leveldb::ReadOptions(), number, Bytes(number).size(), key.internal_key(), &found,
                        [](void *arg, const Slice &k, const Slice &v) {
                          auto *to = static_cast<Found *>(arg);
                          to->calls++;
                          leveldb::ParsedInternalKey parsed;
                          if (!leveldb::ParseInternalKey(k, &parsed) || parsed.user_key != Slice(to->user_key)) return;
                          to->entry = Entry{to->user_key, v.ToString(), parsed.sequence, parsed.type};
                        });
    EXPECT_LE(found.calls, 1) << "LevelDB's reader takes the first answer";
    return found.entry;
  }

  // Opens without reading an entry.
  Status OpenTable(uint64_t number) {
    leveldb::TableCache cache("/db", options_, 10);
    const std::unique_ptr<leveldb::Iterator> it(
        cache.NewIterator(leveldb::ReadOptions(), number, Bytes(number).size()));
    return it->status();
  }

  // Damages or replaces part of a file.
  void Replace(uint64_t number, uint64_t offset, const std::string &bytes) {
    std::string all = Bytes(number);
    ASSERT_LE(offset + bytes.size(), all.size());
    all.replace(offset, bytes.size(), bytes);
    ASSERT_TRUE(leveldb::WriteStringToFile(&env_, all, Name(number)).ok());
  }

  // Where the run directory of a table lies.
  leveldb::BlockHandle Directory(uint64_t number) {
    const std::string all = Bytes(number);
    Slice end(all.data() + all.size() - leveldb::Footer::kEncodedLength, leveldb::Footer::kEncodedLength);
    leveldb::BlockHandle metaindex, directory;
    EXPECT_TRUE(metaindex.DecodeFrom(&end).ok());
    leveldb::BlockContents contents{Slice(all.data() + metaindex.offset(), metaindex.size()), false, false};
    leveldb::Block block(contents);
    const std::unique_ptr<leveldb::Iterator> it(block.NewIterator(leveldb::BytewiseComparator()));
    it->Seek(kRunDirectoryName);
    EXPECT_TRUE(it->Valid());
    Slice handle = it->value();
    EXPECT_TRUE(directory.DecodeFrom(&handle).ok());
    return directory;
  }

  // Other contents of the run directory, as long as they are, with a good checksum.
  void ReplaceDirectory(uint64_t number, std::string contents) {
    const leveldb::BlockHandle place = Directory(number);
    ASSERT_EQ(contents.size(), place.size());
    contents.push_back(static_cast<char>(leveldb::kNoCompression));
    const uint32_t crc = leveldb::crc32c::Value(contents.data(), contents.size());
    leveldb::PutFixed32(&contents, leveldb::crc32c::Mask(crc));
    Replace(number, place.offset(), contents);
  }

  Status status_;
};

// Three runs over the same keys: 2 was overwritten twice, 3 deleted and written again, 4 deleted.
const Runs kThree = {{{Item(2, 9), Item(3, 8)}, {Item(9, 7)}},
                     {{Item(2, 6), Deletion(3, 5), Deletion(4, 5)}},
                     {{Item(1, 1), Item(2, 2)}, {Item(3, 3), Item(4, 4), Item(5, 2)}}};

TEST_F(TableRunsTest, GetFindsTheNewestVersionThatASnapshotSees) {
  BuildRuns(1, kThree);
  EXPECT_EQ(Get(1, 1, 100), Item(1, 1)) << "only the oldest run has it";
  EXPECT_EQ(Get(1, 2, 100), Item(2, 9));
  EXPECT_EQ(Get(1, 2, 8), Item(2, 6));
  EXPECT_EQ(Get(1, 2, 5), Item(2, 2));
  EXPECT_EQ(Get(1, 2, 1), std::nullopt);
  EXPECT_EQ(Get(1, 3, 100), Item(3, 8));
  EXPECT_EQ(Get(1, 3, 7), Deletion(3, 5));
  EXPECT_EQ(Get(1, 3, 4), Item(3, 3));
  EXPECT_EQ(Get(1, 4, 100), Deletion(4, 5)) << "not the value that it hides";
  EXPECT_EQ(Get(1, 5, 100), Item(5, 2));
  EXPECT_EQ(Get(1, 6, 100), std::nullopt) << "between the runs' keys";
  EXPECT_EQ(Get(1, 9, 100), Item(9, 7)) << "beyond the older runs";
  EXPECT_EQ(Get(1, 10, 100), std::nullopt);
  EXPECT_TRUE(status_.ok());
}

// Ignores the case of letters.
class CaselessComparator : public leveldb::Comparator {
 public:
  const char *Name() const override { return "caseless"; }
  int Compare(const Slice &a, const Slice &b) const override { return Lower(a).compare(Lower(b)); }
  void FindShortestSeparator(std::string *, const Slice &) const override {}
  void FindShortSuccessor(std::string *) const override {}

 private:
  static std::string Lower(const Slice &key) {
    std::string lower = key.ToString();
    for (char &letter : lower) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    return lower;
  }
};

TEST_F(TableRunsTest, KeysThatAreEqualMayDifferInTheirBytes) {
  const CaselessComparator caseless;
  const leveldb::InternalKeyComparator comparator(&caseless);
  options_.comparator = &comparator;
  BuildRuns(1, {{{{"K", "newest", 9}}}, {{{"k", "older", 5}}}, {{{"K", "oldest", 2}}}});
  leveldb::TableCache cache("/db", options_, 10);
  for (const char *key : {"k", "K"}) {
    for (const auto &[sequence, expected] :
         std::map<uint64_t, std::string>{{100, "newest"}, {7, "older"}, {3, "oldest"}}) {
      std::string found;
      const leveldb::LookupKey lookup(key, sequence);
      ASSERT_TRUE(
          cache
              .Get(leveldb::ReadOptions(), 1, Bytes(1).size(), lookup.internal_key(), &found,
                   [](void *arg, const Slice &, const Slice &v) { *static_cast<std::string *>(arg) += v.ToString(); })
              .ok());
      EXPECT_EQ(found, expected) << key << " at " << sequence;
    }
  }
}

TEST_F(TableRunsTest, IteratorsMergeTheRuns) {
  BuildRuns(1, kThree);
  const std::vector<Entry> expected = Sorted(kThree);
  EXPECT_EQ(ReadTable(1), expected);
  WithTable(1, nullptr, [&](leveldb::Table *table) {
    EXPECT_EQ(table->Runs(), 3u);
    std::unique_ptr<leveldb::Iterator> it(table->NewIterator(leveldb::ReadOptions()));
    size_t left = expected.size();
    for (it->SeekToLast(); it->Valid(); it->Prev()) EXPECT_EQ(it->key().ToString(), expected[--left].Internal());
    EXPECT_EQ(left, 0u);
    it->Seek(Item(3, 6).Internal());  // a snapshot between the versions
    ASSERT_TRUE(it->Valid());
    EXPECT_EQ(it->key().ToString(), Deletion(3, 5).Internal());
    it->Prev();  // turns round in the middle of three runs
    EXPECT_EQ(it->key().ToString(), Item(3, 8).Internal());
    it->Next();
    it->Next();
    EXPECT_EQ(it->key().ToString(), Item(3, 3).Internal());
    it->Seek(Item(10).Internal());
    EXPECT_FALSE(it->Valid());
    EXPECT_TRUE(it->status().ok());
  });
}

TEST_F(TableRunsTest, RandomRunsReadAsAMap) {
  std::unique_ptr<const leveldb::FilterPolicy> bloom(leveldb::NewBloomFilterPolicy(10));
  leveldb::InternalFilterPolicy policy(bloom.get());
  for (uint32_t seed = 1; seed <= 10; seed++) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    leveldb::Random random(seed);
    options_.filter_policy = random.OneIn(2) ? &policy : nullptr;
    Runs runs(2 + random.Uniform(5));
    std::map<std::pair<uint64_t, uint64_t>, Entry> model;  // by number and falling sequence
    for (size_t r = 0; r < runs.size(); r++) {
      const uint64_t newest = 1000 - 100 * r;
      for (uint64_t n = random.Uniform(10); n < 200; n += 1 + random.Uniform(9)) {
        if (runs[r].empty() || random.OneIn(3)) runs[r].emplace_back();
        for (uint64_t version = 0; version < 1 + random.Uniform(2); version++) {
          const Entry entry = random.OneIn(4) ? Deletion(n, newest - version) : Item(n, newest - version);
          runs[r].back().push_back(entry);
          model[{n, 2000 - entry.sequence}] = entry;
        }
      }
    }
    BuildRuns(1, runs);
    std::vector<Entry> all;
    for (const auto &[key, entry] : model) all.push_back(entry);
    ASSERT_EQ(ReadTable(1), all);
    for (int i = 0; i < 100; i++) {
      const uint64_t n = random.Uniform(205), snapshot = 300 + random.Uniform(800);
      const auto seen = model.lower_bound({n, 2000 - snapshot});
      const bool there = seen != model.end() && seen->first.first == n;
      ASSERT_EQ(Get(1, n, snapshot), there ? std::optional<Entry>(seen->second) : std::nullopt) << n << "@" << snapshot;
    }
    WithTable(1, nullptr, [&](leveldb::Table *table) {
      std::unique_ptr<leveldb::Iterator> it(table->NewIterator(leveldb::ReadOptions()));
      for (int i = 0; i < 30; i++) {
        const uint64_t n = random.Uniform(205), snapshot = 300 + random.Uniform(800);
        it->Seek(Item(n, snapshot).Internal());
        auto expected = model.lower_bound({n, 2000 - snapshot});
        for (int step = 0; step < 8 && expected != model.end(); step++) {
          ASSERT_TRUE(it->Valid());
          ASSERT_EQ(it->key().ToString(), expected->second.Internal());
          if (random.OneIn(2)) {
            it->Next();
            ++expected;
          } else if (expected != model.begin()) {
            it->Prev();
            --expected;
          }
        }
        EXPECT_EQ(it->Valid(), expected != model.end());
      }
    });
  }
}

TEST_F(TableRunsTest, ApproximateOffsetsGrowWithTheKey) {
  Runs runs(3);
  for (uint64_t n = 0; n < 120; n++) runs[n % 3].push_back({Item(n, 300 - n % 3)});
  BuildRuns(1, runs);
  WithTable(1, nullptr, [](leveldb::Table *table) {
    uint64_t before = 0;
    for (uint64_t n = 0; n < 120; n++) {
      const uint64_t offset = table->ApproximateOffsetOf(Item(n, leveldb::kMaxSequenceNumber).Internal());
      // A page for each entry before, but for one of each other run, which an index may put on either side.
      EXPECT_LE(offset, (n + 2) * kPageBytes);
      EXPECT_GE(offset + 2 * kPageBytes, n * kPageBytes);
      EXPECT_GE(offset, before);
      before = offset;
    }
    EXPECT_GE(table->ApproximateOffsetOf(Entry{"z", ""}.Internal()), 120 * kPageBytes) << "the end of the table";
  });
}

TEST_F(TableRunsTest, EachRunHasMetadataOfItsBlocks) {
  BuildRuns(1, kThree);
  std::shared_ptr<const TableMetadata> metadata;
  ASSERT_TRUE(TableMetadata::Read(options_, Name(1), Bytes(1).size(), &metadata).ok());
  ASSERT_NE(metadata, nullptr);
  ASSERT_EQ(metadata->runs(), 3u);
  for (size_t run = 0; run < 3; run++) {
    ASSERT_EQ(metadata->blocks(run).size(), kThree[run].size());
    for (size_t i = 0; i < kThree[run].size(); i++) {
      EXPECT_EQ(metadata->blocks(run)[i].first, kThree[run][i].front().Internal());
      EXPECT_EQ(metadata->blocks(run)[i].last, kThree[run][i].back().Internal());
    }
  }
}

TEST_F(TableRunsTest, StockLevelDbRefusesThem) {
  BuildRuns(1, kThree);
  const std::string all = Bytes(1);
  Slice end(all.data() + all.size() - leveldb::Footer::kEncodedLength, leveldb::Footer::kEncodedLength);
  leveldb::Footer footer;
  const Status s = footer.DecodeFrom(&end);  // upstream's, which Table::Open of stock LevelDB asks
  EXPECT_TRUE(s.IsCorruption());
  EXPECT_NE(s.ToString().find("bad magic number"), std::string::npos) << s.ToString();
}

TEST_F(TableRunsTest, OneRunIsAStockTable) {
  BuildRuns(1, {{{Item(1)}, {Item(2)}}});
  const std::string all = Bytes(1);
  Slice end(all.data() + all.size() - leveldb::Footer::kEncodedLength, leveldb::Footer::kEncodedLength);
  leveldb::Footer footer;
  EXPECT_TRUE(footer.DecodeFrom(&end).ok());
}

TEST_F(TableRunsTest, AnotherFormatVersionIsRefused) {
  BuildRuns(1, kThree);
  const leveldb::BlockHandle place = Directory(1);
  std::string directory = Bytes(1).substr(place.offset(), place.size());
  ASSERT_EQ(directory[0], kRunDirectoryVersion);
  ReplaceDirectory(1, directory);
  EXPECT_TRUE(OpenTable(1).ok()) << "the same again";
  for (const int version : {1, 3}) {
    directory[0] = static_cast<char>(version);
    ReplaceDirectory(1, directory);
    const Status s = OpenTable(1);
    EXPECT_TRUE(s.IsNotSupportedError()) << s.ToString();
    EXPECT_NE(s.ToString().find("version " + std::to_string(version)), std::string::npos) << s.ToString();
  }
}

TEST_F(TableRunsTest, DirectoriesThatContradictThemselves) {
  BuildRuns(1, kThree);
  const leveldb::BlockHandle place = Directory(1);
  const std::string good = Bytes(1).substr(place.offset(), place.size());
  for (const int runs : {0, 1, 2, 4, 100}) {  // it has three
    std::string bad = good;
    bad[1] = static_cast<char>(runs);
    ReplaceDirectory(1, bad);
    EXPECT_TRUE(OpenTable(1).IsCorruption()) << runs;
  }
  std::string bad = good;
  bad[2] = static_cast<char>(bad[2] ^ 1);  // the newest run's index, which the footer names as well
  ReplaceDirectory(1, bad);
  EXPECT_TRUE(OpenTable(1).IsCorruption());
}

TEST_F(TableRunsTest, AMarkWithoutADirectory) {
  BuildPaged(1, {{Item(1)}});
  const size_t at = Bytes(1).size() - leveldb::Footer::kEncodedLength;
  std::string footer = Bytes(1).substr(at);
  MarkSeveralRuns(&footer);
  Replace(1, at, footer);
  const Status s = OpenTable(1);
  EXPECT_TRUE(s.IsCorruption());
  EXPECT_NE(s.ToString().find("no run directory"), std::string::npos) << s.ToString();
}

// Such a handle must not lead to an allocation, let alone a read.
TEST_F(TableRunsTest, FootersThatNameBlocksOutsideOfTheFile) {
  BuildPaged(1, {{Item(1)}});
  BuildRuns(2, kThree);
  for (const uint64_t table : {uint64_t{1}, uint64_t{2}}) {
    const std::string all = Bytes(table);
    const size_t at = all.size() - leveldb::Footer::kEncodedLength;
    const std::string magic = all.substr(all.size() - sizeof(uint64_t));
    Slice input(all.data() + at, leveldb::Footer::kEncodedLength);
    leveldb::BlockHandle good[2];  // the metaindex's and the index's
    for (leveldb::BlockHandle &handle : good) ASSERT_TRUE(handle.DecodeFrom(&input).ok());
    constexpr uint64_t kMost = ~uint64_t{0} - 1;  // one more means that nothing is set
    const uint64_t last = all.size() - leveldb::Footer::kEncodedLength - leveldb::kBlockTrailerSize;
    const std::pair<uint64_t, uint64_t> outside[] = {
        {0, last + 1}, {0, uint64_t{1} << 40}, {0, kMost}, {last, 1}, {last + 1, 0}, {kMost, 1}, {kMost, kMost}};
    for (const int bad : {0, 1}) {
      for (const auto &[offset, size] : outside) {
        leveldb::BlockHandle handles[2] = {good[0], good[1]};
        handles[bad].set_offset(offset);
        handles[bad].set_size(size);
        std::string footer;
        for (const leveldb::BlockHandle &handle : handles) handle.EncodeTo(&footer);
        footer.resize(leveldb::Footer::kEncodedLength - magic.size());
        Replace(table, at, footer + magic);
        const Status s = OpenTable(table);
        EXPECT_TRUE(s.IsCorruption()) << offset << " " << size;
        EXPECT_NE(s.ToString().find("outside of its file"), std::string::npos) << s.ToString();
        std::shared_ptr<const TableMetadata> metadata;
        EXPECT_EQ(TableMetadata::Read(options_, Name(table), all.size(), &metadata).ToString(), s.ToString());
      }
    }
  }
}

// Such sizes come from a damaged index or metaindex whose checksum was not verified.
TEST_F(TableRunsTest, BlocksOfImpossibleSizesAreDamage) {
  BuildPaged(1, {{Item(1)}});
  leveldb::RandomAccessFile *opened = nullptr;
  ASSERT_TRUE(env_.NewRandomAccessFile(Name(1), &opened).ok());
  const std::unique_ptr<leveldb::RandomAccessFile> file(opened);
  for (const uint64_t size : {uint64_t{1} << 32, uint64_t{1} << 40, ~uint64_t{0} - 4, ~uint64_t{0} - 1}) {
    leveldb::BlockHandle handle;
    handle.set_offset(0);
    handle.set_size(size);
    leveldb::BlockContents contents;
    EXPECT_TRUE(leveldb::ReadBlock(file.get(), leveldb::ReadOptions(), handle, &contents).IsCorruption()) << size;
  }
}

// Changes every byte behind the data blocks. Everything must read as before, or there must be an error.
TEST_F(TableRunsTest, DamageIsNeverMisread) {
  std::unique_ptr<const leveldb::FilterPolicy> bloom(leveldb::NewBloomFilterPolicy(10));
  leveldb::InternalFilterPolicy policy(bloom.get());
  options_.filter_policy = &policy;
  options_.paranoid_checks = true;
  BuildRuns(1, kThree);
  const std::string good = Bytes(1);
  const std::vector<Entry> entries = ReadTable(1);
  int errors = 0;
  for (size_t at = 5 * kPageBytes; at < good.size(); at++) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    ASSERT_TRUE(leveldb::WriteStringToFile(&env_, bad, Name(1)).ok());
    if (!OpenTable(1).ok()) {
      errors++;
      continue;
    }
    ASSERT_EQ(ReadTable(1), entries) << at;
    ASSERT_EQ(Get(1, 4, 100), Deletion(4, 5)) << at;
  }
  EXPECT_GT(errors, 100);
}

TEST_F(TableRunsTest, ADamagedDataBlockIsAnError) {
  options_.paranoid_checks = true;
  BuildRuns(1, kThree);
  Replace(1, 3 * kPageBytes + 20, "damage");  // the oldest run's first block
  WithTable(1, nullptr, [](leveldb::Table *table) {
    leveldb::ReadOptions read;
    read.verify_checksums = true;
    std::unique_ptr<leveldb::Iterator> it(table->NewIterator(read));
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
    }
    EXPECT_TRUE(it->status().IsCorruption());
  });
}

}  // namespace
}  // namespace openremap
