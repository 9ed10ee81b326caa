// SPDX-License-Identifier: Apache-2.0
#include "client/nvme_client.h"

#include <sched.h>

#include <chrono>
#include <cstring>
#include <string>

#include "orm_bytes.h"
#include "orm_regs.h"

namespace orm::client {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uint32_t kEnabled =
    ORM_BAR0_CC_EN_MASK | ORM_PUT(ORM_BAR0_CC_IOSQES, 6) | ORM_PUT(ORM_BAR0_CC_IOCQES, 4);

/// Calls `look` until it returns true.
template <class Look>
void wait_for(const char *what, Look look) {
  const auto end = Clock::now() + std::chrono::seconds(UserClient::kPatienceSeconds);
  while (!look()) {
    if (Clock::now() > end) throw std::runtime_error(std::string(what) + ": nothing happens");
    sched_yield();
  }
}

void must(const NvmeClient::Completion &completion, const char *what) {
  if (completion.status != 0)
    throw std::runtime_error(std::string(what) + " ends with status " + std::to_string(completion.status));
}

}  // namespace

void NvmeClient::clean(Queue *queue) {
  if (queue->sq == 0) {
    queue->sq = client_->take_page();
    queue->cq = client_->take_page();
  }
  std::memset(client_->at(queue->cq), 0, UserClient::kPage);
  queue->tail = queue->head = queue->in_flight = 0;
  queue->phase = true;
}

void NvmeClient::wait_ready(bool ready) {
  wait_for("CSTS.RDY", [&] {
    const uint32_t csts = client_->read32(ORM_BAR0_CSTS);
    if (ORM_GET(csts, ORM_BAR0_CSTS_CFS) != 0) throw std::runtime_error("the controller reports a fatal status");
    return (ORM_GET(csts, ORM_BAR0_CSTS_RDY) != 0) == ready;
  });
}

void NvmeClient::disable() {
  client_->write32(ORM_BAR0_CC, 0);
  wait_ready(false);
}

void NvmeClient::enable() {
  client_->set_bus_master();
  disable();
  Queue &q = queues_[0];
  clean(&q);
  client_->write32(ORM_BAR0_AQA, ORM_PUT(ORM_BAR0_AQA_ASQS, kEntries - 1) | ORM_PUT(ORM_BAR0_AQA_ACQS, kEntries - 1));
  client_->write64(ORM_BAR0_ASQ_LO, q.sq);
  client_->write64(ORM_BAR0_ACQ_LO, q.cq);
  client_->write32(ORM_BAR0_CC, kEnabled);
  wait_ready(true);
}

void NvmeClient::submit(unsigned qid, const nvme_submission_entry &entry) {
  Queue &q = queues_[qid];
  nvme_submission_entry_pack(&entry, client_->at(q.sq) + q.tail * NVME_SUBMISSION_ENTRY_BYTES);
  q.tail = (q.tail + 1) % kEntries;
  ++q.in_flight;
}

bool NvmeClient::poll(unsigned qid, Completion *completion) {
  Queue &q = queues_[qid];
  const uint8_t *place = client_->at(q.cq) + q.head * NVME_COMPLETION_ENTRY_BYTES;
  // The device writes the status last; what is read after it is that of this completion.
  const uint16_t status = __atomic_load_n(
      reinterpret_cast<const uint16_t *>(place + NVME_COMPLETION_ENTRY_STATUS_OFFSET), __ATOMIC_ACQUIRE);
  if (((status & NVME_CQE_PHASE) != 0) != q.phase) return false;
  completion->status = NVME_CQE_STATUS(status);
  completion->cid = uint16_t(orm_get_le(place + NVME_COMPLETION_ENTRY_CID_OFFSET, 2));
  completion->dw0 = uint32_t(orm_get_le(place + NVME_COMPLETION_ENTRY_DW0_OFFSET, 4));
  q.head = (q.head + 1) % kEntries;
  if (q.head == 0) q.phase = !q.phase;
  --q.in_flight;
  return true;
}

NvmeClient::Completion NvmeClient::execute(unsigned qid, const nvme_submission_entry &entry) {
  submit(qid, entry);
  ring(qid);
  Completion completion;
  wait_for("a command", [&] { return poll(qid, &completion); });
  ring_taken(qid);
  if (completion.cid != entry.cid) throw std::runtime_error("another command was completed");
  return completion;
}

NvmeClient::Completion NvmeClient::admin(nvme_submission_entry entry) {
  entry.cid = ++admin_cid_;
  return execute(0, entry);
}

NvmeClient::Completion NvmeClient::io(unsigned qid, const nvme_submission_entry &entry) { return execute(qid, entry); }

void NvmeClient::create_pair(unsigned qid) {
  Queue &q = queues_[qid];
  clean(&q);
  nvme_submission_entry e;
  nvme_cmd_init(&e, NVME_ADMIN_OPCODE_CREATE_IO_CQ, 0);
  e.prp1 = q.cq;
  e.cdw10 = (kEntries - 1) << 16 | qid;
  e.cdw11 = NVME_QUEUE_CONTIGUOUS;
  must(admin(e), "Create I/O Completion Queue");
  nvme_cmd_init(&e, NVME_ADMIN_OPCODE_CREATE_IO_SQ, 0);
  e.prp1 = q.sq;
  e.cdw10 = (kEntries - 1) << 16 | qid;
  e.cdw11 = qid << 16 | NVME_QUEUE_CONTIGUOUS;
  must(admin(e), "Create I/O Submission Queue");
}

void NvmeClient::delete_pair(unsigned qid) {
  nvme_submission_entry e;
  nvme_cmd_init(&e, NVME_ADMIN_OPCODE_DELETE_IO_SQ, 0);
  e.cdw10 = qid;
  must(admin(e), "Delete I/O Submission Queue");
  nvme_cmd_init(&e, NVME_ADMIN_OPCODE_DELETE_IO_CQ, 0);
  e.cdw10 = qid;
  must(admin(e), "Delete I/O Completion Queue");
}

uint64_t NvmeClient::blocks() {
  nvme_submission_entry e;
  nvme_cmd_identify(&e, 1, NVME_CNS_NAMESPACE);
  e.prp1 = client_->take_page();
  must(admin(e), "Identify Namespace");
  return orm_get_le(client_->at(e.prp1) + NVME_IDENTIFY_NAMESPACE_NSZE_OFFSET, 8);
}

}  // namespace orm::client
