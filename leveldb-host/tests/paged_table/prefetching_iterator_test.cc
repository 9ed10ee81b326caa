// SPDX-License-Identifier: Apache-2.0
//
// The ranges that iterators over tables of several sorted runs request from the file before they seek.
#include "paged_table/prefetching_iterator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "leveldb/cache.h"
#include "paged_table/table_fixture.h"

namespace openremap {
namespace {

using leveldb::Slice;
using leveldb::Status;

// Records the requests in their order.
class NotingFile : public leveldb::RandomAccessFile, public PrefetchingFile {
 public:
  NotingFile(std::unique_ptr<leveldb::RandomAccessFile> file, std::vector<std::string> *notes)
      : file_(std::move(file)), notes_(notes) {}
  Status Read(uint64_t offset, size_t n, Slice *result, char *scratch) const override {
    notes_->push_back("read " + std::to_string(offset) + " " + std::to_string(n));
    return file_->Read(offset, n, result, scratch);
  }
  void Prefetch(const std::vector<FileRange> &ranges) const override {
    notes_->push_back("prefetch " + std::to_string(ranges.size()));
    for (const FileRange &range : ranges) {
      notes_->push_back("of " + std::to_string(range.offset) + " " + std::to_string(range.bytes));
    }
  }

 private:
  const std::unique_ptr<leveldb::RandomAccessFile> file_;
  std::vector<std::string> *const notes_;
};

class NotingEnv : public leveldb::EnvWrapper {
 public:
  explicit NotingEnv(leveldb::Env *env) : EnvWrapper(env) {}
  Status NewRandomAccessFile(const std::string &name, leveldb::RandomAccessFile **result) override {
    Status s = target()->NewRandomAccessFile(name, result);
    if (s.ok()) *result = new NotingFile(std::unique_ptr<leveldb::RandomAccessFile>(*result), &notes);
    return s;
  }
  std::vector<std::string> notes;
};

class PrefetchingIteratorTest : public TableFixture {
 protected:
  PrefetchingIteratorTest() : noting_(&env_) {
    options_.remap.mode = RemapMode::kBlend;
    // Three runs of two blocks: 1-2 and 7-8, 3-4 and 9-10, 5-6 and 11-12.
    std::vector<std::vector<std::vector<Entry>>> runs;
    for (uint64_t run = 0; run < 3; run++) {
      const uint64_t n = 1 + 2 * run;
      runs.push_back({{Item(n, 9), Item(n + 1, 9)}, {Item(n + 6, 9), Item(n + 7, 9)}});
    }
    BuildRuns(1, runs);
  }

  // A new iterator over the table, and what `moves` make it ask of the file.
  std::vector<std::string> Asked(const std::function<void(leveldb::Iterator *)> &moves) {
    std::vector<std::string> asked;
    WithTable(1, &noting_, [&](leveldb::Table *table) {
      for (int i = 0; i < repeats_; i++) {
        noting_.notes.clear();
        const std::unique_ptr<leveldb::Iterator> it(table->NewIterator(leveldb::ReadOptions()));
        moves(it.get());
        EXPECT_TRUE(it->status().ok());
        asked = std::exchange(noting_.notes, {});
      }
    });
    return asked;
  }
  // Of all prefetched blocks the reads follow, in any order.
  static void ExpectPrefetched(const std::vector<std::string> &asked, size_t blocks) {
    ASSERT_EQ(asked.size(), 1 + 2 * blocks);
    EXPECT_EQ(asked.front(), "prefetch " + std::to_string(blocks));
    for (size_t i = 1; i <= blocks; i++) {
      const std::string read = "read" + asked[i].substr(2);
      EXPECT_EQ(std::count(asked.begin() + 1 + static_cast<std::ptrdiff_t>(blocks), asked.end(), read), 1) << read;
    }
  }

