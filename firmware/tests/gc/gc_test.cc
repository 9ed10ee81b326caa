// SPDX-License-Identifier: Apache-2.0
extern "C" {
#include "gc/gc.h"
}

#include "support/fw_fixture.h"

namespace orm_test {
namespace {

constexpr uint32_t kFull = ORM_PUT(ORM_FW_REMAP_STATUS_RESULT, ORM_REMAP_RESULT_NVRAM_FULL);

class GcTest : public FwTest {
 protected:
  void SetUp() override {
    boot_enabled();
    dev.hold_gc = true;
  }

  void closed(uint32_t sb, uint32_t valid, uint32_t gen = 1) { dev.sb[sb] = {gen, valid, ORM_SB_STATE_CLOSED}; }

  static nvme_submission_entry remap() {
    nvme_submission_entry e = command(ORM_VENDOR_OPCODES_REMAP, 1, 0);
    e.cdw12 = 10;
    e.cdw14 = 1;
    return e;
  }

  orm_gc_intent intent(uint32_t place = 0) {
    orm_gc_intent i{};
    EXPECT_TRUE(orm_gc_intent_open(&i, &dev.nvram[MockDevice::kNvCounters + place * ORM_GC_INTENT_BYTES]));
    return i;
  }

  // The youngest victim has been moved, and is being erased.
  void hand_over() {
    dev.hand_over_gc();
    settle();
  }
};

TEST_F(GcTest, LeavesAlone) {
  closed(0, 0);
  settle();
  EXPECT_TRUE(dev.victims.empty()) << "there is room";
}

TEST_F(GcTest, PicksTheEmptiest) {
  closed(5, 9, 4);
  closed(6, 3, 8);
  closed(7, 5);
  dev.sb[8] = {1, 0, ORM_SB_STATE_OPEN};
  dev.sb[9] = {1, 0, ORM_SB_STATE_BAD};
  dev.free_list = {0, 1, 2};
  settle();
  ASSERT_EQ(dev.victims, std::vector<uint32_t>{6});
  EXPECT_EQ(intent().sb, 6);
  EXPECT_EQ(intent().gen, 8u);
  EXPECT_EQ(intent().good_slots, MockDevice::kSlotsPerSb);
}

TEST_F(GcTest, GoesOnUntilThereIsSlack) {
  for (uint32_t sb = 3; sb < 10; sb++) closed(sb, sb);
  dev.free_list = {0, 1, 2};
  settle();
  dev.release_gc();
  settle();
  EXPECT_EQ(dev.victims.size(), 2u) << "4 free is where it started to want more";
  dev.release_gc();
  settle();
  EXPECT_EQ(dev.victims.size(), 2u) << "5 are enough";
  EXPECT_EQ(dev.free_list.size(), 5u);
}

// Each takes as much as it gives back: a device that nobody writes to does not wear itself out.
TEST_F(GcTest, EndsWhereNothingIsGained) {
  for (uint32_t sb = 4; sb < 10; sb++) closed(sb, 5);
  dev.free_list = {0, 1, 2};
  const auto collect = [&] {
    const uint32_t victim = dev.victims.back();
    dev.release_gc();
    ASSERT_EQ(dev.free_list.back(), victim);
    dev.free_list.pop_back();  // it is filled with the copies
    closed(victim, 5, dev.sb[victim].gen);
    settle();
  };
  settle();
  size_t before = 0;
  while (dev.victims.size() != before && before < 100) {
    before = dev.victims.size();
    collect();
  }
  EXPECT_EQ(before, FW_GC_IN_VAIN + 1u);
  settle(100'000'000);
  EXPECT_EQ(dev.victims.size(), before);
  EXPECT_EQ(wait, FW_POLL_IDLE);
  dev.counters[ORM_COUNTER_HOST_WRITE_PAGES] += 16;
  dev.free_list.pop_back();
  fw_poll(fw_);
  settle();
  EXPECT_GT(dev.victims.size(), before) << "the host has begun another superblock";
}

TEST_F(GcTest, NextVictimIsMovedWhileOneIsErased) {
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

TEST_F(GcTest, NoneIsBegunBesideAnErase) {
  for (uint32_t sb = 3; sb < 10; sb++) closed(sb, sb);
  dev.free_list = {};
  settle();
  EXPECT_EQ(dev.victims.size(), 1u);
  hand_over();
  EXPECT_EQ(dev.victims.size(), 1u) << "its copies may need a superblock, and none is free";
  dev.free_list = {0};
  dev.hand_over_gc();
  settle();
  EXPECT_EQ(dev.victims.size(), 2u);
}

TEST_F(GcTest, AnIntentIsWrittenOverTheOneBeforeForItsSuperblock) {
  closed(3, 1);
  closed(4, 2);
  dev.free_list = {0};
  settle();
  hand_over();
  ASSERT_EQ(dev.victims, (std::vector<uint32_t>{3, 4}));
  dev.release_gc();
  dev.gc_ok = false;
  settle();
  dev.release_gc();
  settle(20'000'000);
  ASSERT_EQ(dev.victims, (std::vector<uint32_t>{3, 4, 4})) << "tried again after a while";
  EXPECT_EQ(intent(0).sb, 3);
  EXPECT_EQ(intent(1).sb, 4);
}

TEST_F(GcTest, OutcomesThatWaitAreAllTaken) {
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

TEST_F(GcTest, NothingIsBegunBesideAnEraseForAShutdown) {
  for (uint32_t sb = 3; sb < 8; sb++) closed(sb, sb);
  dev.free_list = {0, 1};
  settle();
  hand_over();
  ASSERT_EQ(dev.victims.size(), 2u);
  set_cc(1 | ORM_PUT(ORM_BAR0_CC_SHN, 1));
  hand_over();
  dev.release_gc();
  settle();
  EXPECT_EQ(ORM_GET(dev.reg[ORM_FW_NVME_CSTS], ORM_FW_NVME_CSTS_SHST), 1u) << "it waits for both";
  dev.release_gc();
  settle();
  EXPECT_EQ(dev.victims.size(), 2u);
  EXPECT_EQ(ORM_GET(dev.reg[ORM_FW_NVME_CSTS], ORM_FW_NVME_CSTS_SHST), 2u);
}

TEST_F(GcTest, NothingToGainIsNoReasonToSpin) {
  for (uint32_t sb = 3; sb < 10; sb++) closed(sb, MockDevice::kSlotsPerSb);
  closed(4, MockDevice::kSlotsPerSb - 1);
  dev.free_list = {0, 1, 2};
  settle();
  EXPECT_TRUE(dev.victims.empty()) << "a single slot is not worth it while the host has room";
  EXPECT_EQ(wait, FW_POLL_IDLE);
  EXPECT_FALSE(dev.irq());
  dev.free_list = {0, 1};
  EXPECT_TRUE(dev.irq());
  settle();
  EXPECT_EQ(dev.victims, std::vector<uint32_t>{4}) << "it is when the host waits";
  EXPECT_FALSE(dev.irq());
  dev.release_gc();
  settle();
  EXPECT_EQ(dev.victims.size(), 1u);
}

class WideGcTest : public GcTest {
 protected:
  WideGcTest() { dev.make_wide(); }
};

// Its copies would end inside a page, and take as many slots as it has.
TEST_F(WideGcTest, LessThanAPageIsNothingToGain) {
  for (uint32_t sb = 3; sb < 10; sb++) closed(sb, MockDevice::kSlotsPerSb - 3);
  dev.free_list = {0, 1};
  settle();
  EXPECT_TRUE(dev.victims.empty());
  closed(4, MockDevice::kSlotsPerSb - 4);
  dev.now_ns += wait;
  settle();
  EXPECT_EQ(dev.victims, std::vector<uint32_t>{4});
}

TEST_F(GcTest, NothingToGainAtAllIsLookedAtNowAndThen) {
  for (uint32_t sb = 3; sb < 10; sb++) closed(sb, MockDevice::kSlotsPerSb);
  dev.free_list = {0, 1};
  settle();
  EXPECT_TRUE(dev.victims.empty());
  EXPECT_GT(wait, 0u);
  EXPECT_LT(wait, FW_POLL_IDLE);
  EXPECT_FALSE(dev.irq());
  closed(4, MockDevice::kSlotsPerSb - 1);
  dev.now_ns += wait;
  settle();
  EXPECT_EQ(dev.victims, std::vector<uint32_t>{4});
}

TEST_F(GcTest, ChainsAreCompactedBeforeAnythingIsCollectedForSegments) {
  closed(3, 5);
  dev.sb[4] = {1, 9, ORM_SB_STATE_OPEN};  // data that stays where it is may still be written to
  dev.chains[3] = {2, 0, 1};
  dev.chains[4] = {3, 2, 1};
  dev.chains[5] = {1, 6, 1};
  dev.stale = {{3, 1}, {5, 1}};
  dev.free_segments.resize(5);  // 4 are GC's, an eighth of the other 28 is 3
  nvme_submission_entry e = remap();
  EXPECT_EQ(run(1, e).status, 0);
  EXPECT_EQ(dev.compactions, (std::vector<uint32_t>{4, 3, 5})) << "longest first, until segments are no longer short";
  EXPECT_TRUE(dev.victims.empty());
  settle();
  EXPECT_EQ(dev.compactions.size(), 3u);
  EXPECT_EQ(dev.free_segments.size(), 7u);
}

TEST_F(GcTest, ChainsThatAllHaveBeenLookedAtAreLookedAtAgain) {
  dev.sb[4] = {1, 9, ORM_SB_STATE_OPEN};
  dev.chains[4] = {3, 2, 1};
  dev.free_segments.resize(5);
  EXPECT_EQ(run(1, remap()).status, 0);
  settle();
  dev.stale[4] = 2;
  for (uint32_t i = 1; i < FW_GC_FRUITLESS; i++) EXPECT_EQ(run(1, remap()).status, 0);
  EXPECT_EQ(dev.compactions, std::vector<uint32_t>{4}) << "not for every remap when there was nothing to be had";
  EXPECT_EQ(run(1, remap()).status, 0);
  settle();
  EXPECT_EQ(dev.compactions, (std::vector<uint32_t>{4, 4}));
  EXPECT_EQ(dev.free_segments.size(), 7u);
}

// Copies end without firmware. It hears of those that leave few segments, and counts them with its own remaps.
TEST_F(GcTest, CopiesOfTheHardwareMakeChainsGrowToo) {
  EXPECT_EQ(dev.reg[ORM_FW_SEG_LOW], 4u + 28u / 8u) << "GC's, and an eighth of the others";
  dev.sb[4] = {1, 9, ORM_SB_STATE_OPEN};
  dev.chains[4] = {3, 2, 1};
  dev.stale[4] = 2;
  dev.free_segments.resize(5);
  settle();
  EXPECT_TRUE(dev.compactions.empty()) << "nothing has happened";
  dev.counters[ORM_COUNTER_COPY_COMMANDS]++;
  dev.irq_events |= ORM_FW_IRQ_STATUS_SEG_LOW_MASK;
  EXPECT_TRUE(dev.irq());
  settle();
  EXPECT_EQ(dev.compactions, std::vector<uint32_t>{4});
  EXPECT_EQ(dev.free_segments.size(), 7u);
  EXPECT_FALSE(dev.irq());
}

TEST_F(GcTest, RemapThatFindsNoRoomHasAllChainsLookedAtAgain) {
  dev.sb[4] = dev.sb[3] = {1, 9, ORM_SB_STATE_OPEN};
  dev.chains[4] = {3, 2, 1};
  dev.chains[3] = {2, 6, 1};
  dev.stale[3] = 1;
  dev.free_segments.resize(6);
  EXPECT_EQ(run(1, remap()).status, 0);
  settle();
  EXPECT_EQ(dev.compactions, (std::vector<uint32_t>{4, 3}));
  dev.stale[4] = 2;
  dev.remap_results = {kFull};
  EXPECT_EQ(run(1, remap()).status, 0);
  EXPECT_EQ(dev.compactions, (std::vector<uint32_t>{4, 3, 4, 3})) << "longest first, each once";
}

TEST_F(GcTest, RemapThatFindsNoRoomMayLackItInAnyChain) {
  for (uint32_t sb = 0; sb < 6; sb++) {
    dev.chains[sb] = {9 - sb, 2 * sb, 1};
    dev.stale[sb] = 1;
  }
  dev.remap_results = {kFull};
  EXPECT_EQ(run(1, remap()).status, 0);
  EXPECT_EQ(dev.compactions, (std::vector<uint32_t>{0, 1, 2, 3, 4, 5}))
      << "there are segments enough: it is the place in one chain that it lacks";
}

TEST_F(GcTest, RemapThatStillFindsNoRoomHasASuperblockCollected) {
  closed(7, 3);
  dev.chains[7] = {3, 4, 1};
  dev.stale[7] = 1;
  dev.destage_outcome[7] = ORM_FW_GC_STATUS_REFUSED_MASK;
  dev.hold_gc = false;
  dev.remap_results = {kFull, kFull};
  EXPECT_EQ(run(1, remap()).status, 0);
  EXPECT_EQ(dev.compactions, (std::vector<uint32_t>{7, 7}));
  EXPECT_EQ(dev.victims, std::vector<uint32_t>{7});
}

// It is answered when the victims under way have ended, though more of them are wanted.
TEST_F(GcTest, RemapThatFindsNoRoomGoesOnBesideCollections) {
  for (uint32_t sb = 4; sb < 12; sb++) {
    closed(sb, 5);
    dev.chains[sb] = {2, 2 * sb, 1};
    dev.destage_outcome[sb] = ORM_FW_GC_STATUS_REFUSED_MASK;
  }
  dev.free_list = {0, 1};
  dev.remap_results = {kFull, kFull};
  settle();
  ASSERT_EQ(dev.victims.size(), 1u);
  const size_t before = dev.completions.size();
  dev.mailbox.emplace_back(1, remap());
  settle();
  size_t collections = 0;
  for (; dev.completions.size() == before && collections < 30; collections++) {
    hand_over();
    const uint32_t victim = dev.victims.front();
    dev.release_gc();
    dev.free_list.pop_back();  // it is filled with the copies
    closed(victim, 5, dev.sb[victim].gen);
    dev.victims.erase(dev.victims.begin());
    settle();
  }
  EXPECT_EQ(dev.completions.size(), before + 1) << "it need not be good: nothing was to be had";
  EXPECT_LE(collections, 4u);
}

TEST_F(GcTest, NotEveryChainIsReadForOneRemap) {
  for (uint32_t sb = 0; sb < 12; sb++) dev.chains[sb] = {2, 2 * sb, 1};
  closed(7, 3);
  dev.free_segments.resize(5);
  EXPECT_EQ(run(1, remap()).status, 0);
  settle();
  EXPECT_EQ(dev.compactions.size(), 8u);
  EXPECT_EQ(dev.victims, std::vector<uint32_t>{7});
  dev.release_gc();
  for (uint32_t i = 0; i < FW_GC_FRUITLESS; i++) EXPECT_EQ(run(1, remap()).status, 0);
  settle();
  EXPECT_EQ(dev.compactions.size(), 12u) << "the pass goes on with the other chains";
}

TEST_F(GcTest, LongestChainIsCollectedWhenNoneHasAnythingStale) {
  closed(3, 5);
  closed(4, 9);
  dev.chains[3] = {1, 0, 1};
  dev.chains[4] = {2, 2, 1};
  nvme_submission_entry e = remap();
  EXPECT_EQ(run(1, e).status, 0);
  EXPECT_TRUE(dev.victims.empty());
  dev.free_segments.resize(6);  // 4 are GC's, an eighth of the other 28 is 3
  EXPECT_EQ(run(1, e).status, 0);
  EXPECT_EQ(dev.victims, std::vector<uint32_t>{4});
  dev.release_gc();
  settle();
  EXPECT_EQ(dev.victims.size(), 1u) << "once for each remap";
  EXPECT_EQ(dev.compactions, (std::vector<uint32_t>{4, 3}));
}

TEST_F(GcTest, FailedVictimIsNotTriedForEver) {
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

// Its copies have cost room, and it has become cheaper: taking others instead, a few times, would leave none.
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

// Two victims, of which the better one's sharers may take more segments than are free.
class GcLeavesForLaterTest : public GcTest {
 protected:
  void SetUp() override {
    GcTest::SetUp();
    closed(4, 1);
    closed(5, 6);
  }

  void goes_first_with(size_t segments) {
    dev.free_segments.resize(segments - 1);
    dev.free_list = {0, 1};
    settle();
    ASSERT_EQ(dev.victims, std::vector<uint32_t>{5});
    dev.free_segments.resize(segments);
    dev.release_gc();
    settle();
    EXPECT_EQ(dev.victims, (std::vector<uint32_t>{5, 4}));
  }
};

TEST_F(GcLeavesForLaterTest, ChainInNvram) {
  dev.chains[4] = {3, 9, 1};  // its sharers may take 3, and one begun in each of two targets
  goes_first_with(5);
}

TEST_F(GcLeavesForLaterTest, DestagedPartOfAChain) {
  dev.chains[4] = {1, 9, 1};
  dev.destaged[4] = ORM_PUT(ORM_FW_SB_DESTAGED_SET, 2) | ORM_PUT(ORM_FW_SB_DESTAGED_SLOTS, 1) |
                    ORM_PUT(ORM_FW_SB_DESTAGED_SEGMENTS, 2);
  goes_first_with(5);
}

TEST_F(GcTest, ShortestChainIsTriedWhenTheHostWaitsAndNoneIsCertainToFit) {
  power_cycle();
  dev.reg[ORM_FW_CAP_DESTAGE] = 0;  // which would make room
  dev.reg[ORM_FW_CAP_DESTAGE_LPN] = MockDevice::kLpns;
  boot_enabled();
  closed(4, 1);
  closed(5, 6);
  closed(6, 7);
  dev.chains[4] = {5, 9, 1};
  dev.chains[5] = {3, 14, 1};
  dev.chains[6] = {4, 20, 1};
  dev.free_segments.resize(2);
  dev.free_list = {0, 1, 2};
  settle();
  EXPECT_TRUE(dev.victims.empty()) << "the host has room";
  dev.free_list = {0, 1};
  settle();
  EXPECT_EQ(dev.victims, std::vector<uint32_t>{5});
}

TEST_F(GcTest, RemapThatWaitsForRoomDoesNotWaitForMore) {
  for (uint32_t sb = 3; sb < 11; sb++) closed(sb, sb);
  dev.chains[9] = {2, 5, 1};
  dev.free_list = {0, 1};
  settle();
  ASSERT_EQ(dev.victims, std::vector<uint32_t>{3});
  dev.remap_results = {kFull};
  dev.mailbox.emplace_back(uint8_t{1}, remap());
  settle();
  hand_over();
  EXPECT_EQ(dev.victims.size(), 1u) << "none is begun beside the erase";
  dev.release_gc();
  settle();
  EXPECT_EQ(dev.compactions, std::vector<uint32_t>{9});
}

TEST_F(GcTest, RemapThatWaitsForRoomGetsItsTurn) {
  for (uint32_t sb = 3; sb < 11; sb++) closed(sb, sb);
  dev.chains[9] = {2, 5, 1};
  dev.free_list = {0, 1};
  settle();
  ASSERT_EQ(dev.victims, std::vector<uint32_t>{3});
  dev.remap_results = {ORM_PUT(ORM_FW_REMAP_STATUS_RESULT, ORM_REMAP_RESULT_NVRAM_FULL)};
  dev.free_list.clear();  // there is always more to collect
  nvme_submission_entry e = remap();
  dev.mailbox.emplace_back(uint8_t{1}, e);
  settle();
  EXPECT_EQ(dev.remaps.size(), 1u);
  dev.free_list.clear();
  dev.release_gc();
  settle();
  EXPECT_EQ(dev.victims, (std::vector<uint32_t>{3, 9})) << "the longest chain is next";
  dev.free_list.clear();
  dev.release_gc();
  settle();
  EXPECT_EQ(dev.remaps.size(), 2u);
  EXPECT_EQ(dev.completions.size(), 1u) << "done while the next collection runs";
  EXPECT_EQ(dev.victims.size(), 3u);
}

}  // namespace
}  // namespace orm_test
