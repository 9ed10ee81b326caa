// SPDX-License-Identifier: Apache-2.0
//
// The options of one run of db_bench.
#ifndef OPENREMAP_LEVELDB_HOST_BENCH_OPTIONS_H_
#define OPENREMAP_LEVELDB_HOST_BENCH_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bench/gen/bench_options.h"
#include "bench/gen/workload_names.h"
#include "bench/workload/value_sizes.h"
#include "bench/workload/workload.h"
#include "bench_device.h"
#include "remap_options.h"

namespace openremap {

// The enumerator of a choice's default: its place in the list of names, which has the order of the enumerators.
template <class Enum, class Names>
constexpr Enum DefaultOf(const Names &names, const ChoiceOption &option) {
  uint8_t place = 0;
  while (names.at(place).name != std::string_view(option.initial)) place++;
  return static_cast<Enum>(place);
}

// Largest value of --num.
inline constexpr uint64_t kMostNum = described::kNum.range.high;

// When compactions run.
enum class Compactions : uint8_t { kEager, kLate };

// One run. Each member that is an option has the default that interfaces/options/bench.yaml gives it; they fill four
// levels with a few megabytes.
struct BenchOptions {
  Workload workload = DefaultOf<Workload>(kWorkloads, described::kWorkload);
  RemapMode mode = DefaultOf<RemapMode>(kRemapModes, described::kMode);
  BenchDeviceOptions device;
  uint64_t num = described::kNum.range.initial;                    // records, which is the size of the key space
  uint64_t operations = described::kOperations.range.initial;      // 0: num; see Operations()
  size_t value_size = described::kValueSize.range.initial;         // bytes
  size_t value_size_max = described::kValueSizeMax.range.initial;  // bytes; 0: all values have value_size
  size_t key_size = described::kKeySize.range.initial;             // bytes
  uint64_t seed = described::kSeed.range.initial;
  size_t write_buffer = described::kWriteBuffer.range.initial;   // bytes
  size_t max_file_size = described::kMaxFileSize.range.initial;  // bytes
  uint64_t level1_bytes = described::kLevel1Bytes.range.initial;
  int level_ratio = described::kLevelRatio.range.initial;
  int fill_space_percent = described::kFillSpace.range.initial;
  int last_level_ratio = described::kLastLevelRatio.range.initial;  // 0: level sizes as in the other modes
  bool dynamic_levels = described::kDynamicLevels.initial;
  int blend_runs = described::kBlendRuns.range.initial;
  BlendRule blend_rule = DefaultOf<BlendRule>(kBlendRulesNames, described::kBlendRule);
  int blend_space_percent = described::kBlendSpace.range.initial;
  RemapBlocks remap_blocks = DefaultOf<RemapBlocks>(kRemapBlocksNames, described::kRemapBlocks);
  int blend_filter_bits = described::kBlendFilterBits.range.initial;  // per key
  int bloom_bits = described::kBloomBits.range.initial;               // per key, in every mode; 0: blend's own only
  size_t block_size = described::kBlockSize.range.initial;            // bytes
  bool seek_compactions = described::kSeekCompactions.initial;
  Compactions compactions = DefaultOf<Compactions>(kCompactionsNames, described::kCompactions);
  bool separate = described::kSeparate.initial;  // with a value log, which the next four are of
  uint64_t value_log_threshold = described::kValueLogThreshold.range.initial;    // bytes of a value
  uint64_t value_log_segment_bytes = described::kValueLogSegment.range.initial;  // bytes
  int value_log_dead_percent = described::kValueLogDead.range.initial;
  ValueLogCollector value_log_collector =
      DefaultOf<ValueLogCollector>(kValueLogCollectorsNames, described::kValueLogCollector);
  uint64_t sync_every = described::kSyncEvery.range.initial;  // every Nth put is synced; 0: none
  // Workload mix; the percentages.
  MixOptions mix = {described::kMixInsert.range.initial, described::kMixUpdate.range.initial,
                    described::kMixRead.range.initial,   described::kMixDelete.range.initial,
                    described::kMixScan.range.initial,   DefaultOf<MixKeys>(kKeysNames, described::kMixKeys)};
  // Workload utxo.
  UtxoOptions utxo = {described::kUtxoOutputs.range.initial, described::kUtxoFlush.range.initial,
                      described::kUtxoCache.range.initial};
  std::optional<uint64_t> check;  // run nothing; this number of an earlier run's first puts must be there
  std::string json = described::kJson.initial;
  std::string trace = described::kTrace.initial;        // file that the operations are written to
  std::string replay = described::kReplay.initial;      // file that the operations are read from
  bool trace_verify = described::kTraceVerify.initial;  // recorded commands and pages go on when all is read back

  uint64_t Operations() const { return operations == 0 ? num : operations; }
};

SourceOptions SourceOptionsOf(const BenchOptions &options);
ValueSizes ValueSizesOf(const BenchOptions &options);

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BENCH_OPTIONS_H_
