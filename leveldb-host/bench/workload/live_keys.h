// SPDX-License-Identifier: Apache-2.0
//
// How many keys a workload leaves in the database: what is expected of it, without drawing its operations.
#ifndef OPENREMAP_LEVELDB_HOST_BENCH_LIVE_KEYS_H_
#define OPENREMAP_LEVELDB_HOST_BENCH_LIVE_KEYS_H_

#include "bench/workload/workload.h"

namespace openremap {

// What is loaded before, too. Only the inserts of YCSB's D and E may make it more than the records.
double LiveKeys(const SourceOptions &options);

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BENCH_LIVE_KEYS_H_
