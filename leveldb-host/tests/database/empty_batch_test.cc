// SPDX-License-Identifier: Apache-2.0
//
// Programs sync an empty batch to make earlier writes durable. It must do that, and must not make the log grow: only a
// full memtable ends a log.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "flat_env.h"
#include "leveldb/db.h"
#include "leveldb/write_batch.h"
#include "memory_remap_env.h"

namespace openremap {
namespace {

uint64_t LogBytes(leveldb::Env *env) {
  std::vector<std::string> children;
  EXPECT_TRUE(env->GetChildren("/db", &children).ok());
  uint64_t bytes = 0;
  for (const std::string &child : children) {
    uint64_t size = 0;
    if (child.size() < 4 || child.compare(child.size() - 4, 4, ".log") != 0) continue;
    EXPECT_TRUE(env->GetFileSize("/db/" + child, &size).ok());
    bytes += size;
  }
  return bytes;
}

TEST(EmptyBatchTest, MakesEarlierWritesDurableAndTakesNoSpace) {
  MemoryRemapEnv env;
  NullLogger quiet;
  leveldb::Options options;
  options.env = &env;
  options.create_if_missing = true;
  options.info_log = &quiet;
  const auto open = [&options] {
    leveldb::DB *db = nullptr;
    const leveldb::Status s = leveldb::DB::Open(options, "/db", &db);
    EXPECT_TRUE(s.ok()) << s.ToString();
    return std::unique_ptr<leveldb::DB>(db);
  };
  std::unique_ptr<leveldb::DB> db = open();
  leveldb::WriteOptions synced;
  synced.sync = true;
  leveldb::WriteBatch empty;
  ASSERT_TRUE(db->Put(leveldb::WriteOptions(), "a", "1").ok());
  const uint64_t bytes = LogBytes(&env);
  for (int i = 0; i < 1000; i++) ASSERT_TRUE(db->Write(i % 2 == 0 ? synced : leveldb::WriteOptions(), &empty).ok());
  EXPECT_EQ(LogBytes(&env), bytes);
  db.reset();
  env.DropUnsynced();
  db = open();
  std::string value;
  ASSERT_TRUE(db->Get(leveldb::ReadOptions(), "a", &value).ok());
  EXPECT_EQ(value, "1");
}

}  // namespace
}  // namespace openremap
