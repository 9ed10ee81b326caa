// SPDX-License-Identifier: Apache-2.0
//
// RepairDB: what patches/0045 mends.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "db/filename.h"
#include "inline_env.h"
#include "leveldb/db.h"
#include "memory_remap_env.h"
#include "temp_dir.h"

namespace openremap {
namespace {

using leveldb::Status;

// Lists folders backwards.
class BackwardEnv : public InlineEnv {
 public:
  using InlineEnv::InlineEnv;
  Status GetChildren(const std::string &dir, std::vector<std::string> *result) override {
    const Status s = InlineEnv::GetChildren(dir, result);
    std::sort(result->rbegin(), result->rend());
    return s;
  }
};

class RepairTest : public ::testing::Test {
 protected:
  RepairTest() {
    options_.env = &env_;
    options_.create_if_missing = true;
    options_.write_buffer_size = 65536;
    options_.compression = leveldb::kNoCompression;
  }
  void Open(const std::string &name) {
    leveldb::DB *opened = nullptr;
    const Status s = leveldb::DB::Open(options_, name, &opened);
    ASSERT_TRUE(s.ok()) << s.ToString();
    db_.reset(opened);
  }
  void Put(const std::string &key, const std::string &value) {
    ASSERT_TRUE(db_->Put(leveldb::WriteOptions(), key, value).ok());
  }
  std::string Get(const std::string &key) {
    std::string value;
    const Status s = db_->Get(leveldb::ReadOptions(), key, &value);
    return s.ok() ? value : s.ToString();
  }
  // As a power cut leaves them while the database is open.
  void CopyLogs(const std::string &from, const std::string &to) {
    std::vector<std::string> names;
    ASSERT_TRUE(env_.GetChildren(from, &names).ok());
    for (const std::string &name : names) {
      uint64_t number = 0;
      leveldb::FileType type{};
      if (!leveldb::ParseFileName(name, &number, &type) || type != leveldb::kLogFile) continue;
      std::string content;
      ASSERT_TRUE(leveldb::ReadFileToString(&env_, from + "/" + name, &content).ok());
      ASSERT_TRUE(leveldb::WriteStringToFile(&env_, content, to + "/" + name).ok());
    }
  }

  MemoryRemapEnv memory_;
  BackwardEnv env_{&memory_};
  leveldb::Options options_;
  std::unique_ptr<leveldb::DB> db_;
};

TEST_F(RepairTest, EntriesOfLaterLogsAreNewer) {
  ASSERT_NO_FATAL_FAILURE(Open("/db"));
  ASSERT_NO_FATAL_FAILURE(Put("key", "old"));
  for (const uint64_t logs = env_.Logs(); env_.Logs() == logs;) {
    ASSERT_NO_FATAL_FAILURE(Put("filler", std::string(1000, 'f')));
  }
  ASSERT_NO_FATAL_FAILURE(Put("key", "new"));
  ASSERT_NO_FATAL_FAILURE(CopyLogs("/db", "/cut"));
  env_.RunPending();
  ASSERT_TRUE(leveldb::RepairDB("/cut", options_).ok());
  ASSERT_NO_FATAL_FAILURE(Open("/cut"));
  EXPECT_EQ(Get("key"), "new");
}

TEST_F(RepairTest, ARecordWithAWrongChecksumIsDropped) {
  ASSERT_NO_FATAL_FAILURE(Open("/db"));
  ASSERT_NO_FATAL_FAILURE(Put("first", "value"));
  ASSERT_NO_FATAL_FAILURE(Put("second", "damaged"));
  ASSERT_NO_FATAL_FAILURE(CopyLogs("/db", "/cut"));
  std::vector<std::string> names;
  ASSERT_TRUE(env_.GetChildren("/cut", &names).ok());
  for (const std::string &name : names) {
    std::string content;
    ASSERT_TRUE(leveldb::ReadFileToString(&env_, "/cut/" + name, &content).ok());
    const size_t at = content.find("damaged");
    if (at == std::string::npos) continue;
    content[at] = 'D';
    ASSERT_TRUE(leveldb::WriteStringToFile(&env_, content, "/cut/" + name).ok());
  }
  ASSERT_TRUE(leveldb::RepairDB("/cut", options_).ok());
  ASSERT_NO_FATAL_FAILURE(Open("/cut"));
  EXPECT_EQ(Get("first"), "value");
  EXPECT_EQ(Get("second").substr(0, 8), "NotFound");
}

// Its logs would be archived while they are written to.
TEST_F(RepairTest, AnOpenDatabaseIsRefused) {
  const orm::TempDir temporary;
  const std::string folder = temporary.path + "/db";
  options_.env = leveldb::Env::Default();
  ASSERT_NO_FATAL_FAILURE(Open(folder));
  ASSERT_NO_FATAL_FAILURE(Put("key", "value"));
  EXPECT_TRUE(leveldb::RepairDB(folder, options_).IsIOError());
  ASSERT_NO_FATAL_FAILURE(Put("other", "value"));
  db_.reset();
  EXPECT_TRUE(leveldb::RepairDB(folder, options_).ok());
  ASSERT_NO_FATAL_FAILURE(Open(folder));
  EXPECT_EQ(Get("key"), "value");
  EXPECT_EQ(Get("other"), "value");
  db_.reset();
}

}  // namespace
}  // namespace openremap
