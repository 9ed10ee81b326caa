// SPDX-License-Identifier: Apache-2.0
//
// Differences of device counters between two readings.
#ifndef OPENREMAP_LEVELDB_HOST_BENCH_COUNTERS_H_
#define OPENREMAP_LEVELDB_HOST_BENCH_COUNTERS_H_

#include "bench_device.h"
#include "compaction_statistics.h"

namespace openremap {

// Used and free pages, and the erases of superblocks, are those of the second reading.
DeviceStats Difference(const DeviceStats &end, const DeviceStats &begin);
LevelCounters Difference(LevelCounters end, const LevelCounters &begin);

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BENCH_COUNTERS_H_
