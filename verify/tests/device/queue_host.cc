// SPDX-License-Identifier: Apache-2.0
#include "device/queue_host.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "orm_regs.h"

namespace orm {

pcie_host QueueHost::callbacks(QueueHost *queue_host) {
  pcie_host host{};
  host.ctx = queue_host;
  host.dma_read = [](void *ctx, uint64_t addr, void *buf, size_t len) {
    return static_cast<QueueHost *>(ctx)->read(addr, static_cast<uint8_t *>(buf), len);
  };
  host.dma_write = [](void *ctx, uint64_t addr, const void *buf, size_t len) {
    return static_cast<QueueHost *>(ctx)->write(addr, static_cast<const uint8_t *>(buf), len);
  };
  host.msix = [](void *ctx, unsigned vector) {
    auto &owner = *static_cast<QueueHost *>(ctx);
    if (vector >= owner.queues_.size()) return (void)owner.refuse("an interrupt of vector " + std::to_string(vector));
    Queue &q = owner.queues_[vector];
    ++q.interrupts;
    q.untold = 0;
    q.told = true;
  };
  return host;
}

QueueHost::QueueHost(const pcie_device_options &options) : fn_(options, &host_) {
  start({});
  entries_offered_ = ORM_GET(fn_.read32(ORM_BAR0_CAP_LO), ORM_BAR0_CAP_LO_MQES) + 1;
  nvme_submission_entry e;
  nvme_cmd_set_num_queues(&e, kMostPairs);
  const QueueCompletion granted = admin(e);
  if (granted.status != 0) throw Wrong("Set Features, Number of Queues is refused");
  pairs_offered_ = std::min(granted.dw0 & 0xFFFF, granted.dw0 >> 16) + 1;
  nvme_cmd_identify(&e, 1, NVME_CNS_NAMESPACE);
  e.prp1 = take_page(false);
  must(e, "Identify Namespace");
  pages_ = orm_get_le(at(e.prp1) + NVME_IDENTIFY_NAMESPACE_NSZE_OFFSET, 8);
  give_page(e.prp1);
}

// ---------------------------------------------------------------- what the device does to host memory

int QueueHost::refuse(const std::string &what) {
  if (wrong_.empty()) wrong_ = what;
  return -EFAULT;
}

bool QueueHost::may(uint64_t addr, size_t len, Use use) const {
  if (addr < kData || len == 0) return false;
  for (uint64_t page = (addr - kData) / kPage; page <= (addr - kData + len - 1) / kPage; ++page) {
    if (page >= uses_.size() || uses_[page] != use) return false;
  }
  return true;
}

int QueueHost::read(uint64_t addr, uint8_t *buf, size_t len) {
  if (addr >= kSq && addr < kCq) {
    const uint64_t qid = (addr - kSq) / kQueueSpan, offset = (addr - kSq) % kQueueSpan;
    if (qid >= queues_.size() || !queues_[qid].sq_there) return refuse("a fetch from no queue, " + std::to_string(qid));
    Queue &q = queues_[qid];
    if (len != NVME_SUBMISSION_ENTRY_BYTES || offset != q.fetched % q.entries * len || q.fetched == q.rung) {
      return refuse("queue " + std::to_string(qid) + ": a fetch of " + std::to_string(len) + " bytes at " +
                    std::to_string(offset) + ", entry " + std::to_string(q.fetched) + " of " + std::to_string(q.rung));
    }
    ++q.fetched;
    std::memcpy(buf, q.sq.data() + offset, len);
    return 0;
  }
  if (!may(addr, len, Use::kToDevice)) return refuse("a read of " + std::to_string(len) + " bytes at " + hex(addr));
  for (size_t i = 0; i < len; ++i) buf[i] = memory_[(addr + i - kData) / kPage][(addr + i) % kPage];
  return 0;
}

int QueueHost::write(uint64_t addr, const uint8_t *buf, size_t len) {
  if (addr >= kCq && addr < kData) {
    const uint64_t qid = (addr - kCq) / kQueueSpan, offset = (addr - kCq) % kQueueSpan;
    if (qid >= queues_.size() || !queues_[qid].cq_there)
      return refuse("a completion to no queue, " + std::to_string(qid));
    Queue &q = queues_[qid];
    if (len != NVME_COMPLETION_ENTRY_BYTES || offset != q.posted % q.entries * len)
      return refuse("queue " + std::to_string(qid) + ": completion " + std::to_string(q.posted) + " at " +
                    std::to_string(offset));
    if (q.posted - q.looked >= q.entries - 1)
      return refuse("queue " + std::to_string(qid) + ": a completion over one that was not taken");
    ++q.posted;
    ++q.untold;
    std::memcpy(q.cq.data() + offset, buf, len);
    return 0;
  }
  if (!may(addr, len, Use::kFromDevice)) return refuse("a write of " + std::to_string(len) + " bytes at " + hex(addr));
  for (size_t i = 0; i < len; ++i) memory_[(addr + i - kData) / kPage][(addr + i) % kPage] = buf[i];
  return 0;
}

// ---------------------------------------------------------------- time

void QueueHost::run(uint64_t ns) {
  fn_.run(ns);
  throw_what_is_wrong();
}

void QueueHost::throw_what_is_wrong() const {
  if (!wrong_.empty()) throw Wrong(wrong_);
}

// ---------------------------------------------------------------- controller and queues

void QueueHost::take_all_back() {
  for (Queue &q : queues_) q.sq_there = q.cq_there = false;
  free_.clear();
  for (size_t page = 0; page < uses_.size(); ++page) {
    uses_[page] = Use::kFree;
    free_.push_back(page);
  }
}

void QueueHost::disable() {
  fn_.disable();
  throw_what_is_wrong();
  take_all_back();
}

void QueueHost::power_cycle() {
  fn_.power_cut();
  take_all_back();
  fn_.power_on();
}

void QueueHost::start(const std::vector<uint32_t> &entries) {
  fn_.wait_cap();
  disable();
  queues_.assign(entries.size() + 1, Queue());
  Queue &q = queues_[0];
  q.entries = kAdminEntries;
  q.sq.resize(kAdminEntries * NVME_SUBMISSION_ENTRY_BYTES);
  q.cq.resize(kAdminEntries * NVME_COMPLETION_ENTRY_BYTES);
  q.sq_there = q.cq_there = true;
  fn_.enable(kAdminEntries, kSq, kCq);
  throw_what_is_wrong();
  if (entries.empty()) return;
  nvme_submission_entry e;
  nvme_cmd_set_num_queues(&e, uint32_t(entries.size()));
  must(e, "Set Features, Number of Queues");
  for (unsigned qid = 1; qid <= entries.size(); ++qid) create_pair(qid, entries[qid - 1]);
}

void QueueHost::create_pair(unsigned qid, uint32_t entries) {
  Queue &q = queues_[qid];
  q = Queue();
  q.entries = entries;
  q.sq.resize(entries * NVME_SUBMISSION_ENTRY_BYTES);
  q.cq.resize(entries * NVME_COMPLETION_ENTRY_BYTES);
  q.sq_there = q.cq_there = true;
  nvme_submission_entry e;
  nvme_cmd_create_cq(&e, uint16_t(qid), entries, kCq + qid * kQueueSpan, uint16_t(qid));
  must(e, "Create I/O Completion Queue");
  nvme_cmd_create_sq(&e, uint16_t(qid), entries, kSq + qid * kQueueSpan, uint16_t(qid));
  must(e, "Create I/O Submission Queue");
}

void QueueHost::delete_sq(unsigned qid) {
  nvme_submission_entry e;
  nvme_cmd_init(&e, NVME_ADMIN_OPCODE_DELETE_IO_SQ, 0);
  e.cdw10 = qid;
  must(e, "Delete I/O Submission Queue");
  take(qid);  // they came before the answer to the deletion
  queues_[qid].sq_there = false;
  queues_[qid].inside.clear();
}

void QueueHost::delete_cq(unsigned qid) {
  nvme_submission_entry e;
  nvme_cmd_init(&e, NVME_ADMIN_OPCODE_DELETE_IO_CQ, 0);
  e.cdw10 = qid;
  must(e, "Delete I/O Completion Queue");
  queues_[qid].cq_there = false;
}

void QueueHost::must(const nvme_submission_entry &entry, const char *what) {
  const QueueCompletion done = admin(entry);
  if (done.status != 0) throw Wrong(std::string(what) + " ends with status " + hex(uint64_t(done.status)));
}

// ---------------------------------------------------------------- memory of commands

uint64_t QueueHost::take_page(bool to_device) {
  if (free_.empty()) {
    free_.push_back(memory_.size());
    memory_.emplace_back();
    uses_.push_back(Use::kFree);
  }
  const size_t page = free_.back();
  free_.pop_back();
  uses_[page] = to_device ? Use::kToDevice : Use::kFromDevice;
  return kData + page * kPage;
}

void QueueHost::give_page(uint64_t bus) {
  const size_t page = (bus - kData) / kPage;
  uses_.at(page) = Use::kFree;
  free_.push_back(page);
}

uint8_t *QueueHost::at(uint64_t bus) { return memory_.at((bus - kData) / kPage).data() + bus % kPage; }

// ---------------------------------------------------------------- commands

uint32_t QueueHost::room(unsigned qid) const {
  const Queue &q = queues_[qid];
  return uint32_t(q.entries - 1 - (q.put - q.sq_free));
}

uint16_t QueueHost::put(unsigned qid, nvme_submission_entry entry) {
  Queue &q = queues_.at(qid);
  if (room(qid) == 0) throw std::logic_error("the ring is full");
  while (!q.inside.emplace(q.next_cid, q.put).second) ++q.next_cid;
  entry.cid = q.next_cid++;
  nvme_submission_entry_pack(&entry, q.sq.data() + q.put % q.entries * NVME_SUBMISSION_ENTRY_BYTES);
  ++q.put;
  return entry.cid;
}

void QueueHost::ring(unsigned qid) {
  Queue &q = queues_[qid];
  if (q.rung == q.put) return;
  q.rung = q.put;
  fn_.write_doorbell(2 * qid, uint32_t(q.put % q.entries));
}

bool QueueHost::was_fetched(unsigned qid, uint16_t cid) const {
  return queues_[qid].inside.at(cid) < queues_[qid].fetched;
}

void QueueHost::take(unsigned qid) {
  Queue &q = queues_[qid];
  const uint64_t before = q.looked;
  const std::string where = "queue " + std::to_string(qid) + ", completion ";
  q.told = false;
  while (q.entries != 0) {
    nvme_completion_entry e;
    nvme_completion_entry_unpack(&e, q.cq.data() + q.looked % q.entries * NVME_COMPLETION_ENTRY_BYTES);
    const bool phase = q.looked / q.entries % 2 == 0;
    if (((e.status & NVME_CQE_PHASE) != 0) != phase) break;
    if (q.looked == q.posted) throw Wrong(where + std::to_string(q.looked) + ": the phase bit tells of none");
    ++q.looked;
    const QueueCompletion done{qid, e.cid, NVME_CQE_STATUS(e.status), e.dw0};
    if (e.sqid != qid || q.inside.erase(e.cid) == 0)
      throw Wrong(where + std::to_string(before) + ": of nothing that was sent, SQ " + std::to_string(e.sqid) +
                  ", command " + std::to_string(e.cid));
    // The head goes on, to no more than what was fetched.
    const uint64_t on = (e.sqhd + q.entries - q.sq_free % q.entries) % q.entries;
    if (e.sqhd >= q.entries || q.sq_free + on > q.fetched) throw Wrong(where + "SQ head " + std::to_string(e.sqhd));
    q.sq_free += on;
    last_completion_ns_ = now_ns();
    if (qid == 0) admin_done_ = done;
    if (qid != 0 && taken) taken(done);
  }
  if (q.looked != q.posted) throw Wrong(where + std::to_string(q.looked) + ": the phase bit does not tell of it");
  if (q.looked != before) fn_.write_doorbell(2 * qid + 1, uint32_t(q.looked % q.entries));
}

void QueueHost::poll(uint64_t ns) {
  run(ns);
  for (unsigned qid = 0; qid < queues_.size(); ++qid) {
    if (!waits_for_interrupts || queues_[qid].told) take(qid);
  }
  bool waiting = false;
  for (const Queue &q : queues_) waiting = waiting || (q.sq_there && q.looked != q.rung);
  if (!waiting) last_completion_ns_ = now_ns();
  if (now_ns() - last_completion_ns_ > FunctionHost::kCommandNs || (waiting && fn_.idle() > FunctionHost::kMostIdle)) {
    std::string text = "hang: no completion of";
    for (size_t q = 0; q < queues_.size(); ++q) {
      const size_t commands = queues_[q].inside.size();
      if (commands != 0) text += " " + std::to_string(commands) + " commands of queue " + std::to_string(q);
    }
    throw Wrong(text);
  }
}

QueueCompletion QueueHost::admin(const nvme_submission_entry &entry) {
  const uint16_t cid = put(0, entry);
  last_completion_ns_ = now_ns();
  fn_.not_idle();
  for (ring(0); queues_[0].inside.count(cid) != 0;) poll(FunctionHost::kSliceNs);
  return admin_done_;
}

uint64_t QueueHost::inside() const {
  uint64_t sum = 0;
  for (size_t q = 1; q < queues_.size(); ++q) sum += queues_[q].fetched - queues_[q].posted;
  return sum;
}

}  // namespace orm
