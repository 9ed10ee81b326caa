// SPDX-License-Identifier: Apache-2.0
//
// Databases with a value log (docs/design/value-log.md): what is refused, what is removed when, what a power cut
// leaves; and that the defects which its rules prevent are found.
#include "value_log/separated_db.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "leveldb/write_batch.h"
#include "util/random.h"
#include "value_log/value_log.h"

namespace openremap {
namespace {

using leveldb::Status;

class SeparatedDbTest : public SeparatedDb {
 protected:
  // Overwrites keys at random until segments are collected, which takes writes and a flush. Every seventh key stays, so
  // that segments do not die by themselves.
  void OverwriteUntilCollected(int keys) {
    const uint64_t before = Counter("collected-segments");
    for (int i = 0; i < 100 * keys; i++) {
      const int key = static_cast<int>(random_.Uniform(keys));
      if (key % 7 != 0) Put(Key(key), Value(key, ++version_));
      if (i % keys == 0 && Counter("collected-segments") > before + 3) return;
    }
    FAIL() << "nothing is collected";
  }

  // A database with dead values that are known, and not collected yet: while a snapshot is held none become known.
  void OpenWithDeadValues(int keys) {
    options_.remap.value_log_dead_percent = 95;
    Open();
    for (int i = 0; i < keys; i++) Put(Key(i), Value(i, 0));
    for (int i = 0; i < 8 * keys; i++) {
      const int key = static_cast<int>(random_.Uniform(keys));
      if (key % 7 != 0) Put(Key(key), Value(key, ++version_));
    }
    Close();
    options_.remap.value_log_dead_percent = 10;
    Open();
  }

