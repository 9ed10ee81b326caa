// SPDX-License-Identifier: Apache-2.0
#include "fuzz/fuzz_host.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "orm_regs.h"

namespace orm::fuzz {
namespace {

pcie_device_options device_options(const char *kind, uint32_t superblocks, uint64_t seed, const char *geometry,
                                   bool stalls, const char *cache, const char *firmware) {
  pcie_device_options options{};
  options.kind = kind;
  options.superblocks = superblocks;
  options.placement_handles = std::min(superblocks / 4, 4u);  // each takes a superblock of the namespace
  options.seed = seed;
  options.geometry = geometry;
  options.bus_stalls = stalls;
  options.cache = cache;
  options.firmware = firmware;
  return options;
}

}  // namespace

Memory::Memory() {
  windows_.push_back({kSubmission, true, false, std::vector<uint8_t>(kQueuePairs * kPage)});
  windows_.push_back({kCompletion, false, true, std::vector<uint8_t>(kQueuePairs * kPage)});
  windows_.push_back({kInput, true, false, std::vector<uint8_t>(kInputPages * kPage)});
  windows_.push_back({kOutput, false, true, std::vector<uint8_t>(kOutputPages * kPage)});
  host_.ctx = this;
  host_.dma_read = read;
  host_.dma_write = write;
  host_.msix = [](void *, unsigned) {};
}

uint8_t *Memory::find(uint64_t addr, size_t len, bool device_writes) {
  for (Window &w : windows_) {
    if (addr < w.base || addr - w.base >= w.bytes.size() || len > w.bytes.size() - (addr - w.base)) continue;
    return (device_writes ? w.device_writes : w.device_reads) ? w.bytes.data() + (addr - w.base) : nullptr;
  }
  return nullptr;
}

uint8_t *Memory::page(uint64_t bus) {
  for (Window &w : windows_) {
    if (bus >= w.base && bus - w.base < w.bytes.size()) return w.bytes.data() + (bus - w.base);
  }
  throw std::logic_error("no host memory at " + hex(bus));
}

int Memory::read(void *ctx, uint64_t addr, void *buf, size_t len) {
  const uint8_t *from = static_cast<Memory *>(ctx)->find(addr, len, false);
  if (from == nullptr) return -EFAULT;
  std::memcpy(buf, from, len);
  return 0;
}

int Memory::write(void *ctx, uint64_t addr, const void *buf, size_t len) {
  uint8_t *to = static_cast<Memory *>(ctx)->find(addr, len, true);
  if (to == nullptr) return -EFAULT;
  std::memcpy(to, buf, len);
  return 0;
}

Host::Host(const char *kind, uint32_t superblocks, uint64_t seed, const char *geometry, bool stalls, const char *cache,
           const char *firmware)
    : fn_(device_options(kind, superblocks, seed, geometry, stalls, cache, firmware), memory_.host()) {
  start();
  nvme_submission_entry identify;
  nvme_cmd_identify(&identify, 1, NVME_CNS_NAMESPACE);
  identify.prp1 = Memory::kOutput;
  if (execute(0, identify) != 0) throw Wrong("Identify Namespace fails on a new device");
  pages_ = orm_get_le(memory_.page(Memory::kOutput) + NVME_IDENTIFY_NAMESPACE_NSZE_OFFSET, 8);
}

void Host::start() {
  fn_.wait_cap();
  fn_.disable();
  for (unsigned q = 0; q < kQueuePairs; ++q) {
    queues_[q] = Queue();
    std::memset(memory_.page(Memory::kCompletion + q * kPage), 0, kPage);
  }
  fn_.enable(kEntries, Memory::kSubmission, Memory::kCompletion);
  create_queues();
}

void Host::create_queues() {
  nvme_submission_entry e;
  nvme_cmd_set_num_queues(&e, kIoQueues);
  uint32_t got = 0;
  if (execute(0, e, &got) != 0) throw Wrong("Set Features, Number of Queues fails after start-up");
  io_queues_ = std::min({kIoQueues, (got & 0xFFFFu) + 1, (got >> 16) + 1});
  for (unsigned q = 1; q <= io_queues_; ++q) {
    nvme_cmd_create_cq(&e, uint16_t(q), kEntries, Memory::kCompletion + q * kPage, uint16_t(q));
    uint16_t status = execute(0, e);
    nvme_cmd_create_sq(&e, uint16_t(q), kEntries, Memory::kSubmission + q * kPage, uint16_t(q));
    if (status == 0) status = execute(0, e);
    if (status != 0) throw Wrong("no queue " + std::to_string(q) + " after start-up: status " + hex(status));
  }
}

void Host::power_cycle() {
  fn_.power_cut();
  fn_.power_on();
}

bool Host::room(unsigned qid) const {
  const Queue &q = queues_[qid];
  return (q.tail + 1) % kEntries != q.sq_head && q.inside.size() < kEntries - 1;
}

uint16_t Host::put(unsigned qid, nvme_submission_entry entry, bool answered) {
  Queue &q = queues_[qid];
  while (q.inside.count(q.next_cid) != 0) ++q.next_cid;
  entry.cid = q.next_cid++;
  q.inside[entry.cid] = answered;
  nvme_submission_entry_pack(&entry,
                             memory_.page(Memory::kSubmission + qid * kPage + q.tail * NVME_SUBMISSION_ENTRY_BYTES));
  q.tail = (q.tail + 1) % kEntries;
  return entry.cid;
}

void Host::ring(unsigned qid) { write_doorbell(2 * qid, queues_[qid].tail); }

std::vector<Completion> Host::poll(uint64_t ns, bool strict) {
  fn_.run(ns);
  std::vector<Completion> taken;
  for (unsigned cq = 0; cq < kQueuePairs; ++cq) {
    Queue &q = queues_[cq];
    const uint32_t before = q.head;
    for (;;) {
      nvme_completion_entry e;
      nvme_completion_entry_unpack(
          &e, memory_.page(Memory::kCompletion + cq * kPage + q.head * NVME_COMPLETION_ENTRY_BYTES));
      if (((e.status & NVME_CQE_PHASE) != 0) != q.phase) break;
      q.head = (q.head + 1) % kEntries;
      if (q.head == 0) q.phase = !q.phase;
      const bool known = e.sqid < kQueuePairs && queues_[e.sqid].inside.erase(e.cid) != 0;
      if (e.sqid < kQueuePairs && e.sqhd < kEntries) queues_[e.sqid].sq_head = e.sqhd;
      if (strict && (!known || e.sqid != cq || e.sqhd >= kEntries)) {
        throw Wrong("a completion of nothing that was sent: queue " + std::to_string(cq) + ", SQ " +
                    std::to_string(e.sqid) + ", head " + std::to_string(e.sqhd) + ", command " + std::to_string(e.cid));
      }
      taken.push_back({e.sqid, e.cid, uint16_t(NVME_CQE_STATUS(e.status)), e.dw0});
    }
    if (q.head != before) write_doorbell(2 * cq + 1, q.head);
  }
  return taken;
}

size_t Host::waiting() const {
  size_t sum = 0;
  for (const Queue &q : queues_) {
    for (const auto &[cid, answered] : q.inside) sum += answered;
  }
  return sum;
}

std::vector<Completion> Host::finish() {
  std::vector<Completion> all;
  uint64_t last = fn_.now_ns();
  fn_.not_idle();
  while (waiting() != 0) {
    const std::vector<Completion> taken = poll(FunctionHost::kSliceNs);
    all.insert(all.end(), taken.begin(), taken.end());
    if (!taken.empty()) {
      last = fn_.now_ns();
      fn_.not_idle();
    }
    if (fn_.now_ns() - last <= FunctionHost::kCommandNs && fn_.idle() <= FunctionHost::kMostIdle) continue;
    std::string text = "hang: no completion of";
    for (unsigned q = 0; q < kQueuePairs; ++q) {
      for (const auto &[cid, answered] : queues_[q].inside) {
        if (answered) text += " " + std::to_string(q) + ":" + std::to_string(cid);
      }
    }
    throw Wrong(text + "; CSTS " + hex(read32(ORM_BAR0_CSTS)));
  }
  return all;
}

uint16_t Host::execute(unsigned qid, const nvme_submission_entry &entry, uint32_t *dw0) {
  const uint16_t cid = put(qid, entry);
  ring(qid);
  for (const Completion &c : finish()) {
    if (c.qid != qid || c.cid != cid) continue;
    if (dw0 != nullptr) *dw0 = c.dw0;
    return c.status;
  }
  throw Wrong("a command ended without its completion");
}

}  // namespace orm::fuzz
