// SPDX-License-Identifier: Apache-2.0
//
// Databases whose segments move, or lose their dead pages: values, readers, repair and space across that.
#include <gtest/gtest.h>

#include <algorithm>

#include "util/random.h"
#include "value_log/segment_map.h"
#include "value_log/separated_db.h"
#include "value_log/value_log.h"

namespace openremap {
namespace {

using leveldb::Status;

// Values of two pages, which move; or the pages between them go.
class MovedSegmentsTest : public SeparatedDb {
 protected:
  static constexpr int kKeys = 60;
  explicit MovedSegmentsTest(ValueLogCollector collector = ValueLogCollector::kRemap) {
    options_.remap.value_log_collector = collector;
    options_.remap.value_log_dead_percent = 10;
    counter_ = collector == ValueLogCollector::kPunch ? "punched-segments" : "moved-segments";
  }
  // Every seventh key stays, so that segments have live values.
  void OverwriteUntilMoved(uint64_t segments) {
    const uint64_t before = Counter(counter_);
    for (int i = 0; i < 100 * kKeys; i++) {
      const int key = static_cast<int>(random_.Uniform(kKeys));
      if (i < kKeys) Put(Key(i), Value(i, 0, 8192));
      if (i >= kKeys && key % 7 != 0) Put(Key(key), Value(key, ++version_, 8192));
      if (i > kKeys && Counter(counter_) >= before + segments) return;
    }
    FAIL() << "nothing moves";
  }

  // The database is opened again a few times and collected further; without entries it has no segments.
  void ReopenThenEmpty() {
    for (int i = 0; i < 3; i++) {
      Close();
      Open();
      ExpectModel();
      OverwriteUntilMoved(1);
    }
    CompactAll();
    ExpectModel();
    while (!model_.empty()) Delete(model_.begin()->first);
    CompactAll();
    EXPECT_TRUE(Segments().empty());
  }

