// SPDX-License-Identifier: Apache-2.0
#include "bench/report.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "bench/files/output_file.h"

namespace openremap {
namespace {

// One object or array, members in the order they are added.
class Json {
 public:
  explicit Json(char open) : text_(1, open), close_(open == '{' ? '}' : ']') {}

  Json &Raw(const std::string &name, const std::string &value) {
    if (text_.size() > 1) text_ += ", ";
    if (close_ == '}') text_ += '"' + name + "\": ";
    text_ += value;
    return *this;
  }
  // REQUIRES: no quotes or control characters in `value`; ours are names of options.
  Json &Text(const std::string &name, const std::string &value) { return Raw(name, '"' + value + '"'); }
  Json &Number(const std::string &name, uint64_t value) { return Raw(name, std::to_string(value)); }
  Json &Real(const std::string &name, double value) {
    char buffer[64];
    std::snprintf(buffer, sizeof(buffer), "%.9g", value);
    return Raw(name, buffer);
  }
  // Members as text; empty: none.
  Json &Members(const std::string &members) {
    if (!members.empty()) text_ += ", " + members;
    return *this;
  }
  std::string Close() const { return text_ + close_; }

 private:
  std::string text_;
  char close_;
};

constexpr uint64_t kSpanBytes = 8 * kPageBytes;  // of FileReads

// What every report begins with.
Json Head(const BenchOptions &options) {
  return Json('{')
      .Text("workload", WorkloadName(options.workload))
      .Text("device", options.device.device)
      .Text("mode", RemapModeName(options.mode))
      .Number("seed", options.seed);
}

const char *OnOff(bool on) { return on ? "on" : "off"; }

template <class Names, class Enum>
const char *NameOf(const Names &names, Enum choice) {
  return names.at(static_cast<size_t>(choice)).name;
}

// A member with the percentiles in microseconds, where there are any.
void AddLatencies(const char *name, const LatencyHistogram &h, Json *members) {
  if (h.count() == 0) return;
  const auto microseconds = [&h](double share) { return static_cast<double>(h.Percentile(share)) / 1000; };
  members->Raw(name, Json('{')
                         .Number("count", h.count())
                         .Real("p50", microseconds(0.5))
                         .Real("p95", microseconds(0.95))
                         .Real("p99", microseconds(0.99))
                         .Real("p999", microseconds(0.999))
                         .Real("max", microseconds(1))
                         .Close());
}

double Ratio(double part, double whole) { return whole == 0 ? 0 : part / whole; }
double Ratio(uint64_t part, uint64_t whole) { return Ratio(static_cast<double>(part), static_cast<double>(whole)); }

}  // namespace

std::string ReportJson(const BenchOptions &options, const BenchDevice &device, const BenchResult &result,
                       const std::string &members) {
  Json geometry('{');
  for (const auto &[name, value] : device.Geometry()) geometry.Raw(name, value);

  LevelCounters total;
  size_t deepest = 0;
  for (size_t i = 0; i < result.levels.size(); i++) {
    total += result.levels[i].counters;
    if (result.levels[i].files != 0 || result.levels[i].counters.input_blocks != 0) deepest = i;
  }
  Json levels('[');
  for (size_t i = 0; i < result.levels.size() && i <= deepest; i++) {
    const LevelResult &level = result.levels[i];
    const LevelCounters &c = level.counters;
    levels.Raw("", Json('{')
                       .Number("level", i)
                       .Number("files", level.files)
                       .Number("bytes", level.bytes)
                       .Number("input_blocks", c.input_blocks)
                       .Number("unchanged_blocks", c.unchanged_blocks)
                       .Number("skipped_blocks", c.skipped_blocks)
                       .Number("remapped_blocks", c.remapped_blocks)
                       .Number("copied_blocks", c.copied_blocks)
                       .Number("attached_blocks", c.attached_blocks)
                       .Number("blended_tables", c.blended_tables)
                       .Real("unchanged_ratio", Ratio(c.remapped_blocks + c.copied_blocks, c.input_blocks))
                       .Number("padding_bytes", c.padding_bytes)
                       .Close());
  }

  Json latencies('{');
  for (size_t i = 0; i < kOperationKinds; i++) {
    AddLatencies(OperationKindName(static_cast<OperationKind>(i)), result.latencies.at(i), &latencies);
  }
  Json device_latencies('{');
  for (size_t i = 0; i < kDeviceCalls; i++) {
    AddLatencies(DeviceCallName(static_cast<DeviceCall>(i)), result.device_latencies.at(i), &device_latencies);
  }

  Json causes('{');
  for (size_t i = 0; i < kWriteCauses; i++) {
    causes.Number(WriteCauseName(static_cast<WriteCause>(i)), result.device.bytes_by_cause.at(i));
  }
  causes.Number("file_system", result.device.fs_metadata_pages * kPageBytes);
  causes.Number("mapping_unit", result.device.coarse_pages * kPageBytes);
  causes.Number("journal", result.device.journal_pages * kPageBytes);
  Json value_log('{');
  for (const auto &[name, value] : result.value_log) value_log.Number(name.c_str(), value);
  Json precondition('[');
  for (const double wa : device.Precondition()) precondition.Real("", wa);

  const uint64_t host_bytes = result.device.host_write_pages * kPageBytes;
  const uint64_t nand_bytes = result.device.nand_program_pages * kPageBytes;
  return Head(options)
             .Raw("parameters",
                  Json('{')
                      .Number("num", options.num)
                      .Number("operations", options.Operations())
                      .Number("sync_every", options.sync_every)
                      .Number("key_size", options.key_size)
                      .Number("value_size", options.value_size)
                      .Number("value_size_max", options.value_size_max)
                      .Number("write_buffer", options.write_buffer)
                      .Number("max_file_size", options.max_file_size)
                      .Number("level1_bytes", options.level1_bytes)
                      .Number("level_ratio", static_cast<uint64_t>(options.level_ratio))
                      .Number("fill_space", static_cast<uint64_t>(options.fill_space_percent))
                      .Number("last_level_ratio", static_cast<uint64_t>(options.last_level_ratio))
                      .Text("dynamic_levels", OnOff(options.dynamic_levels))
                      .Number("blend_runs", static_cast<uint64_t>(options.blend_runs))
                      .Text("blend_rule", NameOf(kBlendRulesNames, options.blend_rule))
                      .Number("blend_space", static_cast<uint64_t>(options.blend_space_percent))
                      .Text("remap_blocks", NameOf(kRemapBlocksNames, options.remap_blocks))
                      .Number("blend_filter_bits", static_cast<uint64_t>(options.blend_filter_bits))
                      .Number("over_provisioning", options.device.over_provisioning)
                      .Number("placement_handles", options.device.placement_handles)
                      .Number("mapping_unit", options.device.mapping_unit)
                      .Text("placement", NameOf(kPlacementsNames, options.device.placement))
                      .Text("deallocate", OnOff(options.device.deallocate))
                      .Text("mkfs_discard", OnOff(options.device.mkfs_discard))
                      .Text("allocation", NameOf(kAllocationsNames, options.device.allocation))
                      .Text("align", OnOff(options.device.align))
                      .Text("journal", NameOf(kJournalsNames, options.device.journal))
                      .Text("side", NameOf(kSidesNames, options.device.side))
                      .Text("precondition", OnOff(options.device.precondition))
                      .Number("block_size", options.block_size)
                      .Text("seek_compactions", OnOff(options.seek_compactions))
                      .Text("compactions", NameOf(kCompactionsNames, options.compactions))
                      .Text("separate", OnOff(options.separate))
                      .Number("value_log_threshold", options.value_log_threshold)
                      .Number("value_log_segment", options.value_log_segment_bytes)
                      .Number("value_log_dead", static_cast<uint64_t>(options.value_log_dead_percent))
                      .Text("value_log_collector", NameOf(kValueLogCollectorsNames, options.value_log_collector))
                      .Number("bloom_bits", static_cast<uint64_t>(options.bloom_bits))
                      .Number("mix_insert", static_cast<uint64_t>(options.mix.insert))
                      .Number("mix_update", static_cast<uint64_t>(options.mix.update))
                      .Number("mix_read", static_cast<uint64_t>(options.mix.read))
                      .Number("mix_delete", static_cast<uint64_t>(options.mix.remove))
                      .Number("mix_scan", static_cast<uint64_t>(options.mix.scan))
                      .Text("mix_keys", NameOf(kKeysNames, options.mix.keys))
                      .Number("utxo_outputs", options.utxo.outputs)
                      .Number("utxo_flush", options.utxo.flush)
                      .Number("utxo_cache", options.utxo.cache)
                      .Close())
             .Raw("geometry", geometry.Close())
             .Raw("precondition_wa", precondition.Close())
             .Number("user_bytes", result.user_bytes)
             .Number("host_bytes", host_bytes)
             .Raw("bytes_by_cause", causes.Close())
             .Number("fs_metadata_bytes", result.device.fs_metadata_pages * kPageBytes)
             .Number("file_bytes", result.device.file_bytes)
             .Number("side_bytes", result.device.side_pages * kPageBytes)
             .Number("nand_bytes", nand_bytes)
             .Number("gc_pages", result.device.gc_pages)
             .Number("wear_pages", result.device.wear_pages)
             .Number("gc_shared_pages", result.device.gc_shared_pages)
             .Number("metadata_pages", result.device.metadata_pages)
             .Number("nvram_bytes", result.device.nvram_bytes)
             .Number("erases", result.device.erases)
             .Raw("erase_counts", Json('{')
                                      .Number("least", result.device.least_erases)
                                      .Number("mean", result.device.mean_erases)
                                      .Number("most", result.device.most_erases)
                                      .Close())
             .Real("wa1", Ratio(host_bytes, result.user_bytes))
             .Real("wa2", Ratio(nand_bytes, host_bytes))
             .Real("wa", Ratio(nand_bytes, result.user_bytes))
             .Number("remapped_pages", result.remap.remapped_pages)
             .Number("remap_commands", result.remap.remap_commands)
             .Number("remap_fallbacks", result.remap.fallback_pages)
             .Real("unchanged_ratio", Ratio(total.remapped_blocks + total.copied_blocks, total.input_blocks))
             .Number("short_compactions", total.short_compactions)
             .Number("plain_compactions", total.plain_compactions)
             .Number("reclaim_compactions", total.reclaim_compactions)
             .Number("padding_bytes", total.padding_bytes)
             .Raw("levels", levels.Close())
             .Raw("value_log", value_log.Close())
             .Number("used_bytes", result.device.used_pages * kPageBytes)
             .Number("free_bytes", result.device.free_pages * kPageBytes)
             .Number("largest_free_bytes", result.device.largest_free_pages * kPageBytes)
             .Number("live_bytes", result.live_bytes)
             .Real("space_amplification", Ratio(result.device.used_pages * kPageBytes, result.live_bytes))
             .Number("host_read_bytes", result.device.host_read_pages * kPageBytes)
             .Number("get_bytes", result.get_bytes)
             .Number("get_read_bytes", result.get_reads.pages * kPageBytes)
             .Number("get_read_bytes_of_spans", result.get_reads.spans * kSpanBytes)
             .Number("operations", result.operations)
             .Number("reads", result.reads)
             .Raw("latency_us", latencies.Close())
             .Raw("device_latency_us", device_latencies.Close())
             .Real("device_seconds", result.device.device_seconds)
             .Real("firmware_seconds", result.device.firmware_seconds)
             .Real("host_cpu_seconds", result.host_cpu_seconds)
             .Real("background_cpu_seconds", result.background_cpu_seconds)
             .Number("sim_cycles", result.device.sim_cycles)
             .Number("evaluated_cycles", result.device.evaluated_cycles)
             .Real("sim_cpu_seconds", result.device.sim_cpu_seconds)
             .Real("verify_device_seconds", result.verify.device_seconds)
             .Number("verify_sim_cycles", result.verify.sim_cycles)
             .Real("wall_seconds", result.wall_seconds)
             .Number("keys_verified", result.keys_verified)
             .Number("deleted_verified", result.deleted_verified)
             .Number("keys_expected", result.keys_expected)
             .Number("mismatches", result.verify_mismatches)
             .Raw("full", result.full ? "true" : "false")
             .Members(members)
             .Close() +
         "\n";
}

std::string CheckJson(const BenchOptions &options, const CheckResult &result) {
  return Head(options)
             .Number("puts", options.Operations())
             .Number("check", options.check.value_or(0))
             .Number("least_puts", result.least_puts)
             .Number("most_puts", result.most_puts)
             .Number("keys", result.keys)
             .Number("mismatches", result.mismatches)
             .Close() +
         "\n";
}

bool CanWriteReport(const std::string &path, std::string *error) {
  std::string reason;
  if (path == "-" || CanWriteFile(path, &reason)) return true;
  *error = "--json=" + path + ": " + reason;
  return false;
}

leveldb::Status WriteReport(const std::string &path, const std::string &text) {
  if (path != "-") return WriteFile(path, text);
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  const bool flushed = std::fflush(stdout) == 0;
  return written && flushed ? leveldb::Status::OK() : leveldb::Status::IOError("-", std::strerror(errno));
}

}  // namespace openremap
