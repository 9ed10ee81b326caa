// SPDX-License-Identifier: Apache-2.0
extern "C" {
#include "device.h"
}

#include "fw_fixture.h"

namespace orm_test {
namespace {

TEST(DeviceTest, ReadsTheCapabilities) {
  MockDevice dev;
  device d{};
  ASSERT_EQ(device_probe(&d, dev.port()), FW_OK);
  EXPECT_EQ(d.dies, MockDevice::kDies);
  EXPECT_EQ(d.slots, MockDevice::kLpns);
  EXPECT_EQ(d.mdts_bytes, 8u * 4096);
  EXPECT_EQ(device_entries_per_segment(&d), 3u);
  EXPECT_EQ(device_buffer_bytes(&d), 8u * 4096);
}

TEST(DeviceTest, SizeOfTheNamespace) {
  device d{};
  d.slots_per_sb = 100;
  d.lpns = 100000;
  EXPECT_EQ(device_nsze(&d, 14, 10), 900u);
  EXPECT_EQ(device_nsze(&d, 14, 0), 880u) << "default over-provisioning";
  EXPECT_EQ(device_nsze(&d, 4, 10), 0u);
  EXPECT_EQ(device_nsze(&d, 0, 10), 0u);
  EXPECT_EQ(device_nsze(&d, 14, 99), 10u);
  EXPECT_EQ(device_nsze(&d, 14, 100), 0u);
  EXPECT_EQ(device_nsze(&d, 14, UINT32_MAX), 0u);
  d.lpns = 500;
  EXPECT_EQ(device_nsze(&d, 14, 10), 500u) << "no more than the map holds";
}

}  // namespace
}  // namespace orm_test
