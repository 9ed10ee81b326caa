// SPDX-License-Identifier: Apache-2.0
#include "value_log/segment_collector.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <set>

#include "db/write_batch_internal.h"
#include "inline_env.h"
#include "memory_remap_env.h"
#include "value_log/segment_faults.h"

namespace openremap {
namespace {

using leveldb::Slice;
using leveldb::Status;

constexpr uint64_t kNone = UINT64_MAX;

class MapScan : public leveldb::Iterator {
 public:
  explicit MapScan(const std::map<std::string, std::string> *map, Status status)
      : map_(map), at_(map->end()), status_(std::move(status)) {}
  bool Valid() const override { return status_.ok() && at_ != map_->end(); }
  void SeekToFirst() override { at_ = map_->begin(); }
  void SeekToLast() override { FAIL(); }
  void Seek(const Slice &target) override { at_ = map_->lower_bound(target.ToString()); }
  void Next() override { ++at_; }
  void Prev() override { FAIL(); }
  Slice key() const override { return at_->first; }
  Slice value() const override { return at_->second; }
  Status status() const override { return status_; }

 private:
  const std::map<std::string, std::string> *const map_;
  std::map<std::string, std::string>::const_iterator at_;
  const Status status_;
};

// Puts of a batch into a map.
class Apply : public leveldb::WriteBatch::Handler {
 public:
  explicit Apply(std::map<std::string, std::string> *map) : map_(map) {}
  void Put(const Slice &key, const Slice &value) override { (*map_)[key.ToString()] = value.ToString(); }
  void Delete(const Slice &) override { FAIL(); }

 private:
  std::map<std::string, std::string> *const map_;
};

class SegmentCollectorTest : public ::testing::Test {
 protected:
  SegmentCollectorTest() {
    options_.env = &faults_;
    options_.compression = leveldb::kNoCompression;
    options_.remap.value_log_segment_bytes = 65536;
    options_.remap.value_log_dead_percent = 30;
    options_.remap.value_log_collector = ValueLogCollector::kCopy;
    log_.emplace(options_, "/db");
    collector_.emplace(options_, "/db", &*log_);
  }

  // Writes a segment of ten values of value_bytes_; those of keys from `live` on are dead.
  void Segment(uint64_t number, int live) {
    log_->Begin(number);
    SegmentChanges changes;
    for (int i = 0; i < 10; i++) {
      ValuePointer pointer;
      const std::string key = std::to_string(1000 * number + static_cast<uint64_t>(i));
      ASSERT_TRUE(log_->Append(key + std::string(value_bytes_ - key.size(), 'v'), &pointer).ok());
      std::string tagged;
      AppendPointer(pointer, &tagged);
      changes.Add(tagged);
      if (i < live) {
        tagged_[key] = tagged;
      } else {
        changes.Drop(tagged);
      }
    }
    ledger_.Apply(changes, ++version_, 0);
    ASSERT_TRUE(log_->Sync().ok());
    log_->Begin(900);  // what is inserted again
  }
  void Plan(uint64_t first_unflushed = kNone) {
    collector_->Plan(ledger_, first_unflushed, [] { return uint64_t{10000}; });
  }
  std::vector<uint64_t> Step(bool ok = true, uint64_t bytes = 100000) {
    leveldb::WriteBatch batch;
    collector_->Step(
        bytes, [this] { return std::make_unique<MapScan>(&tagged_, scan_status_); }, &batch);
    if (ok) {
      Apply apply(&tagged_);
      EXPECT_TRUE(batch.Iterate(&apply).ok());
    }
    inserted_ = leveldb::WriteBatchInternal::Count(&batch);
    moved_ = collector_->TakeMoved();
    return collector_->Written(ok);
  }
  uint64_t SegmentOf(const std::string &key) {
    TaggedValue value;
    EXPECT_TRUE(ParseTagged(tagged_[key], &value));
    std::string read;
    EXPECT_TRUE(log_->Read(value.pointer, &read).ok());
    EXPECT_EQ(read.substr(0, key.size()), key);
    return value.pointer.segment;
  }

