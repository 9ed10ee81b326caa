// SPDX-License-Identifier: Apache-2.0
#include "bench/options/option_help.h"

#include <sstream>
#include <vector>

#include "bench/gen/workload_names.h"
#include "bench/options/option_table.h"
#include "bench/options/parse_options.h"

namespace openremap {
namespace {

constexpr size_t kColumns = 100;

// `text` in lines of at most kColumns, each with `indent` spaces before it.
std::string Wrapped(const std::string &text, size_t indent) {
  std::istringstream words(text);
  std::string wrapped, line;
  for (std::string word; words >> word;) {
    if (!line.empty() && indent + line.size() + 1 + word.size() > kColumns) {
      wrapped += std::string(indent, ' ') + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return wrapped + std::string(indent, ' ') + line + "\n";
}

std::string ListLine(const char *name, const char *text) {
  std::string left = std::string("    ") + name;
  left.resize(22, ' ');
  return left + text + "\n";
}

// The descriptions have neither quotes nor backslashes (interfaces/ormgen/render.py).
std::string Quoted(const std::string &text) { return "\"" + text + "\""; }

std::string JsonList(const std::string &names) {
  std::istringstream stream(names);
  std::string list;
  for (std::string name; std::getline(stream, name, '|');) list += (list.empty() ? "" : ", ") + Quoted(name);
  return "[" + list + "]";
}

std::string OptionJson(const OptionRow &row) {
  const bool number = !row.limits.empty();
  const std::string initial = number ? (row.value.empty() ? "null" : row.value) : Quoted(row.value);
  return Quoted(row.text.name) + ": {\"kind\": " + Quoted(row.kind) + row.limits + ", \"default\": " + initial +
         ", \"help\": " + Quoted(row.text.help) + ", \"excludes\": " + JsonList(row.text.excludes) +
         ", \"workloads\": " + JsonList(row.text.workloads) +
         (row.kind == std::string("choice") ? ", \"choices\": " + JsonList(row.expected) : "") + "}";
}

template <class T>
std::string RemapJson(const char *name, const OptionRange<T> &range, T initial) {
  return Quoted(name) + ": {\"low\": " + std::to_string(range.low) + ", \"high\": " + std::to_string(range.high) +
         ", \"or_zero\": " + (range.or_zero ? "true" : "false") + ", \"default\": " + std::to_string(initial) + "}";
}

std::string WorkloadJson(const WorkloadText &described) {
  Workload workload{};
  ParseWorkload(described.name, &workload);
  return Quoted(WorkloadName(workload)) + ": {\"text\": " + Quoted(described.text) +
         ", \"stream\": " + (IsStream(workload) ? "true" : "false") +
         ", \"own_value_sizes\": " + (HasOwnValueSizes(workload) ? "true" : "false") + "}";
}

std::string Joined(const std::vector<std::string> &members) {
  std::string joined;
  for (const std::string &member : members) joined += (joined.empty() ? "    " : ",\n    ") + member;
  return joined;
}

}  // namespace

std::string BenchUsage() {
  BenchOptions defaults;
  defaults.device.device = DefaultBenchDevice();
  std::string usage =
      "usage: db_bench [--name=value ...]\n"
      "\n"
      "Runs one workload in one mode on one device. Afterwards reads every key back and compares it.\n"
      "Writes the results as one JSON object. Progress goes to standard error.\n"
      "\n"
      "Exit code: 0 all keys verified, 1 the run failed, 2 a bad option, 3 the device has no space left (the results\n"
      "then have what was measured until then).\n"
      "\n"
      "Options:\n"
      "  --help\n"
      "      Print this text.\n"
      "  --describe\n"
      "      Print the options, their ranges, defaults and help as JSON.\n";
  for (const OptionRow &row : OptionTable(&defaults)) {
    usage += std::string("  --") + row.text.name + "=" + row.text.value + "\n";
    std::string facts = row.kind == std::string("choice") ? "" : row.expected;
    if (!row.value.empty()) facts += (facts.empty() ? "default: " : "; default: ") + row.value;
    usage += Wrapped(row.text.help + (facts.empty() ? "" : " [" + facts + "]"), 6);
  }
  usage += "\nModes:\n";
  for (const RemapModeText &mode : kRemapModes) usage += ListLine(mode.name, mode.text);
  usage += "\nWorkloads:\n";
  for (const WorkloadText &workload : kWorkloads) usage += ListLine(workload.name, workload.text);
  return usage;
}

std::string BenchDescription() {
  BenchOptions defaults;
  std::vector<std::string> options, modes, workloads;
  for (const OptionRow &row : OptionTable(&defaults)) options.push_back(OptionJson(row));
  for (const RemapModeText &mode : kRemapModes) modes.push_back(Quoted(mode.name) + ": " + Quoted(mode.text));
  for (const WorkloadText &workload : kWorkloads) workloads.push_back(WorkloadJson(workload));
  const RemapOptions remap;
  const std::vector<std::string> ranges = {
      RemapJson("level1_bytes", kLevel1Bytes, remap.level1_bytes),
      RemapJson("level_ratio", kLevelRatio, remap.level_ratio),
      RemapJson("last_level_ratio", kLastLevelRatio, remap.last_level_ratio),
      RemapJson("fill_space_percent", kFillSpacePercent, remap.fill_space_percent),
      RemapJson("blend_runs", kBlendRuns, remap.blend_runs),
      RemapJson("blend_space_percent", kBlendSpacePercent, remap.blend_space_percent),
      RemapJson("blend_filter_bits", kBlendFilterBits, remap.blend_filter_bits),
      RemapJson("min_table_bytes", kMinTableBytes, remap.min_table_bytes),
      RemapJson("min_manifest_bytes", kMinManifestBytes, remap.min_manifest_bytes),
      RemapJson("max_info_log_bytes", kMaxInfoLogBytes, remap.max_info_log_bytes),
      RemapJson("value_log_segment_bytes", kValueLogSegmentBytes, remap.value_log_segment_bytes),
      RemapJson("value_log_dead_percent", kValueLogDeadPercent, remap.value_log_dead_percent),
  };
  return "{\n  \"options\": {\n" + Joined(options) + "\n  },\n  \"modes\": {\n" + Joined(modes) +
         "\n  },\n  \"workloads\": {\n" + Joined(workloads) + "\n  },\n  \"remap\": {\n" + Joined(ranges) +
         "\n  },\n  \"trace\": {\"name\": " + Quoted(kTraceName) + ", \"version\": " + kTraceVersion + "}\n}\n";
}

}  // namespace openremap
