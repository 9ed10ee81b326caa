// SPDX-License-Identifier: Apache-2.0
extern "C" {
#include "gc/gc.h"
}

#include "gc/gc_fixture.h"

namespace orm_test {
namespace {

constexpr uint32_t kFull = ORM_PUT(ORM_FW_REMAP_STATUS_RESULT, ORM_REMAP_RESULT_NVRAM_FULL);

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

// Each collection would take as much as it gives back. A device without writes must not wear itself out.
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

// The copies would end inside a flash page, and take as many slots as the victim has.
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

// Two victims; the sharers of the better one may take more segments than are free.
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
