// SPDX-License-Identifier: Apache-2.0
// Which units look in a poll: those that its interrupts concern, or all of them.
extern "C" {
#include "fw.h"
}

#include <set>

#include "support/fw_fixture.h"

namespace orm_test {
namespace {

class PollTest : public FwTest {
 protected:
  static constexpr uint64_t kLook = 10'000'000;  // ns: fw.c

  void SetUp() override {
    boot_enabled();
    dev.on_access = [this](uint32_t offset) { seen_.insert(offset); };
    seen_.clear();
  }
  void TearDown() override { dev.on_access = nullptr; }

  // As hardware and a port: a poll for each interrupt.
  void serve() {
    for (int i = 0; i < 100 && dev.irq(); i++) wait = fw_poll(fw_);
    ASSERT_FALSE(dev.irq());
  }
  void send(uint8_t opcode, uint32_t cdw10) { dev.mailbox.emplace_back(uint8_t{0}, command(opcode, 0, cdw10)); }
  void identify() {
    const size_t before = dev.completions.size();
    send(NVME_ADMIN_OPCODE_IDENTIFY, NVME_CNS_CONTROLLER);
    serve();
    ASSERT_EQ(dev.completions.size(), before + 1);
    EXPECT_EQ(dev.completions.back().status, 0);
  }
  // All units have looked: collections at the free superblocks, the controller at CC.
  bool all_looked() const { return seen_.count(ORM_FW_ALLOC_COUNT) != 0 && seen_.count(ORM_FW_NVME_CC) != 0; }
  bool any_looked() const { return seen_.count(ORM_FW_ALLOC_COUNT) != 0 || seen_.count(ORM_FW_NVME_CC) != 0; }

  std::set<uint32_t> seen_;  // registers that were accessed
};

TEST_F(PollTest, ACommandThatChangesNothingConcernsNobodyElse) {
  identify();
  EXPECT_FALSE(any_looked());
  EXPECT_EQ(wait, FW_POLL_IDLE);
}

TEST_F(PollTest, AllLookWhenACommandHasChangedSomething) {
  send(NVME_ADMIN_OPCODE_SET_FEATURES, NVME_FEATURE_ASYNC_EVENT_CONFIG);
  serve();
  EXPECT_FALSE(all_looked());
  EXPECT_EQ(wait, 0u);
  wait = fw_poll(fw_);
  EXPECT_TRUE(all_looked());
}

TEST_F(PollTest, AllLookWhenNoInterruptTellsWhatThePollIsFor) {
  wait = fw_poll(fw_);
  EXPECT_TRUE(all_looked());
}

TEST_F(PollTest, AllLookForWhatConcernsMoreThanOne) {
  for (const uint32_t event : {ORM_FW_IRQ_STATUS_CC_CHANGED_MASK, ORM_FW_IRQ_STATUS_GC_DONE_MASK,
                               ORM_FW_IRQ_STATUS_FENCE_DONE_MASK, ORM_FW_IRQ_STATUS_SEG_LOW_MASK}) {
    seen_.clear();
    dev.irq_events |= event | ORM_FW_IRQ_STATUS_DMA_DONE_MASK;
    serve();
    EXPECT_TRUE(all_looked()) << event;
  }
}

TEST_F(PollTest, AllLookEverySoOftenHoweverManyCommandsThereAre) {
  dev.now_ns += kLook - 1;
  identify();
  EXPECT_FALSE(any_looked());
  dev.now_ns += 1;
  identify();
  EXPECT_TRUE(all_looked());
}

// So the host is told of what no interrupt tells, such as a temperature.
TEST_F(PollTest, AnEventIsToldBesideCommands) {
  send(NVME_ADMIN_OPCODE_ASYNC_EVENT, 0);
  dev.mailbox.emplace_back(uint8_t{0}, command(NVME_ADMIN_OPCODE_SET_FEATURES, 0, NVME_FEATURE_ASYNC_EVENT_CONFIG,
                                               NVME_CRITICAL_WARNING_TEMPERATURE));
  settle();
  const size_t before = dev.completions.size();
  dev.kelvin = 400;
  identify();
  EXPECT_EQ(dev.completions.size(), before + 1);
  dev.now_ns += kLook;
  send(NVME_ADMIN_OPCODE_IDENTIFY, NVME_CNS_CONTROLLER);
  serve();
  ASSERT_EQ(dev.completions.size(), before + 3) << "Identify and the event";
}

// No interrupt tells that the register of completions is free. What a unit waits for outlasts polls that come before.
TEST_F(PollTest, ADeadlineOutlastsPollsBeforeIt) {
  dev.completion_room = false;
  send(NVME_ADMIN_OPCODE_IDENTIFY, NVME_CNS_CONTROLLER);
  serve();
  ASSERT_GT(wait, 1u);
  ASSERT_LE(wait, FW_COMPLETION_POLL_NS);
  const uint64_t due = dev.now_ns + wait;
  dev.now_ns += 1;
  dev.irq_events |= ORM_FW_IRQ_STATUS_REMAP_DONE_MASK;
  serve();
  EXPECT_LE(dev.now_ns + wait, due);
  dev.completion_room = true;
  dev.now_ns = due;
  wait = fw_poll(fw_);
  EXPECT_EQ(dev.completions.size(), 1u);
}

TEST_F(PollTest, AllLookWhileTheControllerChangesItsState) {
  dev.io_quiet = false;  // the shutdown waits
  dev.reg[ORM_FW_NVME_CC] = ORM_PUT(ORM_BAR0_CC_EN, 1) | ORM_PUT(ORM_BAR0_CC_SHN, NVME_SHUTDOWN_NORMAL);
  dev.irq_events |= ORM_FW_IRQ_STATUS_CC_CHANGED_MASK;
  serve();
  wait = fw_poll(fw_);
  ASSERT_EQ(fw_->controller.shutdown, SHUTDOWN_DRAIN);
  seen_.clear();
  identify();
  EXPECT_TRUE(seen_.count(ORM_FW_NVME_CC));
}

}  // namespace
}  // namespace orm_test
