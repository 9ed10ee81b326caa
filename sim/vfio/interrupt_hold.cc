// SPDX-License-Identifier: Apache-2.0
#include "interrupt_hold.h"

#include <algorithm>

namespace orm::vfio {

void InterruptHold::raised(uint64_t now) {
  if (raised_) return;
  raised_ = true;
  gained_ = false;
  since_ = now;
  held_ = vain_ < kMostVain || ++untried_ >= kTryEvery;
  if (held_) untried_ = 0;
}

void InterruptHold::submitted(uint64_t now) {
  const uint64_t between = now - last_;
  if (between < kMostQuietNs) between_ = (7 * between_ + between) / 8;
  last_ = now;
  gained_ = gained_ || raised_;
}

uint64_t InterruptHold::quiet_ns() const { return std::clamp(2 * between_, kLeastQuietNs, kMostQuietNs); }

bool InterruptHold::due(uint64_t now) const {
  if (!raised_ || !held_) return raised_;
  return now - since_ >= kMostNs || now - std::max(since_, last_) >= quiet_ns();
}

void InterruptHold::told() {
  if (raised_ && held_) vain_ = gained_ ? 0 : std::min(vain_ + 1, kMostVain);
  raised_ = false;
}

}  // namespace orm::vfio
