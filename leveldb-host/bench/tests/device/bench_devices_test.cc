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
  options.superblocks = 0;
  options.page_trace_file = "pages";
  for (const char *device : {"mem", "reflink:."}) {
    options.device = device;
    EXPECT_EQ(OpenBenchDevice(options, &failure), nullptr);
    EXPECT_TRUE(failure.bad_option);
    EXPECT_NE(failure.reason.find("--trace-pages"), std::string::npos) << failure.reason;
  }
  options.device = "floppy";
  EXPECT_EQ(OpenBenchDevice(options, &failure), nullptr);
  EXPECT_TRUE(failure.bad_option);
}

}  // namespace
}  // namespace openremap
