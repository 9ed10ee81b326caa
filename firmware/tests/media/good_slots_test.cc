// SPDX-License-Identifier: Apache-2.0
extern "C" {
#include "media/good_slots.h"

#include "fw.h"
}

#include "support/fw_fixture.h"

namespace orm_test {
namespace {

class GoodSlotsTest : public FwTest {};

TEST_F(GoodSlotsTest, AStartCountsThem) {
  boot_running();
  for (uint32_t sb = 0; sb < MockDevice::kSuperblocks; sb++)
    EXPECT_EQ(good_slots_of(fw_, sb), MockDevice::kSlotsPerSb) << "free: all of the next filling";
  for (uint32_t i = 0; i < 5; i++) dev.program(2 * MockDevice::kSlotsPerSb + i, 10 + i, 1 + i, 1);
  dev.power_cycle();
  boot_running();
  EXPECT_EQ(good_slots_of(fw_, 2), 5u);
}

TEST_F(GoodSlotsTest, ASlotWhoseDataIsLostIsNotReadable) {
  boot_running();
  for (uint32_t i = 0; i < 5; i++) dev.program(2 * MockDevice::kSlotsPerSb + i, 10 + i, 1 + i, 1);
  dev.flash[2 * MockDevice::kSlotsPerSb].state = Page::kDataLost;  // another page follows
  dev.power_cycle();
  boot_running();
  EXPECT_EQ(dev.l2p(10), 2 * MockDevice::kSlotsPerSb);
  EXPECT_EQ(good_slots_of(fw_, 2), 4u);
}

TEST_F(GoodSlotsTest, OfAFillingThatIsEndedTheSlotsHandedOut) {
  boot_running();
  dev.open_streams[ORM_STREAM_HOST] =
      ORM_PUT(ORM_FW_ALLOC_OPEN_SB, 9) | ORM_PUT(ORM_FW_ALLOC_OPEN_NEXT, 6) | ORM_FW_ALLOC_OPEN_OPEN_MASK;
  good_slots_end_filling(fw_, 0);
  EXPECT_EQ(dev.closed_handles, std::vector<uint32_t>{0});
  EXPECT_EQ(good_slots_of(fw_, 9), 6u);
  dev.open_streams[ORM_STREAM_HOST] = 0;
  good_slots_end_filling(fw_, 0);
  EXPECT_EQ(dev.closed_handles.size(), 1u) << "it fills none";
}

TEST_F(GoodSlotsTest, EachSuperblockHasItsNumber) {
  boot_running();
  good_slots_set(fw_, 3, 7);
  good_slots_set(fw_, 4, GOOD_SLOTS_UNKNOWN);
  EXPECT_EQ(good_slots_of(fw_, 3), 7u);
  EXPECT_EQ(good_slots_of(fw_, 4), GOOD_SLOTS_UNKNOWN);
  EXPECT_GT(GOOD_SLOTS_UNKNOWN, FW_MAX_SLOTS_PER_SB);
}

}  // namespace
}  // namespace orm_test
