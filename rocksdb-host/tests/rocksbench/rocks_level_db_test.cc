// SPDX-License-Identifier: Apache-2.0
#include "rocksbench/rocks_level_db.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "bench/measure/table_levels.h"
#include "leveldb/iterator.h"
#include "leveldb/write_batch.h"
#include "tests/rocksfs/rocks_files.h"

namespace openremap {
namespace {

using leveldb::ReadOptions;
using leveldb::WriteOptions;

class RocksLevelDbTest : public ::testing::Test {
 protected:
  RocksLevelDbTest() : env_(rocks_.files()) {
    rocksdb::Options options;
    options.env = &env_;
    options.create_if_missing = true;
    options.info_log = std::make_shared<SilentLogger>();
    options.write_buffer_size = 64 << 10;
    options.max_write_buffer_number = 64;
    options.compression = rocksdb::kNoCompression;
    options.stats_dump_period_sec = options.stats_persist_period_sec = 0;
    rocksdb::DB *db = nullptr;
    EXPECT_TRUE(rocksdb::DB::Open(options, "/db", &db).ok());
    db_ = std::make_unique<RocksLevelDb>(std::unique_ptr<rocksdb::DB>(db), &env_);
  }
  ~RocksLevelDbTest() override { env_.RunPending(); }

  std::string Get(const std::string &key, const ReadOptions &read = ReadOptions()) {
    std::string value;
    const leveldb::Status s = db_->Get(read, key, &value);
    return s.ok() ? value : s.IsNotFound() ? "-" : s.ToString();
  }

  RocksFiles rocks_;
  InlineRocksEnv env_;
  std::unique_ptr<RocksLevelDb> db_;
};

TEST_F(RocksLevelDbTest, WritesBatchesAndReads) {
  ASSERT_TRUE(db_->Put(WriteOptions(), "a", "1").ok());
  leveldb::WriteBatch batch;
  batch.Put("b", "2");
  batch.Put("c", "3");
  batch.Delete("a");
  WriteOptions sync;
  sync.sync = true;
  ASSERT_TRUE(db_->Write(sync, &batch).ok());
  EXPECT_EQ(Get("a") + Get("b") + Get("c"), "-23");
  ASSERT_TRUE(db_->Delete(WriteOptions(), "c").ok());
  EXPECT_EQ(Get("c"), "-");
}

TEST_F(RocksLevelDbTest, IteratorsGoBothWaysAndSnapshotsHold) {
  for (const char *key : {"a", "b", "c"}) ASSERT_TRUE(db_->Put(WriteOptions(), key, "old").ok());
  const leveldb::Snapshot *snapshot = db_->GetSnapshot();
  ASSERT_TRUE(db_->Put(WriteOptions(), "b", "new").ok());
  ReadOptions then;
  then.snapshot = snapshot;
  EXPECT_EQ(Get("b"), "new");
  EXPECT_EQ(Get("b", then), "old");
  {
    const std::unique_ptr<leveldb::Iterator> it(db_->NewIterator(then));
    it->Seek("aa");
    ASSERT_TRUE(it->Valid());
    EXPECT_EQ(it->key().ToString() + it->value().ToString(), "bold");
    it->Prev();
    EXPECT_EQ(it->key().ToString(), "a");
    it->SeekToLast();
    EXPECT_EQ(it->key().ToString(), "c");
    it->Next();
    EXPECT_FALSE(it->Valid());
    EXPECT_TRUE(it->status().ok());
  }
  db_->ReleaseSnapshot(snapshot);
}

TEST_F(RocksLevelDbTest, TablesAreToldAsLevelDbTellsThemAndCompact) {
  for (int i = 0; i < 2000; i++) {
    ASSERT_TRUE(db_->Put(WriteOptions(), std::to_string(i * 7919 % 2000), std::string(200, 'x')).ok());
    env_.RunPending();
  }
  db_->CompactRange(nullptr, nullptr);
  std::string text;
  ASSERT_TRUE(db_->GetProperty("leveldb.sstables", &text));
  const auto levels = ParseTableLevels(text, 7);
  EXPECT_EQ(levels[0].files, 0u);
  EXPECT_GT(levels[1].files + levels[6].files, 0u);
  EXPECT_GT(levels[1].bytes + levels[6].bytes, 400000u);
  ASSERT_TRUE(db_->GetProperty("rocksdb.estimate-num-keys", &text));
  EXPECT_EQ(text, "2000");
  EXPECT_FALSE(db_->GetProperty("leveldb.nothing", &text));
  const leveldb::Range range("0", "9");
  uint64_t size = 0;
  db_->GetApproximateSizes(&range, 1, &size);
  EXPECT_GT(size, 200000u);
}

TEST(ToLevelStatusTest, KindsAndWordsStayTheSame) {
  EXPECT_TRUE(ToLevelStatus(rocksdb::Status::OK()).ok());
  EXPECT_TRUE(ToLevelStatus(rocksdb::Status::NotFound("x")).IsNotFound());
  EXPECT_TRUE(ToLevelStatus(rocksdb::Status::Corruption("x")).IsCorruption());
  EXPECT_TRUE(ToLevelStatus(rocksdb::Status::NotSupported("x")).IsNotSupportedError());
  EXPECT_TRUE(ToLevelStatus(rocksdb::Status::InvalidArgument("x")).IsInvalidArgument());
  EXPECT_EQ(ToLevelStatus(rocksdb::Status::IOError("a", "b: c")).ToString(), "IO error: a: b: c");
}

}  // namespace
}  // namespace openremap
