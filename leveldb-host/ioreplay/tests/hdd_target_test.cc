// SPDX-License-Identifier: Apache-2.0
#include "hdd_target.h"

#include <gtest/gtest.h>

#include "trace_files.h"

namespace openremap {
namespace {

TEST(HddTargetTest, StreamsAndSeeks) {
  HddTarget disk({100, 10});
  const std::vector<uint64_t> stamps;
  uint64_t wrong = 0;
  ASSERT_TRUE(disk.Write({WriteOf(0, 1000), WriteOf(1000, 1000)}, stamps).ok());
  EXPECT_EQ(disk.Seeks(), 0u);
  EXPECT_NEAR(disk.Seconds(), 2000 * 4096 / 100e6, 1e-9);
  ASSERT_TRUE(disk.Read({RecordOf(PageOperation::kRead, 2000, 1)}, stamps, &wrong).ok());
  EXPECT_EQ(disk.Seeks(), 0u) << "goes on where the write ended";
  ASSERT_TRUE(disk.Read({RecordOf(PageOperation::kRead, 2000, 1)}, stamps, &wrong).ok());
  ASSERT_TRUE(disk.Write({WriteOf(0, 1)}, stamps).ok());
  EXPECT_EQ(disk.Seeks(), 2u);
  EXPECT_NEAR(disk.Seconds(), 2003 * 4096 / 100e6 + 0.02, 1e-9);
  ASSERT_TRUE(disk.Flush().ok());
  ASSERT_TRUE(disk.Deallocate({RecordOf(PageOperation::kDeallocate, 0, 100)}).ok());
  EXPECT_EQ(disk.Seeks(), 2u);
  ReplayFigures figures;
  ASSERT_TRUE(disk.Figures(&figures).ok());
  EXPECT_EQ(figures.at(0), (std::pair<std::string, std::string>("discontinuities", "2")));
  EXPECT_EQ(figures.at(1).first, "device_seconds");
}

TEST(HddTargetTest, TheDefaultsAreThoseOfTheMeasuredDisk) {
  HddTarget disk(HddCost{});
  ASSERT_TRUE(disk.Write({WriteOf(1, 1)}, {}).ok());
  EXPECT_NEAR(disk.Seconds(), 0.0127 + 4096 / 196e6, 1e-9);
}

}  // namespace
}  // namespace openremap
