// SPDX-License-Identifier: Apache-2.0
// The native port's watchdog and its time, on a machine whose registers answer what a test says.
#include "native_firmware.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "orm_formats.h"
#include "orm_regs.h"
#include "sim_error.h"

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
    if (offset == dead) throw RtlStopped("no answer");
    now += offset == slow ? kTooLong : 10;
    reads.push_back(offset);
    return reg[offset];
  }
  void mmio_write(uint32_t offset, uint32_t value) override { reg[offset] = value; }
  DramModel &dram() override { return dram_; }
  NvramModel &nvram() override { return nvram_; }
  uint64_t power_on_ns() const override { return now; }

  std::map<uint32_t, uint32_t> reg;
  uint64_t now = 0;
  uint32_t slow = UINT32_MAX;  // register that answers late
  uint32_t dead = UINT32_MAX;  // register that ends the simulation
  std::vector<uint32_t> reads;

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

NativeFirmwareOptions on(const char *cpu) {
  NativeFirmwareOptions options;
  options.cpu = cpu;
  return options;
}

/// Polls to the end of the first poll, and lets the time pass that it asks for. Returns that: a number for each stop.
std::vector<uint64_t> poll_to_end(StubMachine *machine, Firmware *firmware) {
  std::vector<uint64_t> stops;
  for (uint64_t ns = firmware->poll(); firmware->busy(); ns = firmware->poll()) {
    stops.push_back(ns);
    machine->now += ns;
  }
  return stops;
}

TEST(NativeFirmwareTest, WithoutACpuAPollEndsAtOnceAndItsWorkIsCounted) {
  StubMachine machine;
  const auto firmware = native_firmware(on("none"))(machine);
  EXPECT_EQ(firmware->poll(), Firmware::kIdle);
  EXPECT_FALSE(firmware->busy());
  EXPECT_EQ(firmware->busy_ns(), machine.now) << "its accesses";
  uint64_t reads = 0, polls = 0;
  for (const FirmwareWork &w : firmware->work()) {
    if (w.kind == "register_read") reads = w.count;
    if (w.kind == "start_poll") polls = w.count;
  }
  EXPECT_EQ(reads, machine.reads.size());
  EXPECT_EQ(polls, 1u);
}

TEST(NativeFirmwareTest, OnACpuItDoesTheSameAndTakesTimeBetween) {
  StubMachine plain, machine, again;
  native_firmware({})(plain)->poll();
  const auto firmware = native_firmware(on("vexriscv"))(machine);
  const std::vector<uint64_t> stops = poll_to_end(&machine, firmware.get());
  EXPECT_EQ(machine.reads, plain.reads);
  EXPECT_EQ(machine.reg, plain.reg);
  EXPECT_EQ(firmware->describe(), "geometry out of range");
  EXPECT_GE(stops.size(), machine.reads.size() / 2) << "accesses are at different times";
  uint64_t sum = 10 * machine.reads.size();
  for (const uint64_t ns : stops) {
    EXPECT_EQ(ns % 10, 0u) << "clock cycles";
    sum += ns;
  }
  EXPECT_EQ(sum, machine.now);
  EXPECT_EQ(firmware->busy_ns(), machine.now);
  const auto twin = native_firmware(on("vexriscv"))(again);
  EXPECT_EQ(poll_to_end(&again, twin.get()), stops);
}

TEST(NativeFirmwareTest, PowerMayGoWhileItComputes) {
  for (int stops = 1; stops < 20; ++stops) {
    StubMachine machine;
    const auto firmware = native_firmware(on("vexriscv"))(machine);
    for (int i = 0; i < stops; ++i) (void)firmware->poll();
  }
}

TEST(NativeFirmwareTest, AnAccessThatFailsEndsThePollAtOnce) {
  StubMachine machine;
  machine.dead = ORM_FW_NV_BYTES;
  const auto firmware = native_firmware(on("vexriscv"))(machine);
  EXPECT_THROW(poll_to_end(&machine, firmware.get()), RtlStopped);
  EXPECT_FALSE(firmware->busy());
}

TEST(NativeFirmwareTest, TheWatchdogWorksOnACpuToo) {
  StubMachine machine;
  machine.slow = ORM_FW_NV_BYTES;
  const auto firmware = native_firmware(on("vexriscv"))(machine);
  poll_to_end(&machine, firmware.get());
  EXPECT_EQ(firmware->phase(), Firmware::Phase::kFailed);
  orm_crash_log log;
  ASSERT_TRUE(crash_log(&machine, &log));
  EXPECT_EQ(log.cause, ORM_CRASH_WATCHDOG);
}

TEST(NativeFirmwareTest, AFirmwareThatHangsOnACpuLeavesACrashLog) {
  StubMachine machine;
  const auto firmware = native_firmware(on("vexriscv"))(machine);
  while (machine.reads.empty() || machine.reads.back() != ORM_FW_NV_BYTES) {  // it knows then where the log is
    machine.now += firmware->poll();
    ASSERT_TRUE(firmware->busy());
  }
  firmware->hang();
  poll_to_end(&machine, firmware.get());
  orm_crash_log log;
  ASSERT_TRUE(crash_log(&machine, &log));
  EXPECT_EQ(log.cause, ORM_CRASH_WATCHDOG);
}

}  // namespace
}  // namespace orm
