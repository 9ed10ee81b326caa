// SPDX-License-Identifier: Apache-2.0
extern "C" {
#include "gc/gc_flight.h"

#include "core/quiesce.h"
}

#include "gc/gc_fixture.h"

namespace orm_test {
namespace {

class GcFlightTest : public GcTest {};

TEST_F(GcFlightTest, NextVictimIsMovedWhileOneIsErased) {
  for (uint32_t sb = 3; sb < 10; sb++) closed(sb, sb, sb);
  dev.free_list = {0, 1};
  settle();
  EXPECT_EQ(dev.victims, std::vector<uint32_t>{3});
  hand_over();
  EXPECT_EQ(dev.victims, (std::vector<uint32_t>{3, 4})) << "not the one that is being erased";
  EXPECT_EQ(intent(0).sb, 3);
  EXPECT_EQ(intent(1).sb, 4);
  EXPECT_EQ(intent(1).gen, 4u);
  hand_over();
  EXPECT_EQ(dev.victims.size(), 2u) << "two outcomes are due";
  dev.release_gc();
  settle();
  EXPECT_EQ(dev.victims, (std::vector<uint32_t>{3, 4, 5}));
  EXPECT_EQ(intent(0).sb, 5) << "in the place of the one that has ended";
  EXPECT_EQ(intent(1).sb, 4);
  hand_over();
  dev.release_gc();
  settle();
  EXPECT_EQ(dev.victims.size(), 3u) << "four are free, and one comes back";
  dev.release_gc();
  settle();
  EXPECT_EQ(dev.free_list.size(), 5u);
  EXPECT_EQ(dev.victims.size(), 3u);
}

TEST_F(GcFlightTest, AnIntentIsWrittenOverTheOneBeforeForItsSuperblock) {
  closed(3, 1);
  closed(4, 2);
  dev.free_list = {0};
  settle();
  hand_over();
  ASSERT_EQ(dev.victims, (std::vector<uint32_t>{3, 4}));
  const uint32_t order = intent(1).order;
  dev.release_gc();
  dev.gc_ok = false;
  settle();
  dev.sb[4].valid = 0;  // emptied: the erase has failed
  dev.release_gc();
  settle();
  ASSERT_EQ(dev.victims, (std::vector<uint32_t>{3, 4, 4})) << "in doubt, and collected once more";
  EXPECT_EQ(intent(0).sb, 3);
  EXPECT_EQ(intent(1).sb, 4);
  EXPECT_EQ(intent(1).order, order) << "its erase may have begun by then";
}

// A start knows by the order whose erase may have begun.
TEST_F(GcFlightTest, AnIntentComesAfterThatOfTheOtherVictim) {
  for (uint32_t sb = 3; sb < 8; sb++) closed(sb, sb, sb);
  dev.free_list = {0, 1};
  settle();
  hand_over();
  ASSERT_EQ(dev.victims, (std::vector<uint32_t>{3, 4}));
  EXPECT_EQ(intent(1).order, intent(0).order + 1);
  dev.release_gc();
  hand_over();
  ASSERT_EQ(dev.victims, (std::vector<uint32_t>{3, 4, 5}));
  EXPECT_EQ(intent(0).sb, 5);
  EXPECT_EQ(intent(0).order, intent(1).order + 1);
}

TEST_F(GcFlightTest, AVictimThatStaysHasNoIntentAnyMore) {
  for (const uint32_t why : {0u, ORM_FW_GC_STATUS_FULL_MASK, ORM_FW_GC_STATUS_REFUSED_MASK}) {
    SCOPED_TRACE(why);
    power_cycle();
    enable();
    closed(4, 1);
    dev.free_list = {0, 1};
    settle();
    ASSERT_EQ(intent().sb, 4);
    dev.gc_ok = false;
    dev.gc_why = why;
    dev.release_gc();
    settle();
    for (uint32_t i = 0; i < ORM_GC_INTENT_BYTES; i++) EXPECT_EQ(dev.nvram[MockDevice::kNvCounters + i], 0);
    dev.victims.clear();
    dev.gc_ok = true;
  }
}

TEST_F(GcFlightTest, OutcomesThatWaitAreAllTaken) {
  for (uint32_t sb = 3; sb < 6; sb++) closed(sb, sb);
  dev.free_list = {0, 1};
  settle();
  hand_over();
  ASSERT_EQ(dev.victims.size(), 2u);
  dev.release_gc();
  dev.gc_ok = false;
  dev.release_gc();
  settle();
  EXPECT_EQ(dev.victims, (std::vector<uint32_t>{3, 4, 5})) << "4 has failed, and is left alone";
  EXPECT_FALSE(dev.log.empty());
}

TEST_F(GcFlightTest, FailedVictimIsNotTriedForEver) {
  closed(4, 1);
  closed(5, 2);
  dev.free_list = {0, 1, 2};
  dev.gc_ok = false;
  settle();
  dev.release_gc();
  settle();
  dev.gc_ok = true;
  EXPECT_EQ(dev.victims, (std::vector<uint32_t>{4, 5}));
  EXPECT_FALSE(dev.log.empty());
}

class GcFailureTest : public GcTest {
 protected:
  uint64_t media_errors() {
    admin(command(NVME_ADMIN_OPCODE_GET_LOG_PAGE, 0, NVME_LOG_PAGE_SMART | 127u << 16));
    nvme_smart_log s;
    nvme_smart_log_unpack(&s, dev.host.data());
    return s.media_errors;
  }

