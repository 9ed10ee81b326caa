// SPDX-License-Identifier: Apache-2.0
// Static wear levelling: which superblock is collected because it has few erases, and when.
extern "C" {
#include "gc/wear.h"

#include "fw.h"
#include "gc/gc.h"
}

#include "support/fw_fixture.h"

namespace orm_test {
namespace {

class WearTest : public FwTest {
 protected:
  static constexpr uint32_t kFull = MockDevice::kSlotsPerSb;

  void SetUp() override {
    boot_enabled();
    dev.hold_gc = true;
  }

  // Superblocks 3..10 are closed, valid throughout but for 4 to 6, and have been erased so often; 2 are free.
  void load(uint32_t erases) {
    for (uint32_t sb = 0; sb < MockDevice::kSuperblocks; sb++) {
      dev.sb[sb] = {1 + erases, 0, ORM_SB_STATE_OPEN};
      if (sb >= 3 && sb <= 10) dev.sb[sb] = {1 + erases, sb <= 6 ? sb : kFull, ORM_SB_STATE_CLOSED};
    }
    dev.free_list = {0, 1};
  }
  // This number of collections succeeds, and none of them frees anything.
  void collect(uint32_t n) {
    settle();
    for (uint32_t i = 0; i < n; i++) {
      dev.release_gc();
      dev.free_list = {0, 1};
      settle();
    }
  }
};

TEST_F(WearTest, OneThatIsFarBehindIsCollectedHoweverFullItIs) {
  load(20);
  dev.sb[8].gen = 1 + 3;
  collect(FW_WEAR_EVERY);
  ASSERT_EQ(dev.victims.size(), FW_WEAR_EVERY + 1);
  EXPECT_EQ(dev.victims.back(), 8u);
  EXPECT_EQ(fw_->state.wear_moved_pages, 0u) << "under way";
  dev.release_gc();
  settle();
  EXPECT_EQ(fw_->state.wear_moved_pages, kFull) << "and not what was moved for room";
}

TEST_F(WearTest, NotBeforeSoManyCollections) {
  load(20);
  dev.sb[8].gen = 1 + 3;
  collect(FW_WEAR_EVERY - 1);
  for (uint32_t sb : dev.victims) EXPECT_NE(sb, 8u);
}

TEST_F(WearTest, AFewErasesAreNotFar) {
  load(20);
  dev.sb[8].gen = 1 + 19;
  collect(FW_WEAR_EVERY + 1);
  for (uint32_t sb : dev.victims) EXPECT_NE(sb, 8u);
}

TEST_F(WearTest, LessThanAShareOfALargeMeanIsNotFar) {
  load(1000);
  dev.sb[8].gen = 1 + 1000 - 1000 * FW_WEAR_PERCENT / 100 + 10;
  collect(FW_WEAR_EVERY + 1);
  for (uint32_t sb : dev.victims) EXPECT_NE(sb, 8u);
}

TEST_F(WearTest, MoreThanAShareOfALargeMeanIsFar) {
  load(1000);
  dev.sb[8].gen = 1 + 1000 - 1000 * FW_WEAR_PERCENT / 100 - 10;
  collect(FW_WEAR_EVERY);
  EXPECT_EQ(dev.victims.back(), 8u);
}

TEST_F(WearTest, WhatIsOpenIsNotCollected) {
  load(20);
  dev.sb[11].gen = 1;
  collect(FW_WEAR_EVERY + 1);
  for (uint32_t sb : dev.victims) EXPECT_NE(sb, 11u);
}

TEST_F(WearTest, NotWithoutAFreeSuperblock) {
  load(20);
  dev.sb[8].gen = 1 + 3;
  settle();
  for (uint32_t i = 0; i < FW_WEAR_EVERY; i++) {
    dev.release_gc();
    dev.free_list = {};
    settle();
  }
  EXPECT_NE(dev.victims.back(), 8u);
}

}  // namespace
}  // namespace orm_test
