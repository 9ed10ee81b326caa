// SPDX-License-Identifier: Apache-2.0
extern "C" {
#include "drivers/mailbox.h"

#include "fw.h"
}

#include "support/fw_fixture.h"

namespace orm_test {
namespace {

class MailboxTest : public FwTest {
 protected:
  void SetUp() override { boot_enabled(); }

  ::command take(const nvme_submission_entry &e) {
    ::command cmd{};
    uint8_t qid = 0;
    dev.mailbox.emplace_back(0, e);
    EXPECT_TRUE(mailbox_head(fw_, &qid));
    mailbox_take(fw_, qid, &cmd);
    return cmd;
  }
};

TEST_F(MailboxTest, TakesACommandWhole) {
  uint8_t qid = 9;
  EXPECT_FALSE(mailbox_head(fw_, &qid));
  nvme_submission_entry e = orm_test::command(0x42, 7, 0x11, 0x22, 0x1'0000'2000);
  e.cdw15 = 0x33;
  dev.mailbox.emplace_back(2, e);
  ASSERT_TRUE(mailbox_head(fw_, &qid));
  EXPECT_EQ(qid, 2);
  ::command cmd{};
  cmd.step = 5;
  mailbox_take(fw_, qid, &cmd);
  EXPECT_EQ(cmd.qid, 2);
  EXPECT_EQ(cmd.step, 0) << "of an earlier command";
  EXPECT_EQ(cmd.sqe.opcode, 0x42);
  EXPECT_EQ(cmd.sqe.cid, e.cid);
  EXPECT_EQ(cmd.sqe.nsid, 7u);
  EXPECT_EQ(cmd.sqe.prp1, 0x1'0000'2000u);
  EXPECT_EQ(cmd.sqe.cdw10, 0x11u);
  EXPECT_EQ(cmd.sqe.cdw15, 0x33u);
  EXPECT_TRUE(dev.mailbox.empty());
}

TEST_F(MailboxTest, IsIdleAgainWhenTheCommandIsDone) {
  EXPECT_TRUE(mailbox_idle(fw_));
  (void)take(orm_test::command(NVME_ADMIN_OPCODE_IDENTIFY));
  EXPECT_FALSE(mailbox_idle(fw_));
  EXPECT_TRUE(fw_->quiesce.command);
  mailbox_done(fw_);
  EXPECT_TRUE(mailbox_idle(fw_));
  EXPECT_FALSE(fw_->quiesce.command);
}

TEST_F(MailboxTest, AnAbortedCommandIsCompleted) {
  const nvme_submission_entry e = orm_test::command(NVME_ADMIN_OPCODE_IDENTIFY);
  dev.mailbox.emplace_back(0, e);
  mailbox_abort(fw_, 0);
  ASSERT_EQ(dev.completions.size(), 1u);
  EXPECT_EQ(dev.completions[0].cid, e.cid);
  EXPECT_EQ(sct_sc(dev.completions[0]), NVME_STATUS_ABORT_SQ_DELETION);
  EXPECT_TRUE(mailbox_idle(fw_)) << "it never ran";
}

TEST_F(MailboxTest, DataIsMovedBothWays) {
  ::command cmd = take(orm_test::command(NVME_ADMIN_OPCODE_IDENTIFY));
  mailbox_buffer_clear(fw_, 64);
  mailbox_buffer(fw_)[5] = 0x77;
  ASSERT_EQ(mailbox_to_host(fw_, &cmd, 64), FW_PENDING);
  ASSERT_EQ(mailbox_to_host(fw_, &cmd, 64), FW_OK);
  EXPECT_EQ(dev.host[5], 0x77);
  dev.host[6] = 0x66;
  ASSERT_EQ(mailbox_from_host(fw_, &cmd, 64), FW_PENDING);
  ASSERT_EQ(mailbox_from_host(fw_, &cmd, 64), FW_OK);
  EXPECT_EQ(mailbox_buffer(fw_)[6], 0x66);
}

// Whatever firmware wrote there before is cleaned first, so that no dirty line gets over what comes from the host.
TEST_F(MailboxTest, TheBufferIsCleanedBeforeATransferAndInvalidatedAfterOneFromTheHost) {
  const CacheCall clean{true, MockDevice::kFwDram, 64}, invalidate{false, MockDevice::kFwDram, 64};
  ::command cmd = take(orm_test::command(NVME_ADMIN_OPCODE_IDENTIFY));
  for (const uint32_t status : {0u, 0x4004u}) {  // of a failed one part may have come
    dev.dma_status = status;
    const fw_result_t end = status == 0 ? FW_OK : FW_TRANSFER;
    dev.cache_calls.clear();
    ASSERT_EQ(mailbox_to_host(fw_, &cmd, 64), FW_PENDING);
    ASSERT_EQ(mailbox_to_host(fw_, &cmd, 64), end);
    EXPECT_EQ(dev.cache_calls, std::vector<CacheCall>{clean});
    dev.cache_calls.clear();
    ASSERT_EQ(mailbox_from_host(fw_, &cmd, 64), FW_PENDING);
    EXPECT_EQ(dev.cache_calls, std::vector<CacheCall>{clean});
    ASSERT_EQ(mailbox_from_host(fw_, &cmd, 64), end);
    EXPECT_EQ(dev.cache_calls, (std::vector<CacheCall>{clean, invalidate}));
  }
}

TEST_F(MailboxTest, AFailedTransferSaysItsStatus) {
  ::command cmd = take(orm_test::command(NVME_ADMIN_OPCODE_IDENTIFY));
  dev.dma_status = 0x4004;
  ASSERT_EQ(mailbox_to_host(fw_, &cmd, 64), FW_PENDING);
  EXPECT_EQ(mailbox_to_host(fw_, &cmd, 64), FW_TRANSFER);
  EXPECT_EQ(cmd.dma_status, 0x4004);
  EXPECT_FALSE(cmd.dma);
}

TEST_F(MailboxTest, TheDmaHasOneUser) {
  ::command cmd = take(orm_test::command(NVME_ADMIN_OPCODE_IDENTIFY));
  dev.hold_dma = true;
  lanes_begin(fw_, false);
  ASSERT_TRUE(lanes_room(fw_));
  lanes_write(fw_, 0, MockDevice::kFwDram);
  EXPECT_EQ(mailbox_to_host(fw_, &cmd, 64), FW_PENDING);
  EXPECT_FALSE(cmd.dma) << "a lane has it";
  dev.release_dma();
  lanes_poll(fw_);
  EXPECT_FALSE(lanes_room(fw_)) << "the command goes first";
  EXPECT_EQ(mailbox_to_host(fw_, &cmd, 64), FW_PENDING);
  EXPECT_TRUE(cmd.dma);
  EXPECT_FALSE(lanes_room(fw_)) << "the command has it";
  dev.release_dma();
  EXPECT_EQ(mailbox_to_host(fw_, &cmd, 64), FW_OK);
}

}  // namespace
}  // namespace orm_test
