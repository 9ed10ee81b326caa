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

constexpr uint8_t kDoorbellBufferConfig = 0x7C;
constexpr uint32_t kOacsDoorbellBuffer = 1u << 8;
constexpr uint32_t kEnabled = ORM_BAR0_CC_EN_MASK | ORM_PUT(ORM_BAR0_CC_IOSQES, 6) | ORM_PUT(ORM_BAR0_CC_IOCQES, 4);

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

void NvmeClient::clean(unsigned qid) {
  Queue &q = queues_[qid];
  if (q.sq == 0) {
    q.sq = client_->take_page();
    q.cq = client_->take_page();
  }
  std::memset(client_->at(q.cq), 0, UserClient::kPage);
  q.tail = q.head = q.in_flight = 0;
  q.phase = true;
  if (shadows_) std::memset(client_->at(shadow_page_) + 8 * qid, 0, 8);
}

/// Annex B.5 of NVMe 1.4.
void NvmeClient::ring_doorbell(unsigned doorbell, uint32_t value) {
  if (!shadows_ || doorbell < 2) return client_->ring(doorbell, value);
  auto *shadow = reinterpret_cast<uint32_t *>(client_->at(shadow_page_)) + doorbell;
  const auto *event = reinterpret_cast<const uint32_t *>(client_->at(event_page_)) + doorbell;
  const uint32_t old = *shadow;
  __atomic_store_n(shadow, value, __ATOMIC_SEQ_CST);
  // The store must be visible before the event index is read, which no weaker order says.
  const uint32_t asked = __atomic_load_n(event, __ATOMIC_SEQ_CST);
  if (uint16_t(value - asked - 1) >= uint16_t(value - old)) return;
  ++events_asked_;
  client_->ring(doorbell, value);
}

bool NvmeClient::has_shadows() {
  nvme_submission_entry e;
  nvme_cmd_identify(&e, 0, NVME_CNS_CONTROLLER);
  e.prp1 = client_->take_page();
  must(admin(e), "Identify Controller");
  return (orm_get_le(client_->at(e.prp1) + NVME_IDENTIFY_CONTROLLER_OACS_OFFSET, 2) & kOacsDoorbellBuffer) != 0;
}

void NvmeClient::use_shadows() {
  if (shadow_page_ == 0) {
    shadow_page_ = client_->take_page();
    event_page_ = client_->take_page();
  }
  std::memset(client_->at(shadow_page_), 0, UserClient::kPage);
  std::memset(client_->at(event_page_), 0, UserClient::kPage);
  for (unsigned qid = 1; qid <= kMostPairs; ++qid) {
    orm_put_le(client_->at(shadow_page_) + 8 * qid, queues_[qid].tail, 4);
    orm_put_le(client_->at(shadow_page_) + 8 * qid + 4, queues_[qid].head, 4);
  }
  nvme_submission_entry e;
  nvme_cmd_init(&e, kDoorbellBufferConfig, 0);
  e.prp1 = shadow_page_;
  e.prp2 = event_page_;
  must(admin(e), "Doorbell Buffer Config");
  shadows_ = true;
  events_asked_ = 0;
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
  shadows_ = false;
}

void NvmeClient::enable() {
  client_->set_bus_master();
  disable();
  Queue &q = queues_[0];
  clean(0);
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
  clean(qid);
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
