// SPDX-License-Identifier: Apache-2.0
//
// RocksDB on PageFS, with its own threads: databases are filled, compacted, closed and opened again.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "rocks_files.h"
#include "rocksdb/db.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/table.h"
#include "rocksdb/utilities/checkpoint.h"
#include "rocksrun/inline_rocks_env.h"

namespace openremap {
namespace {

using rocksdb::ColumnFamilyDescriptor;
using rocksdb::ColumnFamilyHandle;
using rocksdb::DB;
using rocksdb::Options;
using rocksdb::ReadOptions;
using rocksdb::Status;
using rocksdb::WriteOptions;

class RocksDbOnPageFsTest : public ::testing::Test {
 protected:
  explicit RocksDbOnPageFsTest(uint64_t pages = 8192) : rocks_(pages, /*placements=*/8) { MakeEnv(); }
  ~RocksDbOnPageFsTest() override { Close(); }

  void MakeEnv() {
    env_ = rocksdb::NewCompositeEnv(rocks_.files());
    options_.env = env_.get();
  }
  // Small, so that a test has several levels.
  void SetUp() override {
    options_.create_if_missing = true;
    options_.info_log = std::make_shared<SilentLogger>();
    options_.write_buffer_size = 64 << 10;
    options_.target_file_size_base = 64 << 10;
    options_.max_bytes_for_level_base = 256 << 10;
    options_.max_bytes_for_level_multiplier = 4;
    options_.compression = rocksdb::kNoCompression;
    options_.paranoid_file_checks = true;
  }
  void Open() {
    DB *db = nullptr;
    const Status s = DB::Open(options_, "/db", &db);
    ASSERT_TRUE(s.ok()) << s.ToString();
    db_.reset(db);
  }
  void Close() { db_.reset(); }
  // The device is mounted anew.
  void Remount(const PageFsOptions &options = {}) {
    Close();
    env_.reset();
    rocks_.Unmount();
    rocks_.Mount(options);
    MakeEnv();
  }
  static std::string Key(int i) {
    std::string digits = std::to_string(i);
    return "key" + std::string(8 - digits.size(), '0') + digits;
  }
  static std::string Value(int i, int version) {
    return std::to_string(i) + "." + std::to_string(version) + std::string(300, static_cast<char>('a' + i % 26));
  }
  void Fill(int keys, int version) {
    for (int i = 0; i < keys; i++) {
      const int key = i * 7919 % keys;
      ASSERT_TRUE(db_->Put(WriteOptions(), Key(key), Value(key, version)).ok());
    }
  }
  void Check(int keys, int version) {
    ReadOptions read;
    read.verify_checksums = true;
    std::string value;
    for (int i = 0; i < keys; i++) {
      ASSERT_TRUE(db_->Get(read, Key(i), &value).ok()) << i;
      ASSERT_EQ(value, Value(i, version));
    }
    int found = 0;
    const std::unique_ptr<rocksdb::Iterator> it(db_->NewIterator(read));
    for (it->SeekToFirst(); it->Valid(); it->Next()) found++;
    EXPECT_TRUE(it->status().ok());
    EXPECT_EQ(found, keys);
  }
  int Tables(int level) {
    std::string count;
    EXPECT_TRUE(db_->GetProperty("rocksdb.num-files-at-level" + std::to_string(level), &count));
    return std::stoi(count);
  }

