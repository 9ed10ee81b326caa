// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_HWBENCH_GC_H
#define OPENREMAP_HWBENCH_GC_H

#include <vector>

#include "measure/hwbench_device.h"
#include "measure/hwbench_result.h"

namespace orm::hwbench {

/// Random reads and overwrites of a full device with real NAND times: before GC has anything to do, and while it runs
/// all the time.
void collections(const Plan &plan, std::vector<Result> *out);

/// The same device with every second page trimmed, so that half of each victim is valid: the cost of collections
/// without host I/O. `commands` counts victims, latencies are the times between the ends of victims, `pages` counts
/// pages moved.
void collections_alone(const Plan &plan, std::vector<Result> *out);

}  // namespace orm::hwbench
#endif  // OPENREMAP_HWBENCH_GC_H
