// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_COUNTERS_H
#define OPENREMAP_FAST_COUNTERS_H

#include <array>
#include <cstdint>

#include "lib/simulation.h"
#include "orm_regs.h"

namespace orm::fast {

/// Statistics counters of the controller, indexed by ORM_COUNTER_* (interfaces/registers/counters.yaml). They count
/// events, and clock cycles for stalls.
class Counters {
 public:
  void add(orm_counter which, uint64_t n = 1) { values_[which] += n; }
  void stalled(orm_counter which, uint64_t ns) { values_[which] += ns / kCycleNs; }
  uint64_t value(uint32_t index) const { return index < values_.size() ? values_[index] : 0; }
  void clear() { values_.fill(0); }

 private:
  std::array<uint64_t, ORM_COUNTERS> values_{};
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_COUNTERS_H
