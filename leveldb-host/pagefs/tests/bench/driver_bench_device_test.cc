// SPDX-License-Identifier: Apache-2.0
//
// The tools on a stranger's drive: they name the reason, and send nothing but the questions that tell it from ours.
#include "pagefs/bench/driver_bench_device.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <string>

#include "mock_controller.h"
#include "pagefs/check/pagefs_commands.h"

namespace openremap {
namespace {

const char kReason[] = "not an OpenRemap device: its PCI vendor is 0x144d and its model \"Fast SSD 980\"";

openremap_options Stranger() {
  MockController::config = MockConfig();
  MockController::config.vid = 0x144d;
  MockController::config.model = "Fast SSD 980";
  openremap_options options{};
  options.create = MockController::Create;
  return options;
}

TEST(DriverBenchDeviceTest, AStrangersDriveIsABadOption) {
  OpenFailure failure;
  EXPECT_EQ(OpenDriver(Stranger(), -EINVAL, &failure), nullptr);
  EXPECT_EQ(failure.reason, kReason);
  EXPECT_TRUE(failure.bad_option);
  EXPECT_EQ(MockController::instance, nullptr) << "the device was left open";
}

TEST(DriverBenchDeviceTest, OtherBlocksAreNamed) {
  openremap_options options = Stranger();
  MockController::config.block_formats = {9u << 16, 12u << 16};
  OpenFailure failure;
  EXPECT_EQ(OpenDriver(options, -EINVAL, &failure), nullptr);
  EXPECT_NE(failure.reason.find("512-byte blocks (format 0); its format 1 has"), std::string::npos) << failure.reason;
}

TEST(DriverBenchDeviceTest, OurDeviceIsOpened) {
  openremap_options options = Stranger();
  MockController::config = MockConfig();
  OpenFailure failure;
  EXPECT_NE(OpenDriver(options, -EINVAL, &failure), nullptr) << failure.reason;
}

TEST(PageFsCommandsTest, AStrangersDriveIsNotRead) {
  const openremap_options options = Stranger();
  CLI::App app;
  const PageFsCommands commands(&app);
  app.parse("check");
  testing::internal::CaptureStderr();
  EXPECT_EQ(commands.Run(options), 1);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "pagefs: " + std::string(kReason) + "\n");
  EXPECT_EQ(MockController::instance, nullptr) << "the device was left open";
}

}  // namespace
}  // namespace openremap
