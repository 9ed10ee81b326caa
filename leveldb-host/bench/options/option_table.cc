// SPDX-License-Identifier: Apache-2.0
#include "bench/options/option_table.h"

#include <array>
#include <charconv>
#include <sstream>
#include <system_error>

namespace openremap {
namespace {

template <class T>
bool ParseNumber(const std::string &text, const OptionRange<T> &range, T *result) {
  T value{};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) return false;
  if ((value < range.low || value > range.high) && !(range.or_zero && value == 0)) return false;
  *result = value;
  return true;
}

template <class T>
std::string RangeText(const OptionRange<T> &range) {
  return (range.or_zero ? "0 or " : "") + std::to_string(range.low) + ".." + std::to_string(range.high);
}

template <class T>
std::string RangeJson(const OptionRange<T> &range) {
  return ", \"low\": " + std::to_string(range.low) + ", \"high\": " + std::to_string(range.high) +
         ", \"or_zero\": " + (range.or_zero ? "true" : "false");
}

template <class T>
OptionRow Row(const NumberOption<T> &described, T *to) {
  const OptionRange<T> &range = described.range;
  return {described.text,   "number",
          RangeText(range), std::to_string(*to),
          RangeJson(range), [&range, to](const std::string &value) { return ParseNumber(value, range, to); }};
}

template <class T>
OptionRow Row(const OptionalOption<T> &described, std::optional<T> *to) {
  const OptionRange<T> &range = described.range;
  return {described.text,
          "optional",
          RangeText(range),
          *to ? std::to_string(**to) : "",
          RangeJson(range),
          [&range, to](const std::string &value) {
            T number{};
            if (!ParseNumber(value, range, &number)) return false;
            *to = number;
            return true;
          }};
}

OptionRow Row(const SwitchOption &described, bool *to) {
  return {described.text, "switch", "on or off", *to ? "on" : "off", "", [to](const std::string &value) {
            if (value != "on" && value != "off") return false;
            *to = value == "on";
            return true;
          }};
}

OptionRow Row(const TextOption &described, std::string *to, const std::string &expected = "") {
  return {described.text, "text", expected, *to, "", [to](const std::string &value) {
            *to = value;
            return true;
          }};
}

template <class Enum, size_t kCount>
OptionRow Row(const ChoiceOption &described, const std::array<ChoiceName, kCount> &names, Enum *to) {
  std::string joined;
  for (const ChoiceName &name : names) joined += (joined.empty() ? "" : "|") + std::string(name.name);
  return {described.text,
          "choice",
          joined,
          names.at(static_cast<size_t>(*to)).name,
          "",
          [&names, to](const std::string &value) {
            for (size_t i = 0; i < kCount; i++) {
              if (value != names.at(i).name) continue;
              *to = static_cast<Enum>(i);
              return true;
            }
            return false;
          }};
}

OptionRow Row(const ChoiceOption &described, Workload *to) {
  return {described.text,    "choice", WorkloadNames(),
          WorkloadName(*to), "",       [to](const std::string &value) { return ParseWorkload(value, to); }};
}

OptionRow Row(const ChoiceOption &described, RemapMode *to) {
  return {described.text,     "choice", RemapModeNames("|"),
          RemapModeName(*to), "",       [to](const std::string &value) { return ParseRemapMode(value, to); }};
}

}  // namespace

std::string DeviceChoice() { return BenchDeviceNames() + "|" + BenchDevicePaths(); }

bool IsOneOf(const std::string &name, const std::string &names) {
  std::istringstream stream(names);
  for (std::string known; std::getline(stream, known, '|');) {
    if (known == name) return true;
  }
  return false;
}

