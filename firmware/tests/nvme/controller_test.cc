// SPDX-License-Identifier: Apache-2.0
#include "support/fw_fixture.h"

namespace orm_test {
namespace {

constexpr uint32_t kEnabled = 1u;  // CC.EN; also CSTS.RDY

using ControllerTest = FwTest;

uint32_t shn(uint32_t n) { return kEnabled | ORM_PUT(ORM_BAR0_CC_SHN, n); }
uint32_t shst(uint32_t s) { return ORM_GET(s, ORM_FW_NVME_CSTS_SHST); }

TEST_F(ControllerTest, EnableAndDisable) {
  boot_running();
  EXPECT_EQ(csts(), 0u);
  enable();
  EXPECT_EQ(csts(), kEnabled);
  set_cc(0);
  EXPECT_EQ(csts(), 0u);
}

TEST_F(ControllerTest, EnabledDuringStartUp) {
  dev.reg[ORM_FW_NVME_CC] = kEnabled;
  boot_running();
  EXPECT_EQ(csts(), kEnabled);
}

TEST_F(ControllerTest, SettingsThatWeDoNotHave) {
  boot_running();
  set_cc(kEnabled | ORM_PUT(ORM_BAR0_CC_MPS, 1));
  EXPECT_TRUE(csts() & ORM_FW_NVME_CSTS_CFS_MASK);
  set_cc(0);
  EXPECT_EQ(csts(), 0u);
  enable();
  EXPECT_EQ(csts(), kEnabled) << "a reset cures it";
}

TEST_F(ControllerTest, DisableWaitsUntilNothingIsInside) {
  boot_enabled();
  dev.io_quiet = false;
  set_cc(0);
  EXPECT_EQ(csts(), kEnabled);
  EXPECT_GT(wait, 0u) << "waiting is not spinning";
  EXPECT_LT(wait, FW_POLL_IDLE);
  dev.io_quiet = true;
  settle(wait);
  EXPECT_EQ(csts(), 0u);
}

TEST_F(ControllerTest, DisableDropsCommandsAndCompletions) {
  boot_enabled();
  dev.hold_remap = true;
  nvme_submission_entry e = command(ORM_VENDOR_OPCODES_REMAP, 1, 0);
  e.cdw12 = 10;
  e.cdw14 = 1;
  dev.mailbox.emplace_back(uint8_t{1}, e);
  settle();
  ASSERT_EQ(dev.remaps.size(), 1u);
  for (int i = 0; i < 20; i++) dev.mailbox.emplace_back(uint8_t{1}, e);
  set_cc(0);
  EXPECT_EQ(csts(), kEnabled) << "the engine still works on it";
  EXPECT_LT(dev.mailbox.size(), 20u);
  dev.release_remap();
  settle(1'000'000);
  EXPECT_EQ(csts(), 0u);
  EXPECT_TRUE(dev.mailbox.empty());
  EXPECT_TRUE(dev.completions.empty());
  EXPECT_EQ(dev.dropped.size(), 21u) << "each gives its place inside the controller back";
  EXPECT_EQ(dev.firmware, (std::array<uint32_t, MockDevice::kQueues + 1>{}));
  dev.hold_remap = false;
  enable();
  EXPECT_EQ(run(1, e).status, 0);
}

TEST_F(ControllerTest, CleanShutdown) {
  boot_enabled();
  dev.hold_fence = true;
  set_cc(shn(NVME_SHUTDOWN_NORMAL));
  EXPECT_EQ(shst(csts()), uint32_t{NVME_SHUTDOWN_OCCURRING});
  EXPECT_EQ(dev.reg[ORM_FW_NVME_STATE], 0u) << "no new I/O";
  EXPECT_EQ(dev.fences, 1u);
  dev.release_fence();
  settle();
  EXPECT_EQ(shst(csts()), uint32_t{NVME_SHUTDOWN_COMPLETE});
  EXPECT_TRUE(csts() & 1);
  set_cc(0);
  EXPECT_EQ(csts(), 0u);
  enable();
  EXPECT_EQ(csts(), kEnabled);
  EXPECT_EQ(dev.reg[ORM_FW_NVME_STATE], 1u);
}

TEST_F(ControllerTest, AbruptShutdownKeepsTheSamePromise) {
  boot_enabled();
  set_cc(shn(NVME_SHUTDOWN_ABRUPT));
  EXPECT_EQ(shst(csts()), uint32_t{NVME_SHUTDOWN_COMPLETE});
  EXPECT_EQ(dev.fences, 1u);
}

TEST_F(ControllerTest, ShutdownWaitsForIoAndCollection) {
  boot_enabled();
  dev.sb[2] = {1, 3, ORM_SB_STATE_CLOSED};
  dev.free_list.resize(3);
  dev.hold_gc = true;
  settle();
  ASSERT_EQ(dev.victims.size(), 1u);
  dev.io_quiet = false;
  set_cc(shn(NVME_SHUTDOWN_NORMAL));
  for (int i = 0; i < 100; i++) fw_poll(fw_);
  EXPECT_EQ(shst(csts()), uint32_t{NVME_SHUTDOWN_OCCURRING});
  dev.io_quiet = true;
  for (int i = 0; i < 100; i++) fw_poll(fw_);
  EXPECT_EQ(shst(csts()), uint32_t{NVME_SHUTDOWN_OCCURRING}) << "the collection is still under way";
  dev.release_gc();
  for (int i = 0; i < 100; i++) fw_poll(fw_);
  EXPECT_EQ(shst(csts()), uint32_t{NVME_SHUTDOWN_COMPLETE});
  EXPECT_EQ(dev.victims.size(), 1u) << "no other one is begun";
}

TEST_F(ControllerTest, ShutdownGetsItsTurnBetweenCollections) {
  boot_enabled();
  for (uint32_t sb = 4; sb < 12; sb++) dev.sb[sb] = {1, sb, ORM_SB_STATE_CLOSED};
  dev.free_list.resize(2);
  dev.hold_gc = true;
  dev.on_gc = [this] { dev.free_list.resize(2); };  // there is always more to collect
  settle();
  ASSERT_EQ(dev.victims.size(), 1u);
  dev.io_quiet = false;  // a write is inside that may need room
  set_cc(shn(NVME_SHUTDOWN_NORMAL));
  dev.release_gc();
  for (int i = 0; i < 100; i++) fw_poll(fw_);
  EXPECT_EQ(dev.victims.size(), 2u) << "room is made for it";
  EXPECT_EQ(shst(csts()), uint32_t{NVME_SHUTDOWN_OCCURRING});
  dev.io_quiet = true;
  dev.release_gc();
  for (int i = 0; i < 100; i++) fw_poll(fw_);
  EXPECT_EQ(shst(csts()), uint32_t{NVME_SHUTDOWN_COMPLETE});
  EXPECT_EQ(dev.victims.size(), 2u);
}

// The mark `clean` promises that the media does not change.
TEST_F(ControllerTest, NothingChangesAfterACleanShutdown) {
  boot_enabled();
  set_cc(shn(NVME_SHUTDOWN_NORMAL));
  for (uint32_t sb = 4; sb < 12; sb++) dev.sb[sb] = {1, sb, ORM_SB_STATE_CLOSED};
  dev.free_list.resize(2);
  for (uint32_t i = 0; i < MockDevice::kJournal - 1; i++) dev.write_journal(i, i, 1, 10 + i);
  const auto with_journal = dev.nvram;
  dev.journal_head = dev.journal_used = MockDevice::kJournal - 1;
  dev.seq = 10 + MockDevice::kJournal;
  settle();
  set_cc(0);
  EXPECT_EQ(csts(), 0u);
  EXPECT_FALSE(dev.irq());
  settle();
  EXPECT_TRUE(dev.victims.empty());
  EXPECT_EQ(dev.nvram, with_journal);
  // The first thing after CC.EN is that the mark goes; then there is work.
  size_t writes = 0;
  dev.on_nvram_write = [&] {
    EXPECT_TRUE(dev.victims.empty() || writes > 0);
    writes++;
  };
  enable();
  dev.on_nvram_write = nullptr;
  EXPECT_FALSE(dev.victims.empty());
  EXPECT_LT(dev.journal_used, MockDevice::kJournal - 1);
  power_cycle();
  enable();
  admin(command(NVME_ADMIN_OPCODE_GET_LOG_PAGE, 0, NVME_LOG_PAGE_SMART | 127u << 16));
  nvme_smart_log s;
  nvme_smart_log_unpack(&s, dev.host.data());
  EXPECT_EQ(s.unsafe_shutdowns, 1u);
}

TEST_F(ControllerTest, PowerCutAfterShutdownIsSafe) {
  boot_enabled();
  set_cc(shn(NVME_SHUTDOWN_NORMAL));
  power_cycle();
  enable();
  power_cycle();  // not shut down this time
  enable();
  admin(command(NVME_ADMIN_OPCODE_GET_LOG_PAGE, 0, NVME_LOG_PAGE_SMART | 127u << 16));
  nvme_smart_log s;
  nvme_smart_log_unpack(&s, dev.host.data());
  EXPECT_EQ(s.power_cycles, 3u);
  EXPECT_EQ(s.unsafe_shutdowns, 1u);
}

TEST_F(ControllerTest, EnabledAgainAfterShutdownIsNoLongerClean) {
  boot_enabled();
  set_cc(shn(NVME_SHUTDOWN_NORMAL));
  set_cc(0);
  enable();
  power_cycle();
  enable();
  admin(command(NVME_ADMIN_OPCODE_GET_LOG_PAGE, 0, NVME_LOG_PAGE_SMART | 127u << 16));
  nvme_smart_log s;
  nvme_smart_log_unpack(&s, dev.host.data());
  EXPECT_EQ(s.unsafe_shutdowns, 1u);
}

TEST_F(ControllerTest, HostErrorIsFatalUntilReset) {
  boot_enabled();
  dev.irq_events |= ORM_FW_IRQ_STATUS_HOST_ERROR_MASK;
  settle();
  EXPECT_EQ(csts(), kEnabled | ORM_FW_NVME_CSTS_CFS_MASK);
  set_cc(0);
  enable();
  EXPECT_EQ(csts(), kEnabled);
}

/* An error of a queue that went with the disabling must not show on a controller that is off: it would stay in CSTS
 * until the next disabling, and keep a function reset from ending. */
TEST_F(ControllerTest, HostErrorThatComesAfterDisablingIsNobodys) {
  boot_enabled();
  set_cc(0);
  dev.irq_events |= ORM_FW_IRQ_STATUS_HOST_ERROR_MASK;
  settle();
  EXPECT_EQ(csts(), 0u);
  enable();
  EXPECT_EQ(csts(), kEnabled);
}

TEST_F(ControllerTest, FullCompletionQueueMakesCompletionsWait) {
  boot_enabled();
  dev.completion_room = false;
  dev.mailbox.emplace_back(uint8_t{0}, command(NVME_ADMIN_OPCODE_IDENTIFY, 0, NVME_CNS_CONTROLLER));
  uint64_t again = 0;
  for (int i = 0; i < 100; i++) again = fw_poll(fw_);
  EXPECT_GT(again, 0u) << "waiting is not spinning";
  EXPECT_TRUE(dev.completions.empty());
  dev.completion_room = true;
  settle();
  EXPECT_EQ(dev.completions.size(), 1u);
}

TEST_F(ControllerTest, DisableWaitsForAdminCommandsToo) {
  boot_enabled();
  dev.engines[0] = 1;  // on its way to the mailbox
  set_cc(0);
  EXPECT_EQ(csts(), kEnabled);
  dev.engines[0] = 0;
  settle(1'000'000);
  EXPECT_EQ(csts(), 0u);
}

TEST_F(ControllerTest, UnknownAdminOpcodes) {
  boot_enabled();
  for (uint8_t opcode : std::array<uint8_t, 7>{0x03, 0x0D, 0x10, 0x14, 0x18, 0x84, 0xC0})
    EXPECT_EQ(admin(command(opcode)).status,
              NVME_STATUS_INVALID_OPCODE | NVME_STATUS_FLAG_DO_NOT_RETRY | NVME_STATUS_FLAG_MORE);
}

}  // namespace
}  // namespace orm_test
