// SPDX-License-Identifier: Apache-2.0
//
// The bug that patches/0041 fixes: a synced write of LevelDB 1.23 does not cover the end of the log before the current
// one.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "inline_env.h"
#include "leveldb/db.h"
#include "leveldb/write_batch.h"
#include "memory_remap_env.h"

namespace openremap {
namespace {

using leveldb::Slice;
using leveldb::Status;

// Notes which files have bytes that no Sync has covered.
class SyncsEnv : public InlineEnv {
 public:
  using InlineEnv::InlineEnv;
  Status NewWritableFile(const std::string &fname, leveldb::WritableFile **result) override {
    return Wrap(fname, InlineEnv::NewWritableFile(fname, result), result);
  }
  Status NewAppendableFile(const std::string &fname, leveldb::WritableFile **result) override {
    return Wrap(fname, InlineEnv::NewAppendableFile(fname, result), result);
  }
  // Logs that are there and not durable.
  int UnsyncedLogs() {
    int logs = 0;
    for (const auto &[name, unsynced] : unsynced_) {
      const bool is_log = name.size() > 4 && name.compare(name.size() - 4, 4, ".log") == 0;
      if (is_log && unsynced && FileExists(name)) logs++;
    }
    return logs;
  }

 private:
  class File : public leveldb::WritableFile {
   public:
    File(bool *unsynced, std::unique_ptr<leveldb::WritableFile> file) : unsynced_(unsynced), file_(std::move(file)) {}
    Status Append(const Slice &data) override {
      *unsynced_ = true;
      return file_->Append(data);
    }
    Status Sync() override {
      *unsynced_ = false;
      return file_->Sync();
    }
    Status Close() override { return file_->Close(); }
    Status Flush() override { return file_->Flush(); }

   private:
    bool *const unsynced_;
    const std::unique_ptr<leveldb::WritableFile> file_;
  };
  Status Wrap(const std::string &fname, const Status &s, leveldb::WritableFile **result) {
    if (s.ok()) *result = new File(&unsynced_[fname], std::unique_ptr<leveldb::WritableFile>(*result));
    return s;
  }
  std::map<std::string, bool> unsynced_;
};

class OlderLogsTest : public ::testing::Test {
 protected:
  void Open() {
    leveldb::Options options;
    options.env = &env_;
    options.create_if_missing = true;
    options.write_buffer_size = 65536;
    leveldb::DB *opened = nullptr;
    ASSERT_TRUE(leveldb::DB::Open(options, "/db", &opened).ok());
    db_.reset(opened);
  }
  // Until the memtable is full and another one, with a log of its own, has an entry.
  void FillOne(bool sync = false) {
    leveldb::WriteOptions write;
    write.sync = sync;
    for (const uint64_t logs = env_.Logs(); env_.Logs() == logs;) {
      ASSERT_TRUE(db_->Put(write, std::to_string(++key_), std::string(1000, 'v')).ok());
    }
  }
  void SyncNothing() {
    leveldb::WriteOptions write;
    write.sync = true;
    leveldb::WriteBatch empty;
    ASSERT_TRUE(db_->Write(write, &empty).ok());
  }

  MemoryRemapEnv memory_;
  SyncsEnv env_{&memory_};
  std::unique_ptr<leveldb::DB> db_;
  int key_ = 0;
};

TEST_F(OlderLogsTest, ASyncedWriteCoversTheLogOfTheMemtableThatIsNotFlushedYet) {
  ASSERT_NO_FATAL_FAILURE(Open());
  ASSERT_NO_FATAL_FAILURE(FillOne());
  EXPECT_EQ(env_.UnsyncedLogs(), 2);
  ASSERT_NO_FATAL_FAILURE(SyncNothing());
  EXPECT_EQ(env_.UnsyncedLogs(), 0);
  ASSERT_TRUE(db_->Put(leveldb::WriteOptions(), "one more", "v").ok());
  EXPECT_EQ(env_.UnsyncedLogs(), 1);
  env_.RunPending();
  ASSERT_NO_FATAL_FAILURE(SyncNothing());
  EXPECT_EQ(env_.UnsyncedLogs(), 0);
}

TEST_F(OlderLogsTest, ALogThatIsFlushedOrSyncedIsLeftAlone) {
  ASSERT_NO_FATAL_FAILURE(Open());
  ASSERT_NO_FATAL_FAILURE(FillOne());
  env_.RunPending();
  ASSERT_NO_FATAL_FAILURE(SyncNothing());
  EXPECT_EQ(env_.UnsyncedLogs(), 0);
  ASSERT_NO_FATAL_FAILURE(FillOne(/*sync=*/true));
  EXPECT_EQ(env_.UnsyncedLogs(), 0);
  env_.RunPending();
}

}  // namespace
}  // namespace openremap
