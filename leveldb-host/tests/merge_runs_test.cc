// SPDX-License-Identifier: Apache-2.0
//
// CompactRange() looks into every table of its range for sorted runs to merge: what others see of that.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "db/filename.h"
#include "leveldb/db.h"
#include "leveldb/env.h"
#include "memory_remap_env.h"

namespace openremap {
namespace {

using leveldb::Status;

// Asks before it opens a table to be read.
class AskingEnv : public leveldb::EnvWrapper {
 public:
  using EnvWrapper::EnvWrapper;

  void Ask(std::function<Status(uint64_t)> ask) { ask_ = std::move(ask); }

  Status NewRandomAccessFile(const std::string &fname, leveldb::RandomAccessFile **result) override {
    uint64_t number = 0;
    leveldb::FileType type{};
    const std::string name = fname.substr(fname.rfind('/') + 1);
    if (ask_ && leveldb::ParseFileName(name, &number, &type) && type == leveldb::kTableFile) {
      const Status s = ask_(number);
      if (!s.ok()) return s;
    }
    return target()->NewRandomAccessFile(fname, result);
  }

 private:
  std::function<Status(uint64_t)> ask_;
};

class KeptLog : public leveldb::Logger {
 public:
  void Logv(const char *format, std::va_list ap) override {
    char line[500];
    std::vsnprintf(line, sizeof(line), format, ap);
    const std::lock_guard<std::mutex> lock(mutex_);
    text_ += std::string(line) + '\n';
  }

  std::string text() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return text_;
  }

 private:
  std::mutex mutex_;
  std::string text_;
};

class MergeRunsTest : public ::testing::Test {
 protected:
  MergeRunsTest() : env_(&memory_) {
    options_.env = &env_;
    options_.create_if_missing = true;
    options_.write_buffer_size = 65536;
    options_.info_log = &log_;
    options_.remap.min_table_bytes = 16384;
    options_.max_file_size = 16384;
  }

  // Opens a database whose tables all lie in one level, and none of them in the cache.
  void Fill() {
    Open();
    for (int i = 0; i < 2000; i++) {
      ASSERT_TRUE(db_->Put(leveldb::WriteOptions(), std::to_string(100000 + i), std::string(100, 'v')).ok());
    }
    db_->CompactRange(nullptr, nullptr);
    db_.reset();
    Open();
    ASSERT_TRUE(db_->Put(leveldb::WriteOptions(), "in the memtable", "v").ok());
  }

  void Open() {
    leveldb::DB *db = nullptr;
    const Status s = leveldb::DB::Open(options_, "/db", &db);
    ASSERT_TRUE(s.ok()) << s.ToString();
    db_.reset(db);
  }

  MemoryRemapEnv memory_;
  AskingEnv env_;
  KeptLog log_;
  leveldb::Options options_;
  std::unique_ptr<leveldb::DB> db_;
};

TEST_F(MergeRunsTest, OthersGoOnWhileTablesAreOpened) {
  Fill();
  std::atomic<int> opened{0}, answered{0};
  const std::string key = "100000";
  env_.Ask([&](uint64_t) {
    if (opened++ > 2) return Status::OK();
    // A write, so that what is asked needs the database's mutex for certain.
    std::future<Status> other =
        std::async(std::launch::async, [this] { return db_->Put(leveldb::WriteOptions(), "another thread's", "v"); });
    if (other.wait_for(std::chrono::seconds(20)) == std::future_status::ready) answered++;
    // Where it did not, the future's destructor would wait for ever with this thread: let it go on.
    static std::vector<std::future<Status>> late;
    late.push_back(std::move(other));
    return Status::OK();
  });
  const std::string end = "in";  // not the memtable's key, so that nothing but runs is looked for
  const leveldb::Slice begin_slice(key), end_slice(end);
  db_->CompactRange(&begin_slice, &end_slice);
  env_.Ask(nullptr);
  EXPECT_GT(opened, 3);
  EXPECT_EQ(answered, 3);
}

TEST_F(MergeRunsTest, ATableThatCannotBeOpenedIsPassedOverAndToldOf) {
  Fill();
  // Not one that the memtable becomes: that is opened, too, to see that it can be.
  std::vector<std::string> names;
  ASSERT_TRUE(memory_.GetChildren("/db", &names).ok());
  uint64_t last = 0;
  for (const std::string &name : names) {
    uint64_t number = 0;
    leveldb::FileType type{};
    if (leveldb::ParseFileName(name, &number, &type)) last = std::max(last, number);
  }
  std::atomic<uint64_t> refused{0};
  env_.Ask([last, &refused](uint64_t number) {
    uint64_t none = 0;
    if (number <= last) refused.compare_exchange_strong(none, number);
    return number == refused ? Status::IOError("no") : Status::OK();
  });
  const std::string begin = "1", end = "2";
  const leveldb::Slice begin_slice(begin), end_slice(end);
  db_->CompactRange(&begin_slice, &end_slice);
  env_.Ask(nullptr);
  ASSERT_NE(refused, 0u);
  EXPECT_NE(log_.text().find("Merging runs: table #" + std::to_string(refused) + " passed over: IO error: no"),
            std::string::npos)
      << log_.text();
  std::string value;
  EXPECT_TRUE(db_->Get(leveldb::ReadOptions(), "100000", &value).ok());
  EXPECT_TRUE(db_->Put(leveldb::WriteOptions(), "100000", "new").ok());
}

}  // namespace
}  // namespace openremap
