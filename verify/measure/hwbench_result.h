// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_HWBENCH_RESULT_H
#define OPENREMAP_HWBENCH_RESULT_H

#include <cstdint>
#include <string>
#include <vector>

namespace orm::hwbench {

/// Result of one case: total clock cycles, and the latencies from submission to completion in ascending order.
struct Result {
  std::string name;
  uint64_t commands = 0;
  uint64_t pages = 0;
  uint64_t cycles = 0;
  uint64_t gc_pages = 0;     // pages that GC moved meanwhile
  uint64_t by_hardware = 0;  // remaps and copies that ended without firmware
  uint64_t stall_alloc = 0;  // cycles in which a host write waited for a slot meanwhile
  std::vector<uint64_t> latencies;
};

}  // namespace orm::hwbench
#endif  // OPENREMAP_HWBENCH_RESULT_H
