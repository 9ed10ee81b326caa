// SPDX-License-Identifier: Apache-2.0
//
// db_bench --check: what an earlier run, of the same options, has left on the device, be it that it ended, that the machine
// has started again since, or that the power went.
#ifndef OPENREMAP_LEVELDB_HOST_BENCH_BENCH_CHECK_H_
#define OPENREMAP_LEVELDB_HOST_BENCH_BENCH_CHECK_H_

#include <cstdint>

#include "bench/measure/progress.h"
#include "bench/options/options.h"
#include "bench_device.h"
#include "leveldb/status.h"

namespace openremap {

struct CheckResult {
  // The database holds the run's first puts, so many of them; with least > most it holds no prefix of them.
  uint64_t least_puts = 0;
  uint64_t most_puts = 0;
  uint64_t keys = 0;        // it holds
  uint64_t mismatches = 0;  // values that were never put, and keys of no run
};

// Corruption when fewer than options.check puts are there, or anything that a prefix of the puts does not explain; the
// result is complete then, too. REQUIRES: a fill (FillOrder).
leveldb::Status RunCheck(const BenchOptions &options, BenchDevice *device, Progress *progress, CheckResult *result);

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BENCH_BENCH_CHECK_H_
