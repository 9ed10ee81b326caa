// SPDX-License-Identifier: Apache-2.0
//
// What becomes of the device `soc` when its firmware goes wrong: a poll that hangs, traps, accesses of what is not
// there, and a crash log that goes wrong too. And how long it takes to be ready and to serve an admin command.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "openremap.h"
#include "openremap_cmd.h"
#include "openremap_stats.h"
#include "orm_formats.h"
#include "orm_regs.h"
#include "orm_soc.h"
#include "pcie_debug.h"
#include "pcie_function.h"
#include "support/sim_figures.h"
#include "temp_dir.h"
#include "test_seed.h"

namespace orm {
namespace {

uint64_t cycles(pcie_function *fn) { return tools::SimFigures(fn)["sim_cycles"]; }

class SocFaults : public ::testing::Test {
 protected:
  void SetUp() override {
    options_.device.seed = openremap::TestSeed();
    options_.create = [](const pcie_device_options *options, const pcie_host *host, char *error, size_t len) {
      pcie_function *fn = pcie_device_create(options, host, error, len);
      if (fn != nullptr) ready = cycles(fn);
      return fn;
    };
  }
  void TearDown() override { close(); }

  void open() {
    char error[256] = "";
    ASSERT_EQ(openremap_open(&options_, &dev_, error, sizeof error), 0) << error;
    fn_ = openremap_pcie_function(dev_);
  }
  // Native firmware formats it, in less time.
  void open_formatted(const std::string &image) {
    options_.device.image_dir = image.c_str();
    options_.device.kind = "rtl";
    ASSERT_NO_FATAL_FAILURE(open());
    close();
    options_.device.kind = "soc";
    ASSERT_NO_FATAL_FAILURE(open());
  }
  void close() {
    if (dev_ != nullptr) {
      EXPECT_EQ(openremap_close(dev_), 0);
    }
    dev_ = nullptr;
  }
  orm_crash_log log() {
    uint8_t raw[ORM_CRASH_LOG_BYTES];
    EXPECT_EQ(openremap_get_log_page(dev_, ORM_VENDOR_LOG_PAGES_CRASH_LOG, 0, raw, sizeof raw), 0);
    orm_crash_log log{};
    if (!orm_crash_log_open(&log, raw)) log.count = 0;
    return log;
  }
  // Ends in CSTS.CFS, and the device is usable after a power cycle.
  void upset(uint32_t poll, uint32_t in_log = ORM_SOC_TRIAL_NONE) {
    pcie_device_upset_firmware(fn_, ORM_PUT(ORM_SOC_TRIAL_POLL, poll) | ORM_PUT(ORM_SOC_TRIAL_LOG, in_log));
    expect_stops();
  }
  void expect_stops() {
    orm_remap_log stats{};
    EXPECT_EQ(openremap_get_stats(dev_, &stats), -EIO);
    uint64_t csts = 0;
    ASSERT_EQ(fn_->ops->bar0_read(fn_, ORM_BAR0_CSTS, 4, &csts), 0);
    EXPECT_NE(csts & ORM_BAR0_CSTS_CFS_MASK, 0u);
    ASSERT_EQ(openremap_power_cycle(dev_), 0);
  }
  // The last crash was the `count`th: of this cause, and in the log's words.
  void expect_log(uint32_t count, uint8_t cause, const std::string &what) {
    const orm_crash_log crash = log();
    const auto *file = reinterpret_cast<const char *>(crash.file);
    EXPECT_EQ(crash.count, count);
    EXPECT_EQ(crash.cause, cause);
    EXPECT_EQ(std::string(file, strnlen(file, sizeof crash.file)), what);
    EXPECT_EQ(std::string(reinterpret_cast<const char *>(crash.step)), "running");
    if (cause == ORM_CRASH_FAULT) {
      EXPECT_LT(crash.line, ORM_SOC_BOARD_BASE) << "where the CPU was: in ROM";
      EXPECT_NE(crash.line, 0u);
    }
  }

  static inline uint64_t ready = 0;  // cycles that the last start took
  openremap_options options_{};
  openremap_device *dev_ = nullptr;
  pcie_function *fn_ = nullptr;
};

// One test, because a start of the device takes most of its time.
TEST_F(SocFaults, EachEndsInAFatalStatusAndACrashLog) {
  TempDir folder;
  const std::string image = folder.path + "/image";
  options_.device.superblocks = 12;
  options_.device.remap_segments = 68;  // a start looks at each
  ASSERT_NO_FATAL_FAILURE(open_formatted(image));
  const std::vector<uint8_t> page(OPENREMAP_PAGE_BYTES, 0x5A);
  ASSERT_EQ(openremap_write(dev_, 5, 1, page.data(), true), 0);
  EXPECT_EQ(log().count, 0u);

  pcie_device_hang_firmware(fn_);
  expect_stops();
  expect_log(1, ORM_CRASH_WATCHDOG, "watchdog");
  upset(ORM_SOC_TRIAL_ILLEGAL);
  expect_log(2, ORM_CRASH_FAULT, "illegal instruction");
  upset(ORM_SOC_TRIAL_STORE);
  expect_log(3, ORM_CRASH_FAULT, "lost store");
  // Nothing that the poll does later waits for the store. It may still serve a command.
  pcie_device_upset_firmware(fn_, ORM_PUT(ORM_SOC_TRIAL_POLL, ORM_SOC_TRIAL_LAST_STORE));
  orm_remap_log stats{};
  const int served = openremap_get_stats(dev_, &stats);
  EXPECT_TRUE(served == 0 || served == -EIO) << served;
  expect_stops();
  expect_log(4, ORM_CRASH_FAULT, "lost store");
  upset(ORM_SOC_TRIAL_STACK);
  expect_log(5, ORM_CRASH_FAULT, "refused store");
  // The crash log hangs: then there is none, but the host is told all the same.
  upset(ORM_SOC_TRIAL_LOAD, ORM_SOC_TRIAL_HANG);
  expect_log(5, ORM_CRASH_FAULT, "refused store");

  std::vector<uint8_t> back(OPENREMAP_PAGE_BYTES);
  ASSERT_EQ(openremap_read(dev_, 5, 1, back.data()), 0);
  EXPECT_EQ(back, page);
  close();
}

// Of the whole flash, 32 MiB.
TEST_F(SocFaults, AnEmptyDeviceIsReadySoonAndIdentifiesItself) {
  constexpr uint64_t kReadyCycles = 2'000'000;
  constexpr uint64_t kIdentifyCycles = 20'000;
  TempDir folder;
  const std::string image = folder.path + "/image";
  ASSERT_NO_FATAL_FAILURE(open_formatted(image));
  uint64_t most = 0;
  for (int i = 0; i < 4; ++i) {
    nvme_identify_controller id{};
    const uint64_t begun = cycles(fn_);
    ASSERT_EQ(openremap_identify_controller(dev_, &id), 0);
    most = std::max(most, cycles(fn_) - begun);
  }
  std::printf("ready in %llu cycles; Identify in %llu at most\n", static_cast<unsigned long long>(ready),
              static_cast<unsigned long long>(most));
  EXPECT_LE(ready, kReadyCycles);
  EXPECT_LE(most, kIdentifyCycles);
  close();
}

}  // namespace
}  // namespace orm
