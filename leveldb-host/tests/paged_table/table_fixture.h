// SPDX-License-Identifier: Apache-2.0
//
// Tables over a MemoryRemapEnv, for tests that look inside them.
#ifndef OPENREMAP_LEVELDB_HOST_TESTS_TABLE_FIXTURE_H_
#define OPENREMAP_LEVELDB_HOST_TESTS_TABLE_FIXTURE_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "db/dbformat.h"
#include "db/filename.h"
#include "leveldb/iterator.h"
#include "leveldb/options.h"
#include "leveldb/table.h"
#include "memory_remap_env.h"
#include "paged_table/paged_table_builder.h"
#include "table/format.h"

namespace openremap {

struct Entry {
  std::string key;  // user key
  std::string value;
  uint64_t sequence = 1;
  leveldb::ValueType type = leveldb::kTypeValue;

  std::string Internal() const {
    std::string encoded;
    leveldb::AppendInternalKey(&encoded, leveldb::ParsedInternalKey(key, sequence, type));
    return encoded;
  }
  bool operator==(const Entry &other) const {
    return key == other.key && value == other.value && sequence == other.sequence && type == other.type;
  }
};

inline std::string NumberKey(uint64_t n) {
  std::string digits = std::to_string(n);
  return std::string(16 - digits.size(), '0') + digits;
}

// 16 + 984 bytes: four of them fill a page.
inline Entry Item(uint64_t n, uint64_t sequence = 1) {
  return {NumberKey(n), std::string(984, static_cast<char>('a' + (n + sequence) % 26)), sequence, leveldb::kTypeValue};
}

class TableFixture : public ::testing::Test {
 protected:
  TableFixture() : comparator_(leveldb::BytewiseComparator()) {
    options_.comparator = &comparator_;
    options_.env = &env_;
    options_.compression = leveldb::kNoCompression;
    options_.block_cache = nullptr;
    options_.remap.mode = RemapMode::kRetain;
  }

  static std::string Name(uint64_t number) { return leveldb::TableFileName("/db", number); }

  // One block for each inner vector: the builder is told to end the block there.
  uint64_t BuildPaged(uint64_t number, const std::vector<std::vector<Entry>> &blocks) {
    return BuildRuns(number, {blocks});
  }

  // The same of several sorted runs, newest first.
  uint64_t BuildRuns(uint64_t number, const std::vector<std::vector<std::vector<Entry>>> &runs) {
    RemapFile *raw = nullptr;
    EXPECT_TRUE(env_.NewRemapFile(Name(number), 1, &raw).ok());
    std::unique_ptr<RemapFile> file(raw);
    PagedTableBuilder builder(options_, file.get(), 1);
    for (size_t run = 0; run < runs.size(); run++) {
      if (run > 0) builder.NextRun();
      for (const std::vector<Entry> &block : runs[run]) {
        for (const Entry &entry : block) builder.Add(entry.Internal(), entry.value);
        builder.Flush();
      }
    }
    EXPECT_TRUE(builder.Finish().ok());
    EXPECT_TRUE(file->Sync().ok());
    EXPECT_TRUE(file->Close().ok());
    return builder.FileSize();
  }

  // Reads a table with LevelDB's reader.
  std::vector<Entry> ReadTable(uint64_t number, leveldb::Env *env = nullptr) {
    std::vector<Entry> entries;
    WithTable(number, env, [&entries](leveldb::Table *table) {
      leveldb::ReadOptions read;
      read.verify_checksums = true;
      std::unique_ptr<leveldb::Iterator> it(table->NewIterator(read));
      for (it->SeekToFirst(); it->Valid(); it->Next()) {
        leveldb::ParsedInternalKey parsed("", 0, leveldb::kTypeValue);
        EXPECT_TRUE(leveldb::ParseInternalKey(it->key(), &parsed));
        entries.push_back({parsed.user_key.ToString(), it->value().ToString(), parsed.sequence, parsed.type});
      }
      EXPECT_TRUE(it->status().ok()) << it->status().ToString();
    });
    return entries;
  }

  std::vector<leveldb::BlockHandle> Blocks(uint64_t number) {
    std::vector<leveldb::BlockHandle> blocks;
    WithTable(number, nullptr, [&blocks](leveldb::Table *table) {
      std::unique_ptr<leveldb::Iterator> it(table->NewIndexIterator());
      for (it->SeekToFirst(); it->Valid(); it->Next()) {
        leveldb::Slice encoded = it->value();
        leveldb::BlockHandle handle;
        EXPECT_TRUE(handle.DecodeFrom(&encoded).ok());
        blocks.push_back(handle);
      }
    });
    return blocks;
  }

  std::string Bytes(uint64_t number, leveldb::Env *env = nullptr) {
    std::string bytes;
    leveldb::Env *from = env == nullptr ? &env_ : env;
    EXPECT_TRUE(leveldb::ReadFileToString(from, Name(number), &bytes).ok());
    return bytes;
  }

  template <class Function>
  void WithTable(uint64_t number, leveldb::Env *env, Function function) {
    leveldb::Env *from = env == nullptr ? &env_ : env;
    uint64_t size = 0;
    ASSERT_TRUE(from->GetFileSize(Name(number), &size).ok());
    leveldb::RandomAccessFile *raw = nullptr;
    ASSERT_TRUE(from->NewRandomAccessFile(Name(number), &raw).ok());
    std::unique_ptr<leveldb::RandomAccessFile> file(raw);
    leveldb::Table *opened = nullptr;
    leveldb::Status s = leveldb::Table::Open(options_, file.get(), size, &opened);
    ASSERT_TRUE(s.ok()) << s.ToString();
    std::unique_ptr<leveldb::Table> table(opened);
    function(table.get());
  }

  MemoryRemapEnv env_;
  leveldb::InternalKeyComparator comparator_;
  leveldb::Options options_;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_TESTS_TABLE_FIXTURE_H_
