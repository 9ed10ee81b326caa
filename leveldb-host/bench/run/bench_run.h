// SPDX-License-Identifier: Apache-2.0
//
// One run: executes the workload on a new database, then reads every key back and compares it.
#ifndef OPENREMAP_LEVELDB_HOST_BENCH_BENCH_RUN_H_
#define OPENREMAP_LEVELDB_HOST_BENCH_BENCH_RUN_H_

#include "bench/measure/progress.h"
#include "bench/options/options.h"
#include "bench/run/bench_database.h"
#include "bench/run/bench_result.h"
#include "bench_device.h"
#include "leveldb/status.h"

namespace openremap {

// On LevelDB, or on a database that is closed. Corruption: a read returned something else than was put; *result is
// complete in this case, too.
leveldb::Status RunBench(const BenchOptions &options, BenchDevice *device, Progress *progress, BenchResult *result);
leveldb::Status RunBench(const BenchOptions &options, BenchDevice *device, BenchDatabase *database, Progress *progress,
                         BenchResult *result);

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BENCH_BENCH_RUN_H_