  NotingEnv noting_;
  int repeats_ = 1;
};

TEST_F(PrefetchingIteratorTest, ASeekAsksForABlockOfEachRunAtOnce) {
  const auto asked = Asked([](leveldb::Iterator *it) {
    it->Seek(Item(1, 9).Internal());
    EXPECT_EQ(it->key().ToString(), Item(1, 9).Internal());
    it->Next();
    EXPECT_EQ(it->key().ToString(), Item(2, 9).Internal()) << "which is there already";
  });
  ASSERT_NO_FATAL_FAILURE(ExpectPrefetched(asked, 3));
}

TEST_F(PrefetchingIteratorTest, AsDoTheFirstAndTheLastPlace) {
  ASSERT_NO_FATAL_FAILURE(ExpectPrefetched(Asked([](leveldb::Iterator *it) { it->SeekToFirst(); }), 3));
  ASSERT_NO_FATAL_FAILURE(ExpectPrefetched(Asked([](leveldb::Iterator *it) { it->SeekToLast(); }), 3));
}

TEST_F(PrefetchingIteratorTest, RunsThatHaveNothingBehindTheTargetAreLeftOut) {
  const auto two = Asked([](leveldb::Iterator *it) { it->Seek(Item(9, 9).Internal()); });
  ASSERT_NO_FATAL_FAILURE(ExpectPrefetched(two, 2));
  const auto one = Asked([](leveldb::Iterator *it) { it->Seek(Item(11, 9).Internal()); });
  ASSERT_EQ(one.size(), 1u) << "a single block is read as soon by itself";
  EXPECT_EQ(one[0].substr(0, 4), "read");
  EXPECT_EQ(Asked([](leveldb::Iterator *it) {
              it->Seek(Item(13, 9).Internal());
              EXPECT_FALSE(it->Valid());
            }),
            std::vector<std::string>());
}

TEST_F(PrefetchingIteratorTest, WhatLiesInTheCacheIsNotReadAgain) {
  const std::unique_ptr<leveldb::Cache> cache(leveldb::NewLRUCache(1 << 20));
  options_.block_cache = cache.get();
  repeats_ = 2;
  EXPECT_EQ(Asked([](leveldb::Iterator *it) { it->Seek(Item(1, 9).Internal()); }), std::vector<std::string>());
  // The first of two iterators brings one block of the three.
  int iterators = 0;
  const auto asked =
      Asked([&iterators](leveldb::Iterator *it) { it->Seek(Item(iterators++ == 0 ? 11 : 7, 9).Internal()); });
  ASSERT_NO_FATAL_FAILURE(ExpectPrefetched(asked, 2));
}

// Without a cache, only the run's iterator holds its current block.
TEST_F(PrefetchingIteratorTest, WhatTheSeekBeforeReadIsNotAskedForAgain) {
  const auto asked = Asked([this](leveldb::Iterator *it) {
    it->Seek(Item(1, 9).Internal());
    noting_.notes.clear();
    it->Seek(Item(2, 9).Internal());
    EXPECT_EQ(noting_.notes, std::vector<std::string>());
    it->Seek(Item(7, 9).Internal());
  });
  ASSERT_NO_FATAL_FAILURE(ExpectPrefetched(asked, 3));
}

TEST_F(PrefetchingIteratorTest, ATableOfOneRunAsksForNothing) {
  BuildPaged(1, {{Item(1), Item(2)}, {Item(3)}});
  const auto asked = Asked([](leveldb::Iterator *it) { it->Seek(Item(2).Internal()); });
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_EQ(asked[0].substr(0, 4), "read");
}

TEST_F(PrefetchingIteratorTest, AFileThatCannotPrefetchIsReadAsEver) {
  leveldb::RandomAccessFile *file = nullptr;
  ASSERT_TRUE(env_.NewRandomAccessFile(Name(1), &file).ok());
  EXPECT_EQ(PrefetchingFile::From(file), nullptr);
  delete file;
  EXPECT_EQ(ReadTable(1).size(), 12u);
}

}  // namespace
}  // namespace openremap
