// SPDX-License-Identifier: Apache-2.0
//
// The manifest of an open database is replaced when it has grown; an error or a power cut at any step of that loses
// nothing.
#include "manifest/manifest_roll.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "flat_env.h"
#include "inline_env.h"
#include "leveldb/db.h"
#include "manifest/fault_env.h"
#include "memory_remap_env.h"

namespace openremap {
namespace {

using leveldb::Status;

constexpr uint64_t kMinBytes = 1024;

TEST(ManifestRollDueTest, IsAMultipleOfTheContentAndOfSomeSize) {
  struct Case {
    uint64_t bytes, content;
    bool due;
  };
  for (const Case &c : std::vector<Case>{{1023, 10, false},
                                         {1024, 10, true},
                                         {1024, 256, true},
                                         {1024, 257, false},
                                         {100000, 25000, true},
                                         {99999, 25000, false}}) {
    ManifestRoll roll(kMinBytes);
    EXPECT_EQ(roll.Due(c.bytes, c.content), c.due) << c.bytes << " of " << c.content;
  }
}

// A content that is large is not measured for each edit.
TEST(ManifestRollDueTest, ContentIsMeasuredAgainOnlyAtTheNextMultiple) {
  ManifestRoll roll(kMinBytes);
  EXPECT_FALSE(roll.MayBeDue(1023));
  EXPECT_TRUE(roll.MayBeDue(1024));
  EXPECT_FALSE(roll.Due(1024, 1000));
  EXPECT_FALSE(roll.MayBeDue(3999));
  EXPECT_TRUE(roll.MayBeDue(4000));
  EXPECT_FALSE(roll.Due(4000, 2000));
  EXPECT_FALSE(roll.MayBeDue(7999));
  EXPECT_TRUE(roll.MayBeDue(8000));
  EXPECT_TRUE(roll.Due(8000, 100));
}

class ManifestRollTest : public ::testing::Test {
 protected:
  ManifestRollTest() { Forget(); }
  ~ManifestRollTest() override { Close(); }

