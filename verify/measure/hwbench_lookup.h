// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_HWBENCH_LOOKUP_H
#define OPENREMAP_HWBENCH_LOOKUP_H

#include <cstdint>
#include <vector>

#include "measure/hwbench_result.h"

namespace orm::hwbench {

/// Lookups in the controller's MapUnit by itself, over the port that has the most of them in flight, from a DRAM that
/// answers kDramCycles after the address: from the cache, in order, and at random. `cycles` is of `count` lookups back
/// to back; the latencies are of lookups one after the other. Each answer is checked. Throws std::runtime_error for a
/// wrong one, or none.
std::vector<Result> lookups(uint64_t count, uint64_t seed);

constexpr uint64_t kDramCycles = 40;

}  // namespace orm::hwbench
#endif  // OPENREMAP_HWBENCH_LOOKUP_H
