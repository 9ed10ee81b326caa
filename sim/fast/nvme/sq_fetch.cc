// SPDX-License-Identifier: Apache-2.0
#include "nvme/sq_fetch.h"

#include "lib/invariant.h"
#include "orm_bytes.h"
#include "orm_nvme.h"

namespace orm::fast {
namespace {

constexpr uint64_t kBusNs = cycles(9);  // through the arbiter to host memory and back, four words

}  // namespace

uint32_t SqFetch::load(uint32_t cq) const {
  uint32_t load = 0;
  for (const Queue &q : queues_) load += q.cqid == cq ? q.inside : 0;
  return queues_[0].cqid == cq ? load - held_ : load;
}

bool SqFetch::allowed(uint32_t qid) const {
  const uint32_t cq = queues_[qid].cqid;
  return load(cq) < links_.free_entries(cq);
}

void SqFetch::pump() {
  const uint32_t n = uint32_t(queues_.size());
  for (uint32_t i = 1; i <= n && asked_ - left_ != kDepth; ++i) {
    const uint32_t qid = (turn_ + i) % n;
    const Queue &q = queues_[qid];
    if (!q.enable || q.tail == q.ask || !allowed(qid)) continue;
    turn_ = qid;
    fetch(qid);
    i = 0;
  }
}

void SqFetch::fetch(uint32_t qid) {
  Queue &q = queues_[qid];
  Place &place = places_[asked_++ % kDepth];
  place.command.qid = qid;
  place.addr = q.base + uint64_t(q.ask) * NVME_SUBMISSION_ENTRY_BYTES;
  place.dropped = false;
  q.ask = q.ask + 1 == q.entries ? 0 : q.ask + 1;
  ++q.inside;
  sim_.after(kBusNs + timing_.host_read_ns, arrived, this);
}

void SqFetch::arrived(void *self) {
  SqFetch &f = *static_cast<SqFetch *>(self);
  Place &place = f.places_[f.arrived_++ % kDepth];
  uint8_t raw[NVME_SUBMISSION_ENTRY_BYTES];
  const bool good = f.host_.dma_read(f.host_.ctx, place.addr, raw, sizeof raw) == 0;
  if (!good && !place.dropped) f.links_.host_error();
  if (!good) place.dropped = true;
  if (!place.dropped) {
    for (size_t i = 0; i < place.command.sqe.size(); ++i) place.command.sqe[i] = uint32_t(orm_get_le(raw + 4 * i, 4));
    Queue &q = f.queues_[place.command.qid];
    q.head = q.head + 1 == q.entries ? 0 : q.head + 1;
  }
  f.hand_on();
}

void SqFetch::hand_on() {
  if (handing_on_) return;  // re-entered: the router completes some commands at once
  handing_on_ = true;
  while (left_ != arrived_) {
    Place &place = places_[left_ % kDepth];
    if (!place.dropped && !links_.route(place.command)) break;
    ++left_;
    if (place.dropped) --queues_[place.command.qid].inside;
  }
  handing_on_ = false;
  pump();
}

void SqFetch::define(const SqConfig &c) {
  believe(!c.enable || (c.entries > 1 && c.base % 4096 == 0), "firmware bug: submission queue");
  believe(c.qid < queues_.size() && c.cqid < queues_.size(), "firmware bug: no such queue");
  believe(!c.enable || queues_[c.qid].inside == 0,
          "firmware bug: a queue is defined while commands of the one before are inside");
  const bool all = c.qid == 0;
  for (uint32_t i = 0; i < queues_.size(); ++i) {
    if (all || i == c.qid) queues_[i].enable = false;
  }
  // Commands that were handed on still complete, so the state of a deleted queue is kept until it is defined again.
  if (c.enable) queues_[c.qid] = {true, c.base, c.entries, c.cqid, 0, 0, 0, queues_[c.qid].inside};
  for (uint32_t i = left_; i != asked_; ++i) {
    Place &place = places_[i % kDepth];
    if (all || place.command.qid == c.qid) place.dropped = true;
  }
  links_.forgotten();
  hand_on();
}

/// Limits the new tail: the host may fill only entries that it knows to be fetched (SQHD), and never more than were
/// fetched.
DoorbellFault SqFetch::doorbell(uint32_t qid, uint32_t tail) {
  if (qid >= queues_.size() || !queues_[qid].enable) return DoorbellFault::kAbsent;
  Queue &q = queues_[qid];
  const auto past = [&q](uint32_t from, uint32_t to) { return to >= from ? to - from : to + q.entries - from; };
  if (tail >= q.entries || past(q.tail, tail) >= q.entries - past(q.head, q.tail)) return DoorbellFault::kValue;
  q.tail = tail;
  pump();
  return DoorbellFault::kNone;
}

void SqFetch::completed(uint32_t qid) {
  believe(queues_[qid].inside != 0, "a command left that never came in");
  --queues_[qid].inside;
  pump();
}

}  // namespace orm::fast
