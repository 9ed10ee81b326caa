// SPDX-License-Identifier: Apache-2.0
#include "fw_fixture.h"

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
  EXPECT_EQ(create_sq(1, 0), NVME_STATUS_CQ_INVALID) << "the admin completion queue";
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

}  // namespace
}  // namespace orm_test
