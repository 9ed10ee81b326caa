// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_HWBENCH_GC_H
#define OPENREMAP_HWBENCH_GC_H

#include <vector>

#include "measure/hwbench_device.h"
#include "measure/hwbench_result.h"

namespace orm::hwbench {

/// Random reads and overwrites of a full device with NAND's real times: before GC has anything to do, and when it runs
/// all the time.
void collections(const Plan &plan, std::vector<Result> *out);

/// The same device with every second page trimmed, so that victims are half full: what collections take while the host
/// sends nothing. `commands` are victims, the latencies the times from one's end to the next one's, `pages` those that
/// moved.
void collections_alone(const Plan &plan, std::vector<Result> *out);

}  // namespace orm::hwbench
#endif  // OPENREMAP_HWBENCH_GC_H
