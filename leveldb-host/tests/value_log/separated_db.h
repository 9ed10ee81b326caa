// SPDX-License-Identifier: Apache-2.0
//
// A small database with a value log, in memory, whose background work runs at known points.
#ifndef OPENREMAP_LEVELDB_HOST_TESTS_SEPARATED_DB_H_
#define OPENREMAP_LEVELDB_HOST_TESTS_SEPARATED_DB_H_

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "db/filename.h"
#include "inline_env.h"
#include "leveldb/db.h"
#include "memory_remap_env.h"
#include "value_log/defects.h"
#include "value_log/segment_faults.h"

namespace openremap {

using Model = std::map<std::string, std::string>;

class SeparatedDb : public ::testing::Test {
 protected:
  SeparatedDb() {
    options_.env = &env_;
    options_.create_if_missing = true;
    options_.write_buffer_size = 65536;
    options_.max_file_size = 32768;
    options_.compression = leveldb::kNoCompression;
    options_.remap.mode = RemapMode::kRetain;
    options_.remap.level1_bytes = 98304;
    options_.remap.min_table_bytes = 16384;
    options_.remap.value_log_threshold = 0;
    options_.remap.value_log_segment_bytes = 65536;
  }
  ~SeparatedDb() override { SeededDefects() = ValueLogDefects(); }

  leveldb::Status TryOpen() {
    leveldb::DB *db = nullptr;
    const leveldb::Status s = leveldb::DB::Open(options_, "/db", &db);
    db_.reset(db);
    if (s.ok()) env_.RunPending();
    return s;
  }
  void Open() {
    const leveldb::Status s = TryOpen();
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  void Close() {
    env_.RunPending();
    db_.reset();
  }
  // What was not synced is lost, after the file system got `kept` on its own.
  void CutPower() {
    Close();
    remap_env_.DropUnsynced();
  }

  static std::string Key(int number) {
    char key[16];
    std::snprintf(key, sizeof(key), "%06d", number);
    return key;
  }
  // Of this many bytes, and different for each pair.
  static std::string Value(int number, int version, size_t bytes = 1000) {
    std::string value = std::to_string(number) + "." + std::to_string(version) + ".";
    unsigned state = static_cast<unsigned>(number) * 1000003u + static_cast<unsigned>(version);
    while (value.size() < bytes) value.push_back(static_cast<char>((state = state * 1664525u + 1013904223u) >> 24));
    value.resize(bytes);
    return value;
  }

  void Put(const std::string &key, const std::string &value, bool sync = false) {
    leveldb::WriteOptions write;
    write.sync = sync;
    const leveldb::Status s = db_->Put(write, key, value);
    ASSERT_TRUE(s.ok()) << s.ToString();
    env_.RunPending();
    model_[key] = value;
  }
  void Delete(const std::string &key) {
    const leveldb::Status s = db_->Delete(leveldb::WriteOptions(), key);
    ASSERT_TRUE(s.ok()) << s.ToString();
    env_.RunPending();
    model_.erase(key);
  }
  std::string Get(const std::string &key) {
    std::string value;
    const leveldb::Status s = db_->Get(leveldb::ReadOptions(), key, &value);
    return s.ok() ? value : s.ToString();
  }
  // Waits for background work, so that has to run on a thread meanwhile. Then the database is opened anew.
  void CompactAll() {
    env_.RunPending();
    env_.SetDeferred(false);
    db_->CompactRange(nullptr, nullptr);
    Close();
    env_.SetDeferred(true);
    Open();
  }

  static void ExpectAll(leveldb::Iterator *it, const Model &model) {
    auto expected = model.begin();
    for (it->SeekToFirst(); it->Valid(); it->Next(), ++expected) {
      ASSERT_NE(expected, model.end());
      ASSERT_EQ(it->key().ToString(), expected->first);
      ASSERT_TRUE(it->value() == leveldb::Slice(expected->second)) << expected->first;
    }
    EXPECT_TRUE(it->status().ok()) << it->status().ToString();
    EXPECT_EQ(expected, model.end());
  }
  void ExpectModel() {
    const std::unique_ptr<leveldb::Iterator> it(db_->NewIterator(leveldb::ReadOptions()));
    ExpectAll(it.get(), model_);
  }

  // A line of the property leveldb.value-log.
  uint64_t Counter(const std::string &name) {
    std::string text;
    if (!db_->GetProperty("leveldb.value-log", &text)) return UINT64_MAX;
    const size_t at = ("\n" + text).find("\n" + name + " ");
    return at == std::string::npos ? UINT64_MAX : std::strtoull(text.c_str() + at + name.size() + 1, nullptr, 10);
  }
  std::vector<uint64_t> Files(leveldb::FileType wanted) {
    std::vector<std::string> names;
    (void)env_.GetChildren("/db", &names);
    std::vector<uint64_t> numbers;
    for (const std::string &name : names) {
      uint64_t number = 0;
      leveldb::FileType type{};
      if (leveldb::ParseFileName(name, &number, &type) && type == wanted) numbers.push_back(number);
    }
    return numbers;
  }
  std::vector<uint64_t> Segments() { return Files(leveldb::kValueLogFile); }

  MemoryRemapEnv remap_env_;
  SegmentFaults faults_{&remap_env_};
  InlineRemapEnv env_{&faults_, &faults_};
  leveldb::Options options_;
  std::unique_ptr<leveldb::DB> db_;
  Model model_;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_TESTS_SEPARATED_DB_H_
