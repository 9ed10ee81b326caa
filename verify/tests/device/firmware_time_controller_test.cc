// SPDX-License-Identifier: Apache-2.0
//
// A device whose firmware takes the time of a processor (pcie_device_options.firmware_cpu): it does what it does
// without, later; the host finds it at work, resets it and cuts its power then.
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "controller_fixture.h"
#include "openremap_cmd.h"
#include "orm_formats.h"
#include "orm_regs.h"
#include "pcie_debug.h"
#include "support/sim_figures.h"

namespace openremap {
namespace {

constexpr uint64_t kMs = 1'000'000;
constexpr size_t kIdentified = 3;  // of the steps of Use()

class FirmwareTimeTest : public ControllerTest {
 protected:
  void SetUp() override {
    options_.device.firmware_cpu = "vexriscv";
    options_.device.remap_segments = 68;  // a start looks at each
    ControllerTest::SetUp();
  }
  pcie_function *Fn() { return openremap_pcie_function(dev_); }
  uint64_t Now() { return openremap_now_ns(dev_); }
  uint64_t BusyNs() { return orm::tools::SimFigures(Fn())["firmware_busy_ns"]; }

  // Some of everything that firmware takes part in. Returns the device time after each step, a power cut among them.
  std::vector<uint64_t> Use() {
    std::vector<uint64_t> times;
    Write(0, 8);
    times.push_back(Now());
    EXPECT_EQ(Remap(0, 20, 4), 0);
    times.push_back(Now());
    Deallocate(2, 1);
    times.push_back(Now());
    nvme_identify_controller controller;
    EXPECT_EQ(openremap_identify_controller(dev_, &controller), 0);
    times.push_back(Now());
    EXPECT_EQ(openremap_power_cycle(dev_), 0);
    times.push_back(Now());
    CheckAll();
    times.push_back(Now());
    return times;
  }
  void Reopen(const char *cpu) {
    Close();
    versions_.clear();
    last_version_ = 0;
    options_.device.firmware_cpu = cpu;
    Open();
  }
  // Begins a command of the firmware's, and returns while it is being worked on.
  void BeginRemap(int *status) {
    *status = INT32_MAX;
    nvme_submission_entry c;
    nvme_cmd_init(&c, ORM_VENDOR_OPCODES_REMAP, 1);
    c.cdw10 = 0;
    c.cdw12 = 40;
    c.cdw14 = 1;
    const openremap_done done = [](void *arg, int s, uint32_t) { *static_cast<int *>(arg) = s; };
    ASSERT_EQ(openremap_submit_command(dev_, false, &c, nullptr, 0, done, status), 0);
    ASSERT_GE(Fn()->ops->run(Fn(), 5'000), 0);  // less than a poll takes
    ASSERT_EQ(*status, INT32_MAX);
  }
};

TEST_P(FirmwareTimeTest, ItTakesTimeAndAlwaysTheSame) {
  const std::vector<uint64_t> times = Use();
  const uint64_t busy = BusyNs();
  EXPECT_GT(busy, kMs) << "the start";
  Reopen("vexriscv");
  EXPECT_EQ(Use(), times);
  EXPECT_EQ(BusyNs(), busy);
  // Of a command: what a start finds under way, and how many dies it erases at a time, depends on the moment.
  Reopen("cortex-a9");
  const std::vector<uint64_t> fast = Use(), none = (Reopen("none"), Use());
  const auto identify = [](const std::vector<uint64_t> &of) { return of[kIdentified] - of[kIdentified - 1]; };
  EXPECT_LT(identify(fast), identify(times));
  EXPECT_LT(identify(none), identify(fast));
}

// A checker waits for the end of the poll, which must not find other superblocks or counters chosen than its own.
TEST_P(FirmwareTimeTest, CheckersComeToTheirFiguresWhileItComputes) {
  Write(0, 8);
  int status;
  ASSERT_NO_FATAL_FAILURE(BeginRemap(&status));
  uint64_t written = 0;
  ASSERT_EQ(pcie_device_counter(Fn(), ORM_COUNTER_HOST_WRITE_PAGES, &written), 0);
  EXPECT_EQ(written, 8u);
  uint32_t generation = 0;
  ASSERT_EQ(pcie_device_select_superblock(Fn(), 1), 0);
  ASSERT_EQ(pcie_device_firmware_register(Fn(), ORM_FW_SB_GEN, &generation), 0);
  EXPECT_GT(generation, 0u);
  ASSERT_EQ(openremap_wait_all(dev_), 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(Read(40), Read(0));
}

TEST_P(FirmwareTimeTest, AResetWhileItComputes) {
  Write(0, 8);
  ASSERT_EQ(openremap_flush(dev_), 0);
  int status;
  ASSERT_NO_FATAL_FAILURE(BeginRemap(&status));
  ASSERT_EQ(Fn()->ops->reset(Fn()), 0);
  ASSERT_EQ(openremap_reset(dev_), 0);
  EXPECT_NE(status, INT32_MAX);
  CheckAll();
}

TEST_P(FirmwareTimeTest, PowerGoesWhileItStarts) {
  Write(0, 8);
  ASSERT_EQ(openremap_flush(dev_), 0);
  for (uint64_t after = 1'000; after < 64 * kMs; after *= 4) {  // ns; odd moments
    ASSERT_EQ(Fn()->ops->power_cut(Fn()), 0);
    ASSERT_EQ(Fn()->ops->power_on(Fn()), 0);
    ASSERT_GE(Fn()->ops->run(Fn(), after + 777), 0);
  }
  ASSERT_EQ(openremap_power_cycle(dev_), 0);
  CheckAll();
}

TEST_P(FirmwareTimeTest, PowerGoesWhileItWorksOnACommand) {
  Write(0, 8);
  ASSERT_EQ(openremap_flush(dev_), 0);
  int status;
  ASSERT_NO_FATAL_FAILURE(BeginRemap(&status));
  ASSERT_EQ(openremap_power_cycle(dev_), 0);
  CheckAll();
}

// A media event of the firmware's own takes the power: an exception on the firmware's stack.
TEST_P(FirmwareTimeTest, PowerGoesAtAWriteOfItsOwn) {
  Write(0, 8);
  ASSERT_EQ(openremap_flush(dev_), 0);
  ASSERT_EQ(Fn()->ops->power_cut(Fn()), 0);
  pcie_device_cut_before(Fn(), 2);
  ASSERT_EQ(Fn()->ops->power_on(Fn()), 0);
  int64_t ran = 0;
  for (int i = 0; i < 1000 && ran >= 0; ++i) ran = Fn()->ops->run(Fn(), kMs);
  EXPECT_EQ(ran, -ENODEV);
  ASSERT_EQ(openremap_power_cycle(dev_), 0);
  CheckAll();
}

TEST_P(FirmwareTimeTest, AChangeOfTemperatureWhileItComputesIsSeen) {
  Write(0, 8);
  int status;
  ASSERT_NO_FATAL_FAILURE(BeginRemap(&status));
  pcie_device_set_temperature(Fn(), 340);
  ASSERT_EQ(openremap_wait_all(dev_), 0);
  uint8_t raw[NVME_SMART_LOG_BYTES];
  ASSERT_EQ(openremap_get_log_page(dev_, NVME_LOG_PAGE_SMART, 0, raw, sizeof raw), 0);
  nvme_smart_log smart{};
  nvme_smart_log_unpack(&smart, raw);
  EXPECT_EQ(smart.temperature, 340);
}

TEST_P(FirmwareTimeTest, AFirmwareThatHangsEndsInACrashLog) {
  pcie_device_hang_firmware(Fn());
  nvme_identify_controller controller;
  EXPECT_NE(openremap_identify_controller(dev_, &controller), 0);
  ASSERT_EQ(openremap_power_cycle(dev_), 0);
  uint8_t raw[ORM_CRASH_LOG_BYTES];
  ASSERT_EQ(openremap_get_log_page(dev_, ORM_VENDOR_LOG_PAGES_CRASH_LOG, 0, raw, sizeof raw), 0);
  orm_crash_log log{};
  ASSERT_TRUE(orm_crash_log_open(&log, raw));
  EXPECT_EQ(log.cause, ORM_CRASH_WATCHDOG);
}

INSTANTIATE_TEST_SUITE_P(Kinds, FirmwareTimeTest, EveryKind(),
                         [](const auto &kind) { return std::string(kind.param); });

TEST(FirmwareCpu, WithoutAWordItIsThatOfTheSoc) {
  const auto busy_ns = [](const char *cpu) {
    openremap_options options{};
    options.create = pcie_device_create;
    options.device.kind = "model";
    options.device.superblocks = 8;
    options.device.firmware_cpu = cpu;
    openremap_device *dev = nullptr;
    char error[256] = "";
    EXPECT_EQ(openremap_open(&options, &dev, error, sizeof error), 0) << error;
    if (dev == nullptr) return uint64_t{0};
    const uint64_t busy = orm::tools::SimFigures(openremap_pcie_function(dev))["firmware_busy_ns"];
    EXPECT_EQ(openremap_close(dev), 0);
    return busy;
  };
  const char *asked = std::getenv("OPENREMAP_FW_CPU");
  const std::string before = asked == nullptr ? "" : asked;
  ASSERT_EQ(unsetenv("OPENREMAP_FW_CPU"), 0);
  EXPECT_EQ(busy_ns(nullptr), busy_ns("vexriscv"));
  ASSERT_EQ(setenv("OPENREMAP_FW_CPU", "none", 1), 0);
  EXPECT_EQ(busy_ns(nullptr), busy_ns("none"));
  ASSERT_EQ(before.empty() ? unsetenv("OPENREMAP_FW_CPU") : setenv("OPENREMAP_FW_CPU", before.c_str(), 1), 0);
  EXPECT_LT(busy_ns("none"), busy_ns("vexriscv"));
}

TEST(FirmwareCpu, AnUnknownOneIsRefused) {
  pcie_device_options options{};
  options.kind = "model";
  options.firmware_cpu = "z80";
  const pcie_host host{};
  char error[256] = "";
  errno = 0;
  EXPECT_EQ(pcie_device_create(&options, &host, error, sizeof error), nullptr);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_NE(std::string(error).find("none, cortex-a9, vexriscv"), std::string::npos) << error;
}

}  // namespace
}  // namespace openremap
