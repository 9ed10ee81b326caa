// SPDX-License-Identifier: Apache-2.0
//
// What a run of db_bench or rocksdb_bench has measured.
#ifndef OPENREMAP_LEVELDB_HOST_BENCH_BENCH_RESULT_H_
#define OPENREMAP_LEVELDB_HOST_BENCH_BENCH_RESULT_H_

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "bench/measure/latency.h"
#include "bench/workload/workload.h"
#include "bench_device.h"
#include "compaction_statistics.h"
#include "remap_env.h"

namespace openremap {

struct LevelResult {
  uint64_t files = 0;  // at the end of the workload
  uint64_t bytes = 0;
  LevelCounters counters;  // compactions into this level, during the workload
};

// Figures of the workload itself, without loading the database and without verification.
struct BenchResult {
  uint64_t user_bytes = 0;  // keys and values put, and keys deleted
  uint64_t live_bytes = 0;  // keys and values the database then holds
  DeviceStats device;       // used and free pages, erases of superblocks: at the end; all else: during the workload
  RemapStats remap;
  std::vector<LevelResult> levels;
  // The property leveldb.value-log at the end, counted from when the database was opened; empty: it has no value log.
  std::map<std::string, uint64_t> value_log;
  uint64_t operations = 0;            // entries, where one scan reads them all
  double host_cpu_seconds = 0;        // of LevelDB's calls and background work, the simulator excluded
  double background_cpu_seconds = 0;  // of these: flushes and compactions
  double wall_seconds = 0;            // of the whole run
  uint64_t keys_expected = 0;
  uint64_t keys_verified = 0;
  uint64_t deleted_verified = 0;  // keys that were deleted, and are not there
  uint64_t reads = 0;             // entries that the workload read
  uint64_t get_bytes = 0;         // keys and values that its gets found
  FileReads get_reads;            // what these read of files
  // Wall time of LevelDB's calls for each operation, by kind, background work that ran inline and a simulated device
  // included.
  std::array<LatencyHistogram, kOperationKinds> latencies;
  bool full = false;  // the workload ended because the device had no space left; nothing was verified
  // Time of the device for which PageFS waited in each call to it, by kind; a call is one or several commands side by
  // side. Those of flushes and compactions are among them.
  std::array<LatencyHistogram, kDeviceCalls> device_latencies;
  uint64_t verify_mismatches = 0;  // wrong, missing, or present though never put
  DeviceStats verify;              // of verification
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BENCH_BENCH_RESULT_H_
