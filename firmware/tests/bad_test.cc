// SPDX-License-Identifier: Apache-2.0
// Superblocks with a bad block: found at the format, or when they do not erase, and out of use from then on.
#include <algorithm>

#include "fw_fixture.h"

namespace orm_test {
namespace {

constexpr uint32_t kSlots = MockDevice::kSlotsPerSb;
constexpr uint32_t kBitmap = MockDevice::kNvCounters + ORM_NV_BAD_OFFSET;

class BadTest : public FwTest {
 protected:
  static uint32_t slot(uint32_t sb, uint32_t die) { return sb * kSlots + die; }
  uint32_t nsze() { return dev.reg[ORM_FW_NVME_NSZE]; }
  uint32_t bitmap() { return static_cast<uint32_t>(orm_get_le(&dev.nvram[kBitmap], 8)); }
  bool is_free(uint32_t sb) { return std::find(dev.free_list.begin(), dev.free_list.end(), sb) != dev.free_list.end(); }
  nvme_smart_log smart() {
    EXPECT_EQ(admin(command(NVME_ADMIN_OPCODE_GET_LOG_PAGE, 0xFFFFFFFF, NVME_LOG_PAGE_SMART | 127u << 16)).status, 0);
    nvme_smart_log s;
    nvme_smart_log_unpack(&s, dev.host.data());
    return s;
  }
};

TEST_F(BadTest, MarkedBlocksTakeTheirSuperblocksOut) {
  dev.marked_bad = {slot(3, 2), slot(3, 1), slot(7, 0)};
  boot_enabled();
  EXPECT_EQ(nsze(), (12u - 2 - 4) * kSlots * 88 / 100);
  EXPECT_EQ(bitmap(), 1u << 3 | 1u << 7);
  for (uint32_t sb = 0; sb < MockDevice::kSuperblocks; sb++) {
    EXPECT_EQ(is_free(sb), sb != 3 && sb != 7) << sb;
    EXPECT_EQ(dev.sb[sb].state, sb == 3 || sb == 7 ? uint32_t{ORM_SB_STATE_BAD} : uint32_t{ORM_SB_STATE_FREE});
  }
  EXPECT_EQ(smart().available_spare, 100) << "the namespace was made without them";
  EXPECT_EQ(smart().critical_warning, 0);
  const uint32_t now = nsze();
  power_cycle();
  EXPECT_EQ(nsze(), now);
  EXPECT_FALSE(is_free(3));
}

TEST_F(BadTest, TooManyMarksLeaveNoDevice) {
  for (uint32_t sb = 0; sb < 8; sb++) dev.marked_bad.insert(slot(sb, 0));
  boot();
  EXPECT_EQ(fw_phase(fw_), FW_FATAL);
}

TEST_F(BadTest, AFormatLeavesOutWhatDoesNotErase) {
  dev.worn = {slot(5, 3)};
  boot_enabled();
  EXPECT_EQ(bitmap(), 1u << 5);
  EXPECT_FALSE(is_free(5));
  EXPECT_EQ(smart().available_spare, 100);
}

TEST_F(BadTest, ACutFormatKeepsWhatItHasFound) {
  dev.marked_bad = {slot(2, 0)};
  int writes = 0;
  std::vector<uint8_t> frozen;
  dev.on_nvram_write = [&] {
    if (bitmap() != 0 && writes++ == 3) frozen = dev.nvram;
  };
  boot_running();
  ASSERT_FALSE(frozen.empty());
  dev.on_nvram_write = nullptr;
  dev.nvram = frozen;
  dev.marked_bad.clear();  // as if the mark had been lost
  power_cycle();
  EXPECT_EQ(fw_phase(fw_), FW_RUNNING);
  EXPECT_EQ(bitmap(), 1u << 2);
  EXPECT_FALSE(is_free(2));
}

TEST_F(BadTest, WhatDoesNotEraseAtAStartIsOutForGood) {
  boot_running();
  dev.power_cycle();
  dev.flash[4 * kSlots].state = Page::kTorn;  // nothing live in it
  dev.worn = {slot(4, 1)};
  boot_enabled();
  EXPECT_EQ(bitmap(), 1u << 4);
  EXPECT_EQ(dev.sb[4].state, uint32_t{ORM_SB_STATE_BAD});
  const nvme_smart_log s = smart();
  EXPECT_EQ(s.available_spare, 0) << "one was to spare";
  EXPECT_NE(s.critical_warning & NVME_CRITICAL_WARNING_SPARE, 0);
  EXPECT_EQ(s.media_errors, 1u);
  dev.power_cycle();
  dev.worn.clear();
  boot_enabled();
  EXPECT_TRUE(dev.erased.empty()) << "nobody tries again";
  EXPECT_FALSE(is_free(4));
}

TEST_F(BadTest, WhatACollectionCannotEraseIsOutForGood) {
  boot_enabled();
  dev.hold_gc = true;
  for (uint32_t sb = 4; sb < 8; sb++) dev.sb[sb] = {1, sb, ORM_SB_STATE_CLOSED};
  dev.free_list = {0, 1, 2};
  settle();
  ASSERT_EQ(dev.victims, std::vector<uint32_t>{4});
  dev.sb[4].valid = 0;  // all of it was moved
  dev.gc_ok = false;
  dev.release_gc();
  settle();
  EXPECT_EQ(bitmap(), 1u << 4);
}

}  // namespace
}  // namespace orm_test
