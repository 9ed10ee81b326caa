// SPDX-License-Identifier: Apache-2.0
#include "fw_fixture.h"

namespace orm_test {
namespace {

class GcTest : public FwTest {
 protected:
  void SetUp() override {
    boot_enabled();
    dev.hold_gc = true;
  }

  void closed(uint32_t sb, uint32_t valid, uint32_t gen = 1) { dev.sb[sb] = {gen, valid, ORM_SB_STATE_CLOSED}; }

  orm_gc_intent intent() {
    orm_gc_intent i;
    EXPECT_TRUE(orm_gc_intent_open(&i, &dev.nvram[MockDevice::kNvCounters]));
    return i;
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

TEST_F(GcTest, LongestChainIsCollectedBeforeSegmentsRunOut) {
  closed(3, 5);
  closed(4, 9);
  dev.write_segment(0, 3, 0, 0, 1);
  dev.write_segment(1, 4, 0, 1, 1);
  dev.write_segment(2, 4, 1, 1, 1);
  nvme_submission_entry e = command(ORM_VENDOR_OPCODES_REMAP, 1, 0);
  e.cdw12 = 10;
  e.cdw14 = 1;
  EXPECT_EQ(run(1, e).status, 0);
  EXPECT_TRUE(dev.victims.empty());
  dev.free_segments.resize(6);  // 4 are GC's, an eighth of the other 28 is 3
  EXPECT_EQ(run(1, e).status, 0);
  EXPECT_EQ(dev.victims, std::vector<uint32_t>{4});
  dev.release_gc();
  settle();
  EXPECT_EQ(dev.victims.size(), 1u) << "once for each remap";
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

}  // namespace
}  // namespace orm_test
