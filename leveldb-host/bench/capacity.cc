// SPDX-License-Identifier: Apache-2.0
#include "capacity.h"

#include <algorithm>

namespace openremap {
namespace {

// Expected share of the key space that as many random puts as it has keys touch: 1 - 1/e.
constexpr double kTouched = 0.632;

double LiveShare(Workload workload) {
  const bool every_key = workload == Workload::kFillSeq || workload == Workload::kOverwrite ||
                         workload == Workload::kYcsbLoad || IsYcsb(workload);
  if (workload == Workload::kFillZipfian) return 0.2;  // 0.25 of 100,000 keys, less of more
  return every_key ? 1.0 : kTouched;
}

// Device space over live data, rounded up from the benchmark's own space_amplification at 3000 to 12000 keys.
double SpaceFactor(const BenchOptions &options) {
  if (options.workload == Workload::kFillSeq) return 1.2;  // nothing is ever merged
  if (options.mode == RemapMode::kBlend) return 1.5;       // old versions that newer runs hide
  return options.mode == RemapMode::kRetain ? 2.5 : 1.3;
}

// A table of each level's overlap, its inputs and its output side by side, beside the log and the memtable being written.
uint64_t WorkingBytes(const BenchOptions &options) {
  return 3 * static_cast<uint64_t>(options.write_buffer) +
         2 * static_cast<uint64_t>(options.level_ratio) * static_cast<uint64_t>(options.max_file_size);
}

uint64_t ItemBytes(const BenchOptions &options) {
  return options.key_size + static_cast<uint64_t>(ValueSizesOf(options).Mean());
}

}  // namespace

uint64_t LiveBytes(const BenchOptions &options) {
  return static_cast<uint64_t>(static_cast<double>(options.num) * LiveShare(options.workload) *
                               static_cast<double>(ItemBytes(options)));
}

uint64_t LargestNum(const BenchOptions &options, uint64_t free_bytes) {
  const uint64_t working = std::min(free_bytes, WorkingBytes(options));
  const double item = static_cast<double>(ItemBytes(options)) * LiveShare(options.workload) * SpaceFactor(options);
  return static_cast<uint64_t>(static_cast<double>(free_bytes - working) / item);
}

bool Fits(const BenchOptions &options, uint64_t free_bytes, std::string *error) {
  const uint64_t live = LiveBytes(options);
  if (live <= free_bytes) return true;
  *error = "--num=" + std::to_string(options.num) + ": about " + std::to_string(live) +
           " bytes of keys and values do not fit the device, which has room for " + std::to_string(free_bytes) +
           "; the largest that fits is about " + std::to_string(LargestNum(options, free_bytes));
  return false;
}

}  // namespace openremap
