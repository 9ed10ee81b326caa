// SPDX-License-Identifier: Apache-2.0
#include "support/fw_fixture.h"

namespace orm_test {
namespace {

class QueuesTest : public FwTest {
 protected:
  void SetUp() override { boot_enabled(); }

  uint16_t create_cq(uint32_t qid, uint32_t entries = 16, uint32_t vector = 1, uint32_t flags = 3,
                     uint64_t prp = 0x1000) {
    return sct_sc(
        admin(command(NVME_ADMIN_OPCODE_CREATE_IO_CQ, 0, qid | (entries - 1) << 16, flags | vector << 16, prp)));
  }
  uint16_t create_sq(uint32_t qid, uint32_t cqid, uint32_t entries = 16, uint32_t flags = 1, uint64_t prp = 0x2000) {
    return sct_sc(
        admin(command(NVME_ADMIN_OPCODE_CREATE_IO_SQ, 0, qid | (entries - 1) << 16, flags | cqid << 16, prp)));
  }
  uint16_t delete_sq(uint32_t qid) { return sct_sc(admin(command(NVME_ADMIN_OPCODE_DELETE_IO_SQ, 0, qid))); }
  uint16_t delete_cq(uint32_t qid) { return sct_sc(admin(command(NVME_ADMIN_OPCODE_DELETE_IO_CQ, 0, qid))); }
};

TEST_F(QueuesTest, PairIsDefinedAndDeleted) {
  ASSERT_EQ(create_cq(2, 64, 3, 3, 0x12345000), 0);
  ASSERT_EQ(create_sq(3, 2, 32, 1, 0x1'2345'6000), 0);
  ASSERT_EQ(dev.queues.size(), 2u);
  const QueueSetup &cq = dev.queues[0], &sq = dev.queues[1];
  EXPECT_EQ(cq.id,
            ORM_PUT(ORM_FW_QUEUE_ID_QID, 2) | ORM_PUT(ORM_FW_QUEUE_ID_VECTOR, 3) | ORM_PUT(ORM_FW_QUEUE_ID_IEN, 1));
  EXPECT_EQ(cq.entries, 64u);
  EXPECT_EQ(cq.base, 0x12345000u);
  EXPECT_EQ(cq.go, ORM_PUT(ORM_FW_QUEUE_GO_CQ, 1) | ORM_PUT(ORM_FW_QUEUE_GO_ENABLE, 1));
  EXPECT_EQ(sq.id, ORM_PUT(ORM_FW_QUEUE_ID_QID, 3) | ORM_PUT(ORM_FW_QUEUE_ID_CQID, 2));
  EXPECT_EQ(sq.entries, 32u);
  EXPECT_EQ(sq.base, 0x1'2345'6000u);
  EXPECT_EQ(sq.go, ORM_PUT(ORM_FW_QUEUE_GO_SQ, 1) | ORM_PUT(ORM_FW_QUEUE_GO_ENABLE, 1));
  EXPECT_EQ(delete_cq(2), NVME_STATUS_QUEUE_DELETION_INVALID) << "its submission queue is still there";
  ASSERT_EQ(delete_sq(3), 0);
  EXPECT_EQ(dev.queues.back().go, ORM_PUT(ORM_FW_QUEUE_GO_SQ, 1));
  ASSERT_EQ(delete_cq(2), 0);
  EXPECT_EQ(dev.queues.back().go, ORM_PUT(ORM_FW_QUEUE_GO_CQ, 1));
  EXPECT_EQ(create_cq(2), 0) << "can be made again";
}

TEST_F(QueuesTest, BadIdentifiers) {
  ASSERT_EQ(create_cq(1), 0);
  for (uint32_t qid : {0u, MockDevice::kQueues + 1, 0xFFFFu}) {
    EXPECT_EQ(create_cq(qid), NVME_STATUS_QID_INVALID) << qid;
    EXPECT_EQ(create_sq(qid, 1), NVME_STATUS_QID_INVALID) << qid;
    EXPECT_EQ(delete_cq(qid), NVME_STATUS_QID_INVALID) << qid;
    EXPECT_EQ(delete_sq(qid), NVME_STATUS_QID_INVALID) << qid;
  }
  EXPECT_EQ(create_cq(1), NVME_STATUS_QID_INVALID) << "exists";
  ASSERT_EQ(create_sq(1, 1), 0);
  EXPECT_EQ(create_sq(1, 1), NVME_STATUS_QID_INVALID) << "exists";
  EXPECT_EQ(delete_cq(2), NVME_STATUS_QID_INVALID) << "never made";
  EXPECT_EQ(delete_sq(2), NVME_STATUS_QID_INVALID);
  EXPECT_EQ(dev.queues.size(), 2u);
}

TEST_F(QueuesTest, BadCompletionQueueOfASubmissionQueue) {
  EXPECT_EQ(create_sq(1, 1), NVME_STATUS_CQ_INVALID) << "does not exist";
  EXPECT_EQ(create_sq(1, 0), NVME_STATUS_QID_INVALID) << "the admin completion queue";
  EXPECT_EQ(create_sq(1, MockDevice::kQueues + 1), NVME_STATUS_QID_INVALID) << "out of range";
  EXPECT_TRUE(dev.queues.empty());
}

TEST_F(QueuesTest, BadSizes) {
  EXPECT_EQ(create_cq(1, 1), NVME_STATUS_QUEUE_SIZE_INVALID);
  EXPECT_EQ(create_cq(1, MockDevice::kEntries + 1), NVME_STATUS_QUEUE_SIZE_INVALID);
  EXPECT_EQ(create_cq(1, 0x10000), NVME_STATUS_QUEUE_SIZE_INVALID);
  EXPECT_EQ(create_cq(1, MockDevice::kEntries), 0);
  EXPECT_EQ(create_sq(1, 1, 1), NVME_STATUS_QUEUE_SIZE_INVALID);
  EXPECT_EQ(create_sq(1, 1, MockDevice::kEntries + 1), NVME_STATUS_QUEUE_SIZE_INVALID);
}

TEST_F(QueuesTest, ScatteredQueuesVectorsAndOffsets) {
  EXPECT_EQ(create_cq(1, 16, 1, 2), NVME_STATUS_INVALID_FIELD) << "PC is 0";
  EXPECT_EQ(create_cq(1, 16, MockDevice::kQueues + 1), NVME_STATUS_VECTOR_INVALID);
  EXPECT_EQ(create_cq(1, 16, 1, 3, 0x1008), NVME_STATUS_INVALID_PRP_OFFSET);
  EXPECT_TRUE(dev.queues.empty());
  EXPECT_EQ(create_cq(1, 16, MockDevice::kQueues), 0) << "one vector for each pair and the admin pair";
}

TEST_F(QueuesTest, ControllerResetForgetsQueues) {
  ASSERT_EQ(create_cq(1), 0);
  set_cc(0);
  enable();
  EXPECT_EQ(create_cq(1), 0);
}

// A remap of one page, as it comes from queue `qid`.
nvme_submission_entry remap_command() {
  nvme_submission_entry e = command(ORM_VENDOR_OPCODES_REMAP, 1, 0);
  e.cdw12 = 10;
  e.cdw14 = 1;
  return e;
}

TEST_F(QueuesTest, DeletionWaitsForCommandsInTheEngines) {
  ASSERT_EQ(create_cq(1), 0);
  ASSERT_EQ(create_sq(1, 1), 0);
  dev.engines[1] = 2;
  const nvme_submission_entry e = command(NVME_ADMIN_OPCODE_DELETE_IO_SQ, 0, 1);
  const size_t before = dev.completions.size();
  dev.mailbox.emplace_back(uint8_t{0}, e);
  settle();
  EXPECT_EQ(dev.queues.back().go, ORM_PUT(ORM_FW_QUEUE_GO_SQ, 1)) << "fetching ends at once";
  EXPECT_EQ(dev.completions.size(), before);
  EXPECT_GT(wait, 0u) << "waiting is not spinning";
  EXPECT_LT(wait, FW_POLL_IDLE);
  EXPECT_EQ(delete_sq(1), NVME_STATUS_QID_INVALID) << "it is being deleted";
  EXPECT_EQ(create_sq(1, 1), NVME_STATUS_QID_INVALID) << "the number is not free yet";
  EXPECT_EQ(delete_cq(1), NVME_STATUS_QUEUE_DELETION_INVALID) << "its completions still come";
  EXPECT_EQ(admin(command(NVME_ADMIN_OPCODE_IDENTIFY, 0, NVME_CNS_CONTROLLER)).status, 0) << "others go on";
  dev.engines[1] = 1;
  settle();
  const size_t others = dev.completions.size();
  dev.engines[1] = 0;
  settle(1'000'000);
  ASSERT_EQ(dev.completions.size(), others + 1);
  EXPECT_EQ(dev.completions.back().cid, e.cid);
  EXPECT_EQ(dev.completions.back().qid, 0);
  EXPECT_EQ(dev.completions.back().status, 0);
  EXPECT_EQ(delete_cq(1), 0);
}

TEST_F(QueuesTest, DeletionAbortsWhatFirmwareHasNotBegun) {
  ASSERT_EQ(create_cq(1), 0);
  ASSERT_EQ(create_sq(1, 1), 0);
  ASSERT_EQ(create_sq(2, 1), 0);
  dev.hold_remap = true;
  const nvme_submission_entry begun = remap_command();
  dev.mailbox.emplace_back(uint8_t{1}, begun);
  settle();
  ASSERT_EQ(dev.remaps.size(), 1u);
  dev.completions.clear();
  const nvme_submission_entry gone = command(NVME_ADMIN_OPCODE_DELETE_IO_SQ, 0, 1);
  dev.mailbox.emplace_back(uint8_t{0}, gone);
  std::vector<uint16_t> late;
  for (int i = 0; i < 12; i++) {
    dev.mailbox.emplace_back(uint8_t{1}, remap_command());
    late.push_back(dev.mailbox.back().second.cid);
  }
  const nvme_submission_entry other = remap_command();
  dev.mailbox.emplace_back(uint8_t{2}, other);
  dev.hold_remap = false;
  dev.release_remap();
  settle(1'000'000);
  ASSERT_EQ(dev.completions.size(), 15u);
  EXPECT_EQ(dev.completions[0].cid, begun.cid);
  EXPECT_EQ(dev.completions[0].status, 0) << "what was begun runs to its end";
  size_t aborted = 0, deleted_at = 0, last_abort = 0;
  for (size_t i = 1; i < dev.completions.size(); i++) {
    const Completion &c = dev.completions[i];
    if (c.cid == gone.cid) {
      deleted_at = i;
      EXPECT_EQ(c.status, 0);
    } else if (c.cid == other.cid) {
      EXPECT_EQ(c.qid, 2);
      EXPECT_EQ(c.status, 0) << "another queue's";
    } else {
      EXPECT_EQ(c.qid, 1);
      EXPECT_EQ(c.cid, late.at(aborted));
      EXPECT_EQ(sct_sc(c), NVME_STATUS_ABORT_SQ_DELETION);
      aborted++;
      last_abort = i;
    }
  }
  EXPECT_EQ(aborted, 12u);
  EXPECT_GT(deleted_at, last_abort) << "nothing comes after the Delete command";
  EXPECT_EQ(dev.remaps.size(), 2u) << "aborted commands were not run";
  EXPECT_EQ(create_sq(1, 1), 0);
  EXPECT_EQ(run(1, remap_command()).status, 0) << "the new queue starts afresh";
}

TEST_F(QueuesTest, SeveralDeletionsAtATime) {
  ASSERT_EQ(create_cq(1), 0);
  for (uint32_t qid = 1; qid <= 3; qid++) ASSERT_EQ(create_sq(qid, 1), 0);
  dev.engines = {0, 1, 1, 1};
  dev.completions.clear();
  std::vector<uint16_t> cids;
  for (uint32_t qid = 1; qid <= 3; qid++) {
    const nvme_submission_entry e = command(NVME_ADMIN_OPCODE_DELETE_IO_SQ, 0, qid);
    cids.push_back(e.cid);
    dev.mailbox.emplace_back(uint8_t{0}, e);
  }
  settle();
  EXPECT_TRUE(dev.completions.empty());
  for (uint32_t qid : {2u, 3u, 1u}) {
    dev.engines[qid] = 0;
    for (int i = 0; i < 20; i++) fw_poll(fw_);
    ASSERT_FALSE(dev.completions.empty());
    EXPECT_EQ(dev.completions.back().cid, cids[qid - 1]);
  }
  EXPECT_EQ(dev.completions.size(), 3u);
  EXPECT_EQ(wait = fw_poll(fw_), FW_POLL_IDLE);
}

TEST_F(QueuesTest, ResetDuringADeletion) {
  ASSERT_EQ(create_cq(1), 0);
  ASSERT_EQ(create_sq(1, 1), 0);
  dev.engines[1] = 1;
  dev.mailbox.emplace_back(uint8_t{0}, command(NVME_ADMIN_OPCODE_DELETE_IO_SQ, 0, 1));
  settle();
  set_cc(0);
  EXPECT_EQ(csts(), 1u) << "a command is inside";
  dev.engines[1] = 0;
  settle(1'000'000);
  EXPECT_EQ(csts(), 0u);
  EXPECT_EQ(dev.dropped.size(), 1u);
  EXPECT_EQ(dev.firmware, (std::array<uint32_t, MockDevice::kQueues + 1>{})) << "every place came back";
  enable();
  EXPECT_EQ(create_cq(1), 0);
  EXPECT_EQ(create_sq(1, 1), 0);
}

}  // namespace
}  // namespace orm_test
