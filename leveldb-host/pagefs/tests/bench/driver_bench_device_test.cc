// SPDX-License-Identifier: Apache-2.0
//
// The tools on a stranger's drive: they name the reason, and send nothing but the questions that tell it from ours.
#include "pagefs/bench/driver_bench_device.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mock_controller.h"
#include "pagefs/check/pagefs_commands.h"
#include "temp_dir.h"

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

// Its pages, without a file layer.
class PlainBenchDevice : public DriverBenchDevice {
 public:
  using DriverBenchDevice::DriverBenchDevice;
  using DriverBenchDevice::pages;
  leveldb::Env *env() override { return nullptr; }
  uint64_t FreeBytes() const override { return 0; }
  std::vector<std::pair<std::string, std::string>> Geometry() const override { return {}; }

 protected:
  uint64_t UsedPages() const override { return 0; }
};

class PageTracingTest : public ::testing::Test {
 protected:
  PageTracingTest() {
    const openremap_options options = Stranger();
    MockController::config = MockConfig();
    device_ = std::make_unique<PlainBenchDevice>(OpenDriver(options, -EINVAL, &failure_));
    options_.page_trace_file = folder_.path + "/pages";
  }

  orm::TempDir folder_;
  OpenFailure failure_;
  BenchDeviceOptions options_;
  std::unique_ptr<PlainBenchDevice> device_;
};

TEST_F(PageTracingTest, TheTraceHasWhatGoesThroughPages) {
  ASSERT_TRUE(device_->TracePages(options_, &failure_)) << failure_.reason;
  const std::string data(kPageBytes, 'x');
  ASSERT_TRUE(device_->pages()->Write({{7, 1, data.data(), 2}}, false).ok());
  DeviceStats stats;
  ASSERT_TRUE(device_->ReadStats(&stats).ok());
  ASSERT_TRUE(device_->EndRecording().ok());
  ASSERT_TRUE(device_->pages()->Flush().ok()) << "no more of the trace";
  std::unique_ptr<PageTraceReader> reader;
  ASSERT_TRUE(PageTraceReader::Open(options_.page_trace_file, &reader).ok());
  EXPECT_EQ(reader->info().pages, device_->pages()->Pages());
  EXPECT_EQ(reader->info().placements, 3u);
  PageRecord write, flush, none;
  bool end = false;
  ASSERT_TRUE(reader->Next(&write, &end).ok());
  EXPECT_EQ(write.operation, PageOperation::kWrite);
  EXPECT_EQ(write.placement, 2u);
  ASSERT_TRUE(reader->Next(&flush, &end).ok());
  EXPECT_EQ(flush.operation, PageOperation::kFlush) << "of the counters";
  ASSERT_TRUE(reader->Next(&none, &end).ok());
  EXPECT_TRUE(end);
}

TEST_F(PageTracingTest, ATrialLeavesNoFileAndABadNameIsToldAtOnce) {
  options_.trial = true;
  EXPECT_TRUE(device_->TracePages(options_, &failure_));
  EXPECT_FALSE(std::filesystem::exists(options_.page_trace_file));
  options_.trial = false;
  options_.page_trace_file = folder_.path + "/no/file";
  EXPECT_FALSE(device_->TracePages(options_, &failure_));
  EXPECT_TRUE(failure_.bad_option);
  EXPECT_EQ(failure_.reason.find("--trace-pages="), 0u) << failure_.reason;
  options_.page_trace_file.clear();
  EXPECT_TRUE(device_->TracePages(options_, &failure_)) << "none wanted";
  EXPECT_TRUE(device_->EndRecording().ok());
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