  leveldb::Random random_{301};
  int version_ = 0;
};

TEST_F(SeparatedDbTest, ValuesFromTheThresholdOnAreInTheLog) {
  options_.remap.value_log_threshold = 100;
  Open();
  Put("a", std::string(99, 'a'));
  EXPECT_TRUE(Segments().empty());
  Put("b", std::string(100, 'b'));
  Put("c", "");
  EXPECT_EQ(Segments().size(), 1u);
  ExpectModel();
  CompactAll();
  EXPECT_EQ(Counter("live-bytes"), 100u);
  ExpectModel();
  EXPECT_EQ(Get("b"), std::string(100, 'b'));
  EXPECT_TRUE(Get("d").find("NotFound") == 0) << Get("d");
}

TEST_F(SeparatedDbTest, TheLedgerIsExact) {
  Open();
  for (int i = 0; i < 3000; i++) {
    if (i % 7 == 0) {
      Delete(Key(i * 13 % 500));
    } else {
      Put(Key(i * 31 % 500), Value(i, 0, 200 + static_cast<size_t>(i) % 800));
    }
    if (i % 1000 == 500) {
      Close();
      Open();
    }
  }
  CompactAll();
  uint64_t bytes = 0;
  for (const auto &[key, value] : model_) bytes += value.size();
  EXPECT_EQ(Counter("live-bytes"), bytes);
  ExpectModel();
  // And without any live value no segment is left.
  while (!model_.empty()) Delete(model_.begin()->first);
  CompactAll();
  EXPECT_EQ(Counter("live-bytes"), 0u);
  EXPECT_TRUE(Segments().empty());
}

TEST_F(SeparatedDbTest, DestroyRemovesTheSegments) {
  Open();
  for (int i = 0; i < 200; i++) Put(Key(i), Value(i, 0));
  EXPECT_FALSE(Segments().empty());
  Close();
  ASSERT_TRUE(leveldb::DestroyDB("/db", options_).ok());
  std::vector<std::string> names;
  (void)env_.GetChildren("/db", &names);
  EXPECT_TRUE(names.empty());
}

TEST_F(SeparatedDbTest, ADatabaseWithAValueLogOpensWithoutAThreshold) {
  Open();
  for (int i = 0; i < 200; i++) Put(Key(i), Value(i, 0));
  Close();
  options_.remap.value_log_threshold = kNoValueLog;
  Open();
  ExpectModel();
  for (int i = 0; i < 100; i++) Put(Key(i), Value(i, 1));
  ExpectModel();
  Close();
  options_.remap.value_log_threshold = 0;
  Open();
  ExpectModel();
}

TEST_F(SeparatedDbTest, ADatabaseWithoutOneIsRefusedAThreshold) {
  options_.remap.value_log_threshold = kNoValueLog;
  Open();
  Put("a", "1");
  Close();
  options_.remap.value_log_threshold = 0;
  const Status s = TryOpen();
  EXPECT_TRUE(s.IsInvalidArgument());
  EXPECT_NE(s.ToString().find("was made without a value log"), std::string::npos) << s.ToString();
  options_.remap.value_log_threshold = kNoValueLog;
  Open();
  ExpectModel();
}

// Stock LevelDB looks at the comparator's name in the first record and knows none of our tags.
TEST_F(SeparatedDbTest, TheManifestBeginsWithANameThatStockRefuses) {
  Open();
  for (int i = 0; i < 1000; i++) Put(Key(i % 100), Value(i, 0));
  Close();
  const std::vector<uint64_t> manifests = Files(leveldb::kDescriptorFile);
  ASSERT_EQ(manifests.size(), 1u);
  std::string bytes;
  ASSERT_TRUE(leveldb::ReadFileToString(&env_, leveldb::DescriptorFileName("/db", manifests[0]), &bytes).ok());
  EXPECT_NE(bytes.substr(0, 100).find("leveldb.BytewiseComparator with values in OpenRemap's value log"),
            std::string::npos);
}

TEST_F(SeparatedDbTest, SegmentsAreCollectedAndReadersKeepWhatTheySee) {
  constexpr int kKeys = 300;
  OpenWithDeadValues(kKeys);
  const Model then = model_;
  std::unique_ptr<leveldb::Iterator> unmoved(db_->NewIterator(leveldb::ReadOptions()));
  std::unique_ptr<leveldb::Iterator> standing(db_->NewIterator(leveldb::ReadOptions()));
  standing->Seek(Key(150));
  const leveldb::Snapshot *snapshot = db_->GetSnapshot();
  OverwriteUntilCollected(kKeys);
  ExpectModel();
  ExpectAll(unmoved.get(), then);
  EXPECT_TRUE(standing->value() == leveldb::Slice(then.at(Key(150))));
  ExpectAll(standing.get(), then);
  leveldb::ReadOptions read;
  read.snapshot = snapshot;
  std::string value;
  for (int i = 0; i < kKeys; i++) {
    ASSERT_TRUE(db_->Get(read, Key(i), &value).ok());
    ASSERT_EQ(value, then.at(Key(i)));
  }
  // An iterator at the snapshot may outlive it.
  std::unique_ptr<leveldb::Iterator> late(db_->NewIterator(read));
  db_->ReleaseSnapshot(snapshot);
  unmoved.reset();
  standing.reset();
  OverwriteUntilCollected(kKeys);
  ExpectAll(late.get(), then);
  late.reset();
  const size_t pinned = Segments().size();
  OverwriteUntilCollected(kKeys);
  EXPECT_LT(Segments().size(), pinned);
  ExpectModel();
  Close();
  Open();
  ExpectModel();
}

TEST_F(SeparatedDbTest, ASegmentThatIteratorsSeeIsFoundMissing) {
  SeededDefects().iterators_not_counted = true;
  constexpr int kKeys = 300;
  OpenWithDeadValues(kKeys);
  const leveldb::Snapshot *snapshot = db_->GetSnapshot();
  OverwriteUntilCollected(kKeys);
  leveldb::ReadOptions read;
  read.snapshot = snapshot;
  std::unique_ptr<leveldb::Iterator> late(db_->NewIterator(read));
  db_->ReleaseSnapshot(snapshot);
  OverwriteUntilCollected(kKeys);
  int entries = 0;
  for (late->SeekToFirst(); late->Valid(); late->Next()) {
    (void)late->value();
    entries++;
  }
  EXPECT_TRUE(late->status().IsCorruption()) << entries << " entries, " << late->status().ToString();
}

// The space of an overwritten database is bounded by its live values.
TEST_F(SeparatedDbTest, TheLogStaysWithinItsShareOfDeadValues) {
  options_.remap.value_log_dead_percent = 30;
  Open();
  constexpr int kKeys = 400;
  uint64_t largest = 0;
  for (int i = 0; i < 20000; i++) {
    Put(Key(static_cast<int>(static_cast<unsigned>(i) * 2654435761u % kKeys)), Value(i, 0));
    if (i > 5000 && i % 100 == 0) largest = std::max<uint64_t>(largest, Segments().size());
  }
  ExpectModel();
  // 400 KB live; dead values are known when they fall into what hides them, and memtables hold some 600 entries.
  EXPECT_LE(largest * 65536, 6 * kKeys * 1000u);
}

// ---- Power cuts ----

TEST_F(SeparatedDbTest, ALogEndsAtItsFirstPointerWithoutAValue) {
  Open();
  Put("a", Value(1, 0), /*sync=*/true);
  const Model synced = model_;
  Put("b", Value(2, 0));
  Put("c", Value(3, 0));
  // The log gets further than the value log, as it may on its own.
  const std::string log = leveldb::LogFileName("/db", Files(leveldb::kLogFile).back());
  Close();
  std::string bytes;
  ASSERT_TRUE(leveldb::ReadFileToString(&env_, log, &bytes).ok());
  remap_env_.DropUnsynced();
  ASSERT_TRUE(leveldb::WriteStringToFile(&env_, bytes, log).ok());
  options_.paranoid_checks = true;
  Open();
  model_ = synced;
  ExpectModel();
  // What comes later survives, too.
  Put("d", Value(4, 0), /*sync=*/true);
  CutPower();
  Open();
  ExpectModel();
}

TEST_F(SeparatedDbTest, AWrongChecksumEndsTheLogOrIsAnError) {
  Open();
  Put("a", Value(1, 0), /*sync=*/true);
  const Model before = model_;
  Put("b", Value(2, 0), /*sync=*/true);
  Close();
  const std::string segment = SegmentFileName("/db", Segments().back());
  std::string bytes;
  ASSERT_TRUE(leveldb::ReadFileToString(&env_, segment, &bytes).ok());
  bytes[1500] = static_cast<char>(bytes[1500] ^ 1);
  ASSERT_TRUE(leveldb::WriteStringToFile(&env_, bytes, segment).ok());
  options_.paranoid_checks = true;
  EXPECT_TRUE(TryOpen().IsCorruption());
  options_.paranoid_checks = false;
  Open();
  model_ = before;
  ExpectModel();
}

TEST_F(SeparatedDbTest, ADamagedValueIsCorruptionAndNeverRead) {
  Open();
  Put("a", Value(1, 0));
  Put("b", Value(2, 0));
  CompactAll();
  const std::string segment = SegmentFileName("/db", Segments().back());
  std::string bytes;
  ASSERT_TRUE(leveldb::ReadFileToString(&env_, segment, &bytes).ok());
  bytes[1500] = static_cast<char>(bytes[1500] ^ 1);
  Close();
  ASSERT_TRUE(leveldb::WriteStringToFile(&env_, bytes, segment).ok());
  Open();
  EXPECT_EQ(Get("a"), Value(1, 0));
  EXPECT_NE(Get("b").find("wrong checksum"), std::string::npos) << Get("b");
  std::unique_ptr<leveldb::Iterator> it(db_->NewIterator(leveldb::ReadOptions()));
  it->Seek("b");
  EXPECT_TRUE(it->Valid());
  EXPECT_EQ(it->value().size(), 0u);
  EXPECT_FALSE(it->Valid());
  EXPECT_TRUE(it->status().IsCorruption());
  it.reset();
  Close();
  ASSERT_TRUE(env_.RemoveFile(segment).ok());
  Open();
  EXPECT_NE(Get("a").find("the segment is missing"), std::string::npos) << Get("a");
}

// Power goes after each of many writes. Returns whether synced writes were lost or anything is wrong.
class PowerCutDb : public SeparatedDb {
 protected:
  bool FindsNothingWrong() {
    options_.remap.value_log_dead_percent = 5;
    leveldb::Random random(77);
    Model durable;
    if (!TryOpen().ok()) return false;
    for (int cut = 0; cut < 40; cut++) {
      std::vector<Model> allowed = {durable};
      const int writes = 150 + static_cast<int>(random.Uniform(200));
      for (int i = 0; i < writes; i++) {
        const int key = static_cast<int>(random.Uniform(120));
        const bool sync = i % 50 == 0;
        Put(Key(key), Value(key, cut * 1000 + i, 300 + static_cast<size_t>(i) % 5000), sync);
        if (sync) allowed.clear();
        allowed.push_back(model_);
      }
      collected_ += Counter("collected-segments");
      moved_ += Counter("moved-segments");
      punched_ += Counter("punched-segments");
      CutPower();
      if (!TryOpen().ok()) return false;
      Model found;
      const std::unique_ptr<leveldb::Iterator> it(db_->NewIterator(leveldb::ReadOptions()));
      for (it->SeekToFirst(); it->Valid(); it->Next()) found[it->key().ToString()] = it->value().ToString();
      if (!it->status().ok() || std::find(allowed.begin(), allowed.end(), found) == allowed.end()) return false;
      durable = model_ = found;
    }
    return true;
  }
  uint64_t collected_ = 0, moved_ = 0, punched_ = 0;
};

TEST_F(PowerCutDb, NothingIsLost) {
  EXPECT_TRUE(FindsNothingWrong());
  EXPECT_GT(collected_, 20u);
}

TEST_F(PowerCutDb, NothingIsLostWhereSegmentsMove) {
  options_.remap.value_log_collector = ValueLogCollector::kRemap;
  EXPECT_TRUE(FindsNothingWrong());
  EXPECT_GT(moved_, 20u);
}

TEST_F(PowerCutDb, SegmentsThatGoBeforeTheManifestSaysWhereTheyAreAreFound) {
  options_.remap.value_log_collector = ValueLogCollector::kRemap;
  SeededDefects().moved_at_once = true;
  EXPECT_FALSE(FindsNothingWrong());
}

TEST_F(PowerCutDb, NothingIsLostWhereDeadPagesGo) {
  options_.remap.value_log_collector = ValueLogCollector::kPunch;
  EXPECT_TRUE(FindsNothingWrong());
  EXPECT_GT(punched_, 10u);
}

TEST_F(PowerCutDb, PagesThatGoBeforeWhatHidesThemIsDurableAreFound) {
  options_.remap.value_log_collector = ValueLogCollector::kPunch;
  SeededDefects().punched_at_once = true;
  EXPECT_FALSE(FindsNothingWrong());
}

TEST_F(PowerCutDb, PointersBeforeValuesAreFound) {
  SeededDefects().values_not_synced = true;
  EXPECT_FALSE(FindsNothingWrong());
}

TEST_F(PowerCutDb, SegmentsThatGoBeforeTheirCopiesAreDurableAreFound) {
  SeededDefects().collected_at_once = true;
  EXPECT_FALSE(FindsNothingWrong());
}

}  // namespace
}  // namespace openremap
