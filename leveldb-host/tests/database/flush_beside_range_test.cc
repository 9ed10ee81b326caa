// SPDX-License-Identifier: Apache-2.0
//
// The bug that patches/0040 fixes: a memtable that LevelDB 1.23 flushes beside CompactRange(), into a gap between the
// tables that are compacted.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "inline_env.h"
#include "leveldb/db.h"
#include "leveldb/write_batch.h"
#include "memory_remap_env.h"

namespace openremap {
namespace {

using leveldb::Status;

// Calls back before the next table is made.
class TableEnv : public InlineRemapEnv {
 public:
  explicit TableEnv(MemoryRemapEnv *base) : InlineRemapEnv(base, base) {}
  void BeforeTable(std::function<void()> call) { call_ = std::move(call); }
  // From now on.
  void RefuseTables() { refuses_ = true; }
  int refused() const { return refused_; }
  Status NewWritableFile(const std::string &fname, leveldb::WritableFile **result) override {
    if (Refuses(fname)) return Status::IOError(fname, "test");
    return InlineRemapEnv::NewWritableFile(fname, result);
  }
  Status NewRemapFile(const std::string &fname, int level, RemapFile **result) override {
    if (Refuses(fname)) return Status::IOError(fname, "test");
    return InlineRemapEnv::NewRemapFile(fname, level, result);
  }

 private:
  bool Refuses(const std::string &fname) {
    const std::string table = ".ldb";
    if (fname.size() < table.size() || fname.compare(fname.size() - table.size(), table.size(), table) != 0)
      return false;
    if (refuses_) refused_++;
    const bool refuses = refuses_;
    if (call_ != nullptr) std::exchange(call_, nullptr)();
    return refuses;
  }
  std::function<void()> call_;
  bool refuses_ = false;
  int refused_ = 0;
};

class FlushBesideRangeTest : public ::testing::TestWithParam<RemapMode> {
 protected:
  void Open() {
    env_.SetDeferred(false);
    leveldb::Options options;
    options.env = &env_;
    options.create_if_missing = true;
    options.write_buffer_size = 65536;
    options.remap.mode = GetParam();
    leveldb::DB *opened = nullptr;
    ASSERT_TRUE(leveldb::DB::Open(options, "/db", &opened).ok());
    db_.reset(opened);
  }
  // Two tables in each of the levels 1 and 2, with a gap between them.
  void MakeGap() {
    for (const char *value : {"old", "new"}) {
      for (const char *prefix : {"a", "x"}) {
        Put(prefix, value);
        Flush();
      }
    }
    ASSERT_EQ(FilesAt(0), 0);
    ASSERT_EQ(FilesAt(1), 2);
    ASSERT_EQ(FilesAt(2), 2);
  }
  void Put(const std::string &prefix, const std::string &value) {
    for (int i = 0; i < 10; i++) {
      ASSERT_TRUE(db_->Put(leveldb::WriteOptions(), prefix + std::to_string(i), value).ok());
    }
  }
  int FilesAt(int level) {
    std::string files;
    EXPECT_TRUE(db_->GetProperty("leveldb.num-files-at-level" + std::to_string(level), &files));
    return std::stoi(files);
  }
  void Flush() {
    // An empty range: only the memtable.
    const leveldb::Slice none("~");
    db_->CompactRange(&none, &none);
  }

  MemoryRemapEnv memory_;
  TableEnv env_{&memory_};
  std::unique_ptr<leveldb::DB> db_;
};

TEST_P(FlushBesideRangeTest, ItsKeysAreFound) {
  ASSERT_NO_FATAL_FAILURE(Open());
  ASSERT_NO_FATAL_FAILURE(MakeGap());
  // The memtable becomes full when the compaction of both makes its table.
  env_.BeforeTable([this] {
    Put("m", std::string(10000, 'm'));
    Put("n", "in the next memtable");
  });
  db_->CompactRange(nullptr, nullptr);
  EXPECT_GT(FilesAt(0), 0) << "the memtable was flushed meanwhile";
  for (const char *prefix : {"a", "m", "n", "x"}) {
    for (int i = 0; i < 10; i++) {
      const std::string key = prefix + std::to_string(i);
      std::string value;
      EXPECT_TRUE(db_->Get(leveldb::ReadOptions(), key, &value).ok()) << key;
    }
  }
  db_->CompactRange(nullptr, nullptr);
  const std::unique_ptr<leveldb::Iterator> it(db_->NewIterator(leveldb::ReadOptions()));
  std::string last;
  int entries = 0;
  for (it->SeekToFirst(); it->Valid(); it->Next(), entries++) {
    EXPECT_LT(last, it->key().ToString());
    last = it->key().ToString();
  }
  EXPECT_EQ(entries, 40);
}

// LevelDB 1.23 tries again for each entry that it compacts. If the manifest had refused the table, each try left one.
TEST_P(FlushBesideRangeTest, OneThatFailsEndsTheCompaction) {
  ASSERT_NO_FATAL_FAILURE(Open());
  ASSERT_NO_FATAL_FAILURE(MakeGap());
  env_.BeforeTable([this] {
    Put("m", std::string(10000, 'm'));
    env_.RefuseTables();
  });
  db_->CompactRange(nullptr, nullptr);
  EXPECT_EQ(env_.refused(), 1);
  EXPECT_TRUE(db_->Put(leveldb::WriteOptions(), "later", "v").IsIOError());
}

INSTANTIATE_TEST_SUITE_P(Modes, FlushBesideRangeTest, ::testing::ValuesIn(RemapModes()),
                         [](const auto &test) { return std::string(RemapModeName(test.param)); });

}  // namespace
}  // namespace openremap
