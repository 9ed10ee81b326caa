// SPDX-License-Identifier: Apache-2.0
//
// The bug that patches/0007 fixes: a compaction of LevelDB 1.23 that brings back a deleted key.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "inline_env.h"
#include "leveldb/db.h"
#include "memory_remap_env.h"

namespace openremap {
namespace {

// A snapshot keeps a deletion and the value that it hides. With some number of fillers, a table ends between the two.
// Later, without the snapshot, a merge includes only the table with the deletion.
TEST(DeletedKeyTest, StaysDeletedWhenTablesSplitItsVersions) {
  for (RemapMode mode : {RemapMode::kBase, RemapMode::kRetain, RemapMode::kFill, RemapMode::kSkip, RemapMode::kBlend}) {
    for (int fillers = 24; fillers < 48; fillers++) {
      SCOPED_TRACE(std::string(RemapModeName(mode)) + ", fillers " + std::to_string(fillers));
      MemoryRemapEnv remap_env;
      InlineRemapEnv env(&remap_env, &remap_env);
      env.SetDeferred(false);  // CompactRange waits for background work
      leveldb::Options options;
      options.env = &env;
      options.create_if_missing = true;
      options.max_file_size = 32768;
      options.remap.mode = mode;
      options.remap.min_table_bytes = 16384;
      leveldb::DB *raw = nullptr;
      ASSERT_TRUE(leveldb::DB::Open(options, "/db", &raw).ok());
      std::unique_ptr<leveldb::DB> db(raw);
      const leveldb::WriteOptions write;
      const std::string value(984, 'v');
      // Two rounds, so that the tables are merged and not just moved down.
      for (int round = 0; round < 2; round++) {
        for (int i = 0; i < fillers; i++) ASSERT_TRUE(db->Put(write, "a" + std::to_string(100 + i), value).ok());
        for (int i = 0; i < 20; i++) ASSERT_TRUE(db->Put(write, "z" + std::to_string(100 + i), value).ok());
        if (round == 0) db->CompactRange(nullptr, nullptr);
      }
      ASSERT_TRUE(db->Put(write, "m", std::string(4060, 'm')).ok());  // no room for the deletion on its page
      const leveldb::Snapshot *snapshot = db->GetSnapshot();
      ASSERT_TRUE(db->Delete(write, "m").ok());
      db->CompactRange(nullptr, nullptr);
      db->ReleaseSnapshot(snapshot);
      ASSERT_TRUE(db->Put(write, "a110", value).ok());
      db->CompactRange(nullptr, nullptr);
      std::string found;
      EXPECT_TRUE(db->Get(leveldb::ReadOptions(), "m", &found).IsNotFound());
    }
  }
}

}  // namespace
}  // namespace openremap
