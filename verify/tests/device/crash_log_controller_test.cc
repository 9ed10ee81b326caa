// SPDX-License-Identifier: Apache-2.0
// The firmware hangs while the device is in use: what the host sees, and what the next start finds.
#include <cerrno>
#include <cstring>
#include <string>

#include "controller_fixture.h"
#include "openremap_cmd.h"
#include "orm_formats.h"
#include "orm_regs.h"
#include "pcie_debug.h"

namespace openremap {
namespace {

class CrashLogTest : public ControllerTest {
 protected:
  // Empty (count 0) when there was no crash.
  orm_crash_log Log() {
    uint8_t raw[ORM_CRASH_LOG_BYTES];
    EXPECT_EQ(openremap_get_log_page(dev_, ORM_VENDOR_LOG_PAGES_CRASH_LOG, 0, raw, sizeof raw), 0);
    orm_crash_log log{};
    if (!orm_crash_log_open(&log, raw)) log.count = 0;
    return log;
  }
  void Hang() { pcie_device_hang_firmware(openremap_pcie_function(dev_)); }
};

TEST_P(CrashLogTest, AHangEndsInAFatalStatusAndALogAfterTheNextStart) {
  EXPECT_EQ(Log().count, 0u);
  Write(0, 20);
  ASSERT_NO_FATAL_FAILURE(FirmwareRemaps({{4, 104, 4}, {0, 100, 4}}));
  Deallocate(4, 2);
  ASSERT_EQ(openremap_flush(dev_), 0);
  Hang();
  orm_remap_log stats{};
  EXPECT_EQ(openremap_get_stats(dev_, &stats), -EIO);
  uint64_t csts = 0;
  pcie_function *fn = openremap_pcie_function(dev_);
  ASSERT_EQ(fn->ops->bar0_read(fn, ORM_BAR0_CSTS, 4, &csts), 0);
  EXPECT_NE(csts & ORM_BAR0_CSTS_CFS_MASK, 0u);
  ASSERT_EQ(openremap_power_cycle(dev_), 0);
  const orm_crash_log log = Log();
  EXPECT_EQ(log.count, 1u);
  EXPECT_EQ(log.cause, ORM_CRASH_WATCHDOG);
  EXPECT_EQ(std::string(reinterpret_cast<const char *>(log.step)), "running");
  orm_crash_command last{};
  orm_crash_command_unpack(&last, log.commands);
  EXPECT_NE(last.qid, 0u) << "the remap: the command that found it hanging was never taken";
  EXPECT_EQ(Stats().crashes, 1u);
  CheckAll();
  Write(50, 4);
  ASSERT_EQ(openremap_flush(dev_), 0);
  CheckAll();
}

TEST_P(CrashLogTest, EachIsCounted) {
  for (uint32_t crashes = 1; crashes <= 3; crashes++) {
    Write(crashes);
    ASSERT_EQ(openremap_flush(dev_), 0);
    Hang();
    orm_remap_log stats{};
    EXPECT_EQ(openremap_get_stats(dev_, &stats), -EIO);
    ASSERT_EQ(openremap_power_cycle(dev_), 0);
    EXPECT_EQ(Log().count, crashes);
  }
  CheckAll();
}

std::string KindName(const ::testing::TestParamInfo<const char *> &kind) { return kind.param; }
#ifdef __SANITIZE_ADDRESS__
INSTANTIATE_TEST_SUITE_P(Kinds, CrashLogTest, ::testing::Values("model"), KindName);
#else
INSTANTIATE_TEST_SUITE_P(Kinds, CrashLogTest, ::testing::Values("model", "rtl"), KindName);
#endif
INSTANTIATE_TEST_SUITE_P(Cached, CrashLogTest, CachedKinds(), KindName);
INSTANTIATE_TEST_SUITE_P(Remote, CrashLogTest, ::testing::Values(kRemoteModel), KindName);

}  // namespace
}  // namespace openremap