std::vector<OptionRow> OptionTable(BenchOptions *options) {
  BenchOptions &o = *options;
  std::vector<OptionRow> table = {
      Row(described::kWorkload, &o.workload),
      Row(described::kDevice, &o.device.device, DeviceChoice()),
      Row(described::kMode, &o.mode),
      Row(described::kNum, &o.num),
      Row(described::kOperations, &o.operations),
      Row(described::kValueSize, &o.value_size),
      Row(described::kValueSizeMax, &o.value_size_max),
      Row(described::kKeySize, &o.key_size),
      Row(described::kSeed, &o.seed),
      Row(described::kWriteBuffer, &o.write_buffer),
      Row(described::kMaxFileSize, &o.max_file_size),
      Row(described::kLevel1Bytes, &o.level1_bytes),
      Row(described::kLevelRatio, &o.level_ratio),
      Row(described::kFillSpace, &o.fill_space_percent),
      Row(described::kLastLevelRatio, &o.last_level_ratio),
      Row(described::kDynamicLevels, &o.dynamic_levels),
      Row(described::kBlendRuns, &o.blend_runs),
      Row(described::kBlendRule, kBlendRulesNames, &o.blend_rule),
      Row(described::kBlendSpace, &o.blend_space_percent),
      Row(described::kRemapBlocks, kRemapBlocksNames, &o.remap_blocks),
      Row(described::kBlendFilterBits, &o.blend_filter_bits),
      Row(described::kBloomBits, &o.bloom_bits),
      Row(described::kMixInsert, &o.mix.insert),
      Row(described::kMixUpdate, &o.mix.update),
      Row(described::kMixRead, &o.mix.read),
      Row(described::kMixDelete, &o.mix.remove),
      Row(described::kMixScan, &o.mix.scan),
      Row(described::kMixKeys, kKeysNames, &o.mix.keys),
      Row(described::kUtxoOutputs, &o.utxo.outputs),
      Row(described::kUtxoFlush, &o.utxo.flush),
      Row(described::kUtxoCache, &o.utxo.cache),
      Row(described::kSuperblocks, &o.device.superblocks),
      Row(described::kGeometry, &o.device.geometry),
      Row(described::kOverProvisioning, &o.device.over_provisioning),
      Row(described::kPlacementHandles, &o.device.placement_handles),
      Row(described::kCache, &o.device.cache),
      Row(described::kFirmware, &o.device.firmware),
      Row(described::kFirmwareCpu, &o.device.firmware_cpu),
      Row(described::kMappingUnit, &o.device.mapping_unit),
      Row(described::kPlacement, kPlacementsNames, &o.device.placement),
      Row(described::kDeallocate, &o.device.deallocate),
      Row(described::kMkfsDiscard, &o.device.mkfs_discard),
      Row(described::kAllocation, kAllocationsNames, &o.device.allocation),
      Row(described::kAlign, &o.device.align),
      Row(described::kJournal, kJournalsNames, &o.device.journal),
      Row(described::kSide, kSidesNames, &o.device.side),
      Row(described::kPrecondition, &o.device.precondition),
      Row(described::kBlockSize, &o.block_size),
      Row(described::kSeekCompactions, &o.seek_compactions),
      Row(described::kCompactions, kCompactionsNames, &o.compactions),
      Row(described::kSeparate, &o.separate),
      Row(described::kValueLogThreshold, &o.value_log_threshold),
      Row(described::kValueLogSegment, &o.value_log_segment_bytes),
      Row(described::kValueLogDead, &o.value_log_dead_percent),
      Row(described::kValueLogCollector, kValueLogCollectorsNames, &o.value_log_collector),
      Row(described::kSyncEvery, &o.sync_every),
      Row(described::kCheck, &o.check),
      Row(described::kJson, &o.json),
      Row(described::kTrace, &o.trace),
      Row(described::kReplay, &o.replay),
      Row(described::kImageDir, &o.device.image_dir),
      Row(described::kReserveImage, &o.device.reserve_image),
      Row(described::kTraceFile, &o.device.trace_file),
      Row(described::kRecordFile, &o.device.record_file),
      Row(described::kTracePages, &o.device.page_trace_file),
      Row(described::kTraceVerify, &o.trace_verify),
  };
  return table;
}

}  // namespace openremap
