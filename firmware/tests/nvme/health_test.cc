// SPDX-License-Identifier: Apache-2.0
#include "support/fw_fixture.h"

namespace orm_test {
namespace {

class HealthTest : public FwTest {
 protected:
  void SetUp() override { boot_enabled(); }

  // The first 512 bytes of a log page.
  static nvme_submission_entry log_page(uint8_t id) {
    return command(NVME_ADMIN_OPCODE_GET_LOG_PAGE, 0xFFFFFFFF, id | 127u << 16);
  }
};

TEST_F(HealthTest, SpareGoesWithBadSuperblocks) {
  // 12 superblocks, 4 for the allocator, 8 x 16 x 88 % = 112 pages in 7: one is spare.
  nvme_smart_log s;
  ASSERT_EQ(admin(log_page(NVME_LOG_PAGE_SMART)).status, 0);
  nvme_smart_log_unpack(&s, dev.host.data());
  EXPECT_EQ(s.available_spare, 100);
  dev.write_bad_word(1u << 5);
  power_cycle();
  enable();
  ASSERT_EQ(admin(log_page(NVME_LOG_PAGE_SMART)).status, 0);
  nvme_smart_log_unpack(&s, dev.host.data());
  EXPECT_EQ(s.available_spare, 0);
  EXPECT_EQ(s.critical_warning, NVME_CRITICAL_WARNING_SPARE | NVME_CRITICAL_WARNING_READ_ONLY);
  ASSERT_EQ(admin(log_page(ORM_VENDOR_LOG_PAGES_OCP_SMART)).status, 0);
  nvme_ocp_smart_log o;
  nvme_ocp_smart_log_unpack(&o, dev.host.data());
  EXPECT_EQ(o.bad_user_blocks, uint64_t{MockDevice::kDies});
  EXPECT_EQ(o.bad_user_normalized, 0u);
}

TEST_F(HealthTest, WearFollowsTheGenerations) {
  for (Superblock &s : dev.sb) s.gen = 1 + 30;
  dev.sb[3].gen = 1 + 90;
  dev.sb[7].gen = 1;
  for (uint32_t i = 0; i < 3; i++) dev.sb[i].valid = 5;
  dev.destaged[9] = ORM_PUT(ORM_FW_SB_DESTAGED_SET, 1) | ORM_PUT(ORM_FW_SB_DESTAGED_SLOTS, 3);
  ASSERT_EQ(admin(log_page(ORM_VENDOR_LOG_PAGES_OCP_SMART)).status, 0);
  nvme_ocp_smart_log o;
  nvme_ocp_smart_log_unpack(&o, dev.host.data());
  EXPECT_EQ(o.max_erase_count, 90u);
  EXPECT_EQ(o.min_erase_count, 0u);
  EXPECT_EQ(o.avg_erase_count, (10u * 30 + 90) / 12);
  EXPECT_EQ(o.total_nuse, 12u) << "destaged chains are no data of the namespace";
  ASSERT_EQ(admin(log_page(NVME_LOG_PAGE_SMART)).status, 0);
  nvme_smart_log s;
  nvme_smart_log_unpack(&s, dev.host.data());
  EXPECT_EQ(s.percentage_used, 1) << "32 of 3000 erases";
}

TEST_F(HealthTest, TemperatureWarning) {
  admin(command(NVME_ADMIN_OPCODE_SET_FEATURES, 0, NVME_FEATURE_TEMPERATURE, 330));
  nvme_smart_log s;
  for (uint16_t kelvin : std::array<uint16_t, 3>{329, 330, 400}) {
    dev.kelvin = kelvin;
    ASSERT_EQ(admin(log_page(NVME_LOG_PAGE_SMART)).status, 0);
    nvme_smart_log_unpack(&s, dev.host.data());
    EXPECT_EQ(s.temperature, kelvin);
    EXPECT_EQ(s.critical_warning, kelvin < 330 ? 0 : NVME_CRITICAL_WARNING_TEMPERATURE);
  }
}

}  // namespace
}  // namespace orm_test
