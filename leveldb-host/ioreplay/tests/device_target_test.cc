// SPDX-License-Identifier: Apache-2.0
// On the mock controller; simulated devices are in bench_device_pagefs_test.
#include "device_target.h"

#include <gtest/gtest.h>

#include <memory>

#include "mock_controller.h"
#include "page_stamps.h"
#include "trace_files.h"

namespace openremap {
namespace {

using Op = PageOperation;

class DeviceTargetTest : public ::testing::Test {
 protected:
  void SetUp() override {
    MockController::config = MockConfig();
    openremap_options options{};
    options.create = MockController::Create;
    options.timeout_ns = 100000000;
    char error[200] = "";
    ASSERT_EQ(openremap_open(&options, &device_, error, sizeof(error)), 0) << error;
    target_ = std::make_unique<DeviceTarget>(device_);
    for (uint64_t i = 0; i < stamps_.size(); i++) stamps_[i] = i % 7 == 0 ? kNoStamp : 100 + i;
  }
  void TearDown() override {
    target_.reset();
    openremap_close(device_);
  }
  uint64_t Wrong(const std::vector<PageRecord> &runs) {
    uint64_t wrong = 0;
    EXPECT_TRUE(target_->Read(runs, stamps_, &wrong).ok());
    return wrong;
  }
  MockController *mock() { return MockController::instance; }

  openremap_device *device_ = nullptr;
  std::unique_ptr<DeviceTarget> target_;
  std::vector<uint64_t> stamps_ = std::vector<uint64_t>(4096);
};

TEST_F(DeviceTargetTest, WritesStampsAndFindsOthers) {
  EXPECT_EQ(target_->Pages(), 4096u);
  EXPECT_EQ(target_->Placements(), 3u);
  ASSERT_TRUE(target_->Write({WriteOf(10, 40, 2), WriteOf(100, 3, 1)}, stamps_).ok());
  EXPECT_EQ(mock()->placed, (std::array<uint64_t, 3>{0, 3, 40}));
  EXPECT_EQ(Wrong({RecordOf(Op::kRead, 10, 40)}), 0u);
  EXPECT_EQ(Wrong({RecordOf(Op::kRead, 100, 3), RecordOf(Op::kRead, 12, 1)}), 0u);
  EXPECT_EQ(Wrong({RecordOf(Op::kRead, 50, 1)}), 1u) << "was not written";
  (*mock()->pages[102])[4095] ^= 1;
  EXPECT_EQ(Wrong({RecordOf(Op::kRead, 100, 3)}), 1u);
  ASSERT_TRUE(target_->Deallocate({RecordOf(Op::kDeallocate, 10, 2), RecordOf(Op::kDeallocate, 100, 3)}).ok());
  stamps_[10] = stamps_[11] = kNoStamp;
  EXPECT_EQ(Wrong({RecordOf(Op::kRead, 10, 40)}), 0u);
}

TEST_F(DeviceTargetTest, DurableWritesUseForceUnitAccess) {
  PageRecord write = WriteOf(5, 1);
  write.durable = true;
  ASSERT_TRUE(target_->Write({write}, stamps_).ok());
  ASSERT_EQ(openremap_power_cycle(device_), 0);
  EXPECT_EQ(Wrong({RecordOf(Op::kRead, 5, 1)}), 0u);
}

TEST_F(DeviceTargetTest, RemapsAndTellsOfRefusals) {
  ASSERT_TRUE(target_->Write({WriteOf(1, 2)}, stamps_).ok());
  bool refused = true;
  ASSERT_TRUE(target_->Remap({RemapOf(1, 201, 2)}, &refused).ok());
  EXPECT_FALSE(refused);
  stamps_[201] = stamps_[1];
  stamps_[202] = stamps_[2];
  EXPECT_EQ(Wrong({RecordOf(Op::kRead, 201, 2)}), 0u);
  ASSERT_TRUE(target_->Remap(std::vector<PageRecord>(5000, RemapOf(1, 300, 1)), &refused).ok());
  EXPECT_TRUE(refused) << "more runs than a command has";
}

TEST_F(DeviceTargetTest, BeginsUnitsWhereThereAreSome) {
  ASSERT_TRUE(target_->Write({WriteOf(1, 2, 1)}, stamps_).ok());
  bool begun = false;
  ASSERT_TRUE(target_->BeginUnit(1, &begun).ok());
  EXPECT_TRUE(begun);
  EXPECT_EQ(mock()->placed[1], 0u);
}

TEST_F(DeviceTargetTest, ADeviceWithoutUnitsBeginsNone) {
  mock()->faults.log_status[NVME_LOG_PAGE_PLACEMENT_CONFIGURATIONS] = NVME_STATUS_LOG_PAGE_INVALID;
  bool begun = true;
  ASSERT_TRUE(target_->BeginUnit(1, &begun).ok());
  EXPECT_FALSE(begun);
}

TEST_F(DeviceTargetTest, FiguresAreTheDevicesOwn) {
  ReplayFigures figures;
  ASSERT_TRUE(target_->Figures(&figures).ok());
  EXPECT_EQ(figures.at(0).first, "host_write_pages");
  EXPECT_EQ(mock()->log.back().opcode, NVME_IO_OPCODE_FLUSH);
  mock()->faults.log_status[ORM_VENDOR_LOG_PAGES_REMAP_LOG] = NVME_STATUS_INTERNAL_ERROR;
  EXPECT_TRUE(target_->Figures(&figures).IsIOError());
}

}  // namespace
}  // namespace openremap
