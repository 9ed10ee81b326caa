// SPDX-License-Identifier: Apache-2.0
extern "C" {
#include "core/device.h"
}

#include "support/fw_fixture.h"

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

TEST(DeviceTest, SlotsOfAPage) {
  MockDevice dev;
  device d{};
  ASSERT_EQ(device_probe(&d, dev.port()), FW_OK);
  EXPECT_EQ(d.slots_per_page, 1u);
  EXPECT_EQ(device_slots_per_block(&d), MockDevice::kPages);
  dev.make_wide();
  ASSERT_EQ(device_probe(&d, dev.port()), FW_OK);
  EXPECT_EQ(d.slots_per_page, 4u);
  EXPECT_EQ(device_slots_per_block(&d), 8u);
  for (uint32_t slots : {0u, 1u, 15u, 17u, 9u * 4}) {  // a superblock has 4 pages
    dev.reg[ORM_FW_CAP_SLOTS_PER_SB] = slots;
    EXPECT_EQ(device_probe(&d, dev.port()), FW_GEOMETRY) << slots;
  }
}

TEST(DeviceTest, SizeOfTheNamespace) {
  device d{};
  d.data_slots = 100;
  d.slots_per_page = 1;
  d.lpns = d.destage_lpn = 100000;
  EXPECT_EQ(device_nsze(&d, 14, 1, 10), 900u);
  EXPECT_EQ(device_nsze(&d, 14, 1, 0), 880u) << "default over-provisioning";
  EXPECT_EQ(device_nsze(&d, 4, 1, 10), 0u);
  EXPECT_EQ(device_nsze(&d, 0, 1, 10), 0u);
  EXPECT_EQ(device_nsze(&d, 14, 1, 99), 10u);
  EXPECT_EQ(device_nsze(&d, 14, 1, 100), 0u);
  EXPECT_EQ(device_nsze(&d, 14, 1, UINT32_MAX), 0u);
  d.destage_lpn = 500;
  EXPECT_EQ(device_nsze(&d, 14, 1, 10), 500u) << "what is left of the map is for destaged chains";
}

// Firmware carries out a Copy that found no room in hardware. Its list has to fit the buffer, its pages the engine.
TEST(DeviceTest, CopyIsBounded) {
  MockDevice dev;
  device d{};
  ASSERT_EQ(device_probe(&d, dev.port()), FW_OK);
  EXPECT_EQ(d.copy_ranges, uint32_t{ORM_REMAP_RANGES_MAX});
  EXPECT_EQ(d.copy_pages, MockDevice::kCopyPages);
  const auto probe = [&](uint32_t ranges, uint32_t pages) {
    dev.reg[ORM_FW_CAP_COPY] = ORM_PUT(ORM_FW_CAP_COPY_RANGES, ranges) | ORM_PUT(ORM_FW_CAP_COPY_PAGES, pages);
    return device_probe(&d, dev.port());
  };
  EXPECT_EQ(probe(1, 1), FW_OK);
  EXPECT_EQ(probe(ORM_REMAP_RANGES_MAX, ORM_REMAP_PAGES_MAX), FW_OK);
  EXPECT_EQ(probe(0, 1), FW_GEOMETRY);
  EXPECT_EQ(probe(1, 0), FW_GEOMETRY);
  EXPECT_EQ(probe(ORM_REMAP_RANGES_MAX + 1, 1), FW_GEOMETRY);
  EXPECT_EQ(probe(1, ORM_REMAP_PAGES_MAX + 1), FW_GEOMETRY);
}

TEST(DeviceTest, DestagedChainsHaveTheLastLpns) {
  MockDevice dev;
  device d{};
  ASSERT_EQ(device_probe(&d, dev.port()), FW_OK);
  EXPECT_EQ(d.destage_slots, MockDevice::kDestageSlots);
  EXPECT_EQ(device_destage_lpn(&d, 0, 1, 0), MockDevice::kDestageLpn);
  EXPECT_EQ(device_destage_lpn(&d, 0, 2, 1), MockDevice::kDestageLpn + 3);
  EXPECT_EQ(device_destage_lpn(&d, MockDevice::kSuperblocks - 1, 2, 1), MockDevice::kLpns - 1);
  for (uint32_t slots : {0u, 1u, 2u, 4u}) {
    dev.reg[ORM_FW_CAP_DESTAGE] = slots;
    dev.reg[ORM_FW_CAP_DESTAGE_LPN] = MockDevice::kLpns - 2 * slots * MockDevice::kSuperblocks;
    EXPECT_EQ(device_probe(&d, dev.port()), FW_OK) << slots;
  }
  dev.reg[ORM_FW_CAP_DESTAGE_LPN]++;
  EXPECT_EQ(device_probe(&d, dev.port()), FW_GEOMETRY) << "a gap, or too few";
  for (uint32_t slots : {3u, 16u, 128u}) {
    dev.reg[ORM_FW_CAP_DESTAGE] = slots;
    dev.reg[ORM_FW_CAP_DESTAGE_LPN] = MockDevice::kLpns - 2 * slots * MockDevice::kSuperblocks;
    EXPECT_EQ(device_probe(&d, dev.port()), FW_GEOMETRY) << slots;
  }
  dev.reg[ORM_FW_CAP_DESTAGE] = 8;  // all that there are, and none for the namespace
  dev.reg[ORM_FW_CAP_DESTAGE_LPN] = 0;
  EXPECT_EQ(device_probe(&d, dev.port()), FW_GEOMETRY);
}

