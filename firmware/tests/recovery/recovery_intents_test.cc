// SPDX-License-Identifier: Apache-2.0
// Recovery of collections that were under way: which of two copies counts, by erase intents.
extern "C" {
#include "fw.h"
}

#include <algorithm>

#include "recovery/recovery_fixture.h"

namespace orm_test {
namespace {

class RecoveryIntentsTest : public RecoveryTest {};

TEST_F(RecoveryIntentsTest, UnfinishedCollectionLeavesNothingInItsTarget) {
  fill(0, 0, kSlots, 0, 1);  // the victim, whole
  intent(0, 1, kSlots);
  fill(1, 0, 5, 0, 1, ORM_STREAM_GC);  // copies with the same seqs
  recover();
  for (uint32_t lpn = 0; lpn < kSlots; lpn++) EXPECT_EQ(dev.l2p(lpn), lpn);
  EXPECT_EQ(state(1), uint32_t{ORM_SB_STATE_FREE});
  EXPECT_TRUE(is_erased(1));
}

TEST_F(RecoveryIntentsTest, HalfErasedVictimLosesToTheCopies) {
  fill(5, 0, kSlots, 0, 1);
  intent(5, 1, kSlots);
  for (uint32_t page = 0; page < MockDevice::kPages; page++) dev.flash[5 * kSlots + page * 4] = Slot{};  // die 0
  fill(6, 0, kSlots, 0, 1, ORM_STREAM_GC);
  recover();
  for (uint32_t lpn = 0; lpn < kSlots; lpn++) EXPECT_EQ(dev.l2p(lpn), 6 * kSlots + lpn);
  EXPECT_EQ(state(5), uint32_t{ORM_SB_STATE_FREE});
  EXPECT_TRUE(was_erased(5));
  EXPECT_EQ(dev.sb[5].gen, 2u);
}

// One copy has been lost, so the victim keeps that slot, and is not erased. Its other slots lose at the next start,
// too, and when it is collected again.
TEST_F(RecoveryIntentsTest, HalfErasedVictimWithTheOnlyGoodSlotLosesTheOthers) {
  fill(5, 0, kSlots, 0, 1);
  intent(5, 1, kSlots);
  for (uint32_t page = 0; page < MockDevice::kPages; page++) dev.flash[5 * kSlots + page * 4] = Slot{};  // die 0
  fill(6, 0, kSlots, 0, 1, ORM_STREAM_GC);
  dev.flash[6 * kSlots + 1].state = Page::kDataLost;
  for (int start = 0; start < 3; start++) {
    SCOPED_TRACE(start);
    recover();
    for (uint32_t lpn = 0; lpn < kSlots; lpn++) EXPECT_EQ(dev.l2p(lpn), (lpn == 1 ? 5 : 6) * kSlots + lpn) << lpn;
    EXPECT_EQ(state(5), uint32_t{ORM_SB_STATE_CLOSED});
    EXPECT_EQ(good_slots_of(fw_, 5), uint32_t{GOOD_SLOTS_UNKNOWN});
    // The second time, GC has begun with it.
    if (start == 1) intent(5, 1, static_cast<uint16_t>(good_slots_of(fw_, 5)));
    dev.power_cycle();
  }
}

// The first victim is whole, but did not erase; the erase of the second one, which has its copies, was cut. Entries of
// equal seqs come in any order: never is one of the half erased superblock taken.
TEST_F(RecoveryIntentsTest, RanksOfThreeSuperblocksHaveAnOrder) {
  std::vector<uint32_t> order = {5, 6, 7};
  do {
    SCOPED_TRACE(testing::PrintToString(order));
    format_blank();
    fill(5, 0, kSlots, 0, 1);
    intent(5, 1, kSlots, 0, 1);
    fill(6, 0, kSlots, 0, 1, ORM_STREAM_GC);
    intent(6, 1, kSlots, 1, 2);
    dev.flash[6 * kSlots + 3] = Slot{};
    fill(7, 0, kSlots, 0, 1, ORM_STREAM_GC);
    for (uint32_t i = 0; i < order.size(); i++) {
      dev.write_segment(9 + i, order[i], 0, 9 + i, 1);
      dev.write_entry(9 + i, 0, order[i], 1, 2, 40, 100);
    }
    dev.write_commit(100);
    recover();
    EXPECT_EQ(dev.l2p(40), 5 * kSlots + 2);
    for (uint32_t lpn = 0; lpn < kSlots; lpn++) EXPECT_NE(dev.l2p(lpn) / kSlots, 6u) << lpn;
    dev.power_cycle();
  } while (std::next_permutation(order.begin(), order.end()));
}

// The erase of the first victim was cut while the second one was being moved.
TEST_F(RecoveryIntentsTest, TwoVictimsOfWhichOneIsHalfErased) {
  fill(5, 0, kSlots, 0, 1);
  fill(3, 0, kSlots, 50, 101);
  intent(3, 1, kSlots, 0);
  intent(5, 1, kSlots, 1);
  for (uint32_t page = 0; page < MockDevice::kPages; page++) dev.flash[5 * kSlots + page * 4] = Slot{};  // die 0
  fill(6, 0, kSlots, 0, 1, ORM_STREAM_GC);
  fill(7, 0, 4, 50, 101, ORM_STREAM_GC);
  recover();
  for (uint32_t i = 0; i < kSlots; i++) {
    EXPECT_EQ(dev.l2p(i), 6 * kSlots + i) << "the copy";
    EXPECT_EQ(dev.l2p(50 + i), 3 * kSlots + i) << "the victim, which is whole";
  }
  EXPECT_TRUE(was_erased(5));
  EXPECT_EQ(dev.sb[5].gen, 2u);
  EXPECT_EQ(state(3), uint32_t{ORM_SB_STATE_CLOSED});
  EXPECT_EQ(state(6), uint32_t{ORM_SB_STATE_CLOSED});
  EXPECT_EQ(state(7), uint32_t{ORM_SB_STATE_FREE}) << "no superblock is used up";
}

TEST_F(RecoveryIntentsTest, TwoVictimsThatAreWhole) {
  fill(5, 0, kSlots, 0, 1);
  fill(3, 0, kSlots, 50, 101);
  intent(5, 1, kSlots, 0);
  intent(3, 1, kSlots, 1);
  fill(6, 0, kSlots, 0, 1, ORM_STREAM_GC);
  fill(7, 0, 4, 50, 101, ORM_STREAM_GC);
  recover();
  for (uint32_t i = 0; i < kSlots; i++) {
    EXPECT_EQ(dev.l2p(i), 5 * kSlots + i);
    EXPECT_EQ(dev.l2p(50 + i), 3 * kSlots + i);
  }
  EXPECT_EQ(state(6), uint32_t{ORM_SB_STATE_FREE});
  EXPECT_EQ(state(7), uint32_t{ORM_SB_STATE_FREE});
}

// The copies of the first victim filled a superblock, which became the next victim.
TEST_F(RecoveryIntentsTest, SecondVictimIsTheTargetOfTheFirst) {
  for (bool cut : {true, false}) {
    for (uint32_t place : {0u, 1u, 2u, 3u}) {
      const bool in_order = place >= 2;  // else: of a firmware that did not say which was the first one
      place %= 2;
      format_blank();
      fill(5, 0, kSlots, 0, 1);
      intent(5, 1, kSlots, place, in_order ? 8 : 0);
      fill(6, 0, kSlots, 0, 1, ORM_STREAM_GC);
      intent(6, 1, kSlots, 1 - place, in_order ? 9 : 0);
      fill(7, 0, 6, 0, 1, ORM_STREAM_GC);
      if (cut) dev.flash[5 * kSlots] = Slot{};
      recover();
      for (uint32_t lpn = 0; lpn < kSlots; lpn++) {
        if (cut) {
          EXPECT_EQ(dev.l2p(lpn), 6 * kSlots + lpn);
        } else {
          EXPECT_TRUE(dev.l2p(lpn) == 5 * kSlots + lpn || dev.l2p(lpn) == 6 * kSlots + lpn);
          EXPECT_EQ(dev.l2p(lpn) / kSlots, dev.l2p(0) / kSlots);
        }
      }
      EXPECT_EQ(state(7), uint32_t{ORM_SB_STATE_FREE});
      EXPECT_EQ(dev.free_list.size(), MockDevice::kSuperblocks - 1);
      dev.power_cycle();
    }
  }
}

// The same, and a slot of the second victim cannot be read any more, or its program failed: by the number of its slots
// its erase has begun, too.
TEST_F(RecoveryIntentsTest, CopiesInASecondVictimWinAlsoIfItIsNotWhole) {
  for (const uint32_t order : {1u, UINT32_MAX, 0x7FFFFFFFu}) {
    for (const uint32_t place : {0u, 1u}) {
      for (const uint32_t first : {5u, 7u}) {
        SCOPED_TRACE(testing::Message() << "order " << order << ", place " << place << ", superblock " << first);
        format_blank();
        fill(first, 0, kSlots, 0, 1);
        intent(first, 1, kSlots, place, order);
        fill(6, 0, kSlots, 0, 1, ORM_STREAM_GC);
        intent(6, 1, kSlots, 1 - place, order + 1);
        dev.flash[first * kSlots] = Slot{};
        dev.flash[6 * kSlots + 9].state = Page::kTorn;
        recover();
        for (uint32_t lpn = 0; lpn < kSlots; lpn++)
          EXPECT_EQ(dev.l2p(lpn), lpn == 9 ? first * kSlots + 9 : 6 * kSlots + lpn) << lpn;
        dev.power_cycle();
      }
    }
  }
}

// What recovery was erasing held nothing live, whatever else is half erased.
TEST_F(RecoveryIntentsTest, WhatRecoveryWasErasingLosesToAHalfErasedVictim) {
  for (const uint32_t target : {4u, 6u}) {
    SCOPED_TRACE(target);
    format_blank();
    fill(5, 0, kSlots, 0, 1);
    intent(5, 1, kSlots, 0, 3);
    dev.flash[5 * kSlots + 15].state = Page::kTorn;
    fill(target, 0, 4, 0, 1, ORM_STREAM_GC);
    intent(target, 1, GOOD_SLOTS_UNKNOWN, FW_RECOVERY_INTENT);
    recover();
    for (uint32_t lpn = 0; lpn < kSlots - 1; lpn++) EXPECT_EQ(dev.l2p(lpn), 5 * kSlots + lpn);
    EXPECT_TRUE(was_erased(target));
    dev.power_cycle();
  }
}

TEST_F(RecoveryIntentsTest, VictimThatLooksErasedIsErasedAgain) {
  intent(5, 1, kSlots);
  recover();
  EXPECT_TRUE(was_erased(5));
  EXPECT_EQ(dev.sb[5].gen, 2u);
  dev.power_cycle();
  recover();
  EXPECT_TRUE(dev.erased.empty()) << "once is enough";
}

// It lasts until the start has ended: each start that is cut elects the same copies.
TEST_F(RecoveryIntentsTest, TheIntentOfAVictimThatIsWholeGoesAtTheEnd) {
  fill(0, 0, 2, 40, 1);
  fill(3, 0, 4, 0, 5, ORM_STREAM_GC);  // the target has other live data
  fill(3, 4, 2, 4, 20, ORM_STREAM_GC);
  fill(5, 0, 6, 0, 5);
  dev.write_segment(9, 3, 0, 9, 1);
  dev.write_entry(9, 0, 3, 1, 1, 60, 15);
  dev.write_segment(8, 5, 0, 8, 1);
  dev.write_entry(8, 0, 5, 1, 1, 60, 15);
  dev.write_commit(30);
  intent(5, 1, 6);
  const auto check = [this](uint32_t sb) {
    for (uint32_t lpn = 0; lpn < 4; lpn++) EXPECT_EQ(dev.l2p(lpn), sb * kSlots + lpn);
    EXPECT_EQ(dev.l2p(4), 3 * kSlots + 4);
    EXPECT_EQ(dev.l2p(60), 5 * kSlots + 1);
    EXPECT_EQ(dev.chains.count(3), 0u) << "GC's segment is free again";
    for (uint32_t i = 0; i < ORM_GC_INTENT_BYTES; i++) EXPECT_EQ(dev.nvram[MockDevice::kNvCounters + i], 0);
  };
  bool without = false;
  EXPECT_GT(cut_everywhere([&] { check(5); },
                           [&](int cut) {
                             SCOPED_TRACE(cut);
                             without = without || dev.l2p(0) == 3 * kSlots;
                             check(without ? 3 : 5);
                           }),
            3);
  EXPECT_TRUE(without) << "the cuts reach beyond the intent's end: then any copy will do";
}

TEST_F(RecoveryIntentsTest, FinishedIntentMeansNothing) {
  dev.write_block(5, 2);
  intent(5, 1, kSlots);
  recover();
  EXPECT_TRUE(dev.erased.empty());
}

// A probe's status is that of the whole page: a readable spare does not make a victim intact.
TEST_F(RecoveryIntentsTest, VictimWithUnreadablePagesIsNotIntact) {
  fill(5, 0, kSlots, 0, 1);
  intent(5, 1, kSlots);
  dev.flash[5 * kSlots + 7].state = Page::kTorn;
  fill(6, 0, kSlots, 0, 1, ORM_STREAM_GC);
  recover();
  for (uint32_t lpn = 0; lpn < kSlots; lpn++) EXPECT_EQ(dev.l2p(lpn), 6 * kSlots + lpn);
  EXPECT_TRUE(was_erased(5));
}

}  // namespace
}  // namespace orm_test
