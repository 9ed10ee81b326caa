// SPDX-License-Identifier: Apache-2.0
#include <cerrno>

#include "device_fixture.h"
#include "openremap_cmd.h"

namespace openremap {
namespace {

class PlacementTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    Open();
  }
};

TEST_F(PlacementTest, HandleReachesTheWireInEveryPiece) {
  const uint64_t pages = openremap_get_info(dev_)->max_transfer_pages + 1;
  const auto data = Pattern(pages, 1);
  mock()->log.clear();
  ASSERT_EQ(openremap_write_placed(dev_, 5, pages, data.data(), true, 2), 0);
  ASSERT_EQ(mock()->log.size(), 2u);
  for (const nvme_submission_entry &e : mock()->log) {
    EXPECT_EQ(e.cdw12 >> 20 & 0xF, 2u) << "Data Placement";
    EXPECT_EQ(e.cdw13, 2u << 16);
    EXPECT_NE(e.cdw12 & NVME_RW_FUA, 0u);
  }
  std::vector<uint8_t> back(data.size());
  ASSERT_EQ(openremap_read(dev_, 5, pages, back.data()), 0);
  EXPECT_EQ(back, data);
}

TEST_F(PlacementTest, PlainWritesCarryNone) {
  const auto data = Pattern(1, 1);
  ASSERT_EQ(openremap_write(dev_, 5, 1, data.data(), false), 0);
  EXPECT_EQ(mock()->log.back().cdw12, 0u);
  EXPECT_EQ(mock()->log.back().cdw13, 0u);
}

TEST_F(PlacementTest, StatusOfTheHandles) {
  const auto data = Pattern(3, 1);
  ASSERT_EQ(openremap_write_placed(dev_, 0, 3, data.data(), false, 1), 0);
  openremap_placement out[4];
  size_t count = 0;
  ASSERT_EQ(openremap_get_placement(dev_, out, 4, &count), 0);
  ASSERT_EQ(count, MockController::kHandles);
  EXPECT_EQ(out[0].pages_left, MockController::kUnitPages);
  EXPECT_EQ(out[1].handle, 1);
  EXPECT_EQ(out[1].pages_left, MockController::kUnitPages - 3);
  out[1].handle = 77;
  ASSERT_EQ(openremap_get_placement(dev_, out, 1, &count), 0);
  EXPECT_EQ(count, MockController::kHandles);
  EXPECT_EQ(out[1].handle, 77) << "no more than there is room for";
}

TEST_F(PlacementTest, MoreHandlesThanWereTransferredAreAnError) {
  mock()->faults.placement_handles = 129;
  openremap_placement out[4];
  size_t count = 0;
  EXPECT_EQ(openremap_get_placement(dev_, out, 4, &count), -EIO);
}

TEST_F(PlacementTest, Update) {
  const auto data = Pattern(3, 1);
  ASSERT_EQ(openremap_write_placed(dev_, 0, 3, data.data(), false, 1), 0);
  const uint16_t handles[] = {1, 2, MockController::kHandles};
  EXPECT_EQ(openremap_placement_update(dev_, handles, 3), NVME_STATUS(0, NVME_STATUS_INVALID_FIELD));
  EXPECT_EQ(mock()->placed[1], 3u);
  EXPECT_EQ(openremap_placement_update(dev_, handles, 2), 0);
  EXPECT_EQ(mock()->placed[1], 0u);
  EXPECT_EQ(openremap_placement_update(dev_, handles, 0), -EINVAL);
  EXPECT_EQ(openremap_placement_update(dev_, handles, 129), -EINVAL);
}

}  // namespace
}  // namespace openremap
