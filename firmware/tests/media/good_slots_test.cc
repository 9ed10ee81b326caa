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
