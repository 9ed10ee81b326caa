// SPDX-License-Identifier: Apache-2.0
//
// The collectors that leave live values where they are: remap and punch; and what is chosen by cost.
#include <gtest/gtest.h>

#include <set>

#include "inline_env.h"
#include "value_log/collected_segments.h"

namespace openremap {
namespace {

using leveldb::Status;

class RemapCollectorTest : public SegmentCollectorTest {
 protected:
  RemapCollectorTest() {
    options_.remap.value_log_collector = ValueLogCollector::kRemap;
    value_bytes_ = 2 * kPageBytes;
  }
  // Moves the next segment, as SeparatedValues does.
  void MoveNext(uint64_t target) {
    ASSERT_TRUE(collector_->moves());
    collector_->SetTarget(target);
    EXPECT_TRUE(Step(/*ok=*/false).empty()) << "whether or not the write succeeds";
    EXPECT_EQ(inserted_, 0);
  }
  // The manifest says so.
  void Apply() {
    SegmentChanges changes;
    changes.moved = moved_;
    ledger_.Apply(changes, ++version_, 0);
    for (const auto &[segment, move] : moved_) log_->Move(segment, move.file);
  }
};

TEST_F(RemapCollectorTest, LivePagesMoveAndPointersStay) {
  for (uint64_t number = 1; number <= 3; number++) Segment(number, number == 2 ? 5 : 10);
  const std::map<std::string, std::string> before = tagged_;
  options_.remap.value_log_dead_percent = 10;
  Plan();
  EXPECT_FALSE(collector_->moves());
  EXPECT_TRUE(Step().empty());
  MoveNext(950);
  EXPECT_FALSE(collector_->under_way());
  ASSERT_EQ(moved_.count(2), 1u);
  EXPECT_EQ(moved_[2].file, 950u);
  EXPECT_EQ(moved_[2].bytes, 5 * value_bytes_);
  EXPECT_EQ(collector_->counters().moved, 1u);
  EXPECT_EQ(collector_->counters().remapped, 5 * value_bytes_);
  EXPECT_EQ(collector_->counters().moved_copied, 0u);
  Plan();
  EXPECT_FALSE(collector_->under_way()) << "the ledger does not say it yet";
  Apply();
  ASSERT_TRUE(env_.RemoveFile(SegmentFileName("/db", 2)).ok());
  log_->Evict(2);
  EXPECT_EQ(tagged_, before);
  for (int i = 0; i < 5; i++) EXPECT_EQ(SegmentOf(std::to_string(2000 + i)), 2u);
  EXPECT_EQ(SegmentOf("1009"), 1u);
  Plan();
  EXPECT_FALSE(collector_->under_way());
}

TEST_F(RemapCollectorTest, WritesThatAreRefusedDoNotMakeLiveBytesOfASegmentMore) {
  for (uint64_t number = 1; number <= 3; number++) Segment(number, number == 2 ? 5 : 10);
  options_.remap.value_log_dead_percent = 10;
  Plan();
  for (int i = 0; i < 100; i++) EXPECT_TRUE(Step(/*ok=*/false).empty());
  EXPECT_TRUE(Step().empty());
  MoveNext(950);
  EXPECT_EQ(moved_[2].bytes, 5 * value_bytes_);
}

TEST_F(RemapCollectorTest, WithoutAnythingVisibleASegmentIsCollected) {
  Segment(1, 5);
  Segment(2, 10);
  // The values that the ledger takes to live are hidden.
  for (int i = 0; i < 5; i++) tagged_.erase(std::to_string(1000 + i));
  options_.remap.value_log_dead_percent = 10;
  Plan();
  EXPECT_EQ(Step(), (std::vector<uint64_t>{1}));
  EXPECT_FALSE(collector_->moves());
  Plan();
  EXPECT_FALSE(collector_->under_way());
}

TEST_F(RemapCollectorTest, PagesThatAllHaveLiveValuesDoNotMoveButByCostAreCopied) {
  value_bytes_ = kPageBytes / 2;
  for (uint64_t number = 1; number <= 4; number++) Segment(number, 10);
  for (uint64_t number = 1; number <= 4; number++) {
    SegmentChanges changes;
    for (int i = 1; i < 10; i += 2) {
      const std::string key = std::to_string(1000 * number + static_cast<uint64_t>(i));
      changes.Drop(tagged_[key]);
      tagged_.erase(key);
    }
    ledger_.Apply(changes, ++version_, 0);
  }
  Plan();
  EXPECT_TRUE(collector_->under_way());
  EXPECT_TRUE(Step().empty());
  EXPECT_FALSE(collector_->moves());
  EXPECT_EQ(collector_->counters().moved, 0u);
  Plan();
  EXPECT_FALSE(collector_->under_way()) << "in vain";
  options_.remap.value_log_collector = ValueLogCollector::kCost;
  ledger_.Apply(SegmentChanges(), ++version_, 0);
  Plan();
  EXPECT_EQ(Step(), (std::vector<uint64_t>{1}));
  EXPECT_EQ(inserted_, 5);
}

TEST_F(RemapCollectorTest, AMoveThatFailsIsPostponed) {
  for (uint64_t number = 1; number <= 4; number++) Segment(number, 5);
  Plan();
  Step();
  ASSERT_TRUE(env_.RemoveFile(SegmentFileName("/db", 1)).ok());
  MoveNext(950);
  EXPECT_TRUE(moved_.empty()) << "it died meanwhile";
  MoveNext(951);
  EXPECT_EQ(moved_.count(2), 1u);
  EXPECT_FALSE(env_.FileExists(SegmentFileName("/db", 950)));
}

TEST_F(RemapCollectorTest, ADamagedSegmentHoldsUpNoOther) {
  for (uint64_t number = 1; number <= 4; number++) Segment(number, 5);
  Plan();
  Step();
  const std::string name = SegmentFileName("/db", 1);
  ASSERT_TRUE(env_.RemoveFile(name).ok());
  ASSERT_TRUE(leveldb::WriteStringToFile(&env_, std::string(kPageBytes, 'v'), name).ok()) << "its end is gone";
  MoveNext(950);
  EXPECT_TRUE(moved_.empty());
  for (uint64_t number = 2; number <= 4; number++) {
    MoveNext(950 + number);
    EXPECT_EQ(moved_.count(number), 1u);
    Apply();
  }
  ledger_.Apply(SegmentChanges(), ++version_, 0);
  Plan();
  EXPECT_FALSE(collector_->under_way()) << "it is not tried again";
}

class PunchCollectorTest : public SegmentCollectorTest {
 protected:
  PunchCollectorTest() {
    options_.remap.value_log_collector = ValueLogCollector::kPunch;
    value_bytes_ = 2 * kPageBytes;
  }
  void DropValue(uint64_t segment, int value) {
    const std::string key = std::to_string(1000 * segment + static_cast<uint64_t>(value));
    SegmentChanges changes;
    changes.Drop(tagged_[key]);
    tagged_.erase(key);
    ledger_.Apply(changes, ++version_, 0);
  }
  // Scans, and returns what is to be punched.
  std::set<uint64_t> Scan() {
    EXPECT_TRUE(Step().empty());
    EXPECT_TRUE(moved_.empty());
    EXPECT_EQ(inserted_, 0);
    return collector_->TakePunchable();
  }
  // As SeparatedValues does.
  std::map<uint64_t, uint64_t> PunchNext(uint64_t segment) {
    collector_->SetPunching(segment);
    EXPECT_TRUE(Step(/*ok=*/false).empty()) << "whether or not the write succeeds";
    EXPECT_EQ(inserted_, 0);
    EXPECT_FALSE(collector_->punches());
    std::map<uint64_t, uint64_t> punched = collector_->TakePunched();
    for (const auto &[number, bytes] : punched) ledger_.Punched(number, bytes);
    return punched;
  }
  void ExpectPunched(uint64_t segments, uint64_t values) {
    EXPECT_EQ(collector_->counters().punched, segments);
    EXPECT_EQ(collector_->counters().punched_bytes, values * value_bytes_);
  }
};

TEST_F(PunchCollectorTest, DeadPagesGoAndPointersStay) {
  options_.remap.value_log_dead_percent = 10;
  for (uint64_t number = 1; number <= 3; number++) Segment(number, number == 2 ? 5 : 10);
  const std::map<std::string, std::string> before = tagged_;
  const uint64_t pages = env_.UsedPages();
  Plan();
  EXPECT_EQ(Scan(), (std::set<uint64_t>{2}));
  EXPECT_FALSE(collector_->under_way()) << "it waits until nobody sees them";
  EXPECT_EQ(env_.UsedPages(), pages);
  ledger_.Apply(SegmentChanges(), ++version_, 0);
  Plan();
  EXPECT_FALSE(collector_->under_way()) << "and is not picked meanwhile";
  EXPECT_EQ(PunchNext(2), (std::map<uint64_t, uint64_t>{{2, 5 * value_bytes_}}));
  ExpectPunched(1, 5);
  EXPECT_EQ(env_.UsedPages(), pages - 10);
  EXPECT_EQ(tagged_, before);
  for (int i = 0; i < 5; i++) EXPECT_EQ(SegmentOf(std::to_string(2000 + i)), 2u);
  EXPECT_EQ(ledger_.segments().at(2).size(), 5 * value_bytes_);
  EXPECT_EQ(ledger_.segments().at(2).live(), 5 * value_bytes_);
  ledger_.Apply(SegmentChanges(), ++version_, 0);
  Plan();
  EXPECT_FALSE(collector_->under_way()) << "nothing dead is left";
}

TEST_F(PunchCollectorTest, TheSameSegmentAgainWhenMoreHasDied) {
  options_.remap.value_log_dead_percent = 10;
  for (uint64_t number = 1; number <= 3; number++) Segment(number, number == 2 ? 6 : 10);
  Plan();
  EXPECT_EQ(Scan().size(), 1u);
  PunchNext(2);
  for (int value = 0; value < 3; value++) DropValue(2, value);
  Plan();
  EXPECT_EQ(Scan(), (std::set<uint64_t>{2}));
  EXPECT_EQ(PunchNext(2), (std::map<uint64_t, uint64_t>{{2, 3 * value_bytes_}}));
  for (int value = 3; value < 6; value++) EXPECT_EQ(SegmentOf(std::to_string(2000 + value)), 2u);
  EXPECT_EQ(collector_->counters().punched, 2u);
}

// A crash between the holes and the edit that says so: the holes are made again, and then it is said.
TEST_F(PunchCollectorTest, HolesThatTheManifestDoesNotTellAreMadeAgain) {
  options_.remap.value_log_dead_percent = 10;
  for (uint64_t number = 1; number <= 3; number++) Segment(number, number == 2 ? 5 : 10);
  for (int run = 0; run < 2; run++) {
    collector_.emplace(options_, "/db", &*log_);
    Plan();
    EXPECT_EQ(Scan(), (std::set<uint64_t>{2}));
    collector_->SetPunching(2);
    Step(/*ok=*/false);
    EXPECT_EQ(collector_->TakePunched(), (std::map<uint64_t, uint64_t>{{2, 5 * value_bytes_}}));
  }
  EXPECT_EQ(SegmentOf("2004"), 2u);
}

TEST_F(PunchCollectorTest, PagesThatAllHaveLiveValuesAreNotPunchedButByCostAreCopied) {
  value_bytes_ = kPageBytes / 2;
  for (uint64_t number = 1; number <= 4; number++) Segment(number, 10);
  for (uint64_t number = 1; number <= 4; number++) {
    for (int i = 1; i < 10; i += 2) DropValue(number, i);
  }
  Plan();
  EXPECT_TRUE(collector_->under_way());
  EXPECT_TRUE(Scan().empty());
  Plan();
  EXPECT_FALSE(collector_->under_way()) << "in vain";
  options_.remap.value_log_collector = ValueLogCollector::kCost;
  ledger_.Apply(SegmentChanges(), ++version_, 0);
  Plan();
  EXPECT_EQ(Step(), (std::vector<uint64_t>{1}));
  EXPECT_EQ(inserted_, 5);
}

TEST_F(PunchCollectorTest, ByCostASegmentWithLittleLeftIsCopiedAndTheOthersArePunched) {
  options_.remap.value_log_collector = ValueLogCollector::kCost;
  options_.remap.value_log_segment_bytes = 2 * 65536;
  for (uint64_t number = 1; number <= 4; number++) Segment(number, number == 3 ? 1 : 6);
  Plan();
  EXPECT_EQ(Step(), (std::vector<uint64_t>{3}));
  EXPECT_EQ(inserted_, 1);
  EXPECT_EQ(collector_->TakePunchable(), (std::set<uint64_t>{1, 2, 4}));
}

TEST_F(PunchCollectorTest, WithoutAnythingVisibleASegmentIsCollected) {
  Segment(1, 5);
  Segment(2, 10);
  for (int i = 0; i < 5; i++) tagged_.erase(std::to_string(1000 + i));
  options_.remap.value_log_dead_percent = 10;
  Plan();
  EXPECT_EQ(Step(), (std::vector<uint64_t>{1}));
  EXPECT_TRUE(collector_->TakePunchable().empty());
}

// The first one tells: the file layer makes no holes.
TEST_F(PunchCollectorTest, WithoutHolesSegmentsAreCopiedOrByCostMoved) {
  class NoHoles : public InlineRemapEnv {
   public:
    using InlineRemapEnv::InlineRemapEnv;
    Status PunchHole(const std::string &fname, uint64_t, uint64_t) override { return Status::NotSupported(fname); }
  } env(&faults_, &faults_);
  for (const ValueLogCollector wanted : {ValueLogCollector::kPunch, ValueLogCollector::kCost}) {
    options_.env = &env;
    options_.remap.value_log_collector = wanted;
    collector_.emplace(options_, "/db", &*log_);
    for (uint64_t number = 1; number <= 4; number++) Segment(number, 5);
    Plan();
    const std::set<uint64_t> punchable = Scan();
    EXPECT_EQ(punchable.size(), 4u);
    for (const uint64_t segment : punchable) EXPECT_TRUE(PunchNext(segment).empty());
    ExpectPunched(0, 0);
    Plan();
    if (wanted == ValueLogCollector::kPunch) {
      EXPECT_EQ(Step(), (std::vector<uint64_t>{1})) << "a quarter of the log";
      EXPECT_EQ(inserted_, 5);
    } else {
      EXPECT_TRUE(Step().empty());
      EXPECT_TRUE(collector_->moves());
    }
    tagged_.clear();
    ledger_ = SegmentLedger();
    log_.emplace(options_, "/db");
  }
}

TEST_F(PunchCollectorTest, AHoleThatFailsHoldsUpNoOther) {
  for (uint64_t number = 1; number <= 4; number++) Segment(number, 5);
  Plan();
  EXPECT_EQ(Scan().size(), 4u);
  ASSERT_TRUE(env_.RemoveFile(SegmentFileName("/db", 1)).ok());
  EXPECT_TRUE(PunchNext(1).empty()) << "it died meanwhile";
  faults_.FailFrom(".vlog", 0, 1);
  EXPECT_TRUE(PunchNext(2).empty());
  faults_.Mend();
  EXPECT_EQ(PunchNext(3).size(), 1u);
  collector_->ForgetPunchable(4);
  EXPECT_TRUE(PunchNext(4).empty());
  EXPECT_EQ(SegmentOf("2004"), 2u);
}

}  // namespace
}  // namespace openremap