TEST(DeviceTest, SummariesAreWholePagesWithRoomForAllRecords) {
  MockDevice dev;
  device d;
  dev.make_summaries();
  ASSERT_EQ(device_probe(&d, dev.port()), FW_OK);
  EXPECT_EQ(d.data_slots, MockDevice::kSlotsPerSb - 1);
  for (uint32_t die = 0; die < MockDevice::kDies; die++)
    EXPECT_EQ(device_data_slots_of(&d, die), MockDevice::kPages - (die + 1 == MockDevice::kDies)) << die;
  const auto offer = [&](uint32_t slots, uint32_t logs) {
    dev.reg[ORM_FW_CAP_SUMMARY] = ORM_PUT(ORM_FW_CAP_SUMMARY_SLOTS, slots) | ORM_PUT(ORM_FW_CAP_SUMMARY_LOGS, logs);
  };
  offer(4, 2);
  EXPECT_EQ(device_probe(&d, dev.port()), FW_OK);
  offer(4, 3);
  EXPECT_EQ(device_probe(&d, dev.port()), FW_GEOMETRY) << "DRAM has no room for three logs";
  offer(1, 0);
  EXPECT_EQ(device_probe(&d, dev.port()), FW_GEOMETRY) << "no logs";
  offer(5, 1);
  EXPECT_EQ(device_probe(&d, dev.port()), FW_GEOMETRY) << "more than a quarter";
  dev.make_wide();
  offer(2, 1);
  EXPECT_EQ(device_probe(&d, dev.port()), FW_GEOMETRY) << "half a page";
}

TEST(DeviceTest, WhatMayBePaddingIsNotOffered) {
  device d{};
  d.data_slots = 100;
  d.slots_per_page = 4;
  d.lpns = d.destage_lpn = 100000;
  EXPECT_EQ(device_nsze(&d, 14, 1, 10), 873u) << "10 superblocks of 97";
  EXPECT_EQ(device_nsze(&d, 14, 3, 10), 737u) << "8 of them less half of the over-provisioning";
}

TEST(DeviceTest, HandlesTakeNoMoreThanHalfOfTheOverProvisioning) {
  device d{};
  d.data_slots = 100;
  d.slots_per_page = 1;
  d.lpns = d.destage_lpn = 100000;
  EXPECT_EQ(device_nsze(&d, 64, 4, 0), 5280u) << "as with one handle";
  EXPECT_EQ(device_nsze(&d, 14, 3, 10), 760u) << "8 superblocks less half of the over-provisioning";
  EXPECT_EQ(device_nsze(&d, 14, 3, 50), 500u);
  EXPECT_EQ(device_nsze(&d, 6, 3, 10), 0u) << "nothing is left";
}

TEST(DeviceTest, AsManyHandlesAsDoNotMakeTheNamespaceSmaller) {
  device d{};
  d.data_slots = 100;
  d.slots_per_page = 1;
  d.lpns = d.destage_lpn = 100000;
  d.handles = 4;
  EXPECT_EQ(device_handles(&d, 5, 0), 1u);
  EXPECT_EQ(device_handles(&d, 32, 0), 2u);
  EXPECT_EQ(device_handles(&d, 32, 25), 4u) << "there is more to take them from";
  EXPECT_EQ(device_handles(&d, 64, 0), 4u);
  EXPECT_EQ(device_handles(&d, 64, 1), 1u);
  d.handles = 1;
  EXPECT_EQ(device_handles(&d, 64, 0), 1u);
}

}  // namespace
}  // namespace orm_test
