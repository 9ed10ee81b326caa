// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_HWBENCH_LOOKUP_H
#define OPENREMAP_HWBENCH_LOOKUP_H

#include <cstdint>
#include <vector>

#include "measure/hwbench_result.h"

namespace orm::hwbench {

/// Lookups in the controller's MapUnit alone, at the port that allows the most in flight, with a DRAM latency of
/// kDramCycles: cached, sequential and random. `cycles` is the time of `count` pipelined lookups; latencies are of
/// lookups one at a time. Every answer is checked. Throws std::runtime_error for a wrong or missing
/// answer.
std::vector<Result> lookups(uint64_t count, uint64_t seed);

constexpr uint64_t kDramCycles = 40;

}  // namespace orm::hwbench
#endif  // OPENREMAP_HWBENCH_LOOKUP_H
