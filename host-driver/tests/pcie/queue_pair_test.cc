// SPDX-License-Identifier: Apache-2.0
extern "C" {
#include "pcie/queue_pair.h"
}

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <vector>

namespace {

constexpr uint16_t kQueue = 3;
constexpr uint32_t kEntries = 4;  // three slots

// A command that records its outcome. The C part comes first, so a pointer to it is a pointer to the whole.
struct Noted {
  transport_command command{};
  int calls = 0;
  int status = -1;
  uint32_t result = 0;

  explicit Noted(uint8_t opcode = 0, void *data = nullptr, size_t bytes = 0) {
    command.sqe.opcode = opcode;
    command.data = data;
    command.bytes = bytes;
    command.done = [](transport_command *done, int s, uint32_t r) {
      auto *self = reinterpret_cast<Noted *>(done);
      self->calls++;
      self->status = s;
      self->result = r;
    };
  }
};

class QueuePairTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(dma_arena_init(&arena_, 64 * DMA_PAGE_BYTES), 0);
    ASSERT_EQ(queue_pair_init(&qp_, &arena_, kQueue, kEntries), 0);
  }
  void TearDown() override {
    queue_pair_destroy(&qp_);
    dma_arena_destroy(&arena_);
  }

  int Push(Noted *noted, uint64_t deadline = 1000) {
    return queue_pair_push(&qp_, &noted->command, deadline, &bounced_);
  }
  int Reap() { return queue_pair_reap(&qp_, &bounced_); }

  nvme_submission_entry Submitted(uint32_t index) const {
    nvme_submission_entry sqe;
    nvme_submission_entry_unpack(&sqe, qp_.sq + index * NVME_SUBMISSION_ENTRY_BYTES);
    return sqe;
  }
  // What the device does: the next entry of the completion ring, with the phase of its round.
  void Complete(uint16_t cid, uint16_t status = 0, uint32_t dw0 = 0, uint16_t sqid = kQueue) {
    nvme_completion_entry cqe{};
    cqe.cid = cid;
    cqe.sqid = sqid;
    cqe.dw0 = dw0;
    cqe.status = static_cast<uint16_t>(status << 1 | (completions_ / kEntries % 2 == 0 ? NVME_CQE_PHASE : 0));
    nvme_completion_entry_pack(&cqe, qp_.cq + completions_ % kEntries * NVME_COMPLETION_ENTRY_BYTES);
    completions_++;
  }

  dma_arena arena_{};
  queue_pair qp_{};
  uint64_t bounced_ = 0;
  uint32_t completions_ = 0;
};

TEST_F(QueuePairTest, ACommandGoesIntoTheRingAndItsCompletionComesBack) {
  Noted noted(NVME_IO_OPCODE_FLUSH);
  noted.command.sqe.cdw10 = 77;
  ASSERT_EQ(Push(&noted), 0);
  EXPECT_EQ(qp_.sq_tail, 1u);
  EXPECT_EQ(qp_.in_flight, 1u);
  EXPECT_EQ(Submitted(0).cdw10, 77u);
  EXPECT_EQ(Reap(), 0) << "zeroed memory is no completion";
  Complete(Submitted(0).cid, 0x81, 5);
  EXPECT_EQ(Reap(), 1);
  EXPECT_EQ(noted.calls, 1);
  EXPECT_EQ(noted.status, 0x81);
  EXPECT_EQ(noted.result, 5u);
  EXPECT_EQ(qp_.in_flight, 0u);
  EXPECT_EQ(qp_.cq_head, 1u);
  EXPECT_EQ(Reap(), 0) << "once";
}

TEST_F(QueuePairTest, AFullRingKeepsOneEntryEmpty) {
  Noted a, b, c, d;
  ASSERT_EQ(Push(&a), 0);
  ASSERT_EQ(Push(&b), 0);
  ASSERT_EQ(Push(&c), 0);
  EXPECT_EQ(Push(&d), -EAGAIN);
  EXPECT_EQ(qp_.in_flight, 3u);
  Complete(Submitted(1).cid);  // out of order
  EXPECT_EQ(Reap(), 1);
  EXPECT_EQ(b.calls, 1);
  EXPECT_EQ(Push(&d), 0) << "its slot is free again";
}

TEST_F(QueuePairTest, PhaseAndRingsGoRound) {
  for (uint32_t i = 0; i < 5 * kEntries; i++) {
    Noted noted;
    ASSERT_EQ(Push(&noted), 0);
    EXPECT_EQ(qp_.sq_tail, (i + 1) % kEntries);
    ASSERT_EQ(Reap(), 0) << "entries of the round before carry the other phase";
    Complete(Submitted(i % kEntries).cid);
    ASSERT_EQ(Reap(), 1);
    ASSERT_EQ(noted.status, 0);
    EXPECT_EQ(qp_.cq_head, (i + 1) % kEntries);
  }
}

TEST_F(QueuePairTest, ACompletionThatNobodyAskedForIsAProtocolError) {
  Complete(0);
  EXPECT_EQ(Reap(), -EPROTO) << "no command there";
  Noted noted;
  ASSERT_EQ(Push(&noted), 0);
  completions_ = 0;
  Complete(static_cast<uint16_t>(kEntries - 1));
  EXPECT_EQ(Reap(), -EPROTO) << "no such slot";
  completions_ = 0;
  Complete(Submitted(0).cid, 0, 0, kQueue + 1);
  EXPECT_EQ(Reap(), -EPROTO) << "another queue's";
  EXPECT_EQ(noted.calls, 0);
}

