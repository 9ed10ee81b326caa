// SPDX-License-Identifier: Apache-2.0
#include "bench/run/capacity.h"

#include <algorithm>

#include "bench/workload/live_keys.h"
#include "bench/workload/outpoint.h"

namespace openremap {
namespace {

// Device space over live data, rounded up from the benchmark's own space_amplification at 3000 to 12000 keys.
double SpaceFactor(const BenchOptions &options) {
  if (options.workload == Workload::kFillSeq) return 1.2;  // nothing is ever merged
  if (options.mode == RemapMode::kBlend) return 1.5;       // old versions that newer runs hide
  return options.mode == RemapMode::kRetain ? 2.5 : 1.3;
}

// A table of each level's overlap, its inputs and its output side by side, beside the log and the memtable being
// written.
uint64_t WorkingBytes(const BenchOptions &options) {
  return 3 * static_cast<uint64_t>(options.write_buffer) +
         2 * static_cast<uint64_t>(options.level_ratio) * static_cast<uint64_t>(options.max_file_size);
}

uint64_t ItemBytes(const BenchOptions &options) {
  const size_t key_bytes = options.workload == Workload::kUtxo ? kOutpointBytes : options.key_size;
  return key_bytes + static_cast<uint64_t>(ValueSizesOf(options).Mean());
}

}  // namespace

uint64_t LiveBytes(const BenchOptions &options) {
  return static_cast<uint64_t>(LiveKeys(SourceOptionsOf(options)) * static_cast<double>(ItemBytes(options)));
}

uint64_t LargestNum(const BenchOptions &options, uint64_t free_bytes) {
  const uint64_t working = std::min(free_bytes, WorkingBytes(options));
  const double room = static_cast<double>(free_bytes - working);
  const auto fits = [&](uint64_t num) {
    BenchOptions other = options;
    other.num = num;
    return static_cast<double>(LiveBytes(other)) * SpaceFactor(other) <= room;
  };
  // More records never leave fewer keys.
  uint64_t fitting = 0, above = kMostNum + 1;
  while (above - fitting > 1) {
    const uint64_t num = fitting + (above - fitting) / 2;
    (fits(num) ? fitting : above) = num;
  }
  return fitting;
}

bool Fits(const BenchOptions &options, uint64_t free_bytes, std::string *error) {
  const uint64_t live = LiveBytes(options);
  if (live <= free_bytes) return true;
  const std::string operations =
      options.operations == 0 ? "" : " with --operations=" + std::to_string(options.operations);
  const uint64_t largest = LargestNum(options, free_bytes);
  *error = "--num=" + std::to_string(options.num) + operations + ": about " + std::to_string(live) +
           " bytes of keys and values do not fit the device, which has room for " + std::to_string(free_bytes) +
           (largest == 0 ? "; no smaller one should, either"
                         : "; the largest that fits is about " + std::to_string(largest));
  return false;
}

}  // namespace openremap
