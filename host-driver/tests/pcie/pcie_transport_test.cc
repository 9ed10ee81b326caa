// SPDX-License-Identifier: Apache-2.0
// Start-up, shutdown, and the failures of a controller that the driver must handle.
#include <array>
#include <cerrno>

#include "device_fixture.h"
#include "openremap_cmd.h"
#include "orm_identity.h"

namespace openremap {
namespace {

using PcieTransportTest = DeviceTest;

int Read(openremap_device *dev, uint64_t lpn = 0) {
  std::vector<uint8_t> data(OPENREMAP_PAGE_BYTES);
  return openremap_read(dev, lpn, 1, data.data());
}

TEST_F(PcieTransportTest, ReadsLimitsFromTheController) {
  Open();
  const openremap_info *info = openremap_get_info(dev_);
  EXPECT_STREQ(info->serial, "MOCK0001");
  EXPECT_STREQ(info->model, "OpenRemap mock");
  EXPECT_STREQ(info->subnqn, "nqn.mock");
  EXPECT_EQ(info->pages, 4096u);
  EXPECT_EQ(info->max_transfer_pages, 32u);
  EXPECT_EQ(info->queue_depth, 64u);
  EXPECT_EQ(info->io_queues, 1u);
  EXPECT_EQ(info->max_remap_ranges, 0u + ORM_REMAP_RANGES_MAX);
  EXPECT_TRUE(info->write_cache);
  EXPECT_FALSE(info->nvram_volatile || info->flash_volatile || info->unverified);
}

TEST_F(PcieTransportTest, TellsWhatADeviceSaysOfItsBoard) {
  const auto told = [&](uint8_t board) {
    MockController::config.board = board;
    Open();
    const openremap_info info = *openremap_get_info(dev_);
    openremap_close(dev_);
    dev_ = nullptr;
    return std::array<bool, 3>{info.nvram_volatile, info.flash_volatile, info.unverified};
  };
  using Told = std::array<bool, 3>;
  EXPECT_EQ(told(ORM_BOARD_NVRAM_VOLATILE), (Told{true, false, false}));
  EXPECT_EQ(told(ORM_BOARD_FLASH_VOLATILE), (Told{false, true, false}));
  EXPECT_EQ(told(ORM_BOARD_UNVERIFIED), (Told{false, false, true}));
  // A byte of another vendor may mean anything.
  MockController::config.vid = ORM_PCI_VENDOR + 1;
  EXPECT_EQ(told(ORM_BOARD_FLAGS), (Told{false, false, false}));
}

TEST_F(PcieTransportTest, TakesNoMoreThanIsGranted) {
  MockController::config.io_queues_granted = 2;
  MockController::config.max_entries = 16;
  options_.io_queues = 8;
  options_.queue_depth = 1000;
  Open();
  EXPECT_EQ(openremap_get_info(dev_)->io_queues, 2u);
  EXPECT_EQ(openremap_get_info(dev_)->queue_depth, 15u);
  EXPECT_EQ(Read(dev_), 0);
}

TEST_F(PcieTransportTest, UnlimitedMdtsIsCappedToOneMebibyte) {
  MockController::config.mdts = 0;
  Open();
  EXPECT_EQ(openremap_get_info(dev_)->max_transfer_pages, 256u);
}

TEST_F(PcieTransportTest, CloseShutsTheControllerDown) {
  MockController::config = MockConfig();
  options_.device.image_dir = "shutdown";
  Open();
  const auto data = Pattern(1, 1);
  ASSERT_EQ(openremap_write(dev_, 9, 1, data.data(), false), 0);
  ASSERT_EQ(openremap_close(dev_), 0);
  dev_ = nullptr;
  Open();
  std::vector<uint8_t> back(OPENREMAP_PAGE_BYTES);
  ASSERT_EQ(openremap_read(dev_, 9, 1, back.data()), 0);
  EXPECT_EQ(back, data) << "a normal shutdown writes the cache to flash";
}

TEST_F(PcieTransportTest, SaysWhyADeviceDidNotStart) {
  MockController::config.create_fails = true;
  EXPECT_EQ(TryOpen(), -ENODEV);
  EXPECT_EQ(error_, "the mock was told not to start");
}

TEST_F(PcieTransportTest, TellsOptionsThatTheDeviceCannotHaveFromADeviceThatFails) {
  options_.device.superblocks = MockController::kMostSuperblocks + 1;
  EXPECT_EQ(TryOpen(), -EINVAL);
  EXPECT_NE(error_.find("superblocks"), std::string::npos) << error_;
}

TEST_F(PcieTransportTest, GivesUpOnAControllerThatNeverGetsReady) {
  MockController::config.never_ready = true;
  EXPECT_EQ(TryOpen(), -ETIMEDOUT);
  EXPECT_NE(error_.find("enable: time-out"), std::string::npos) << error_;
}

TEST_F(PcieTransportTest, RefusesOtherBlockSizes) {
  MockController::config.lbads = 9;
  EXPECT_EQ(TryOpen(), -ENOTSUP);
  EXPECT_NE(error_.find("4096-byte"), std::string::npos) << error_;
}

TEST_F(PcieTransportTest, LostCompletionIsATimeOutAndResetRecovers) {
  Open();
  mock()->faults.hang_opcode = NVME_IO_OPCODE_READ;
  EXPECT_EQ(Read(dev_), -ETIMEDOUT);
  EXPECT_EQ(Read(dev_), -ETIMEDOUT) << "a lost controller stays lost until it is reset";
  EXPECT_STREQ(openremap_why_lost(dev_), "opcode 0x02 on queue 1 was not completed by a device that is idle");
  mock()->faults.hang_opcode = -1;
  ASSERT_EQ(openremap_reset(dev_), 0);
  EXPECT_EQ(openremap_why_lost(dev_), nullptr);
  EXPECT_EQ(Read(dev_), 0);
}

TEST_F(PcieTransportTest, ADeviceThatInterruptsIsNotIdle) {
  Open();
  mock()->faults.late_interrupts = 20;
  EXPECT_EQ(Read(dev_), 0) << "no time passes while it interrupts for what has been found";
}

TEST_F(PcieTransportTest, SlowCommandTimesOutInDeviceTime) {
  Open();
  mock()->faults.command_ns = 10 * options_.timeout_ns;
  const uint64_t start = openremap_now_ns(dev_);
  EXPECT_EQ(Read(dev_), -ETIMEDOUT);
  EXPECT_GE(openremap_now_ns(dev_) - start, options_.timeout_ns);
  EXPECT_LT(openremap_now_ns(dev_) - start, 2 * options_.timeout_ns);
  const std::string why = openremap_why_lost(dev_);
  EXPECT_NE(why.find("opcode 0x02 on queue 1 was not completed within "), std::string::npos) << why;
}

TEST_F(PcieTransportTest, FatalStatusEndsEveryCommandInFlight) {
  Open();
  mock()->faults.fatal_opcode = NVME_IO_OPCODE_FLUSH;
  struct Outcome {
    int done = 0, failed = 0;
  } outcome;
  auto count = [](void *arg, int status, uint32_t) {
    auto *out = static_cast<Outcome *>(arg);
    out->done++;
    if (status == -EIO) out->failed++;
  };
  std::vector<uint8_t> data(4 * OPENREMAP_PAGE_BYTES);
  ASSERT_EQ(openremap_submit_flush(dev_, count, &outcome), 0);
  for (uint64_t i = 0; i < 4; i++) {
    ASSERT_EQ(openremap_submit_read(dev_, i, 1, &data[i * OPENREMAP_PAGE_BYTES], count, &outcome), 0);
  }
  EXPECT_EQ(openremap_wait_all(dev_), -EIO);
  EXPECT_EQ(outcome.done, 5);
  EXPECT_EQ(outcome.failed, 5);
  mock()->faults.fatal_opcode = -1;
  ASSERT_EQ(openremap_reset(dev_), 0);
  EXPECT_EQ(Read(dev_), 0);
}

TEST_F(PcieTransportTest, CompletionNobodyAskedForIsAProtocolError) {
  Open();
  mock()->faults.wrong_cid_opcode = NVME_IO_OPCODE_FLUSH;
  EXPECT_EQ(openremap_flush(dev_), -EPROTO);
}

TEST_F(PcieTransportTest, DeviceReachesOnlyDmaMemory) {
  Open();
  expect_clean_ = false;
  nvme_submission_entry c;
  nvme_cmd_read(&c, 1, 0, 1);
  c.prp1 = 0x1000;  // not mapped
  EXPECT_EQ(openremap_io(dev_, &c, nullptr, 0, nullptr), NVME_STATUS(0, 0x04));
  EXPECT_EQ(Read(dev_), 0) << "the device still works";
}

TEST_F(PcieTransportTest, PowerCycleKeepsWhatWasFlushed) {
  Open();
  const auto kept = Pattern(1, 1);
  const auto lost = Pattern(1, 2);
  ASSERT_EQ(openremap_write(dev_, 1, 1, kept.data(), false), 0);
  ASSERT_EQ(openremap_flush(dev_), 0);
  ASSERT_EQ(openremap_write(dev_, 2, 1, lost.data(), false), 0);
  ASSERT_EQ(openremap_power_cycle(dev_), 0);
  std::vector<uint8_t> back(OPENREMAP_PAGE_BYTES);
  ASSERT_EQ(openremap_read(dev_, 1, 1, back.data()), 0);
  EXPECT_EQ(back, kept);
  ASSERT_EQ(openremap_read(dev_, 2, 1, back.data()), 0);
  EXPECT_EQ(back, std::vector<uint8_t>(OPENREMAP_PAGE_BYTES, 0));
}

TEST_F(PcieTransportTest, PhaseBitsHoldOverManyRoundsOfASmallRing) {
  MockController::config.max_entries = 4;
  Open();
  for (int i = 0; i < 50; i++) ASSERT_EQ(Read(dev_), 0);
}

}  // namespace
}  // namespace openremap
