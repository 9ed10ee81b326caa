// SPDX-License-Identifier: Apache-2.0
#include "value_log/segment_collector.h"

#include <gtest/gtest.h>

#include "value_log/collected_segments.h"

namespace openremap {
namespace {

using leveldb::Status;

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
  for (const uint64_t call : {2, 0, 1, 2}) {  // the second copy, the segment's creation, the first copy, its flush
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

// A write may be refused again and again. An audit measures what lives; not how often it was looked at.
TEST_F(SegmentCollectorTest, AStepThatIsNotWrittenDoesNotCount) {
  for (uint64_t number = 1; number <= 8; number++) {
    Segment(number, 10);
    for (int i = 1; number != 4 && i < 10; i++) tagged_.erase(std::to_string(1000 * number + static_cast<uint64_t>(i)));
  }
  Plan();
  for (int i = 0; i < 100; i++) EXPECT_TRUE(Step(/*ok=*/false).empty());
  EXPECT_TRUE(Step().empty());
  Plan();
  EXPECT_EQ(Step(), (std::vector<uint64_t>{1, 2})) << "the audit found that most is hidden";
}

TEST_F(SegmentCollectorTest, AnEntryThatIsDamagedEndsTheScan) {
  std::string far, empty;
  AppendPointer({1, uint64_t{1} << 60, 5, 0, false}, &far);
  AppendPointer({1, 0, 0, 0, false}, &empty);
  uint64_t first = 1;
  for (const std::string &tagged : {std::string("\x7f"), far, empty}) {
    SCOPED_TRACE(first);
    tagged_.clear();
    for (uint64_t number = first; number < first + 4; number++) Segment(number, 2);
    first += 10;
    tagged_["zzzz"] = tagged;
    Plan();
    ASSERT_TRUE(collector_->under_way());
    EXPECT_TRUE(Step().empty());
    EXPECT_FALSE(collector_->under_way());
  }
}

// Batches go behind the limit of a segment.
TEST_F(SegmentCollectorTest, AnEntryFarBehindTheLimitOfASegmentIsNoDamage) {
  for (uint64_t number = 1; number <= 4; number++) Segment(number, 2);
  AppendPointer({99, kValueLogSegmentBytes.high + (1 << 20), 5, 0, false}, &tagged_["zzzz"]);
  Plan();
  EXPECT_FALSE(Step().empty());
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