  // The collection under way ends, and what follows from that.
  void end(bool ok, uint32_t why = 0) {
    dev.gc_ok = ok;
    dev.gc_why = why;
    dev.release_gc();
    settle();
  }
};

TEST_F(GcFailureTest, WhatTwoCollectionsCouldNotMoveIsLeftAlone) {
  for (uint32_t sb = 4; sb < 10; sb++) closed(sb, sb);
  dev.free_list = {};
  settle();
  for (bool ok : {false, true, false, true, true}) end(ok);
  EXPECT_EQ(dev.victims, (std::vector<uint32_t>{4, 5, 4, 6, 7, 8}));
  EXPECT_EQ(media_errors(), 2u);
}

TEST_F(GcFailureTest, ASharerThatLeavesMakesItAVictimAgain) {
  for (uint32_t sb = 4; sb < 10; sb++) closed(sb, sb);
  dev.free_list = {};
  settle();
  for (bool ok : {false, true, false}) end(ok);
  dev.sb[4].valid = 3;
  end(true);
  EXPECT_EQ(dev.victims, (std::vector<uint32_t>{4, 5, 4, 6, 4}));
}

TEST_F(GcFailureTest, FailedVictimIsTriedAgainAfterASuccess) {
  for (uint32_t sb = 4; sb < 8; sb++) closed(sb, sb);
  dev.free_list = {0, 1};
  settle();
  end(false);
  end(true);
  EXPECT_EQ(dev.victims, (std::vector<uint32_t>{4, 5, 4}));
  EXPECT_EQ(media_errors(), 1u);
}

TEST_F(GcFailureTest, FailedVictimIsTriedAgainAfterAWhile) {
  closed(4, 1);
  dev.free_list = {0, 1};
  settle();
  end(false);
  EXPECT_EQ(dev.victims.size(), 1u);
  settle(1'000'000);
  EXPECT_EQ(dev.victims, (std::vector<uint32_t>{4, 4}));
  EXPECT_GE(dev.now_ns, 10'000'000u);
}

TEST_F(GcFailureTest, FailedEraseTakesTheSuperblockOutOfUse) {
  closed(4, 1);
  dev.free_list = {0, 1};
  settle();
  dev.sb[4].valid = 0;  // emptied
  end(false);
  end(false);
  for (int i = 0; i < 100; i++) {
    dev.now_ns += 1'000'000;
    fw_poll(fw_);
  }
  EXPECT_EQ(dev.victims, (std::vector<uint32_t>{4, 4})) << "twice, and never again";
  EXPECT_EQ(media_errors(), 2u);
}

// What is programmed into it meanwhile must not land behind its erase.
TEST_F(GcFailureTest, AVictimInDoubtWaitsForItsSummary) {
  closed(4, 1);
  dev.free_list = {0, 1};
  settle();
  dev.sb[4].valid = 0;
  quiesce_set_summary(fw_, true, 4);
  end(false);
  EXPECT_EQ(dev.victims, std::vector<uint32_t>{4});
  quiesce_set_summary(fw_, false, 0);
  fw_poll(fw_);
  settle();
  EXPECT_EQ(dev.victims, (std::vector<uint32_t>{4, 4}));
}

TEST_F(GcFailureTest, OnlyFailuresOfTheMediumAreMediaErrors) {
  closed(4, 1);
  closed(5, 2);
  closed(6, 3);
  dev.free_list = {0, 1};
  settle();
  end(false, ORM_FW_GC_STATUS_REFUSED_MASK);
  EXPECT_EQ(media_errors(), 0u);
  end(false, ORM_FW_GC_STATUS_FULL_MASK);
  EXPECT_EQ(media_errors(), 0u);
  end(false);
  EXPECT_EQ(media_errors(), 1u);
  EXPECT_EQ(dev.victims, (std::vector<uint32_t>{4, 5, 6}));
}

// The copies of the stopped collection have cost room, and the victim has become cheaper. Choosing other victims
// instead a few times would leave no room.
TEST_F(GcFailureTest, WhatFailingProgramsStoppedGoesOnWhileItGetsLess) {
  closed(4, 10);
  closed(5, 12);
  dev.free_list = {0, 1};
  settle();
  const auto stopped = [&](uint32_t left) {
    dev.sb[4].valid = left;
    dev.counters[ORM_COUNTER_NAND_PROGRAM_FAILS]++;
    end(false);
  };
  stopped(7);
  EXPECT_EQ(dev.victims, (std::vector<uint32_t>{4, 4}));
  stopped(7);
  EXPECT_EQ(dev.victims, (std::vector<uint32_t>{4, 4, 5})) << "that gained nothing";
  end(true);
  EXPECT_EQ(dev.victims, (std::vector<uint32_t>{4, 4, 5, 4})) << "but what can be read is tried again";
  dev.free_list = {0, 1};
  stopped(7);
  EXPECT_EQ(dev.victims.size(), 4u);
  settle(1'000'000);
  EXPECT_EQ(dev.victims, (std::vector<uint32_t>{4, 4, 5, 4, 4})) << "and again";
  EXPECT_EQ(media_errors(), 0u);
}

}  // namespace
}  // namespace orm_test