  leveldb::Random random_{301};
  int version_ = 0;
  std::string counter_;
};

class PunchedSegmentsTest : public MovedSegmentsTest {
 protected:
  PunchedSegmentsTest() : MovedSegmentsTest(ValueLogCollector::kPunch) {}
  // Puts and overwrites until segments have been looked at, which all wait for a reader.
  void OverwriteWhileHeld() {
    for (int i = 0; i < 10 * kKeys; i++) {
      const int key = static_cast<int>(random_.Uniform(kKeys));
      if (key % 7 != 0) Put(Key(key), Value(key, ++version_, 8192));
    }
  }
};

TEST_F(PunchedSegmentsTest, HolesWaitForReaders) {
  Open();
  OverwriteUntilMoved(3);
  const Model then = model_;
  std::unique_ptr<leveldb::Iterator> held(db_->NewIterator(leveldb::ReadOptions()));
  held->Seek(Key(kKeys / 2));
  const leveldb::Snapshot *snapshot = db_->GetSnapshot();
  OverwriteWhileHeld();  // what was dead before goes
  const uint64_t punched = Counter("punched-segments");
  OverwriteWhileHeld();
  EXPECT_EQ(Counter("punched-segments"), punched);
  ExpectModel();
  EXPECT_TRUE(held->value() == leveldb::Slice(then.at(Key(kKeys / 2))));
  ExpectAll(held.get(), then);
  held.reset();
  OverwriteWhileHeld();
  EXPECT_EQ(Counter("punched-segments"), punched) << "the snapshot holds them, too";
  leveldb::ReadOptions read;
  read.snapshot = snapshot;
  std::string value;
  for (const auto &[key, expected] : then) {
    ASSERT_TRUE(db_->Get(read, key, &value).ok()) << key;
    ASSERT_EQ(value, expected);
  }
  db_->ReleaseSnapshot(snapshot);
  OverwriteUntilMoved(3);
  EXPECT_GT(Counter("punched-bytes"), 0u);
  EXPECT_EQ(Counter("remapped-bytes"), 0u);
  ReopenThenEmpty();
}

TEST_F(PunchedSegmentsTest, HolesUnderAReaderAreFound) {
  SeededDefects().punched_under_readers = true;
  Open();
  OverwriteUntilMoved(3);
  const Model then = model_;
  std::unique_ptr<leveldb::Iterator> held(db_->NewIterator(leveldb::ReadOptions()));
  OverwriteUntilMoved(12);
  ExpectModel();
  Model found;
  for (held->SeekToFirst(); held->Valid(); held->Next()) found[held->key().ToString()] = held->value().ToString();
  EXPECT_TRUE(held->status().IsCorruption()) << held->status().ToString();
  EXPECT_NE(found, then);
}

TEST_F(PunchedSegmentsTest, SpaceIsBoundedByWhatLives) {
  Open();
  size_t largest = 0;
  for (int i = 0; i < 12; i++) {
    OverwriteUntilMoved(2);
    largest = std::max(largest, static_cast<size_t>(remap_env_.UsedPages()));
  }
  // As where segments move, but without old files.
  EXPECT_LT(largest, 8u * 120u);
}

TEST_F(PunchedSegmentsTest, WhatIsLeftOfSegmentsIsKnownAfterwards) {
  Open();
  OverwriteUntilMoved(12);
  CompactAll();
  ExpectModel();
  const uint64_t punched = Counter("punched-segments");
  EXPECT_EQ(punched, 0u) << "counted since it was opened";
  // Nothing dies: no segment is looked at in vain because it had more once.
  const uint64_t looked_at = Counter("collector-key-bytes");
  for (int i = 0; i < 40; i++) Put("small" + std::to_string(i % 3), "inline");
  EXPECT_EQ(Counter("punched-segments"), 0u);
  EXPECT_EQ(Counter("collector-key-bytes"), looked_at);
}

TEST_F(PunchedSegmentsTest, RepairKeepsWhatIsVisible) {
  Open();
  OverwriteUntilMoved(12);
  Close();
  for (const uint64_t number : Files(leveldb::kDescriptorFile)) {
    ASSERT_TRUE(env_.RemoveFile(leveldb::DescriptorFileName("/db", number)).ok());
  }
  ASSERT_TRUE(env_.RemoveFile(leveldb::CurrentFileName("/db")).ok());
  const Status s = leveldb::RepairDB("/db", options_);
  ASSERT_TRUE(s.ok()) << s.ToString();
  Open();
  ExpectModel();
  OverwriteUntilMoved(3);
  ExpectModel();
}

// What was moved is punched, and what was punched is moved and copied.
TEST_F(PunchedSegmentsTest, CollectorsTakeTurns) {
  Open();
  OverwriteUntilMoved(3);
  for (int round = 0; round < 12; round++) {
    Close();
    options_.remap.value_log_collector = static_cast<ValueLogCollector>(round % 3);
    const bool punches = options_.remap.value_log_collector == ValueLogCollector::kPunch;
    const bool moves = options_.remap.value_log_collector == ValueLogCollector::kRemap;
    counter_ = punches ? "punched-segments" : moves ? "moved-segments" : "collected-segments";
    Open();
    OverwriteUntilMoved(3);
    ExpectModel();
    if (round % 4 == 3) CompactAll();
  }
  CompactAll();
  ExpectModel();
}

TEST_F(MovedSegmentsTest, ValuesAndReadersKeepWhatTheySee) {
  Open();
  OverwriteUntilMoved(3);
  const Model then = model_;
  std::unique_ptr<leveldb::Iterator> held(db_->NewIterator(leveldb::ReadOptions()));
  held->Seek(Key(kKeys / 2));
  const leveldb::Snapshot *snapshot = db_->GetSnapshot();
  OverwriteUntilMoved(12);
  ExpectModel();
  EXPECT_TRUE(held->value() == leveldb::Slice(then.at(Key(kKeys / 2))));
  ExpectAll(held.get(), then);
  leveldb::ReadOptions read;
  read.snapshot = snapshot;
  std::string value;
  for (const auto &[key, expected] : then) {
    ASSERT_TRUE(db_->Get(read, key, &value).ok()) << key;
    ASSERT_EQ(value, expected);
  }
  std::unique_ptr<leveldb::Iterator> late(db_->NewIterator(read));
  db_->ReleaseSnapshot(snapshot);
  held.reset();
  OverwriteUntilMoved(12);
  ExpectAll(late.get(), then);
  late.reset();
  OverwriteUntilMoved(6);
  EXPECT_GT(Counter("remapped-bytes"), 0u);
  ReopenThenEmpty();
}

TEST_F(MovedSegmentsTest, SpaceIsBoundedByWhatLives) {
  Open();
  size_t largest = 0;
  for (int i = 0; i < 12; i++) {
    OverwriteUntilMoved(2);
    largest = std::max(largest, static_cast<size_t>(remap_env_.UsedPages()));
  }
  // 120 pages live; values of two memtables, of what no compaction has dropped, and old files until the next flush.
  EXPECT_LT(largest, 8u * 120u);
}

TEST_F(MovedSegmentsTest, RepairFindsThemWithoutAManifest) {
  Open();
  OverwriteUntilMoved(12);
  Close();
  for (const uint64_t number : Files(leveldb::kDescriptorFile)) {
    ASSERT_TRUE(env_.RemoveFile(leveldb::DescriptorFileName("/db", number)).ok());
  }
  ASSERT_TRUE(env_.RemoveFile(leveldb::CurrentFileName("/db")).ok());
  const Status s = leveldb::RepairDB("/db", options_);
  ASSERT_TRUE(s.ok()) << s.ToString();
  Open();
  ExpectModel();
  OverwriteUntilMoved(3);
  ExpectModel();
}

TEST_F(MovedSegmentsTest, AnUnreadableMapIsCorruption) {
  Open();
  OverwriteUntilMoved(6);
  CompactAll();
  ExpectModel();
  Close();
  for (const uint64_t number : Segments()) {
    const std::string name = SegmentFileName("/db", number);
    SegmentMap map;
    if (!SegmentMap::Read(&env_, name, &map).ok()) continue;
    std::string bytes;
    ASSERT_TRUE(leveldb::ReadFileToString(&env_, name, &bytes).ok());
    bytes.back() = static_cast<char>(bytes.back() ^ 1);
    ASSERT_TRUE(leveldb::WriteStringToFile(&env_, bytes, name).ok());
  }
  Open();
  int damaged = 0;
  for (const auto &[key, value] : model_) {
    const std::string got = Get(key);
    if (got == value) continue;
    EXPECT_EQ(got.find("Corruption"), 0u) << got.substr(0, 80);
    damaged++;
  }
  EXPECT_GT(damaged, 0);
}

}  // namespace
}  // namespace openremap
