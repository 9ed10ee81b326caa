// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "bench_device.h"

namespace openremap {
namespace {

TEST(BenchDeviceTest, WrongOptionsAreToldFromFailures) {
  BenchDeviceOptions options;
  options.device = "mem";
  options.superblocks = 7;
  OpenFailure failure;
  EXPECT_EQ(OpenBenchDevice(options, &failure), nullptr);
  EXPECT_TRUE(failure.bad_option);
  EXPECT_NE(failure.reason.find("--superblocks"), std::string::npos);
  options.device = "floppy";
  EXPECT_EQ(OpenBenchDevice(options, &failure), nullptr);
  EXPECT_TRUE(failure.bad_option);
}

}  // namespace
}  // namespace openremap
