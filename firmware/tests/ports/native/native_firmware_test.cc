// SPDX-License-Identifier: Apache-2.0
// The native port's watchdog, on a machine whose registers answer what a test says.
#include "native_firmware.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "orm_formats.h"
#include "orm_regs.h"

namespace orm {
namespace {

constexpr uint32_t kCounters = 0x200;
constexpr uint64_t kTooLong = 200'000'000;  // ns

class StubMachine final : public Machine {
 public:
  StubMachine() : dram_(1 << 16), nvram_(1 << 16, "", 1) {
    reg[ORM_FW_ID] = ORM_FW_ID_RESET;
    reg[ORM_FW_VERSION] = ORM_FW_VERSION_RESET;
    reg[ORM_FW_NV_COUNTERS] = kCounters;
    reg[ORM_FW_NV_BYTES] = 1 << 16;
  }
  uint32_t mmio_read(uint32_t offset) override {
    now += offset == slow ? kTooLong : 10;
    return reg[offset];
  }
  void mmio_write(uint32_t offset, uint32_t value) override { reg[offset] = value; }
  DramModel &dram() override { return dram_; }
  NvramModel &nvram() override { return nvram_; }
  uint64_t power_on_ns() const override { return now; }

  std::map<uint32_t, uint32_t> reg;
  uint64_t now = 0;
  uint32_t slow = UINT32_MAX;  // register that answers late

 private:
  DramModel dram_;
  NvramModel nvram_;
};

bool crash_log(StubMachine *machine, orm_crash_log *out) {
  uint8_t raw[ORM_CRASH_LOG_BYTES];
  EXPECT_TRUE(machine->nvram().read(kCounters + ORM_NV_CRASH_OFFSET, raw, sizeof raw));
  return orm_crash_log_open(out, raw);
}

// The machine is none that firmware can run on; that is found after all its registers were read.
TEST(NativeFirmwareTest, APollInTimeEndsByItself) {
  StubMachine machine;
  const auto firmware = native_firmware({})(machine);
  EXPECT_EQ(firmware->poll(), Firmware::kIdle);
  EXPECT_EQ(firmware->describe(), "geometry out of range");
  orm_crash_log log;
  EXPECT_FALSE(crash_log(&machine, &log));
}

TEST(NativeFirmwareTest, APollThatTakesTooLongEndsInACrashLog) {
  StubMachine machine;
  machine.slow = ORM_FW_NV_BYTES;
  const auto firmware = native_firmware({})(machine);
  EXPECT_EQ(firmware->poll(), Firmware::kIdle);
  EXPECT_EQ(firmware->phase(), Firmware::Phase::kFailed);
  EXPECT_EQ(firmware->describe(), "firmware did not come back; see the crash log");
  EXPECT_EQ(machine.reg[ORM_FW_NVME_CSTS] & ORM_FW_NVME_CSTS_CFS_MASK, ORM_FW_NVME_CSTS_CFS_MASK);
  orm_crash_log log;
  ASSERT_TRUE(crash_log(&machine, &log));
  EXPECT_EQ(log.cause, ORM_CRASH_WATCHDOG);
  EXPECT_GT(log.uptime_ns, kTooLong);
  const uint64_t then = machine.now;
  EXPECT_EQ(firmware->poll(), Firmware::kIdle);
  EXPECT_EQ(machine.now, then) << "it is over";
}

}  // namespace
}  // namespace orm
