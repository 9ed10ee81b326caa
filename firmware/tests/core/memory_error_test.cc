// SPDX-License-Identifier: Apache-2.0
// DRAM or NVRAM fails the hardware, which stops: what the firmware does then, and what it must not do any more.
extern "C" {
#include "core/device.h"
#include "core/state.h"
}

#include <algorithm>

#include "recovery/recovery_fixture.h"

namespace orm_test {
namespace {

constexpr uint32_t kLog = MockDevice::kNvCounters + ORM_NV_CRASH_OFFSET;
constexpr uint32_t kDead = ORM_FW_NVME_CSTS_CFS_MASK | ORM_FW_NVME_CSTS_DEAD_MASK;
constexpr uint32_t kSlverr = 2, kDecerr = 3;

class MemoryErrorTest : public RecoveryTest {
 protected:
  explicit MemoryErrorTest(bool summaries = false) {
    if (summaries) dev.make_summaries();
  }

  void fail(uint32_t user, bool nvram, bool write, uint32_t response, uint32_t at) {
    dev.memory_error = ORM_PUT(ORM_FW_MEMORY_ERROR_USER, user) | ORM_PUT(ORM_FW_MEMORY_ERROR_NVRAM, nvram) |
                       ORM_PUT(ORM_FW_MEMORY_ERROR_WRITE, write) | ORM_PUT(ORM_FW_MEMORY_ERROR_RESPONSE, response) |
                       ORM_FW_MEMORY_ERROR_VALID_MASK;
    dev.memory_error_at = at;
  }
  // It shows behind the access to this register.
  void fail_at(uint32_t offset) {
    dev.on_access = [this, offset](uint32_t now) {
      if (now == offset) fail(ORM_MEMORY_USER_L2P, false, true, kSlverr, 0x40);
    };
  }
  orm_crash_log log() {
    orm_crash_log l{};
    EXPECT_TRUE(orm_crash_log_open(&l, &dev.nvram[kLog]));
    return l;
  }
  static std::string text(const uint8_t (&field)[32]) {
    return {reinterpret_cast<const char *>(field), strnlen(reinterpret_cast<const char *>(field), sizeof field)};
  }
  void expect_stopped() {
    EXPECT_EQ(fw_phase(fw_), FW_FATAL);
    EXPECT_STREQ(fw_describe(fw_), "DRAM or NVRAM has failed; see the crash log");
    EXPECT_EQ(csts(), kDead);
    EXPECT_EQ(dev.reg[ORM_FW_IRQ_ENABLE], 0u);
    EXPECT_FALSE(dev.irq());
    EXPECT_EQ(fw_poll(fw_), FW_POLL_IDLE) << "it never asks to be called again";
  }
};

class SummarizedMemoryErrorTest : public MemoryErrorTest {
 protected:
  SummarizedMemoryErrorTest() : MemoryErrorTest(true) {}
  void SetUp() override {
    dev.options().over_provision_pct = 50;  // three superblocks are to spare
    dev.options().placement_handles = 2;
    MemoryErrorTest::SetUp();
  }
};

TEST_F(MemoryErrorTest, EachStopsTheControllerAndIsLogged) {
  const struct {
    uint32_t user;
    bool nvram, write;
    uint32_t response, at;
    const char *text;
  } kCases[] = {
      {ORM_MEMORY_USER_L2P, false, false, kSlverr, 0x1230, "DRAM read, L2P"},
      {ORM_MEMORY_USER_L2P, false, true, kDecerr, 0x10, "DRAM write, L2P"},
      {ORM_MEMORY_USER_REFS, false, false, kSlverr, 0x20, "DRAM read, REF"},
      {ORM_MEMORY_USER_REMAP_LIST, false, false, kSlverr, 0x30, "DRAM read, remap list"},
      {ORM_MEMORY_USER_FIRMWARE_DMA, false, true, kSlverr, 0xFFFFFFF0, "DRAM write, DMA"},
      {ORM_MEMORY_USER_SLOT_LOG, false, true, kSlverr, 0x40, "DRAM write, slot log"},
      {ORM_MEMORY_USER_JOURNAL, true, true, kDecerr, 0x50, "NVRAM write, journal"},
      {ORM_MEMORY_USER_REMAP_TABLE, true, true, kSlverr, 0x60, "NVRAM write, remap table"},
      {ORM_MEMORY_USER_REMAP_TABLE, true, false, kSlverr, 0, "NVRAM read, remap table"},
      {15, true, false, kSlverr, 0x70, "NVRAM read, unknown"},
  };
  uint32_t crashes = 0;
  for (const auto &c : kCases) {
    power_cycle();
    enable();
    const auto before = dev.nvram;
    const size_t completions = dev.completions.size();
    dev.mailbox.emplace_back(0, command(NVME_ADMIN_OPCODE_IDENTIFY, 0, NVME_CNS_CONTROLLER));
    fail(c.user, c.nvram, c.write, c.response, c.at);
    EXPECT_TRUE(dev.irq()) << "it is not masked: " << c.text;
    settle();
    expect_stopped();
    EXPECT_EQ(dev.completions.size(), completions) << "nothing is acknowledged: " << c.text;
    const orm_crash_log l = log();
    EXPECT_EQ(l.cause, ORM_CRASH_MEMORY);
    EXPECT_EQ(text(l.file), c.text);
    EXPECT_EQ(l.line, c.at);
    EXPECT_EQ(text(l.step), "running");
    EXPECT_EQ(l.count, ++crashes);
    auto after = dev.nvram;
    std::copy_n(before.begin() + kLog, ORM_CRASH_LOG_BYTES, after.begin() + kLog);
    EXPECT_EQ(after, before) << "nothing else was written: " << c.text;
  }
}

TEST_F(MemoryErrorTest, AStartThatWaitsForTheDmaEnds) {
  for (uint32_t offset : {ORM_FW_CAP_SUMMARY, ORM_FW_SEQ_LO, ORM_FW_JOURNAL_LOAD}) {
    dev.power_cycle();
    fail_at(offset);
    boot();
    expect_stopped();
    EXPECT_EQ(log().cause, ORM_CRASH_MEMORY) << offset;
    EXPECT_NE(text(log().step), "running") << offset;
    dev.on_access = nullptr;
  }
}

// NVRAM itself may be what fails the processor, too.
TEST_F(MemoryErrorTest, ATrapWhileTheLogIsWrittenEndsIt) {
  recover();
  enable();
  unsigned traps = 0;
  dev.on_nvram_write = [&] {
    if (++traps < 5) fw_fault(fw_, "store fault", 0x1000);
  };
  fail(ORM_MEMORY_USER_JOURNAL, true, true, kSlverr, 0);
  settle();
  dev.on_nvram_write = nullptr;
  EXPECT_EQ(traps, 1u) << "it is not tried again";
  EXPECT_EQ(fw_phase(fw_), FW_FATAL);
  EXPECT_EQ(csts(), kDead);
  EXPECT_EQ(fw_poll(fw_), FW_POLL_IDLE);
}

// L2P in DRAM may be old from the error on. These polls have looked at the interrupts before it came.
TEST_F(MemoryErrorTest, NoCheckpointIsMadeOfIt) {
  recover();
  enable();
  dev.hold_fence = true;
  for (uint32_t i = 0; i < 10; i++) dev.write_journal(i, i, 1, 10 + i);
  dev.journal_head = dev.journal_used = 10;
  dev.seq = 20;
  settle();
  ASSERT_EQ(dev.fences, 1u);
  const std::vector<uint8_t> pointer(&dev.nvram[0x108], &dev.nvram[0x110]);
  fail_at(ORM_FW_NVME_CC);
  dev.release_fence();
  settle();
  expect_stopped();
  EXPECT_EQ(std::vector<uint8_t>(&dev.nvram[0x108], &dev.nvram[0x110]), pointer);
}

TEST_F(SummarizedMemoryErrorTest, NoSummaryIsMadeOfIt) {
  recover();
  enable();
  fill(3, 0, dev.data_slots(), 10, 100);
  dev.sb[3].state = ORM_SB_STATE_CLOSED;
  dev.sb[3].valid = dev.data_slots();
  dev.finish_log(1, 3);
  fail_at(ORM_FW_NVME_CC);
  settle();
  expect_stopped();
  for (uint32_t k = 0; k < dev.summary_slots; k++)
    EXPECT_EQ(dev.flash[dev.summary_slot(3, k)].state, Page::kErased) << k;
}

TEST_F(MemoryErrorTest, NoSnapshotIsMadeOfIt) {
  fill(0, 0, kSlots, 0, 1);
  recover();
  enable();
  dev.on_program = [this] { fail_at(ORM_FW_NVME_CC); };
  set_cc(ORM_PUT(ORM_BAR0_CC_EN, 1) | ORM_PUT(ORM_BAR0_CC_SHN, NVME_SHUTDOWN_NORMAL));
  dev.on_program = nullptr;
  dev.on_access = nullptr;
  expect_stopped();
  device d{};
  struct state s {};
  ASSERT_EQ(device_probe(&d, dev.port()), FW_OK);
  ASSERT_EQ(state_load(&s, &d, dev.port()), FW_OK);
  EXPECT_EQ(s.snapshot.slots, 0u);
}

}  // namespace
}  // namespace orm_test
