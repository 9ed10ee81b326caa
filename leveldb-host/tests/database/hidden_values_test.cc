// SPDX-License-Identifier: Apache-2.0
//
// A compaction removes a value that a newer one hides, once no snapshot needs it. LevelDB's own case of this,
// DBTest.HiddenValuesAreRemoved, leaves seven tables in level 0, so a compaction in the background may come first and
// take the value away from the level that the case looks at. Here no level is due for a compaction, so only those that
// the test asks for run.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "db/db_impl.h"
#include "db/dbformat.h"
#include "inline_env.h"
#include "leveldb/db.h"
#include "memory_remap_env.h"

namespace openremap {
namespace {

class HiddenValuesTest : public ::testing::TestWithParam<RemapMode> {
 protected:
  HiddenValuesTest() : env_(&remap_env_, &remap_env_) {
    env_.SetDeferred(false);  // compactions that are asked for wait for background work
    options_.env = &env_;
    options_.create_if_missing = true;
    options_.compression = leveldb::kNoCompression;
    options_.remap.mode = GetParam();
    leveldb::DB *db = nullptr;
    EXPECT_TRUE(leveldb::DB::Open(options_, "/db", &db).ok());
    db_.reset(db);
  }

  leveldb::DBImpl *impl() { return static_cast<leveldb::DBImpl *>(db_.get()); }

  void Put(const std::string &key, const std::string &value) {
    ASSERT_TRUE(db_->Put(leveldb::WriteOptions(), key, value).ok());
  }

  // The values of all entries of `key`, hidden ones included, the newest first.
  std::vector<std::string> Entries(const std::string &key) {
    std::vector<std::string> values;
    const std::unique_ptr<leveldb::Iterator> it(impl()->TEST_NewInternalIterator());
    it->Seek(leveldb::InternalKey(key, leveldb::kMaxSequenceNumber, leveldb::kTypeValue).Encode());
    for (; it->Valid() && leveldb::ExtractUserKey(it->key()) == leveldb::Slice(key); it->Next())
      values.push_back(it->value().ToString());
    return values;
  }

  // The bytes of the tables' part with all keys up to "m".
  uint64_t Size() {
    const leveldb::Range range("", "m");
    uint64_t bytes = 0;
    db_->GetApproximateSizes(&range, 1, &bytes);
    return bytes;
  }

  MemoryRemapEnv remap_env_;
  InlineRemapEnv env_;
  leveldb::Options options_;
  std::unique_ptr<leveldb::DB> db_;
};

TEST_P(HiddenValuesTest, ACompactionRemovesThem) {
  constexpr uint64_t kBig = 50000;
  const std::string big(kBig, 'b');
  // A table below, which overlaps, so that the new one stays in level 0.
  Put("a", "begin");
  Put("z", "end");
  db_->CompactRange(nullptr, nullptr);
  Put("foo", big);
  Put("pastfoo", "v");
  const leveldb::Snapshot *snapshot = db_->GetSnapshot();
  Put("foo", "tiny");
  Put("pastfoo2", "v2");
  ASSERT_TRUE(impl()->TEST_CompactMemTable().ok());

  leveldb::ReadOptions at_snapshot;
  at_snapshot.snapshot = snapshot;
  std::string value;
  ASSERT_TRUE(db_->Get(at_snapshot, "foo", &value).ok());
  EXPECT_EQ(value, big);
  EXPECT_EQ(Entries("foo"), (std::vector<std::string>{"tiny", big}));
  EXPECT_GE(Size(), kBig);

  // The snapshot protects its value from compactions, through all levels.
  db_->CompactRange(nullptr, nullptr);
  ASSERT_TRUE(db_->Get(at_snapshot, "foo", &value).ok());
  EXPECT_EQ(value, big);
  EXPECT_EQ(Entries("foo"), (std::vector<std::string>{"tiny", big}));
  EXPECT_GE(Size(), kBig);

  // Without the snapshot the next compaction of these keys removes it. Something new makes one necessary.
  db_->ReleaseSnapshot(snapshot);
  Put("foo", "tiniest");
  db_->CompactRange(nullptr, nullptr);
  EXPECT_EQ(Entries("foo"), std::vector<std::string>{"tiniest"});
  EXPECT_LT(Size(), kBig / 5);
}

INSTANTIATE_TEST_SUITE_P(Modes, HiddenValuesTest,
                         ::testing::Values(RemapMode::kOff, RemapMode::kBase, RemapMode::kRetain, RemapMode::kFill,
                                           RemapMode::kSkip, RemapMode::kBlend),
                         [](const ::testing::TestParamInfo<RemapMode> &mode) {
                           return std::string(RemapModeName(mode.param));
                         });

}  // namespace
}  // namespace openremap
