// SPDX-License-Identifier: Apache-2.0
#include "support/fw_fixture.h"

namespace orm_test {
namespace {

constexpr uint32_t kOffered = 2;  // placement handles, of the mock's 4

class PlacementTest : public FwTest {
 protected:
  void SetUp() override {
    dev.options().placement_handles = kOffered;
    boot_enabled();
  }

  Completion get_log(uint8_t id, uint32_t bytes, uint16_t group = 1) {
    uint32_t dwords = bytes / 4 - 1;
    return admin(command(NVME_ADMIN_OPCODE_GET_LOG_PAGE, 0, id | dwords << 16, uint32_t(group) << 16));
  }
};

TEST_F(PlacementTest, HardwareIsToldTheHandles) { EXPECT_EQ(dev.reg[ORM_FW_ALLOC_HANDLES], kOffered); }

TEST_F(PlacementTest, Configurations) {
  ASSERT_EQ(get_log(NVME_LOG_PAGE_PLACEMENT_CONFIGURATIONS, 512).status, 0);
  nvme_placement_configurations c;
  nvme_placement_configurations_unpack(&c, dev.host.data());
  EXPECT_EQ(c.configurations, 0) << "one, zero-based";
  EXPECT_EQ(c.size, 88u);
  EXPECT_EQ(c.descriptor, 72u);
  EXPECT_EQ(c.attributes, 0x90) << "valid, with a volatile write cache, no bits for reclaim groups";
  EXPECT_EQ(c.groups, 1u);
  EXPECT_EQ(c.handles, kOffered);
  EXPECT_EQ(c.identifiers, kOffered - 1);
  EXPECT_EQ(c.namespaces, 1u);
  EXPECT_EQ(c.unit_bytes, MockDevice::kSlotsPerSb * 4096u);
  for (uint32_t h = 0; h < kOffered; h++) EXPECT_EQ(orm_get_le(&dev.host[80 + 4 * h], 4), 1u) << h;
  EXPECT_EQ(dev.host[80 + 4 * kOffered], 0);
}

TEST_F(PlacementTest, Usage) {
  ASSERT_EQ(get_log(NVME_LOG_PAGE_PLACEMENT_USAGE, 64).status, 0);
  EXPECT_EQ(orm_get_le(&dev.host[0], 8), kOffered);
  for (uint32_t h = 0; h < kOffered; h++) EXPECT_EQ(orm_get_le(&dev.host[8 + 8 * h], 8), 1u) << h;
}

TEST_F(PlacementTest, Statistics) {
  dev.counters[ORM_COUNTER_HOST_WRITE_PAGES] = 100;
  dev.counters[ORM_COUNTER_NAND_PROGRAM_HOST] = 99;
  dev.counters[ORM_COUNTER_NAND_PROGRAM_GC] = 20;
  dev.counters[ORM_COUNTER_NAND_ERASE] = 3;
  ASSERT_EQ(get_log(NVME_LOG_PAGE_PLACEMENT_STATISTICS, 64).status, 0);
  nvme_placement_statistics s;
  nvme_placement_statistics_unpack(&s, dev.host.data());
  EXPECT_EQ(s.host_written, 100u * 4096);
  EXPECT_EQ(s.media_written, 119u * 4096);
  EXPECT_EQ(s.media_erased, 3u * MockDevice::kPages * 4096);
}

TEST_F(PlacementTest, ErasedBytesOfPagesOfSeveralSlots) {
  dev.make_wide();
  dev.forget_all();
  power_cycle();
  enable();
  dev.counters[ORM_COUNTER_NAND_PROGRAM_HOST] = 5;
  dev.counters[ORM_COUNTER_NAND_PROGRAM_PAD] = 3;
  dev.counters[ORM_COUNTER_NAND_PROGRAM_META] = 2;
  dev.counters[ORM_COUNTER_NAND_ERASE] = 3;
  ASSERT_EQ(get_log(NVME_LOG_PAGE_PLACEMENT_STATISTICS, 64).status, 0);
  nvme_placement_statistics s;
  nvme_placement_statistics_unpack(&s, dev.host.data());
  EXPECT_EQ(s.media_written, 10u * 4096) << "slots without the host's data are programmed too";
  EXPECT_EQ(s.media_erased, 3u * 8 * 4096);
}

TEST_F(PlacementTest, NoEvents) {
  std::fill(dev.host.begin(), dev.host.begin() + 64, 0xEE);
  ASSERT_EQ(get_log(NVME_LOG_PAGE_PLACEMENT_EVENTS, 64).status, 0);
  EXPECT_EQ(orm_get_le(&dev.host[0], 4), 0u);
}

TEST_F(PlacementTest, LogsOfAnotherEnduranceGroup) {
  for (uint8_t id : {NVME_LOG_PAGE_PLACEMENT_CONFIGURATIONS, NVME_LOG_PAGE_PLACEMENT_USAGE,
                     NVME_LOG_PAGE_PLACEMENT_STATISTICS, NVME_LOG_PAGE_PLACEMENT_EVENTS}) {
    EXPECT_EQ(sct_sc(get_log(id, 64, 0)), NVME_STATUS_INVALID_FIELD) << int{id};
    EXPECT_EQ(sct_sc(get_log(id, 64, 2)), NVME_STATUS_INVALID_FIELD) << int{id};
  }
}

TEST_F(PlacementTest, HardwareWithFewerHandlesThanTheDeviceWasFormattedWith) {
  dev.power_cycle();
  dev.reg[ORM_FW_CAP_PLACEMENT] = 1;
  boot();
  EXPECT_EQ(dev.reg[ORM_FW_ALLOC_HANDLES], 1u);
}

TEST_F(PlacementTest, HardwareWithoutAHandleIsRefused) {
  dev.power_cycle();
  dev.reg[ORM_FW_CAP_PLACEMENT] = 0;
  boot();
  EXPECT_EQ(fw_phase(fw_), FW_FATAL);
}

}  // namespace
}  // namespace orm_test
