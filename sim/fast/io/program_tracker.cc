// SPDX-License-Identifier: Apache-2.0
#include "io/program_tracker.h"

#include "lib/invariant.h"

namespace orm::fast {
namespace {

constexpr uint64_t kFenceNs = cycles(2);

}  // namespace

bool ProgramTracker::issued() {
  ++count_[epoch_];
  return epoch_;
}

void ProgramTracker::landed(bool epoch) {
  believe(count_[epoch] != 0, "a program landed in an epoch that it was not issued in");
  --count_[epoch];
  advance();
}

void ProgramTracker::advance() {
  while (count_[!epoch_] == 0) {
    for (const std::coroutine_handle<> &h : drain_) sim_.after(kFenceNs, resume, h.address());
    drain_.clear();
    if (turn_.empty()) return;
    epoch_ = !epoch_;
    drain_.swap(turn_);
    if (turning_) turning_();
  }
}

}  // namespace orm::fast
