// SPDX-License-Identifier: Apache-2.0
//
// The expected number of keys in the database after a workload, computed without drawing its operations.
#ifndef OPENREMAP_LEVELDB_HOST_BENCH_LIVE_KEYS_H_
#define OPENREMAP_LEVELDB_HOST_BENCH_LIVE_KEYS_H_

#include "bench/workload/workload.h"

namespace openremap {

// Includes the keys that are loaded first. Exceeds the records only by the inserts of YCSB's D and E, and of mix; utxo
// puts as many as it deletes, but for a batch at the end that is cut short.
double LiveKeys(const SourceOptions &options);

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BENCH_LIVE_KEYS_H_
