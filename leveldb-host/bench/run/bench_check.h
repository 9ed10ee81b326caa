// SPDX-License-Identifier: Apache-2.0
//
// db_bench --check: verifies the database that an earlier run with the same options left on the device, whether the run
// ended normally, the machine was rebooted, or the power was cut.
#ifndef OPENREMAP_LEVELDB_HOST_BENCH_BENCH_CHECK_H_
#define OPENREMAP_LEVELDB_HOST_BENCH_BENCH_CHECK_H_

#include <cstdint>

#include "bench/measure/progress.h"
#include "bench/options/options.h"
#include "bench_device.h"
#include "leveldb/status.h"

namespace openremap {

struct CheckResult {
  // The database holds the first `least` to `most` puts of the run; least > most: it holds no prefix of them.
  uint64_t least_puts = 0;
  uint64_t most_puts = 0;
  uint64_t keys = 0;        // keys in the database
  uint64_t mismatches = 0;  // values that were never put, and keys of no run
};

// Corruption: fewer than options.check puts are there, or the contents are not those of a prefix of the puts; *result
// is complete in this case, too. REQUIRES: the workload is a fill (FillOrder).
leveldb::Status RunCheck(const BenchOptions &options, BenchDevice *device, Progress *progress, CheckResult *result);

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BENCH_BENCH_CHECK_H_
