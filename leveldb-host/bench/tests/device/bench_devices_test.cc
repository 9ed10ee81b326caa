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

TEST(BenchDeviceTest, KnobsOfAFlashAndOfPageFsNeedOne) {
  OpenFailure failure;
  for (int knob = 0; knob < 15; knob++) {
    BenchDeviceOptions options;
    options.device = "mem";
    if (knob == 0) options.over_provisioning = 7;
    if (knob == 1) options.placement_handles = 2;
    if (knob == 2) options.cache = "keep";
    if (knob == 3) options.mapping_unit = 2;
    if (knob == 4) options.placement = BenchPlacement::kOff;
    if (knob == 5) options.allocation = BenchAllocation::kNext;
    if (knob == 6) options.deallocate = false;
    if (knob == 7) options.align = false;
    if (knob == 8) options.precondition = true;
    if (knob == 9) options.page_trace_file = "pages";
    if (knob == 10) options.mkfs_discard = false;
    if (knob == 11) options.journal = BenchJournal::kMetadata;
    if (knob == 12) options.side = BenchSide::kFiles;
    if (knob == 13) options.firmware = "remote";
    if (knob == 14) options.firmware_cpu = "vexriscv";
    failure = OpenFailure();
    EXPECT_EQ(OpenBenchDevice(options, &failure), nullptr) << knob;
    EXPECT_TRUE(failure.bad_option);
    EXPECT_NE(failure.reason.find(knob < 3 || knob > 12 ? "device mem has no flash" : "device mem has no PageFS"),
              std::string::npos);
  }
  BenchDeviceOptions options;
  options.device = "mem";
  EXPECT_NE(OpenBenchDevice(options, &failure), nullptr);
}

}  // namespace
}  // namespace openremap
