// SPDX-License-Identifier: Apache-2.0
//
// Logs and manifests that end in a part of a record, after a refused append or a power cut. Everything acknowledged
// after that must survive the next recovery, too.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "db/filename.h"
#include "db/log_writer.h"
#include "flat_env.h"
#include "leveldb/db.h"
#include "leveldb/env.h"
#include "memory_remap_env.h"

namespace openremap {
namespace {

using leveldb::Slice;
using leveldb::Status;

constexpr size_t kBlockBytes = 32768;  // of a log (doc/log_format.md of LevelDB)
constexpr size_t kHeaderBytes = 7;

// Accepts `room` more bytes. Then it refuses once, in the middle of an append.
class FullFile : public leveldb::WritableFile {
 public:
  FullFile(std::unique_ptr<leveldb::WritableFile> file, int64_t *room, const bool *full)
      : file_(std::move(file)), room_(room), full_(full) {}
  Status Append(const Slice &data) override {
    if (*full_) return Status::IOError("test", "full");
    if (*room_ < 0 || static_cast<uint64_t>(*room_) >= data.size()) {
      if (*room_ >= 0) *room_ -= static_cast<int64_t>(data.size());
      return file_->Append(data);
    }
    const Status s = file_->Append(Slice(data.data(), static_cast<size_t>(*room_)));
    *room_ = -1;
    return s.ok() ? Status::IOError("test", "no space left") : s;
  }
  Status Close() override { return file_->Close(); }
  Status Flush() override { return file_->Flush(); }
  Status Sync() override { return file_->Sync(); }

 private:
  std::unique_ptr<leveldb::WritableFile> file_;
  int64_t *const room_;
  const bool *const full_;
};

class FullEnv : public leveldb::EnvWrapper {
 public:
  using EnvWrapper::EnvWrapper;

  // Of all files together; negative: no end of it.
  void SetRoom(int64_t bytes) { room_ = bytes; }
  // Every append is refused.
  void SetFull(bool full) { full_ = full; }
  bool refused() const { return room_ < 0; }

  Status NewWritableFile(const std::string &fname, leveldb::WritableFile **result) override {
    return Wrap(target()->NewWritableFile(fname, result), result);
  }
  Status NewAppendableFile(const std::string &fname, leveldb::WritableFile **result) override {
    return Wrap(target()->NewAppendableFile(fname, result), result);
  }

 private:
  Status Wrap(const Status &s, leveldb::WritableFile **result) {
    if (s.ok()) *result = new FullFile(std::unique_ptr<leveldb::WritableFile>(*result), &room_, &full_);
    return s;
  }

  int64_t room_ = -1;
  bool full_ = false;
};

class TornLogTest : public ::testing::Test {
 protected:
  TornLogTest() : env_(&memory_) {
    options_.env = &env_;
    options_.create_if_missing = true;
    options_.info_log = &quiet_;
    options_.reuse_logs = true;
  }

  void Open() {
    db_.reset();
    leveldb::DB *db = nullptr;
    const Status s = leveldb::DB::Open(options_, "/db", &db);
    ASSERT_TRUE(s.ok()) << s.ToString();
    db_.reset(db);
  }

  void Destroy() {
    db_.reset();
    const Status s = leveldb::DestroyDB("/db", options_);
    ASSERT_TRUE(s.ok()) << s.ToString();
  }

  void Put(const std::string &key, size_t bytes = 100) {
    const Status s = db_->Put(leveldb::WriteOptions(), key, std::string(bytes, key[0]));
    ASSERT_TRUE(s.ok()) << s.ToString();
  }

  void ExpectThere(const std::string &key, size_t bytes = 100) {
    std::string value;
    const Status s = db_->Get(leveldb::ReadOptions(), key, &value);
    ASSERT_TRUE(s.ok()) << key << ": " << s.ToString();
    EXPECT_EQ(value, std::string(bytes, key[0]));
  }

  // Paths of the files of this type, oldest first.
  std::vector<std::string> Files(leveldb::FileType wanted) {
    std::vector<std::string> children, files;
    EXPECT_TRUE(memory_.GetChildren("/db", &children).ok());
    for (const std::string &child : children) {
      uint64_t number = 0;
      leveldb::FileType type{};
      if (leveldb::ParseFileName(child, &number, &type) && type == wanted) files.push_back("/db/" + child);
    }
    return files;
  }

  std::string Contents(const std::string &file) {
    std::string data;
    EXPECT_TRUE(leveldb::ReadFileToString(&memory_, file, &data).ok()) << file;
    return data;
  }

  void Write(const std::string &file, const std::string &data) {
    ASSERT_TRUE(leveldb::WriteStringToFile(&memory_, data, file).ok()) << file;
  }