  RocksFiles rocks_;
  std::unique_ptr<rocksdb::Env> env_;
  Options options_;
  std::unique_ptr<DB> db_;
};

TEST_F(RocksDbOnPageFsTest, ADatabaseIsFilledCompactedAndOpenedAgain) {
  Open();
  Fill(5000, 1);
  Fill(5000, 2);
  Check(5000, 2);
  ASSERT_TRUE(db_->CompactRange(rocksdb::CompactRangeOptions(), nullptr, nullptr).ok());
  EXPECT_GT(Tables(1) + Tables(2) + Tables(3), 0);
  Check(5000, 2);
  Remount();
  options_.create_if_missing = false;
  Open();
  Check(5000, 2);
  EXPECT_TRUE(db_->VerifyChecksum().ok());
}

TEST_F(RocksDbOnPageFsTest, LevelsHaveTheirHandles) {
  Open();
  for (int version = 1; version < 8; version++) Fill(6000, version);
  ASSERT_TRUE(db_->Flush(rocksdb::FlushOptions()).ok());
  Close();
  std::map<unsigned, uint64_t> &pages = rocks_.device().written_with;
  // Logs and manifests, level 0, level 1, level 2, level 3 and deeper.
  for (unsigned handle = 0; handle < 4; handle++) EXPECT_GT(pages[handle], 200u) << handle;
  for (unsigned handle = 5; handle < 8; handle++) EXPECT_EQ(pages[handle], 0u) << handle;
}

TEST_F(RocksDbOnPageFsTest, AColdLastLevelHasAHandleOfItsOwn) {
  options_.num_levels = 3;  // the last one of them is that
  options_.last_level_temperature = rocksdb::Temperature::kCold;
  Open();
  for (int version = 1; version < 8; version++) Fill(6000, version);
  ASSERT_TRUE(db_->CompactRange(rocksdb::CompactRangeOptions(), nullptr, nullptr).ok());
  Check(6000, 7);
  std::map<unsigned, uint64_t> &pages = rocks_.device().written_with;
  EXPECT_GT(pages[5], 300u);
}

TEST_F(RocksDbOnPageFsTest, DirectReadsAndWritesGiveTheSame) {
  options_.use_direct_reads = true;
  options_.use_direct_io_for_flush_and_compaction = true;
  Open();
  Fill(5000, 1);
  Fill(5000, 2);
  ASSERT_TRUE(db_->CompactRange(rocksdb::CompactRangeOptions(), nullptr, nullptr).ok());
  Check(5000, 2);
  Remount();
  Open();
  Check(5000, 2);
  std::vector<rocksdb::Slice> keys;
  std::vector<std::string> names, values;
  for (int i = 0; i < 5000; i += 100) names.push_back(Key(i));
  for (const std::string &name : names) keys.emplace_back(name);
  for (const Status &s : db_->MultiGet(ReadOptions(), keys, &values)) EXPECT_TRUE(s.ok()) << s.ToString();
  for (size_t i = 0; i < values.size(); i++) EXPECT_EQ(values[i], Value(static_cast<int>(i) * 100, 2));
}

TEST_F(RocksDbOnPageFsTest, MappedReadsAreRefused) {
  options_.allow_mmap_reads = true;
  DB *db = nullptr;
  const Status s = DB::Open(options_, "/db", &db);
  EXPECT_TRUE(s.IsInvalidArgument());
  EXPECT_NE(s.ToString().find("allow_mmap_reads"), std::string::npos) << s.ToString();
  EXPECT_EQ(db, nullptr);
}

TEST_F(RocksDbOnPageFsTest, BlobFilesAndUniversalCompaction) {
  options_.enable_blob_files = true;
  options_.min_blob_size = 100;
  options_.blob_file_size = 256 << 10;
  options_.enable_blob_garbage_collection = true;
  options_.compaction_style = rocksdb::kCompactionStyleUniversal;
  Open();
  for (int version = 1; version < 5; version++) Fill(3000, version);
  ASSERT_TRUE(db_->CompactRange(rocksdb::CompactRangeOptions(), nullptr, nullptr).ok());
  EXPECT_NE(rocks_.Children("/db").find(".blob"), std::string::npos);
  Remount();
  Open();
  Check(3000, 4);
}

TEST_F(RocksDbOnPageFsTest, ColumnFamiliesAreFoundAgain) {
  Open();
  ColumnFamilyHandle *made = nullptr;
  ASSERT_TRUE(db_->CreateColumnFamily(options_, "links", &made).ok());
  ASSERT_TRUE(db_->Put(WriteOptions(), "k", "default's").ok());
  ASSERT_TRUE(db_->Put(WriteOptions(), made, "k", "links'").ok());
  ASSERT_TRUE(db_->DestroyColumnFamilyHandle(made).ok());
  Remount();
  std::vector<std::string> names;
  ASSERT_TRUE(DB::ListColumnFamilies(options_, "/db", &names).ok());
  EXPECT_EQ(names, (std::vector<std::string>{"default", "links"}));
  std::vector<ColumnFamilyHandle *> handles;
  DB *db = nullptr;
  ASSERT_TRUE(DB::Open(options_, "/db", {{"default", options_}, {"links", options_}}, &handles, &db).ok());
  db_.reset(db);
  std::string value;
  ASSERT_TRUE(db_->Get(ReadOptions(), handles[1], "k", &value).ok());
  EXPECT_EQ(value, "links'");
  for (ColumnFamilyHandle *handle : handles) ASSERT_TRUE(db_->DestroyColumnFamilyHandle(handle).ok());
}

TEST_F(RocksDbOnPageFsTest, ACheckpointIsADatabase) {
  Open();
  Fill(2000, 1);
  rocksdb::Checkpoint *made = nullptr;
  ASSERT_TRUE(rocksdb::Checkpoint::Create(db_.get(), &made).ok());
  const std::unique_ptr<rocksdb::Checkpoint> checkpoint(made);
  const Status s = checkpoint->CreateCheckpoint("/copy");  // by copies, as there are no links
  ASSERT_TRUE(s.ok()) << s.ToString();
  Fill(2000, 2);
  Close();
  DB *db = nullptr;
  ASSERT_TRUE(DB::Open(options_, "/copy", &db).ok());
  db_.reset(db);
  Check(2000, 1);
}

TEST_F(RocksDbOnPageFsTest, ADestroyedDatabaseLeavesNothing) {
  options_.info_log = nullptr;  // RocksDB's own, on the device
  Open();
  Fill(500, 1);
  EXPECT_NE(rocks_.Children("/db").find("LOG"), std::string::npos);
  Close();
  ASSERT_TRUE(rocksdb::DestroyDB("/db", options_).ok());
  EXPECT_TRUE(rocks_.env()->fs()->Names().empty());
}

TEST_F(RocksDbOnPageFsTest, ADatabaseIsOpenedOnce) {
  Open();
  DB *db = nullptr;
  const Status s = DB::Open(options_, "/db", &db);
  EXPECT_TRUE(s.IsIOError()) << s.ToString();
  EXPECT_EQ(db, nullptr);
}

TEST_F(RocksDbOnPageFsTest, TablesHaveUnitsOfTheirOwn) {
  rocks_.device().unit_pages = 32;
  PageFsOptions mount;
  mount.table_units = true;
  Remount(mount);
  Open();
  Fill(3000, 1);
  ASSERT_TRUE(db_->CompactRange(rocksdb::CompactRangeOptions(), nullptr, nullptr).ok());
  Check(3000, 1);
  EXPECT_GE(rocks_.device().units_begun, 20u);
}

class SmallRocksDbTest : public RocksDbOnPageFsTest {
 protected:
  SmallRocksDbTest() : RocksDbOnPageFsTest(1024) {}
};

TEST_F(SmallRocksDbTest, AFullDeviceIsToldAndNothingIsLost) {
  Open();
  int puts = 0;
  Status s;
  while (puts < 20000 && (s = db_->Put(WriteOptions(), Key(puts), Value(puts, 1))).ok()) puts++;
  ASSERT_FALSE(s.ok());
  EXPECT_TRUE(s.IsNoSpace()) << s.ToString();
  EXPECT_GT(puts, 3000);
  std::string value;
  for (int i = 0; i < puts; i += 100) ASSERT_TRUE(db_->Get(ReadOptions(), Key(i), &value).ok()) << i;
  Remount();
  options_.disable_auto_compactions = true;
  Open();
  for (int i = 0; i < puts; i++) {
    ASSERT_TRUE(db_->Get(ReadOptions(), Key(i), &value).ok()) << i;
    ASSERT_EQ(value, Value(i, 1));
  }
}

}  // namespace
}  // namespace openremap