  // Another database, on another device.
  void Forget() {
    Close();
    fault_.reset();
    memory_ = std::make_unique<MemoryRemapEnv>();
    fault_ = std::make_unique<FaultEnv>(memory_.get());
    env_ = std::make_unique<InlineEnv>(fault_.get());
    options_ = leveldb::Options();
    options_.env = env_.get();
    options_.create_if_missing = true;
    options_.info_log = &quiet_;
    options_.write_buffer_size = 64 << 10;
    options_.max_file_size = 64 << 10;
    options_.compression = leveldb::kNoCompression;
    options_.remap.min_table_bytes = 64 << 10;
    options_.remap.min_manifest_bytes = kMinBytes;
    acknowledged_.clear();
    puts_ = 0;
  }
  Status TryOpen() {
    Close();
    leveldb::DB *db = nullptr;
    const Status s = leveldb::DB::Open(options_, "/db", &db);
    db_.reset(db);
    return s;
  }
  void Open() {
    const Status s = TryOpen();
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  void Close() {
    if (db_ == nullptr) return;
    env_->RunPending();
    db_.reset();
  }
  // The next of a series of overwrites; returns what becomes of it, its compactions included.
  Status Put() {
    leveldb::WriteOptions synced;
    synced.sync = true;
    std::string key = std::to_string(puts_ * 7 % 40) + "key";
    key.resize(key_bytes_, 'k');
    const std::string value = std::to_string(puts_++) + std::string(2000, 'v');
    const Status s = db_->Put(synced, key, value);
    if (s.ok()) acknowledged_[key] = value;
    env_->RunPending();
    return s;
  }
  void ExpectAcknowledged() {
    for (const auto &[key, value] : acknowledged_) {
      std::string found;
      const Status s = db_->Get(leveldb::ReadOptions(), key, &found);
      ASSERT_TRUE(s.ok()) << key << ": " << s.ToString();
      ASSERT_EQ(found.substr(0, 20), value.substr(0, 20)) << key;
    }
  }
  // Power goes and comes back: what was not synced is lost.
  void PowerCycle() {
    if (db_ != nullptr) env_->RunPending();
    db_.reset();
    memory_->DropUnsynced();
    fault_->PowerOn();
    fault_->FailAll("");
    fault_->HideCurrent(false);
  }
  std::vector<std::string> Manifests() {
    std::vector<std::string> children, manifests;
    EXPECT_TRUE(memory_->GetChildren("/db", &children).ok());
    for (const std::string &child : children) {
      if (child.compare(0, 9, "MANIFEST-") == 0) manifests.push_back(child);
    }
    return manifests;
  }
  uint64_t SizeOf(const std::string &name) {
    uint64_t size = 0;
    EXPECT_TRUE(memory_->GetFileSize("/db/" + name, &size).ok()) << name;
    return size;
  }
  std::string Current() {
    std::string current;
    EXPECT_TRUE(leveldb::ReadFileToString(memory_.get(), "/db/CURRENT", &current).ok());
    return current.substr(0, current.size() - 1);
  }

  // The steps of the first roll: numbers of the creation of its manifest and of the step behind its last one, which
  // removes the old manifest.
  void FindRoll(size_t *first, size_t *end) {
    ASSERT_NO_FATAL_FAILURE(Open());
    const std::string manifest = Current();
    const size_t opened = fault_->steps().size();
    while (Current() == manifest) {
      ASSERT_LT(puts_, 5000u);
      ASSERT_TRUE(Put().ok());
    }
    const std::vector<std::string> &steps = fault_->steps();
    *first = opened;
    while (steps.at(*first) != "create manifest") ++*first;
    *end = steps.size();
  }
  // The same again, up to where the roll is about to begin.
  void Restart() {
    Forget();
    ASSERT_NO_FATAL_FAILURE(Open());
  }
  // Puts until one is refused, or that many.
  bool PutAll(int puts) {
    for (int i = 0; i < puts; i++) {
      if (!Put().ok()) return false;
    }
    return true;
  }

  NullLogger quiet_;
  std::unique_ptr<MemoryRemapEnv> memory_;
  std::unique_ptr<FaultEnv> fault_;
  std::unique_ptr<InlineEnv> env_;
  leveldb::Options options_;
  std::unique_ptr<leveldb::DB> db_;
  std::map<std::string, std::string> acknowledged_;
  uint64_t puts_ = 0;
  size_t key_bytes_ = 8;
};

// Puts, of a fiftieth of a memtable each.
constexpr int kSeveralRolls = 3000;
constexpr int kTwoFlushes = 70;

// The bytes of all edits, by how the manifest grows, and the largest manifest.
TEST_F(ManifestRollTest, AManifestStaysWithinAMultipleOfItsContent) {
  for (const uint64_t min_bytes : {kMinBytes, kMinManifestBytes.initial}) {
    SCOPED_TRACE(min_bytes);
    Forget();
    key_bytes_ = min_bytes / 128;  // edits in proportion
    options_.remap.min_manifest_bytes = min_bytes;
    ASSERT_NO_FATAL_FAILURE(Open());
    std::string manifest = Current();
    uint64_t size = SizeOf(manifest), edits = 0, largest = 0, content = 0, rolls = 0;
    while (rolls < 4) {
      ASSERT_LT(puts_, 100000u);
      ASSERT_TRUE(Put().ok());
      const std::vector<std::string> manifests = Manifests();
      ASSERT_LE(manifests.size(), 2u);
      ASSERT_EQ(std::count(manifests.begin(), manifests.end(), Current()), 1);
      if (Current() != manifest) {
        rolls++;
        manifest = Current();
        content = std::max(content, SizeOf(manifest));
        size = 0;
      }
      edits += SizeOf(manifest) - size;
      size = SizeOf(manifest);
      largest = std::max(largest, size);
    }
    // No edit here has more than a dozen keys.
    EXPECT_LE(largest, std::max(min_bytes, ManifestRoll::kTimesContent * content) + 12 * key_bytes_ + 1024);
    EXPECT_GE(edits, 3 * min_bytes);
    ASSERT_NO_FATAL_FAILURE(ExpectAcknowledged());
    PowerCycle();
    ASSERT_NO_FATAL_FAILURE(Open());
    ASSERT_NO_FATAL_FAILURE(ExpectAcknowledged());
    EXPECT_EQ(Manifests().size(), 1u);
  }
}

// A manifest that is used again after opening counts with what it has.
TEST_F(ManifestRollTest, AReusedManifestIsReplacedToo) {
  options_.reuse_logs = true;
  ASSERT_NO_FATAL_FAILURE(Open());
  uint64_t largest = 0;
  const std::string first = Current();
  for (int session = 0; session < 60; session++) {
    ASSERT_TRUE(PutAll(50));
    largest = std::max(largest, SizeOf(Current()));
    ASSERT_NO_FATAL_FAILURE(Open());
    ASSERT_NO_FATAL_FAILURE(ExpectAcknowledged());
  }
  EXPECT_NE(Current(), first);
  EXPECT_LE(largest, 8 * kMinBytes);
}

TEST_F(ManifestRollTest, APowerCutAtAnyStepLosesNothing) {
  size_t first = 0, end = 0;
  ASSERT_NO_FATAL_FAILURE(FindRoll(&first, &end));
  const std::vector<std::string> steps(fault_->steps().begin() + static_cast<int64_t>(first),
                                       fault_->steps().begin() + static_cast<int64_t>(end));
  for (const char *step : {"create manifest", "append manifest", "sync manifest", "create temporary",
                           "append temporary", "sync temporary", "rename temporary", "remove manifest"}) {
    EXPECT_EQ(std::count(steps.begin(), steps.end(), step) > 0, true) << step;
  }
  for (size_t step = first; step < end; step++) {
    for (const Effect effect : {Effect::kNone, Effect::kDone}) {
      SCOPED_TRACE(steps[step - first] + (effect == Effect::kNone ? " not done" : " done"));
      ASSERT_NO_FATAL_FAILURE(Restart());
      fault_->FailAt(step, effect, /*power_goes=*/true);
      ASSERT_FALSE(PutAll(kSeveralRolls));
      ASSERT_FALSE(fault_->HasPower());
      PowerCycle();
      ASSERT_NO_FATAL_FAILURE(Open());
      ASSERT_NO_FATAL_FAILURE(ExpectAcknowledged());
      EXPECT_EQ(Manifests(), std::vector<std::string>{Current()});
      ASSERT_TRUE(PutAll(kSeveralRolls / 4));
      PowerCycle();
      ASSERT_NO_FATAL_FAILURE(Open());
      ASSERT_NO_FATAL_FAILURE(ExpectAcknowledged());
    }
  }
}

// Until CURRENT names the new manifest, the old one is as good as before: the database does not notice.
TEST_F(ManifestRollTest, AnErrorAtAnyStepIsSurvivedOrStopsWrites) {
  size_t first = 0, end = 0;
  ASSERT_NO_FATAL_FAILURE(FindRoll(&first, &end));
  const std::vector<std::string> steps = fault_->steps();
  const std::string last = "rename temporary";
  const size_t rename =
      static_cast<size_t>(std::find(steps.begin() + static_cast<int64_t>(first), steps.end(), last) - steps.begin());
  ASSERT_LT(rename, end);
  ASSERT_EQ(steps[rename + 1], "sync manifest") << "CURRENT is not made durable";
  for (size_t step = first; step <= rename + 1; step++) {
    for (const Effect effect : {Effect::kNone, Effect::kDone}) {
      SCOPED_TRACE(steps[step] + (effect == Effect::kNone ? " not done" : " done"));
      ASSERT_NO_FATAL_FAILURE(Restart());
      fault_->FailAt(step, effect, /*power_goes=*/false);
      bool went_on = true;
      while (went_on && fault_->steps().size() <= step) went_on = Put().ok();
      ASSERT_GT(fault_->steps().size(), step) << "no step failed";
      // Some edits, before the next attempt.
      went_on = went_on && PutAll(kTwoFlushes);
      // Whether CURRENT is durable is not known after a Sync behind the rename that failed.
      EXPECT_EQ(went_on, step <= rename);
      ASSERT_NO_FATAL_FAILURE(ExpectAcknowledged());
      if (went_on) {
        EXPECT_LE(Manifests().size(), 2u);
      }
      PowerCycle();
      ASSERT_NO_FATAL_FAILURE(Open());
      ASSERT_NO_FATAL_FAILURE(ExpectAcknowledged());
      EXPECT_EQ(Manifests(), std::vector<std::string>{Current()});
      ASSERT_TRUE(PutAll(kSeveralRolls));
    }
  }
}

// Nothing is appended when it is not known to which manifest.
TEST_F(ManifestRollTest, WritesStopWhenNobodyKnowsWhatCurrentNames) {
  for (const Effect effect : {Effect::kNone, Effect::kDone}) {
    SCOPED_TRACE(effect == Effect::kNone ? "not renamed" : "renamed");
    size_t first = 0, end = 0;
    Forget();
    ASSERT_NO_FATAL_FAILURE(FindRoll(&first, &end));
    size_t rename = first;
    while (fault_->steps().at(rename) != "rename temporary") rename++;
    ASSERT_NO_FATAL_FAILURE(Restart());
    fault_->FailAt(rename, effect, /*power_goes=*/false);
    fault_->HideCurrent(true);
    EXPECT_FALSE(PutAll(kSeveralRolls));
    ASSERT_NO_FATAL_FAILURE(ExpectAcknowledged());
    PowerCycle();
    ASSERT_NO_FATAL_FAILURE(Open());
    ASSERT_NO_FATAL_FAILURE(ExpectAcknowledged());
    EXPECT_TRUE(PutAll(kSeveralRolls));
  }
}

// As on a full file system. Attempts get rarer, so that they do not cost more than the edits.
TEST_F(ManifestRollTest, WithoutSpaceForANewManifestTheOldOneGrows) {
  ASSERT_NO_FATAL_FAILURE(Open());
  const std::string manifest = Current();
  fault_->FailAll("create manifest");
  ASSERT_TRUE(PutAll(kSeveralRolls));
  EXPECT_EQ(Current(), manifest);
  const uint64_t grown = SizeOf(manifest);
  EXPECT_GT(grown, 4 * kMinBytes);
  ASSERT_NO_FATAL_FAILURE(ExpectAcknowledged());
  fault_->FailAll("");
  while (Current() == manifest) {
    ASSERT_LT(SizeOf(manifest), 2 * grown);
    ASSERT_TRUE(Put().ok());
  }
  EXPECT_LT(SizeOf(Current()), kMinBytes);
}

TEST_F(ManifestRollTest, AttemptsThatAreRefusedGetRarer) {
  size_t first = 0, end = 0;
  ASSERT_NO_FATAL_FAILURE(FindRoll(&first, &end));
  ASSERT_NO_FATAL_FAILURE(Restart());
  fault_->FailAll("append temporary");
  ASSERT_TRUE(PutAll(kSeveralRolls));
  const auto created =
      std::count(fault_->steps().begin() + static_cast<int64_t>(first), fault_->steps().end(), "create manifest");
  EXPECT_GE(created, 2);
  EXPECT_LE(created, 12) << "each has the manifest half as large again";
  EXPECT_EQ(Manifests(), std::vector<std::string>{Current()}) << "what was refused is removed";
}

// A manifest that a power cut left behind has a number above the one in use.
TEST_F(ManifestRollTest, WhatACutLeftBehindIsRemovedWithReusedLogsToo) {
  size_t first = 0, end = 0;
  options_.reuse_logs = true;
  ASSERT_NO_FATAL_FAILURE(FindRoll(&first, &end));
  ASSERT_NO_FATAL_FAILURE(Restart());
  options_.reuse_logs = true;
  fault_->FailAt(first + 2, Effect::kDone, /*power_goes=*/true);  // the new manifest is synced
  ASSERT_FALSE(PutAll(kSeveralRolls));
  PowerCycle();
  ASSERT_NO_FATAL_FAILURE(Open());
  ASSERT_NO_FATAL_FAILURE(ExpectAcknowledged());
  ASSERT_TRUE(PutAll(kSeveralRolls));
  EXPECT_EQ(Manifests(), std::vector<std::string>{Current()});
  PowerCycle();
  ASSERT_NO_FATAL_FAILURE(Open());
  ASSERT_NO_FATAL_FAILURE(ExpectAcknowledged());
}

}  // namespace
}  // namespace openremap