  MemoryRemapEnv memory_;
  FullEnv env_;
  NullLogger quiet_;
  leveldb::Options options_;
  std::unique_ptr<leveldb::DB> db_;
};

TEST_F(TornLogTest, AWholeLogAndItsManifestAreUsedAgain) {
  Open();
  Put("a");
  const std::vector<std::string> logs = Files(leveldb::kLogFile);
  const std::vector<std::string> manifests = Files(leveldb::kDescriptorFile);
  Open();
  Put("b");
  EXPECT_EQ(Files(leveldb::kLogFile), logs);
  EXPECT_EQ(Files(leveldb::kDescriptorFile), manifests);
  Open();
  ExpectThere("a");
  ExpectThere("b");
}

// Every part of a short record. Of a record of three blocks, the lengths around headers and ends of blocks.
TEST_F(TornLogTest, WhatIsPutAfterATornRecordSurvives) {
  for (const size_t bytes : {size_t{100}, 2 * kBlockBytes}) {
    Open();
    Put("a");
    const size_t start = Contents(Files(leveldb::kLogFile)[0]).size();
    Put("b", bytes);
    db_.reset();
    const std::string log = Files(leveldb::kLogFile)[0];
    const std::string whole = Contents(log);
    ASSERT_GT(whole.size(), start + bytes);
    const std::string manifest = Files(leveldb::kDescriptorFile)[0];
    const std::string edits = Contents(manifest);
    const std::string current = Contents("/db/CURRENT");
    for (size_t cut = start + 1; cut < whole.size(); cut++) {
      const size_t at = cut % kBlockBytes;
      if (bytes > kBlockBytes && at > 2 * kHeaderBytes && at < kBlockBytes - 2 * kHeaderBytes && cut % 4099 != 0)
        continue;
      SCOPED_TRACE("cut at " + std::to_string(cut) + " of " + std::to_string(whole.size()));
      Destroy();
      Write(log, whole.substr(0, cut));
      Write(manifest, edits);
      Write("/db/CURRENT", current);
      Open();
      Put("c");
      Open();
      ExpectThere("a");
      ExpectThere("c");
      std::string value;
      EXPECT_TRUE(db_->Get(leveldb::ReadOptions(), "b", &value).IsNotFound());
      if (HasFatalFailure()) return;
    }
    Destroy();
  }
}

// Otherwise the first edit behind a torn one would be lost, and with it a table and the content of the log.
TEST_F(TornLogTest, ATornManifestIsNotUsedAgain) {
  {
    leveldb::WritableFile *file = nullptr;
    ASSERT_TRUE(memory_.NewWritableFile("/record", &file).ok());
    const std::unique_ptr<leveldb::WritableFile> owned(file);
    ASSERT_TRUE(leveldb::log::Writer(file).AddRecord(std::string(50, 'x')).ok());
  }
  const std::string record = Contents("/record");
  for (size_t part = 1; part < record.size(); part++) {
    SCOPED_TRACE(std::to_string(part) + " bytes");
    Destroy();
    Open();
    Put("a");
    db_.reset();
    const std::string torn = Files(leveldb::kDescriptorFile)[0];
    Write(torn, Contents(torn) + record.substr(0, part));
    Open();
    EXPECT_NE(Files(leveldb::kDescriptorFile)[0], torn);
    db_->CompactRange(nullptr, nullptr);
    Put("b");
    Open();
    ExpectThere("a");
    ExpectThere("b");
    if (HasFatalFailure()) return;
  }
}

// It does not matter where an append is refused: at the header, in the fragment, or in the padding at the end of a
// block.
TEST_F(TornLogTest, NothingFollowsARefusedAppend) {
  options_.reuse_logs = false;
  // The log's first block has room for one more header and 100 bytes less than the record needs, or for less than a
  // header.
  for (const size_t left : {size_t{kHeaderBytes} + 20, size_t{3}}) {
    for (int64_t room = 0; room < 140; room++) {
      SCOPED_TRACE(std::to_string(left) + " bytes left of the block, " + std::to_string(room) + " of the device");
      env_.SetRoom(-1);
      Destroy();
      Open();
      Put("a", 100);
      const size_t one = Contents(Files(leveldb::kLogFile)[0]).size();
      // Its value's length takes two bytes more.
      Put("b", kBlockBytes - 2 * one - left + 100 - 2);
      EXPECT_EQ(Contents(Files(leveldb::kLogFile)[0]).size(), kBlockBytes - left);
      env_.SetRoom(room);
      std::vector<std::string> acknowledged;
      for (const char *key : {"c", "d", "e"}) {
        if (db_->Put(leveldb::WriteOptions(), key, std::string(100, *key)).ok()) acknowledged.emplace_back(key);
      }
      EXPECT_TRUE(env_.refused());
      EXPECT_EQ(acknowledged.size(), 2U) << "a new log is one without a torn record";
      Put("f");
      acknowledged.emplace_back("f");
      Open();
      ExpectThere("a");
      ExpectThere("b", kBlockBytes - 2 * one - left + 100 - 2);
      for (const std::string &key : acknowledged) ExpectThere(key);
      if (HasFatalFailure()) return;
    }
  }
}

// A full device, and a program that tries again and again. There is space later, without anybody asking for a flush.
TEST_F(TornLogTest, ARefusedLogIsReplaced) {
  options_.reuse_logs = false;
  Open();
  Put("a");
  env_.SetFull(true);
  for (int tries = 0; tries < 100; tries++) {
    EXPECT_TRUE(db_->Put(leveldb::WriteOptions(), "refused", std::string(100, 'r')).IsIOError());
  }
  EXPECT_LE(Files(leveldb::kLogFile).size(), 2u) << "logs without records go";
  env_.SetFull(false);
  Put("b");
  Put("c");
  ExpectThere("a");
  Open();
  for (const char *key : {"a", "b", "c"}) ExpectThere(key);
  std::string value;
  EXPECT_TRUE(db_->Get(leveldb::ReadOptions(), "refused", &value).IsNotFound());
}

}  // namespace
}  // namespace openremap
