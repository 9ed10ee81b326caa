// SPDX-License-Identifier: Apache-2.0
#include "nvme/cq_post.h"

#include "lib/invariant.h"
#include "orm_bytes.h"
#include "orm_nvme.h"

namespace orm::fast {
namespace {

constexpr uint64_t kBusNs = cycles(6);  // through queues and arbiter to host memory, and back
constexpr size_t kLaneDepth = 2;
constexpr size_t kFirmwareLaneDepth = kLaneDepth + 1;  // one more waits in the register

}  // namespace

CqPost::CqPost(Simulation &sim, const Params &p, const pcie_host &host, const MemoryTiming &timing)
    : sim_(sim), p_(p), host_(host), timing_(timing), queues_(p.queues) {
  for (unsigned i = 0; i < kLanes; ++i) {
    const size_t depth = i == unsigned(Lane::kFirmware) ? kFirmwareLaneDepth : kLaneDepth;
    lanes_[i] = std::make_unique<Fifo<Completion>>(sim, depth);
  }
}

void CqPost::post(Lane lane, const Completion &completion) {
  lanes_[size_t(lane)]->push(completion);
  pump();
}

bool CqPost::blocked(const Completion &c) const {
  const Queue &q = queues_[links_.cq_of(c.qid)];
  return q.enable && (q.tail + 1 == q.entries ? 0 : q.tail + 1) == q.head;
}

void CqPost::pump() {
  for (unsigned looked = 0; looked < kLanes;) {
    if (answers_.size() == kAnswers) return;
    turn_ = (turn_ + 1) % kLanes;
    Fifo<Completion> &lane = *lanes_[turn_];
    if (lane.empty() || blocked(lane.front())) {
      ++looked;
      continue;
    }
    looked = 0;
    const Completion c = lane.pop();
    links_.taken(Lane(turn_), c.qid);
    write_entry(c);
  }
}

void CqPost::write_entry(const Completion &c) {
  Queue &q = queues_[links_.cq_of(c.qid)];
  if (!q.enable) return;  // completion of a deleted queue
  uint8_t entry[NVME_COMPLETION_ENTRY_BYTES] = {};
  orm_put_le(entry, c.dw0, 4);
  orm_put_le(entry + 8, links_.sq_head(c.qid), 2);
  orm_put_le(entry + 10, c.qid, 2);
  orm_put_le(entry + 12, c.cid, 2);
  orm_put_le(entry + 14, uint32_t(c.status) << 1 | uint32_t(q.phase), 2);
  const bool good = host_.dma_write(host_.ctx, q.base + uint64_t(q.tail) * sizeof entry, entry, sizeof entry) == 0;
  if (++q.tail == q.entries) {
    q.tail = 0;
    q.phase = !q.phase;
  }
  answers_.push_back({good, q.ien, q.vector, links_.cq_of(c.qid) == 0});
  sim_.after(kBusNs + timing_.host_write_ns, answered, this);
}

void CqPost::answered(void *self) {
  CqPost &post = *static_cast<CqPost *>(self);
  const Answer a = post.answers_.front();
  post.answers_.pop_front();
  if (!a.good) {
    post.links_.host_error();
  } else if (a.ien) {
    post.links_.raise(a.vector, a.admin);
  }
  post.pump();
}

void CqPost::define(const CqConfig &c) {
  believe(!c.enable || (c.entries > 1 && c.base % 4096 == 0), "firmware bug: completion queue");
  Queue &q = queues_[c.qid];
  q = {q.enable, c.base, c.entries, c.ien, c.vector, 0, 0, true};
  if (c.qid == 0) {
    for (Queue &other : queues_) other.enable = false;
  }
  q.enable = c.enable;
  pump();
}

DoorbellFault CqPost::doorbell(uint32_t qid, uint32_t head) {
  if (qid >= queues_.size() || !queues_[qid].enable) return DoorbellFault::kAbsent;
  Queue &q = queues_[qid];
  if (head >= q.entries || past(q, head) > past(q, q.tail)) return DoorbellFault::kValue;
  q.head = head;
  pump();
  return DoorbellFault::kNone;
}

uint32_t CqPost::free_entries(uint32_t cq) const {
  const Queue &q = queues_[cq];
  return q.enable ? q.entries - 1 - past(q, q.tail) : 0;
}

bool CqPost::quiet() const {
  if (!answers_.empty()) return false;
  for (const auto &lane : lanes_) {
    if (!lane->empty()) return false;
  }
  return true;
}

}  // namespace orm::fast
