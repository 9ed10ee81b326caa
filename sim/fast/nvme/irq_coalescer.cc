// SPDX-License-Identifier: Apache-2.0
#include "nvme/irq_coalescer.h"

#include "lib/invariant.h"
#include "orm_bytes.h"
#include "orm_regs.h"

namespace orm::fast {
namespace {

constexpr uint64_t kTickNs = 100'000;  // unit of the NVMe aggregation time

}  // namespace

IrqCoalescer::IrqCoalescer(Simulation &sim, const Params &p) : sim_(sim) {
  for (uint32_t i = 0; i != p.queues; ++i) vectors_.push_back({this, i});
}

void IrqCoalescer::raise(uint32_t vector, bool admin) {
  Vector &v = vectors_[vector];
  const uint32_t threshold = ORM_GET(settings_, ORM_FW_INT_COALESCING_THRESHOLD);
  const uint32_t time = ORM_GET(settings_, ORM_FW_INT_COALESCING_TIME);
  if (admin || v.direct || threshold == 0 || time == 0 || v.waiting >= threshold) return fire(v);
  if (v.waiting++ != 0) return;
  v.due_ns = sim_.now() + time * kTickNs;
  sim_.at(v.due_ns, time_over, &v);
}

void IrqCoalescer::time_over(void *vector) {
  Vector &v = *static_cast<Vector *>(vector);
  // The entry that set this timer may have been signalled since, and a later one be waiting.
  if (v.waiting != 0 && v.owner->sim_.now() >= v.due_ns) v.owner->fire(v);
}

void IrqCoalescer::fire(Vector &v) {
  v.waiting = 0;
  msix_(v.number);
}

void IrqCoalescer::set(uint32_t settings) {
  settings_ = settings & (ORM_FW_INT_COALESCING_THRESHOLD_MASK | ORM_FW_INT_COALESCING_TIME_MASK);
  for (Vector &v : vectors_) {
    if (v.waiting != 0) fire(v);
  }
}

void IrqCoalescer::set_direct(uint32_t vector, bool direct) {
  believe(vector < vectors_.size(), "firmware bug: a vector that does not exist");
  vectors_[vector].direct = direct;
}

void IrqCoalescer::clear() {
  for (Vector &v : vectors_) v.waiting = 0;
}

}  // namespace orm::fast
