// SPDX-License-Identifier: Apache-2.0
#include "client/nvme_client.h"

#include <sched.h>

#include <chrono>
#include <cstring>
#include <string>

#include "doorbell_buffer.h"
#include "orm_bytes.h"
#include "orm_regs.h"

namespace orm::client {
namespace {

using Clock = std::chrono::steady_clock;

using vfio::DoorbellBuffer;

constexpr std::chrono::milliseconds kStatusEvery{500};  // looks for a fatal status, each of which is a message
constexpr uint32_t kEnabled = ORM_BAR0_CC_EN_MASK | ORM_PUT(ORM_BAR0_CC_IOSQES, 6) | ORM_PUT(ORM_BAR0_CC_IOCQES, 4);

std::string text_of(uint32_t event) {
  switch (event) {
#define ORM_EVENT_TEXT(name, value, text) \
  case value:                             \
    return text;
    NVME_ASYNC_EVENT_ITEMS(ORM_EVENT_TEXT)
#undef ORM_EVENT_TEXT
    default:
      return std::to_string(event);
  }
}

/// Whether an event tells of an error: its type, bits 2:0, is Error Status.
bool is_error(uint32_t event) { return (event & 7) == (NVME_ASYNC_EVENT_BAD_DOORBELL_VALUE & 7); }

}  // namespace

Reported::Reported(uint32_t what) : std::runtime_error("the device reports: " + text_of(what)), event(what) {}

/// Calls `look` until it returns true.
template <class Look>
void NvmeClient::wait_for(const char *what, Look look) {
  const auto begun = Clock::now();
  auto next = begun + kStatusEvery;
  while (!look()) {
    const auto now = Clock::now();
    if (now > next) {
      const uint32_t csts = status();
      if (now - begun > patience_)
        throw std::runtime_error(std::string(what) + ": nothing happens, CSTS is " + std::to_string(csts));
      next = now + kStatusEvery;
    }
    sched_yield();
  }
}

/// CSTS, unless it is fatal.
uint32_t NvmeClient::status() {
  const uint32_t csts = client_->read32(ORM_BAR0_CSTS);
  if (ORM_GET(csts, ORM_BAR0_CSTS_CFS) != 0) throw std::runtime_error("the controller reports a fatal status");
  return csts;
}

/// An admin command that ends well.
void NvmeClient::must(const nvme_submission_entry &entry, const char *what) {
  const int status = admin(entry).status;
  if (status != 0) throw std::runtime_error(std::string(what) + " ends with status " + std::to_string(status));
}

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

/// Annex B.5 of NVMe Base 2.0.
void NvmeClient::ring_doorbell(unsigned doorbell, uint32_t value) {
  if (!shadows_ || doorbell < 2) return client_->ring(doorbell, value);
  const uint32_t old = __atomic_exchange_n(shadow(doorbell), value, __ATOMIC_SEQ_CST);
  // The store must be visible before the event index is read, which no weaker order says.
  const uint32_t asked = __atomic_load_n(event_index(doorbell), __ATOMIC_SEQ_CST);
  if (uint16_t(value - asked - 1) >= uint16_t(value - old)) return;
  ++events_asked_;
  client_->ring(doorbell, value);
}

bool NvmeClient::has_shadows() {
  nvme_submission_entry e;
  nvme_cmd_identify(&e, 0, NVME_CNS_CONTROLLER);
  e.prp1 = client_->take_page();
  must(e, "Identify Controller");
  return (orm_get_le(client_->at(e.prp1) + NVME_IDENTIFY_CONTROLLER_OACS_OFFSET, 2) & DoorbellBuffer::kOacs) != 0;
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
  nvme_cmd_init(&e, DoorbellBuffer::kOpcode, 0);
  e.prp1 = shadow_page_;
  e.prp2 = event_page_;
  must(e, "Doorbell Buffer Config");
  shadows_ = true;
  events_asked_ = 0;
}

void NvmeClient::wait_ready(bool ready) {
  wait_for("CSTS.RDY", [&] { return (ORM_GET(status(), ORM_BAR0_CSTS_RDY) != 0) == ready; });
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
  // What the host before this one did wrong may not be known yet when its controller is disabled. Reading the log
  // clears it.
  if (log_page_ == 0) log_page_ = client_->take_page();
  nvme_submission_entry e;
  nvme_cmd_get_log_page(&e, NVME_LOG_PAGE_ERROR_INFORMATION, 0, NVME_ERROR_LOG_ENTRY_BYTES);
  e.prp1 = log_page_;
  must(e, "Get Log Page");
  ask_for_event();
}

void NvmeClient::put(unsigned qid, const nvme_submission_entry &entry) {
  Queue &q = queues_[qid];
  nvme_submission_entry_pack(&entry, client_->at(q.sq) + q.tail * NVME_SUBMISSION_ENTRY_BYTES);
  q.tail = (q.tail + 1) % kEntries;
}

void NvmeClient::submit(unsigned qid, const nvme_submission_entry &entry) {
  Queue &q = queues_[qid];
  if (q.in_flight >= kEntries - 1) throw std::runtime_error("queue " + std::to_string(qid) + " has no room");
  put(qid, entry);
  ++q.in_flight;
}

void NvmeClient::ask_for_event() {
  nvme_submission_entry e;
  nvme_cmd_init(&e, NVME_ADMIN_OPCODE_ASYNC_EVENT, 0);
  e.cid = kEventCid;
  put(0, e);
  ring(0);
}

/// Takes the completion of an Asynchronous Event Request, if that is what the admin queue has. Others are not expected
/// while this looks.
void NvmeClient::look_for_event() {
  Completion none;
  if (poll(0, &none)) throw std::runtime_error("an admin command was completed that nobody waits for");
}

/// The next completion of a queue, whatever it is of.
bool NvmeClient::take(unsigned qid, Completion *completion) {
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
  return true;
}

bool NvmeClient::poll(unsigned qid, Completion *completion) {
  if (!take(qid, completion)) {
    if (qid != 0) look_for_event();
    return false;
  }
  if (qid == 0 && completion->cid == kEventCid) {
    ring_taken(0);
    if (completion->status == 0 && is_error(completion->dw0)) throw Reported(completion->dw0);
    ask_for_event();
    return false;
  }
  Queue &q = queues_[qid];
  if (q.in_flight == 0) throw std::runtime_error("a command was completed that the device was not given");
  --q.in_flight;
  return true;
}

/// With an identifier that no command before had for long, so that a completion of another one shows.
NvmeClient::Completion NvmeClient::io(unsigned qid, nvme_submission_entry entry) {
  if (++cid_ == kEventCid) ++cid_;
  entry.cid = cid_;
  submit(qid, entry);
  ring(qid);
  Completion completion;
  wait_for("a command", [&] { return poll(qid, &completion); });
  ring_taken(qid);
  if (completion.cid != entry.cid) throw std::runtime_error("another command was completed");
  return completion;
}

void NvmeClient::create_pair(unsigned qid) {
  Queue &q = queues_[qid];
  clean(qid);
  nvme_submission_entry e;
  nvme_cmd_init(&e, NVME_ADMIN_OPCODE_CREATE_IO_CQ, 0);
  e.prp1 = q.cq;
  e.cdw10 = (kEntries - 1) << 16 | qid;
  e.cdw11 = NVME_QUEUE_CONTIGUOUS;
  must(e, "Create I/O Completion Queue");
  nvme_cmd_init(&e, NVME_ADMIN_OPCODE_CREATE_IO_SQ, 0);
  e.prp1 = q.sq;
  e.cdw10 = (kEntries - 1) << 16 | qid;
  e.cdw11 = qid << 16 | NVME_QUEUE_CONTIGUOUS;
  must(e, "Create I/O Submission Queue");
}

void NvmeClient::delete_pair(unsigned qid) {
  nvme_submission_entry e;
  nvme_cmd_init(&e, NVME_ADMIN_OPCODE_DELETE_IO_SQ, 0);
  e.cdw10 = qid;
  must(e, "Delete I/O Submission Queue");
  nvme_cmd_init(&e, NVME_ADMIN_OPCODE_DELETE_IO_CQ, 0);
  e.cdw10 = qid;
  must(e, "Delete I/O Completion Queue");
}

uint64_t NvmeClient::blocks() {
  nvme_submission_entry e;
  nvme_cmd_identify(&e, 1, NVME_CNS_NAMESPACE);
  e.prp1 = client_->take_page();
  must(e, "Identify Namespace");
  return orm_get_le(client_->at(e.prp1) + NVME_IDENTIFY_NAMESPACE_NSZE_OFFSET, 8);
}

}  // namespace orm::client
