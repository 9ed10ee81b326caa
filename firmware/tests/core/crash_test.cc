// SPDX-License-Identifier: Apache-2.0
// The behaviour of the firmware when an invariant is violated, and when it hangs.
#include <algorithm>

#include "support/fw_fixture.h"

namespace orm_test {
namespace {

constexpr uint32_t kLog = MockDevice::kNvCounters + ORM_NV_CRASH_OFFSET;
constexpr uint32_t kDead = ORM_FW_NVME_CSTS_CFS_MASK | ORM_FW_NVME_CSTS_DEAD_MASK;

class CrashTest : public FwTest {
 protected:
  static constexpr uint32_t kNever = UINT32_MAX, kAtOnce = UINT32_MAX - 1;
  uint32_t hang_at = kNever;  // the watchdog's time is up at the next access to this register
  bool trap = false;          // or the processor traps there

  void SetUp() override {
    boot_enabled();
    dev.on_access = [this](uint32_t offset) {
      if (hang_at != offset && hang_at != kAtOnce) return;
      hang_at = kNever;
      // Neither comes back.
      if (trap) fw_fault(fw_, "load fault", 0x80001234u);
      fw_watchdog(fw_);
    };
  }

  orm_crash_log log() {
    orm_crash_log l;
    EXPECT_TRUE(orm_crash_log_open(&l, &dev.nvram[kLog]));
    return l;
  }
  static std::string text(const uint8_t (&field)[32]) {
    return {reinterpret_cast<const char *>(field), strnlen(reinterpret_cast<const char *>(field), sizeof field)};
  }
  // The mailbox names a queue that there is not.
  void break_an_invariant() {
    dev.mailbox.emplace_back(MockDevice::kQueues + 1, command(NVME_IO_OPCODE_COPY, 1));
    settle();
  }
  void hang() {
    hang_at = ORM_FW_MBOX_STATUS;
    settle();
  }
  std::vector<uint8_t> log_page() {
    const Completion c = admin(command(NVME_ADMIN_OPCODE_GET_LOG_PAGE, UINT32_MAX,
                                       ORM_VENDOR_LOG_PAGES_CRASH_LOG | (ORM_CRASH_LOG_BYTES / 4 - 1) << 16));
    EXPECT_EQ(sct_sc(c), NVME_STATUS_SUCCESS);
    return {dev.host.begin(), dev.host.begin() + ORM_CRASH_LOG_BYTES};
  }
};

TEST_F(CrashTest, AnInvariantThatIsBrokenStopsTheController) {
  dev.now_ns = 5000;
  admin(command(NVME_ADMIN_OPCODE_GET_FEATURES, 0, NVME_FEATURE_ARBITRATION));
  const auto before = dev.nvram;
  break_an_invariant();
  EXPECT_EQ(fw_phase(fw_), FW_FATAL);
  EXPECT_STREQ(fw_describe(fw_), "firmware error; the crash log says where");
  EXPECT_EQ(csts(), kDead) << "function reset or not";
  EXPECT_EQ(dev.reg[ORM_FW_IRQ_ENABLE], 0u);
  const orm_crash_log l = log();
  EXPECT_EQ(l.version, uint32_t{ORM_CRASH_VERSION});
  EXPECT_EQ(l.cause, ORM_CRASH_ASSERT);
  EXPECT_EQ(text(l.file), "commands.c");
  EXPECT_GT(l.line, 0u);
  EXPECT_EQ(text(l.step), "running");
  EXPECT_EQ(l.count, 1u);
  EXPECT_EQ(l.uptime_ns, 5000u);
  EXPECT_EQ(l.power_cycles, 1u);
  EXPECT_EQ(l.controller, 1u);
  orm_crash_command last;
  orm_crash_command_unpack(&last, l.commands);
  EXPECT_EQ(last.opcode, NVME_ADMIN_OPCODE_GET_FEATURES);
  EXPECT_EQ(last.cdw10, uint32_t{NVME_FEATURE_ARBITRATION});
  // Nothing else was written, and nothing is.
  auto after = dev.nvram;
  std::copy_n(before.begin() + kLog, ORM_CRASH_LOG_BYTES, after.begin() + kLog);
  EXPECT_EQ(after, before);
  const size_t completions = dev.completions.size();
  dev.mailbox.clear();
  dev.mailbox.emplace_back(0, command(NVME_ADMIN_OPCODE_IDENTIFY, 0, NVME_CNS_CONTROLLER));
  EXPECT_EQ(fw_poll(fw_), FW_POLL_IDLE);
  EXPECT_EQ(dev.completions.size(), completions);
}

TEST_F(CrashTest, TheWatchdogEndsAPoll) {
  EXPECT_GT(dev.pets, 0u);
  const uint64_t pets = dev.pets;
  fw_poll(fw_);
  EXPECT_EQ(dev.pets, pets + 1) << "each poll";
  hang();
  EXPECT_EQ(fw_phase(fw_), FW_FATAL);
  EXPECT_EQ(csts(), kDead);
  const orm_crash_log l = log();
  EXPECT_EQ(l.cause, ORM_CRASH_WATCHDOG);
  EXPECT_EQ(text(l.file), "watchdog");
  EXPECT_EQ(l.line, 0u);
}

TEST_F(CrashTest, ATrapOfTheProcessorEndsAPoll) {
  trap = true;
  hang();
  EXPECT_EQ(fw_phase(fw_), FW_FATAL);
  EXPECT_EQ(csts(), kDead);
  const orm_crash_log l = log();
  EXPECT_EQ(l.cause, ORM_CRASH_FAULT);
  EXPECT_EQ(text(l.file), "load fault");
  EXPECT_EQ(l.line, 0x80001234u);
}

TEST_F(CrashTest, ACrashInTheWayOfAnotherStopsTheControllerOnly) {
  dev.on_access = [this, first = dev.on_access](uint32_t offset) {
    if (offset == ORM_FW_IRQ_ENABLE && hang_at == kNever) {  // the first register that a crash writes
      struct fw *its = fw_;
      dev.on_access = nullptr;
      fw_fault(its, "store fault", 1);
    }
    first(offset);
  };
  hang();
  EXPECT_EQ(fw_phase(fw_), FW_FATAL);
  EXPECT_EQ(csts(), kDead);
  EXPECT_EQ(log().count, 1u) << "its log would be of what hangs";
  EXPECT_EQ(log().cause, ORM_CRASH_WATCHDOG);
}

TEST_F(CrashTest, AStartThatHangsSaysInWhichStep) {
  dev.power_cycle();
  hang_at = ORM_FW_SEQ_LO;
  boot();
  EXPECT_EQ(fw_phase(fw_), FW_FATAL);
  EXPECT_EQ(text(log().step), "load tables");
  EXPECT_EQ(log().controller, 0u);
  EXPECT_EQ(log().count, 1u);
  dev.power_cycle();
  hang_at = ORM_FW_SEQ_LO;
  boot();
  EXPECT_EQ(log().count, 2u) << "also when no start came to where the log is read";
}

TEST_F(CrashTest, BeforeTheHardwareIsKnownThereIsNoPlaceForALog) {
  dev.power_cycle();
  const auto before = dev.nvram;
  hang_at = kAtOnce;
  boot();
  EXPECT_EQ(fw_phase(fw_), FW_FATAL);
  EXPECT_EQ(dev.nvram, before);
}

TEST_F(CrashTest, TheNextStartRecoversAndTellsIt) {
  EXPECT_EQ(log_page(), std::vector<uint8_t>(ORM_CRASH_LOG_BYTES, 0)) << "it never did";
  break_an_invariant();
  dev.log.clear();
  dev.power_cycle();
  boot_enabled();
  EXPECT_TRUE(std::any_of(dev.log.begin(), dev.log.end(), [](const std::string &line) {
    return line.find("the firmware has crashed 1 times, last at commands.c:") == 0;
  }));
  const auto page = log_page();
  EXPECT_TRUE(std::equal(page.begin(), page.end(), dev.nvram.begin() + kLog));
  admin(command(NVME_ADMIN_OPCODE_GET_LOG_PAGE, UINT32_MAX, ORM_VENDOR_LOG_PAGES_REMAP_LOG | 127u << 16));
  orm_remap_log remap;
  orm_remap_log_unpack(&remap, dev.host.data());
  EXPECT_EQ(remap.crashes, 1u);
  hang();
  EXPECT_EQ(log().count, 2u) << "of which the newest is kept";
  EXPECT_EQ(log().cause, ORM_CRASH_WATCHDOG);
}

TEST_F(CrashTest, ADamagedLogOrOneOfAnotherVersionIsNone) {
  break_an_invariant();
  orm_crash_log l = log();
  dev.nvram[kLog + 40] ^= 1;
  dev.power_cycle();
  boot_enabled();
  EXPECT_EQ(log_page(), std::vector<uint8_t>(ORM_CRASH_LOG_BYTES, 0));
  l.version++;
  orm_crash_log_seal(&l, &dev.nvram[kLog]);
  dev.power_cycle();
  boot_enabled();
  EXPECT_EQ(log_page(), std::vector<uint8_t>(ORM_CRASH_LOG_BYTES, 0));
}

TEST_F(CrashTest, APortWithoutAWatchdog) {
  platform without = *dev.port();
  without.watchdog_pet = nullptr;
  dev.power_cycle();
  memory.assign(fw_size() / sizeof(std::max_align_t) + 1, {});
  fw_ = reinterpret_cast<fw *>(memory.data());
  fw_init(fw_, &without);
  settle();
  EXPECT_EQ(fw_phase(fw_), FW_RUNNING);
}

}  // namespace
}  // namespace orm_test
