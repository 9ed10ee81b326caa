// SPDX-License-Identifier: Apache-2.0
//
// What counters gained between two readings.
#ifndef OPENREMAP_LEVELDB_HOST_BENCH_COUNTERS_H_
#define OPENREMAP_LEVELDB_HOST_BENCH_COUNTERS_H_

#include "bench_device.h"
#include "compaction_statistics.h"

namespace openremap {

// Pages used and free are what they are at the end.
DeviceStats Difference(const DeviceStats &end, const DeviceStats &begin);
LevelCounters Difference(LevelCounters end, const LevelCounters &begin);

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BENCH_COUNTERS_H_
