// SPDX-License-Identifier: Apache-2.0
// On the fast model: fresh devices, preconditioned ones, and images.
#include "replay_device.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "page_stamps.h"
#include "pcie_function.h"
#include "replay.h"
#include "temp_dir.h"
#include "trace_files.h"

namespace openremap {
namespace {

using leveldb::Status;
using Op = PageOperation;

class ReplayDeviceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    options_.open.create = pcie_device_create;
    options_.open.device.kind = "model";
    options_.open.device.superblocks = 16;
  }

  // Writes some pages and reads more.
  ReplayResult ReplayOn(ReplayDevice *device) {
    const std::string path = files_.Make({WriteOf(3, 40), RecordOf(Op::kFlush), RecordOf(Op::kRead, 0, 60),
                                          RecordOf(Op::kDeallocate, 10, 5), RecordOf(Op::kRead, 5, 20)});
    MergedTrace trace;
    ReplayResult result;
    EXPECT_TRUE(trace.Open({path}, {}).ok());
    Status s = trace.Begin(device->target()->Pages(), device->target()->Placements());
    if (s.ok()) s = Replay(&trace, device->target(), {}, {}, &result);
    EXPECT_TRUE(s.ok()) << s.ToString();
    EXPECT_EQ(result.wrong_pages, 0u);
    return result;
  }
  std::map<std::string, std::string> Figures(ReplayDevice *device) {
    const ReplayFigures figures = ReplayOn(device).figures;
    return {figures.begin(), figures.end()};
  }

  orm::TempDir folder_;
  TraceFiles files_;
  ReplayDeviceOptions options_;
  std::unique_ptr<ReplayDevice> device_;
};

TEST_F(ReplayDeviceTest, APreconditionedDeviceCountsFromThenOn) {
  ASSERT_TRUE(ReplayDevice::Open(options_, &device_).ok());
  EXPECT_TRUE(device_->rounds().empty());
  const ReplayResult fresh = ReplayOn(device_.get());
  EXPECT_EQ(fresh.pages_verified, 60u + 20 + 60) << "all that was read, and what the trace uses";
  options_.precondition = true;
  uint32_t told = 0;
  options_.progress = [&told](uint32_t round, uint64_t, uint64_t) { told = round; };
  ASSERT_TRUE(ReplayDevice::Open(options_, &device_).ok());
  ASSERT_GE(device_->rounds().size(), 5u);
  EXPECT_EQ(told, 2 + device_->rounds().size());
  const ReplayResult steady = ReplayOn(device_.get());
  const std::map<std::string, std::string> figures(steady.figures.begin(), steady.figures.end());
  EXPECT_EQ(figures.at("host_write_pages"), "40") << "not what preconditioning wrote";
  EXPECT_EQ(figures.at("host_read_pages"), "80");
  EXPECT_LT(std::stod(figures.at("device_seconds")), 0.1);
  EXPECT_EQ(steady.pages_verified, 40u + 20 + 40) << "the others hold what is not known";
}

TEST_F(ReplayDeviceTest, AsFewSuperblocksAsPagesNeed) {
  options_.open.device.geometry = "2x2x128x16";
  const auto pages_with = [this](uint32_t superblocks) {
    options_.open.device.superblocks = superblocks;
    EXPECT_TRUE(ReplayDevice::Open(options_, &device_).ok());
    return device_->target()->Pages();
  };
  const uint64_t pages = pages_with(40), all = pages_with(128);
  uint32_t superblocks = 0;
  ASSERT_TRUE(SuperblocksFor(options_, pages, &superblocks).ok());
  EXPECT_EQ(superblocks, 40u);
  ASSERT_TRUE(SuperblocksFor(options_, pages + 1, &superblocks).ok());
  EXPECT_EQ(superblocks, 41u);
  ASSERT_TRUE(SuperblocksFor(options_, all, &superblocks).ok());
  EXPECT_LE(superblocks, 128u);
  const Status many = SuperblocksFor(options_, all + 1, &superblocks);
  EXPECT_TRUE(many.IsInvalidArgument());
  EXPECT_NE(many.ToString().find(std::to_string(all)), std::string::npos) << many.ToString();
  options_.open.device.geometry = "2x3x128x16";
  EXPECT_TRUE(SuperblocksFor(options_, 1, &superblocks).IsInvalidArgument());
}

TEST_F(ReplayDeviceTest, TheSeedDecidesThePreconditioning) {
  std::vector<std::vector<double>> rounds;
  options_.precondition = true;
  for (const uint64_t seed : {1, 1, 2}) {
    options_.seed = seed;
    ASSERT_TRUE(ReplayDevice::Open(options_, &device_).ok());
    rounds.push_back(device_->rounds());
  }
  EXPECT_EQ(rounds[0], rounds[1]);
  EXPECT_NE(rounds[0], rounds[2]);
}

TEST_F(ReplayDeviceTest, AnImageKeepsItsStateAndIsRefusedWithAFileSystem) {
  const std::string image = folder_.path + "/image";
  options_.open.device.image_dir = image.c_str();
  options_.precondition = true;
  ASSERT_TRUE(ReplayDevice::Open(options_, &device_).ok());
  device_ = nullptr;  // an image has one user at a time
  options_.precondition = false;
  ASSERT_TRUE(ReplayDevice::Open(options_, &device_).ok());
  EXPECT_TRUE(device_->rounds().empty());
  EXPECT_EQ(ReplayOn(device_.get()).pages_verified, 40u + 20 + 40) << "the image is full";
  EXPECT_EQ(Figures(device_.get()).at("host_write_pages"), "80") << "both replays";
  std::vector<char> page(kPageBytes, 'x');
  EXPECT_TRUE(device_->target()->Write({WriteOf(0, 1)}, {7}).ok());
  EXPECT_TRUE(device_->target()->Flush().ok());
  device_ = nullptr;
  const Status refused = ReplayDevice::Open(options_, &device_);
  EXPECT_TRUE(refused.IsInvalidArgument());
  EXPECT_NE(refused.ToString().find("holds a file system"), std::string::npos) << refused.ToString();
}

TEST_F(ReplayDeviceTest, WhatIsWrongIsToldApart) {
  options_.open.device.superblocks = 4;
  EXPECT_TRUE(ReplayDevice::Open(options_, &device_).IsInvalidArgument());
  EXPECT_EQ(device_, nullptr);
}

}  // namespace
}  // namespace openremap
