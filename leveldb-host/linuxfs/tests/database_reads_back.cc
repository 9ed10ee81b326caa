// SPDX-License-Identifier: Apache-2.0
#include "database_reads_back.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <map>
#include <memory>
#include <thread>

#include "leveldb/db.h"

namespace openremap {
namespace {

// A value says which put it is of, and is the same all over.
std::string ValueOf(int put) {
  return std::to_string(1000000 + put) + std::string(977, static_cast<char>('a' + put % 26));
}
int PutOf(const std::string &value) {
  const int put = value.size() == 984 ? std::atoi(value.substr(0, 7).c_str()) - 1000000 : -1;
  return put >= 0 && value == ValueOf(put) ? put : -1;
}

// Reads beside the puts until told to stop: never zeroes, never half a value, never an older one than it has seen.
class ReaderBeside {
 public:
  explicit ReaderBeside(leveldb::DB *db) : db_(db), thread_([this] { Run(); }) {}
  ~ReaderBeside() { Stop(); }
  // Values that it has read.
  uint64_t Stop() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
    return read_;
  }

 private:
  void Run() {
    leveldb::ReadOptions options;
    options.verify_checksums = true;
    std::map<std::string, int> seen;
    auto look = [&](const std::string &key, const std::string &value) {
      const int put = PutOf(value);
      EXPECT_GE(put, 0) << key << " has no value that was put";
      int &last = seen[key];
      EXPECT_GE(put, last) << key;
      last = put;
      read_++;
    };
    for (int i = 0; !stop_; i++) {
      const std::string key = std::to_string(i * 7 % 2048);
      std::string value;
      const leveldb::Status s = db_->Get(options, key, &value);
      if (s.ok()) look(key, value);
      EXPECT_TRUE(s.ok() || (s.IsNotFound() && seen.count(key) == 0)) << key << " " << s.ToString();
      if (i % 500 != 0) continue;
      const std::unique_ptr<leveldb::Iterator> it(db_->NewIterator(options));
      for (it->SeekToFirst(); it->Valid(); it->Next()) look(it->key().ToString(), it->value().ToString());
      EXPECT_TRUE(it->status().ok()) << it->status().ToString();
    }
  }

  leveldb::DB *const db_;
  std::atomic<bool> stop_{false};
  uint64_t read_ = 0;
  std::thread thread_;
};

}  // namespace

void DatabaseReadsBack(leveldb::Env *env, const std::string &name, RemapMode mode) {
  leveldb::Options options;
  options.create_if_missing = true;
  options.env = env;
  options.write_buffer_size = 64 << 10;
  options.max_file_size = 1 << 20;
  options.compression = leveldb::kNoCompression;
  options.remap.mode = mode;
  options.remap.level1_bytes = 128 << 10;
  options.remap.level_ratio = 4;
  leveldb::DB *opened = nullptr;
  ASSERT_TRUE(leveldb::DB::Open(options, name, &opened).ok());
  std::unique_ptr<leveldb::DB> db(opened);
  std::map<std::string, std::string> wanted;
  uint64_t state = 1;
  ReaderBeside reader(db.get());
  for (int i = 0; i < 2500; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const std::string key = std::to_string(state >> 53);
    const std::string value = ValueOf(i);
    wanted[key] = value;
    ASSERT_TRUE(db->Put(leveldb::WriteOptions(), key, value).ok());
  }
  db->CompactRange(nullptr, nullptr);
  EXPECT_GT(reader.Stop(), 1000u);
  db.reset();
  ASSERT_TRUE(leveldb::DB::Open(options, name, &opened).ok());
  db.reset(opened);
  leveldb::ReadOptions read;
  read.verify_checksums = true;
  for (const auto &[key, value] : wanted) {
    std::string found;
    ASSERT_TRUE(db->Get(read, key, &found).ok()) << key;
    ASSERT_EQ(found, value) << key;
  }
}

}  // namespace openremap
