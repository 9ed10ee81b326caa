// SPDX-License-Identifier: Apache-2.0
#include "support/fw_fixture.h"

namespace orm_test {
namespace {

class AsyncTest : public FwTest {
 protected:
  void SetUp() override { boot_enabled(); }

  uint16_t request() {
    nvme_submission_entry e = command(NVME_ADMIN_OPCODE_ASYNC_EVENT);
    dev.mailbox.emplace_back(uint8_t{0}, e);
    settle();
    return e.cid;
  }

  void bad_doorbell() {
    dev.irq_events |= ORM_FW_IRQ_STATUS_BAD_DOORBELL_MASK;
    settle();
  }

  uint16_t read_error_log() {
    return admin(command(NVME_ADMIN_OPCODE_GET_LOG_PAGE, 0xFFFFFFFF, NVME_LOG_PAGE_ERROR_INFORMATION | 15u << 16))
        .status;
  }
};

TEST_F(AsyncTest, RequestIsHeldUntilSomethingHappens) {
  uint16_t cid = request();
  EXPECT_TRUE(dev.completions.empty());
  bad_doorbell();
  ASSERT_EQ(dev.completions.size(), 1u);
  EXPECT_EQ(dev.completions[0].cid, cid);
  EXPECT_EQ(dev.completions[0].status, 0);
  EXPECT_EQ(dev.completions[0].dw0, uint32_t{NVME_ASYNC_EVENT_BAD_DOORBELL_VALUE});
}

TEST_F(AsyncTest, DoorbellOfAQueueThatDoesNotExist) {
  request();
  dev.irq_events |= ORM_FW_IRQ_STATUS_ABSENT_DOORBELL_MASK;
  settle();
  ASSERT_EQ(dev.completions.size(), 1u);
  EXPECT_EQ(dev.completions[0].dw0, uint32_t{NVME_ASYNC_EVENT_BAD_DOORBELL_REGISTER});
}

TEST_F(AsyncTest, EventWaitsForTheCompletionQueue) {
  request();
  const uint16_t cid = request();
  EXPECT_EQ(dev.reg[ORM_FW_ADMIN_HELD], 2u) << "held requests reserve no entry";
  dev.admin_room = false;
  bad_doorbell();
  for (int i = 0; i < 20; i++) wait = fw_poll(fw_);
  EXPECT_TRUE(dev.completions.empty());
  EXPECT_EQ(dev.reg[ORM_FW_ADMIN_HELD], 2u);
  EXPECT_GE(wait, 10000u) << "the host decides when: no spinning";
  EXPECT_LT(wait, FW_POLL_IDLE);
  Completion c = admin(command(NVME_ADMIN_OPCODE_ABORT, 0, uint32_t{cid} << 16));
  EXPECT_EQ(c.dw0, 1u) << "not aborted: there is no room to say so";
  dev.admin_room = true;
  settle(1'000'000);
  ASSERT_EQ(dev.completions.size(), 2u);
  EXPECT_EQ(dev.completions[1].cid, cid);
  EXPECT_EQ(dev.reg[ORM_FW_ADMIN_HELD], 1u);
}

TEST_F(AsyncTest, EventWaitsForARequest) {
  bad_doorbell();
  EXPECT_TRUE(dev.completions.empty());
  request();
  EXPECT_EQ(dev.completions.size(), 1u);
}

TEST_F(AsyncTest, MaskedUntilItsLogPageIsRead) {
  request();
  request();
  bad_doorbell();
  bad_doorbell();
  EXPECT_EQ(dev.completions.size(), 1u);
  EXPECT_EQ(read_error_log(), 0);
  bad_doorbell();
  EXPECT_EQ(dev.completions.size(), 3u);
}

TEST_F(AsyncTest, Limit) {
  for (int i = 0; i < 4; i++) request();
  Completion c = admin(command(NVME_ADMIN_OPCODE_ASYNC_EVENT));
  EXPECT_EQ(sct_sc(c), NVME_STATUS_AER_LIMIT);
}

TEST_F(AsyncTest, ResetForgetsRequests) {
  for (int i = 0; i < 4; i++) request();
  set_cc(0);
  EXPECT_EQ(dev.dropped.size(), 4u) << "their places came back";
  EXPECT_EQ(dev.reg[ORM_FW_ADMIN_HELD], 0u);
  enable();
  bad_doorbell();
  EXPECT_TRUE(dev.completions.empty());
  for (int i = 0; i < 3; i++) request();
  EXPECT_EQ(dev.completions.size(), 1u);
}

TEST_F(AsyncTest, AbortOfAHeldRequest) {
  uint16_t first = request(), second = request();
  dev.mailbox.emplace_back(uint8_t{0}, command(NVME_ADMIN_OPCODE_ABORT, 0, uint32_t{first} << 16));
  settle();
  ASSERT_EQ(dev.completions.size(), 2u);
  EXPECT_EQ(dev.completions[0].cid, first);
  EXPECT_EQ(sct_sc(dev.completions[0]), NVME_STATUS_ABORT_REQUESTED);
  EXPECT_EQ(dev.completions[1].dw0, 0u) << "aborted";
  bad_doorbell();
  EXPECT_EQ(dev.completions.back().cid, second);
}

TEST_F(AsyncTest, AbortOfSomethingElse) {
  Completion c = admin(command(NVME_ADMIN_OPCODE_ABORT, 0, 0x1234u << 16 | 1));
  EXPECT_EQ(c.status, 0);
  EXPECT_EQ(c.dw0, 1u) << "not aborted";
  EXPECT_EQ(sct_sc(admin(command(NVME_ADMIN_OPCODE_ABORT, 0, 99))), NVME_STATUS_INVALID_FIELD);
}

}  // namespace
}  // namespace orm_test
