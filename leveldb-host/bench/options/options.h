// SPDX-License-Identifier: Apache-2.0
//
// Command line of db_bench.
#ifndef OPENREMAP_LEVELDB_HOST_BENCH_OPTIONS_H_
#define OPENREMAP_LEVELDB_HOST_BENCH_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "bench/workload/value_sizes.h"
#include "bench/workload/workload.h"
#include "bench_device.h"
#include "remap_options.h"

namespace openremap {

constexpr uint64_t kMostNum = 1'000'000'000;  // limit of --num

// The defaults fill four levels with a few megabytes.
struct BenchOptions {
  Workload workload = Workload::kFillRandom;
  RemapMode mode = RemapMode::kBlend;
  BenchDeviceOptions device;
  uint64_t num = 6000;      // records: size of the key space
  uint64_t operations = 0;  // of random puts, and of workloads that are a stream of them; 0: as many as records
  size_t value_size = 984;
  size_t value_size_max = 0;  // 0: all values have value_size bytes
  size_t key_size = 16;
  uint64_t seed = 1;
  size_t write_buffer = 98304;
  size_t max_file_size = 262144;
  uint64_t level1_bytes = 524288;
  int level_ratio = 5;
  int fill_space_percent = RemapOptions().fill_space_percent;
  int last_level_ratio = RemapOptions().last_level_ratio;
  int blend_runs = RemapOptions().blend_runs;
  int blend_space_percent = RemapOptions().blend_space_percent;
  int blend_filter_bits = RemapOptions().blend_filter_bits;
  int bloom_bits = 0;             // of a key, in every mode; 0: no filter but blend's own
  uint64_t sync_every = 0;        // each so manieth put is synced; 0: none
  std::optional<uint64_t> check;  // no run: so many puts of an earlier one must be there
  std::string json = "-";
  std::string trace;   // the operations are written there
  std::string replay;  // and come from there

  uint64_t Operations() const { return operations == 0 ? num : operations; }
};

SourceOptions SourceOptionsOf(const BenchOptions &options);
ValueSizes ValueSizesOf(const BenchOptions &options);

enum class ParseResult : uint8_t { kRun, kHelp, kError };

// Sets one option as `--name=value` does; if it is wrong *error is one line that names it and its range.
bool SetBenchOption(const std::string &name, const std::string &value, BenchOptions *options, std::string *error);

// Whether options, each of them right, go together; if not, *error is one line that names one of them.
bool CheckBenchOptions(const BenchOptions &options, std::string *error);

// Parses `--name=value` arguments and checks them; on kError *error is one line.
ParseResult ParseBenchOptions(int argc, char **argv, BenchOptions *options, std::string *error);

// What --help prints.
std::string BenchUsage();

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BENCH_OPTIONS_H_
