// SPDX-License-Identifier: Apache-2.0
#include "pagefs/device/timed_page_device.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "pagefs/tests/device/fake_page_device.h"

namespace openremap {
namespace {

TEST(TimedPageDeviceTest, TellsOfEachCallThatReadsOrChangesPages) {
  FakePageDevice below(100);
  below.unit_pages = 10;
  uint64_t now = 1000;
  // Each reading of the clock is 7 ns, and then 8, 9, ... after the one before.
  TimedPageDevice device(&below, [&now, step = uint64_t{6}]() mutable { return now += ++step; });
  std::vector<std::pair<DeviceCall, uint64_t>> told;
  std::string data(10 * kPageBytes, 'x');
  ASSERT_TRUE(device.Write({{5, 10, data.data(), 0}}, false).ok()) << "nobody listens yet";
  EXPECT_EQ(now, 1000u) << "so the clock is not asked";

  device.Listen([&told](DeviceCall call, uint64_t nanoseconds) { told.emplace_back(call, nanoseconds); });
  bool refused = false;
  ASSERT_TRUE(device.Write({{5, 10, data.data(), 0}, {20, 1, data.data(), 0}}, true).ok());
  ASSERT_TRUE(device.Read(6, 2, &data[0]).ok());
  ASSERT_TRUE(device.ReadTogether({{5, 1, &data[0]}, {20, 1, &data[0]}}).ok());
  ASSERT_TRUE(device.Remap({{5, 40, 4}}, &refused).ok());
  EXPECT_FALSE(refused);
  ASSERT_TRUE(device.Flush().ok());
  ASSERT_TRUE(device.BeginUnit(0).ok()) << "neither reads nor changes pages";
  ASSERT_TRUE(device.Deallocate({{5, 3}, {20, 1}}).ok());
  EXPECT_FALSE(device.Write({{95, 10, data.data(), 0}}, false).ok()) << "takes its time, too";
  using Call = DeviceCall;
  const std::vector<std::pair<DeviceCall, uint64_t>> expected = {
      {Call::kWrite, 8},  {Call::kRead, 10},       {Call::kRead, 12}, {Call::kRemap, 14},
      {Call::kFlush, 16}, {Call::kDeallocate, 18}, {Call::kWrite, 20}};
  EXPECT_EQ(told, expected);

  device.Listen(nullptr);
  ASSERT_TRUE(device.Flush().ok());
  EXPECT_EQ(told.size(), expected.size());
}

TEST(TimedPageDeviceTest, NamesEachCall) {
  EXPECT_EQ(std::string(DeviceCallName(DeviceCall::kRead)), "read");
  EXPECT_EQ(std::string(DeviceCallName(DeviceCall::kRemap)), "remap");
}

}  // namespace
}  // namespace openremap
