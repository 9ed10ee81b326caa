// SPDX-License-Identifier: Apache-2.0
//
// CompactRange() searches every table of its range for sorted runs to merge. These tests show the effects on other
// users of the database.
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
#include <thread>
#include <vector>

#include "db/filename.h"
#include "leveldb/db.h"
#include "leveldb/env.h"
#include "memory_remap_env.h"

namespace openremap {
namespace {

using leveldb::Status;

class RefusingFile : public leveldb::WritableFile {
 public:
  RefusingFile(leveldb::WritableFile *file, const std::atomic<bool> *refuse) : file_(file), refuse_(refuse) {}

  Status Append(const leveldb::Slice &data) override { return file_->Append(data); }
  Status Close() override { return file_->Close(); }
  Status Flush() override { return file_->Flush(); }
  Status Sync() override { return *refuse_ ? Status::IOError("no sync") : file_->Sync(); }

 private:
  const std::unique_ptr<leveldb::WritableFile> file_;
  const std::atomic<bool> *const refuse_;
};

// Calls back before it opens a table for reading, and refuses to sync on request.
class AskingEnv : public leveldb::EnvWrapper {
 public:
  using EnvWrapper::EnvWrapper;

  void RefuseSyncs() { refuse_ = true; }

  Status NewWritableFile(const std::string &fname, leveldb::WritableFile **result) override {
    leveldb::WritableFile *file = nullptr;
    const Status s = target()->NewWritableFile(fname, &file);
    *result = s.ok() ? new RefusingFile(file, &refuse_) : nullptr;
    return s;
  }

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
  std::atomic<bool> refuse_{false};
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

  // Of the database's files.
  uint64_t LastNumber() {
    std::vector<std::string> names;
    EXPECT_TRUE(memory_.GetChildren("/db", &names).ok());
    uint64_t last = 0;
    for (const std::string &name : names) {
      uint64_t number = 0;
      leveldb::FileType type{};
      if (leveldb::ParseFileName(name, &number, &type)) last = std::max(last, number);
    }
    return last;
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
    if (other.wait_for(std::chrono::seconds(300)) == std::future_status::ready) answered++;
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

// The background thread reads data on the caller's stack, and does not hold the mutex all the time.
TEST_F(MergeRunsTest, ACallerThatIsToldOfAnErrorWaitsForTheBackgroundThread) {
  Fill();
  const uint64_t last = LastNumber();  // what the memtable becomes is opened, too, but not to be merged
  std::atomic<bool> asked{false}, returned{false}, early{false};
  env_.Ask([&](uint64_t number) {
    if (number > last || asked.exchange(true)) return Status::OK();
    // Another thread's write fails, of which the caller is told at once.
    env_.RefuseSyncs();
    std::thread([this] {
      leveldb::WriteOptions sync;
      sync.sync = true;
      EXPECT_TRUE(db_->Put(sync, "another thread's", "v").IsIOError());
    }).join();
    for (int i = 0; i < 20 && !returned; i++) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    early = returned.load();
    return Status::OK();
  });
  const std::string begin = "1", end = "2";
  const leveldb::Slice begin_slice(begin), end_slice(end);
  db_->CompactRange(&begin_slice, &end_slice);
  returned = true;
  EXPECT_TRUE(asked);
  db_.reset();  // when the background thread has ended
  EXPECT_FALSE(early);
}

TEST_F(MergeRunsTest, ATableThatCannotBeOpenedIsPassedOverAndToldOf) {
  Fill();
  // Not one that the memtable becomes: that is opened, too, to see that it can be.
  const uint64_t last = LastNumber();
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
