// SPDX-License-Identifier: Apache-2.0
#include <cerrno>

#include "device_fixture.h"
#include "openremap_cmd.h"
#include "openremap_stats.h"

namespace openremap {
namespace {

class CommandsTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    Open();
  }
  std::vector<uint8_t> ReadPage(uint64_t lpn) {
    std::vector<uint8_t> data(OPENREMAP_PAGE_BYTES, 0xEE);
    EXPECT_EQ(openremap_read(dev_, lpn, 1, data.data()), 0);
    return data;
  }
  const std::vector<uint8_t> zeroes_ = std::vector<uint8_t>(OPENREMAP_PAGE_BYTES, 0);
};

TEST_F(CommandsTest, ForceUnitAccessReachesTheWire) {
  const auto data = Pattern(1, 1);
  ASSERT_EQ(openremap_write(dev_, 5, 1, data.data(), true), 0);
  EXPECT_NE(mock()->log.back().cdw12 & NVME_RW_FUA, 0u);
  ASSERT_EQ(openremap_power_cycle(dev_), 0);
  EXPECT_EQ(ReadPage(5), data);
}

TEST_F(CommandsTest, DeallocatePacksRangesIntoFewCommands) {
  const auto data = Pattern(600, 2);
  ASSERT_EQ(openremap_write(dev_, 0, 600, data.data(), false), 0);
  mock()->log.clear();
  std::vector<openremap_range> ranges;
  for (uint64_t i = 0; i < 300; i++) ranges.push_back({2 * i, 1});
  ASSERT_EQ(openremap_deallocate(dev_, ranges.data(), ranges.size()), 0);
  EXPECT_EQ(mock()->log.size(), 2u) << "256 + 44 ranges";
  EXPECT_EQ(ReadPage(0), zeroes_);
  EXPECT_EQ(ReadPage(598), zeroes_);
  EXPECT_NE(ReadPage(599), zeroes_);
}

TEST_F(CommandsTest, DeallocateOfNothingSendsNothing) {
  mock()->log.clear();
  EXPECT_EQ(openremap_deallocate(dev_, nullptr, 0), 0);
  EXPECT_TRUE(mock()->log.empty());
  const openremap_range empty = {1, 0};
  EXPECT_EQ(openremap_deallocate(dev_, &empty, 1), -EINVAL);
  const openremap_range outside = {4000, 97};
  EXPECT_EQ(openremap_deallocate(dev_, &outside, 1), NVME_STATUS(0, 0x80));
}

TEST_F(CommandsTest, FormatDropsEverything) {
  const auto data = Pattern(10, 4);
  ASSERT_EQ(openremap_write(dev_, 0, 10, data.data(), true), 0);
  ASSERT_EQ(openremap_format(dev_, false), 0);
  EXPECT_EQ(ReadPage(3), zeroes_);
  ASSERT_EQ(openremap_format(dev_, true), 0);
  EXPECT_EQ(mock()->formats, (std::vector<uint32_t>{0, 0x200})) << "secure erase setting";
  mock()->faults.format_status = NVME_STATUS_FORMAT_IN_PROGRESS;
  EXPECT_EQ(openremap_format(dev_, false), NVME_STATUS(0, 0x84));
}

TEST_F(CommandsTest, WriteZeroesReadsBackZero) {
  const auto data = Pattern(10, 3);
  ASSERT_EQ(openremap_write(dev_, 0, 10, data.data(), false), 0);
  ASSERT_EQ(openremap_write_zeroes(dev_, 2, 4, true), 0);
  EXPECT_NE(mock()->log.back().cdw12 & NVME_WZ_DEAC, 0u);
  EXPECT_EQ(ReadPage(2), zeroes_);
  EXPECT_EQ(ReadPage(5), zeroes_);
  EXPECT_NE(ReadPage(6), zeroes_);
}

TEST_F(CommandsTest, CopyIsCutToTheControllersLimits) {
  const auto data = Pattern(150, 4);
  ASSERT_EQ(openremap_write(dev_, 0, 150, data.data(), false), 0);
  mock()->log.clear();
  ASSERT_EQ(openremap_copy(dev_, 0, 1000, 150), 0);
  EXPECT_EQ(mock()->log.size(), 3u) << "MSSRL is 64";
  std::vector<uint8_t> back(data.size());
  ASSERT_EQ(openremap_read(dev_, 1000, 150, back.data()), 0);
  EXPECT_EQ(back, data);
  EXPECT_EQ(openremap_copy(dev_, 4095, 0, 2), NVME_STATUS(0, 0x80));
}

TEST_F(CommandsTest, LogPageOffsetsAndErrors) {
  uint8_t whole[512], half[256];
  ASSERT_EQ(openremap_get_log_page(dev_, ORM_VENDOR_LOG_PAGES_REMAP_LOG, 0, whole, sizeof(whole)), 0);
  ASSERT_EQ(openremap_get_log_page(dev_, ORM_VENDOR_LOG_PAGES_REMAP_LOG, 256, half, sizeof(half)), 0);
  EXPECT_TRUE(std::equal(half + 8, half + 256, whole + 256 + 8)) << "all but device_ns, which has moved on";
  EXPECT_EQ(openremap_get_log_page(dev_, 0x77, 0, whole, 512), NVME_STATUS(1, 0x09));
  EXPECT_EQ(openremap_get_log_page(dev_, NVME_LOG_PAGE_SMART, 0, whole, 510), -EINVAL);
  EXPECT_EQ(openremap_get_log_page(dev_, NVME_LOG_PAGE_SMART, 2, whole, 512), -EINVAL);
  EXPECT_EQ(openremap_get_log_page(dev_, NVME_LOG_PAGE_SMART, 0, whole, 0), -EINVAL);
}

TEST_F(CommandsTest, AGroupsLogPageIsThatOfTheNamespacesGroup) {
  uint8_t page[512];
  ASSERT_EQ(openremap_get_log_page(dev_, NVME_LOG_PAGE_ENDURANCE_GROUP, 0, page, sizeof(page)), 0);
  EXPECT_EQ(page[3], 100) << "available spare";
}

TEST_F(CommandsTest, StatisticsAreTheDevicesCounters) {
  const auto data = Pattern(7, 5);
  ASSERT_EQ(openremap_write(dev_, 0, 7, data.data(), false), 0);
  orm_remap_log stats{};
  ASSERT_EQ(openremap_get_stats(dev_, &stats), 0);
  EXPECT_EQ(stats.host_write_pages, 7u);
}

TEST_F(CommandsTest, UnknownOpcodesAreRefusedAndTheDeviceLivesOn) {
  nvme_submission_entry c;
  nvme_cmd_init(&c, 0xFC, 1);
  EXPECT_EQ(openremap_io(dev_, &c, nullptr, 0, nullptr), NVME_STATUS(0, 0x01));
  EXPECT_EQ(openremap_admin(dev_, &c, nullptr, 0, nullptr), NVME_STATUS(0, 0x01));
  EXPECT_EQ(openremap_flush(dev_), 0);
}

}  // namespace
}  // namespace openremap