  MemoryRemapEnv env_;
  SegmentFaults faults_{&env_};
  leveldb::Options options_;
  std::optional<ValueLog> log_;
  std::optional<SegmentCollector> collector_;
  SegmentLedger ledger_;
  uint64_t version_ = 0;
  std::map<std::string, std::string> tagged_;
  Status scan_status_;
  size_t value_bytes_ = 6000;
  int inserted_ = 0;
  std::map<uint64_t, SegmentChanges::Move> moved_;
};

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

TEST_F(RemapCollectorTest, ByCostASegmentWithLittleLeftIsCopied) {
  options_.remap.value_log_collector = ValueLogCollector::kCost;
  options_.remap.value_log_segment_bytes = 2 * 65536;
  for (uint64_t number = 1; number <= 4; number++) Segment(number, number == 3 ? 1 : 6);
  Plan();
  EXPECT_EQ(Step(), (std::vector<uint64_t>{3}));
  EXPECT_EQ(inserted_, 1);
  EXPECT_FALSE(collector_->moves()) << "the others are punched, where the file layer makes holes";
  EXPECT_EQ(collector_->TakePunchable().size(), 3u);
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

TEST_F(SegmentCollectorTest, BeginsWhenEnoughIsDead) {
  Segment(1, 9);
  Segment(2, 6);
  Plan();
  EXPECT_FALSE(collector_->under_way()) << "a quarter";
  Segment(3, 3);
  Plan();
  EXPECT_TRUE(collector_->under_way());
}

TEST_F(SegmentCollectorTest, NeverWithoutAShare) {
  options_.remap.value_log_dead_percent = 0;
  for (uint64_t number = 1; number < 9; number++) Segment(number, 1);
  Plan();
  EXPECT_FALSE(collector_->under_way());
}

TEST_F(SegmentCollectorTest, TakesTheMostDeadAndAQuarterOfTheLog) {
  const int live[] = {9, 1, 5, 2, 9, 9, 1, 3};
  for (uint64_t number = 1; number <= 8; number++) Segment(number, live[number - 1]);
  Plan();
  EXPECT_EQ(Step(), (std::vector<uint64_t>{2, 7}));
  EXPECT_EQ(inserted_, 2);
  EXPECT_EQ(SegmentOf("2000"), 900u);
  EXPECT_EQ(SegmentOf("7000"), 900u);
  EXPECT_EQ(SegmentOf("4001"), 4u);
  EXPECT_EQ(collector_->counters().segments, 2u);
  EXPECT_EQ(collector_->counters().inserted_again, 12000u);
  EXPECT_FALSE(collector_->under_way());
  Plan();
  EXPECT_FALSE(collector_->under_way()) << "nothing has changed";
}

TEST_F(SegmentCollectorTest, LeavesSegmentsThatMemtablesMayReferTo) {
  for (uint64_t number = 1; number <= 4; number++) Segment(number, 2);
  Plan(/*first_unflushed=*/2);
  EXPECT_EQ(Step(), (std::vector<uint64_t>{1}));
  EXPECT_EQ(SegmentOf("2000"), 2u);
}

TEST_F(SegmentCollectorTest, GoesOnWhereTheLastStepEnded) {
  for (uint64_t number = 1; number <= 4; number++) Segment(number, 5);
  Plan();
  int steps = 0, inserted = 0;
  for (std::vector<uint64_t> done; done.empty(); steps++) {
    ASSERT_LT(steps, 100);
    // One step in three is not written: its entries are looked at again.
    const bool ok = steps % 3 != 0;
    done = Step(ok, 4096);
    if (ok) inserted += inserted_;
  }
  EXPECT_EQ(inserted, 5);
  EXPECT_EQ(SegmentOf("1004"), 900u);
}

TEST_F(SegmentCollectorTest, StepsThatAreTooSmallAreSaved) {
  for (uint64_t number = 1; number <= 4; number++) Segment(number, 5);
  Plan();
  EXPECT_TRUE(Step(true, 10).empty());
  EXPECT_EQ(collector_->counters().key_bytes, 0u);
  EXPECT_FALSE(Step(true, 100000).empty());
}

// A compaction has dropped nothing yet, but newer entries hide most.
TEST_F(SegmentCollectorTest, AnAuditFindsWhatIsHidden) {
  for (uint64_t number = 1; number <= 8; number++) {
    Segment(number, 10);
    for (int i = 1; number != 4 && i < 10; i++) tagged_.erase(std::to_string(1000 * number + static_cast<uint64_t>(i)));
  }
  Plan();
  ASSERT_TRUE(collector_->under_way());
  EXPECT_TRUE(Step().empty());
  EXPECT_EQ(inserted_, 0) << "it only looks";
  EXPECT_FALSE(collector_->under_way());
  Plan();
  EXPECT_EQ(Step(), (std::vector<uint64_t>{1, 2}));
  EXPECT_EQ(inserted_, 2);
}

TEST_F(SegmentCollectorTest, AnAuditIsNotRepeatedBeforeTheLogHasGrown) {
  for (uint64_t number = 1; number <= 8; number++) Segment(number, 10);
  Plan();
  ASSERT_TRUE(collector_->under_way());
  Step();
  Plan();
  EXPECT_FALSE(collector_->under_way());
  Segment(9, 10);
  Plan();
  EXPECT_FALSE(collector_->under_way());
  for (uint64_t number = 10; number <= 12; number++) Segment(number, 10);
  Plan();
  EXPECT_TRUE(collector_->under_way());
}

TEST_F(SegmentCollectorTest, ASegmentWithADamagedValueStays) {
  for (uint64_t number = 1; number <= 8; number++) Segment(number, 2);
  TaggedValue value;
  ASSERT_TRUE(ParseTagged(tagged_["1000"], &value));
  value.pointer.checksum++;
  tagged_["1000"].clear();
  AppendPointer(value.pointer, &tagged_["1000"]);
  Plan();
  EXPECT_EQ(Step(), (std::vector<uint64_t>{2}));
  // It is not picked again.
  Segment(9, 2);
  Plan();
  for (const uint64_t number : Step()) EXPECT_NE(number, 1u);
}

// Copies that were taken before the one that was not may have been lost with it.
TEST_F(SegmentCollectorTest, ACopyThatIsRefusedTakesTheStepsOtherCopiesAlong) {
  for (uint64_t number = 1; number <= 4; number++) Segment(number, 5);
  Plan();
  uint64_t begun = 900;
  for (uint64_t call = 1; call < 4; call++) {  // the segment's creation, or a copy
    faults_.FailFrom(".vlog", call, 1);
    EXPECT_TRUE(Step().empty());
    EXPECT_EQ(inserted_, 0);
    EXPECT_EQ(collector_->counters().inserted_again, 0u);
    EXPECT_TRUE(log_->Flush().ok()) << "the copies are no matter of the write";
    ASSERT_TRUE(log_->NeedsSegment());
    log_->Begin(++begun);
  }
  faults_.Mend();
  // One at a time, then as many as before.
  EXPECT_TRUE(Step().empty());
  EXPECT_EQ(inserted_, 1);
  EXPECT_EQ(Step(), (std::vector<uint64_t>{1}));
  EXPECT_EQ(inserted_, 4);
  EXPECT_EQ(collector_->counters().inserted_again, 30000u);
  EXPECT_EQ(SegmentOf("1004"), begun);
}

TEST_F(SegmentCollectorTest, AFlushOfCopiesThatFailsRepeatsThem) {
  for (uint64_t number = 1; number <= 4; number++) Segment(number, 1);
  Plan();
  faults_.FailFrom(".vlog", 2, 1);  // after the segment's creation and the append
  EXPECT_TRUE(Step().empty());
  EXPECT_EQ(inserted_, 0);
  faults_.Mend();
  log_->Begin(901);
  EXPECT_TRUE(Step().empty()) << "one copy a step, until that is written";
  EXPECT_EQ(Step(), (std::vector<uint64_t>{1}));
  EXPECT_EQ(SegmentOf("1000"), 901u);
}

TEST_F(SegmentCollectorTest, AScanThatFailsCollectsNothing) {
  for (uint64_t number = 1; number <= 4; number++) Segment(number, 2);
  Plan();
  scan_status_ = Status::Corruption("test");
  EXPECT_TRUE(Step().empty());
  EXPECT_FALSE(collector_->under_way());
}

}  // namespace
}  // namespace openremap