TEST_F(QueuePairTest, DataOutsideOfTheArenaIsCopiedOnItsWay) {
  std::vector<uint8_t> data(100, 7);
  Noted write(NVME_IO_OPCODE_WRITE, data.data(), data.size());
  ASSERT_EQ(Push(&write), 0);
  EXPECT_EQ(bounced_, 100u);
  const auto *there = static_cast<const uint8_t *>(dma_arena_at(&arena_, Submitted(0).prp1, data.size()));
  ASSERT_NE(there, nullptr);
  EXPECT_EQ(std::memcmp(there, data.data(), data.size()), 0);
  Complete(Submitted(0).cid);
  ASSERT_EQ(Reap(), 1);

  Noted read(NVME_IO_OPCODE_READ, data.data(), data.size());
  ASSERT_EQ(Push(&read), 0);
  std::memset(dma_arena_at(&arena_, Submitted(1).prp1, data.size()), 9, data.size());
  Complete(Submitted(1).cid);
  ASSERT_EQ(Reap(), 1);
  EXPECT_EQ(data, std::vector<uint8_t>(100, 9));
  EXPECT_EQ(bounced_, 200u);

  Noted failed(NVME_IO_OPCODE_READ, data.data(), data.size());
  ASSERT_EQ(Push(&failed), 0);
  std::memset(dma_arena_at(&arena_, Submitted(2).prp1, data.size()), 1, data.size());
  Complete(Submitted(2).cid, 0x80);
  ASSERT_EQ(Reap(), 1);
  EXPECT_EQ(data[0], 9) << "no data of a read that failed";
}

TEST_F(QueuePairTest, DataInsideOfTheArenaIsUsedInPlace) {
  auto *data = static_cast<uint8_t *>(dma_arena_alloc(&arena_, DMA_PAGE_BYTES));
  Noted aligned(NVME_IO_OPCODE_WRITE, data + 8, 100), odd(NVME_IO_OPCODE_WRITE, data + 1, 100);
  ASSERT_EQ(Push(&aligned), 0);
  EXPECT_EQ(Submitted(0).prp1, dma_arena_bus(&arena_, data) + 8);
  EXPECT_EQ(bounced_, 0u);
  ASSERT_EQ(Push(&odd), 0);
  EXPECT_EQ(bounced_, 100u) << "PRPs name dwords";
  queue_pair_abort_all(&qp_, -EIO);
  dma_arena_free(&arena_, data);
}

TEST_F(QueuePairTest, NoMemoryForTheDataIsTryAgainAndLosesNoSlot) {
  std::vector<uint8_t> large(128 * DMA_PAGE_BYTES), small(16);
  for (int i = 0; i < 10; i++) {
    Noted refused(NVME_IO_OPCODE_WRITE, large.data(), large.size());
    ASSERT_EQ(Push(&refused), -EAGAIN);
    EXPECT_EQ(refused.calls, 0);
  }
  EXPECT_EQ(qp_.sq_tail, 0u);
  EXPECT_EQ(qp_.in_flight, 0u);
  Noted fits(NVME_IO_OPCODE_WRITE, small.data(), small.size());
  EXPECT_EQ(Push(&fits), 0);
  queue_pair_abort_all(&qp_, -EIO);
}

TEST_F(QueuePairTest, AbortGivesEveryCommandBackOnce) {
  Noted a, b;
  ASSERT_EQ(Push(&a, 500), 0);
  ASSERT_EQ(Push(&b, 200), 0);
  queue_pair_abort_all(&qp_, -ECANCELED);
  queue_pair_abort_all(&qp_, -ECANCELED);
  for (const Noted *noted : {&a, &b}) {
    EXPECT_EQ(noted->calls, 1);
    EXPECT_EQ(noted->status, -ECANCELED);
  }
  EXPECT_FALSE(queue_pair_overdue(&qp_, UINT64_MAX));
}

TEST_F(QueuePairTest, TheEarliestDeadlineInFlightCounts) {
  EXPECT_FALSE(queue_pair_overdue(&qp_, UINT64_MAX)) << "nothing is in flight";
  Noted early, late;
  ASSERT_EQ(Push(&late, 500), 0);
  ASSERT_EQ(Push(&early, 200), 0);
  EXPECT_FALSE(queue_pair_overdue(&qp_, 199));
  EXPECT_TRUE(queue_pair_overdue(&qp_, 200));
  EXPECT_TRUE(queue_pair_overdue(&qp_, 200)) << "still";
  Complete(Submitted(1).cid);
  ASSERT_EQ(Reap(), 1);
  EXPECT_FALSE(queue_pair_overdue(&qp_, 499));
  EXPECT_TRUE(queue_pair_overdue(&qp_, 500));
  queue_pair_abort_all(&qp_, -ECANCELED);
  Noted next;
  ASSERT_EQ(Push(&next, 300), 0);
  EXPECT_FALSE(queue_pair_overdue(&qp_, 299));
  EXPECT_TRUE(queue_pair_overdue(&qp_, 300)) << "a queue that was empty";
  queue_pair_abort_all(&qp_, -ECANCELED);
}

TEST_F(QueuePairTest, AnArenaWithoutRoomMakesNoQueueAndKeepsItsPages) {
  queue_pair big{};
  EXPECT_EQ(queue_pair_init(&big, &arena_, 1, 4096), -ENOMEM);
  queue_pair other{};
  ASSERT_EQ(queue_pair_init(&other, &arena_, 1, 32), 0) << "what was taken is given back";
  queue_pair_destroy(&other);
  queue_pair_destroy(&other);
}

}  // namespace
