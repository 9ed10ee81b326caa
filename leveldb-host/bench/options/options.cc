// SPDX-License-Identifier: Apache-2.0
#include "bench/options/options.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <sstream>
#include <string_view>
#include <vector>

#include "bench/workload/mixgraph.h"

namespace openremap {
namespace {

template <class T>
bool ParseNumber(const std::string &text, T low, T high, T *result) {
  T value{};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size() || value < low || value > high) return false;
  *result = value;
  return true;
}

template <class T>
bool ParseIn(const std::string &text, const OptionRange<T> &range, T *result) {
  return ParseNumber<T>(text, range.low, range.high, result);
}

template <class T>
std::string RangeText(const OptionRange<T> &range) {
  return std::to_string(range.low) + ".." + std::to_string(range.high);
}

bool ParseSwitch(const std::string &text, bool *result) {
  *result = text == "on";
  return text == "on" || text == "off";
}

std::string DeviceChoice() { return BenchDeviceNames() + "|" + BenchDevicePaths(); }

struct Flag {
  std::string name;
  std::string range;  // what the error says is allowed
  std::string help;
  std::string value;  // what it is now
  std::function<bool(const std::string &)> parse;
};

// The limits are LevelDB's own (SanitizeOptions) where it has one: it would clip in silence.
std::vector<Flag> Flags(BenchOptions *o) {
  auto text = [](std::string *to) {
    return [to](const std::string &value) {
      *to = value;
      return true;
    };
  };
  return {
      {"workload", WorkloadNames(), "what runs", WorkloadName(o->workload),
       [o](const std::string &v) { return ParseWorkload(v, &o->workload); }},
      {"device", DeviceChoice(), "where it runs", o->device.device, text(&o->device.device)},
      {"mode", "off|base|retain|fill|skip|blend", "what compactions do with unchanged blocks", RemapModeName(o->mode),
       [o](const std::string &v) { return ParseRemapMode(v, &o->mode); }},
      {"num", "1..1000000000", "records, the size of the key space; operations, unless told otherwise",
       std::to_string(o->num), [o](const std::string &v) { return ParseNumber<uint64_t>(v, 1, kMostNum, &o->num); }},
      {"operations", "0..1000000000", "of all but readrandom, readseq and ycsbload; 0: as many as records",
       std::to_string(o->operations),
       [o](const std::string &v) { return ParseNumber<uint64_t>(v, 0, 1000000000, &o->operations); }},
      {"value-size", "0..16777216", "value bytes; mix* have their own", std::to_string(o->value_size),
       [o](const std::string &v) { return ParseNumber<size_t>(v, 0, 16 << 20, &o->value_size); }},
      {"value-size-max", "0..16777216", "sizes from value-size to this one are as likely; 0: all have value-size",
       std::to_string(o->value_size_max),
       [o](const std::string &v) { return ParseNumber<size_t>(v, 0, 16 << 20, &o->value_size_max); }},
      {"key-size", "8..1024", "key bytes", std::to_string(o->key_size),
       [o](const std::string &v) { return ParseNumber<size_t>(v, 8, 1024, &o->key_size); }},
      {"seed", "0..2^64-1", "of keys and values", std::to_string(o->seed),
       [o](const std::string &v) { return ParseNumber<uint64_t>(v, 0, UINT64_MAX, &o->seed); }},
      {"write-buffer", "65536..1073741824", "memtable bytes", std::to_string(o->write_buffer),
       [o](const std::string &v) { return ParseNumber<size_t>(v, 64 << 10, 1 << 30, &o->write_buffer); }},
      {"max-file-size", "16384..1073741824", "table bytes", std::to_string(o->max_file_size),
       [o](const std::string &v) { return ParseNumber<size_t>(v, 16 << 10, 1 << 30, &o->max_file_size); }},
      {"level1-bytes", RangeText(kLevel1Bytes), "size limit of level 1", std::to_string(o->level1_bytes),
       [o](const std::string &v) { return ParseIn(v, kLevel1Bytes, &o->level1_bytes); }},
      {"level-ratio", RangeText(kLevelRatio), "size of a level over the one above it", std::to_string(o->level_ratio),
       [o](const std::string &v) { return ParseIn(v, kLevelRatio, &o->level_ratio); }},
      {"fill-space", RangeText(kFillSpacePercent),
       "modes fill, skip and blend: percent of a compaction's output for keeping blocks",
       std::to_string(o->fill_space_percent),
       [o](const std::string &v) { return ParseIn(v, kFillSpacePercent, &o->fill_space_percent); }},
      {"last-level-ratio", "0, " + RangeText(kLastLevelRatio),
       "mode blend: all data over what the level above the deepest one may have, whatever --level1-bytes says; 0: as "
       "in "
       "other modes",
       std::to_string(o->last_level_ratio),
       [o](const std::string &v) {
         return ParseNumber<int>(v, 0, 0, &o->last_level_ratio) || ParseIn(v, kLastLevelRatio, &o->last_level_ratio);
       }},
      {"blend-space", RangeText(kBlendSpacePercent),
       "mode blend: what newer runs of a table may hold, percent of its oldest and of what lies under it",
       std::to_string(o->blend_space_percent),
       [o](const std::string &v) { return ParseIn(v, kBlendSpacePercent, &o->blend_space_percent); }},
      {"blend-filter-bits", RangeText(kBlendFilterBits),
       "mode blend: bits a key of Bloom filters where --bloom-bits is 0", std::to_string(o->blend_filter_bits),
       [o](const std::string &v) { return ParseIn(v, kBlendFilterBits, &o->blend_filter_bits); }},
      {"blend-runs", RangeText(kBlendRuns), "mode blend: sorted runs that a table may have",
       std::to_string(o->blend_runs), [o](const std::string &v) { return ParseIn(v, kBlendRuns, &o->blend_runs); }},
      {"bloom-bits", "0..20", "bits a key of the tables' Bloom filters, 0: none", std::to_string(o->bloom_bits),
       [o](const std::string &v) { return ParseNumber<int>(v, 0, 20, &o->bloom_bits); }},
      {"superblocks", "0..4294967295", "flash size in superblocks, 0: all the device has",
       std::to_string(o->device.superblocks),
       [o](const std::string &v) { return ParseNumber<uint32_t>(v, 0, UINT32_MAX, &o->device.superblocks); }},
      {"geometry", "CHANNELSxDIESxBLOCKSxPAGES[xSLOTS]",
       "flash of the model, e.g. 8x4x512x256 for 16 GiB; empty: that of the rtl", o->device.geometry,
       text(&o->device.geometry)},
      {"placement", "on|off", "a placement handle of the device for each level's tables, as far as there are (PageFS)",
       o->device.placement ? "on" : "off", [o](const std::string &v) { return ParseSwitch(v, &o->device.placement); }},
      {"sync-every", "0..1000000000", "each so manieth put is synced, and `synced PUTS` printed; 0: none",
       std::to_string(o->sync_every),
       [o](const std::string &v) { return ParseNumber<uint64_t>(v, 0, 1000000000, &o->sync_every); }},
      {"check", "0..1000000000",
       "runs nothing: of an earlier fill of these options, that many puts must be there, and none without those before",
       "", [o](const std::string &v) { return ParseNumber<uint64_t>(v, 0, 1000000000, &o->check.emplace()); }},
      {"json", "a file, or -", "where the result goes", o->json, text(&o->json)},
      {"trace", "a file", "gets the operations, for --replay; of workloads that are a stream of them; empty: none",
       o->trace, text(&o->trace)},
      {"replay", "a file", "runs the operations of a file that --trace wrote; sets workload, records, sizes, seed",
       o->replay, text(&o->replay)},
      {"image-dir", "a folder", "keeps flash and NVRAM images; empty: in memory", o->device.image_dir,
       text(&o->device.image_dir)},
      {"trace-file", "a .vcd or .fst file", "waveform; empty: none", o->device.trace_file, text(&o->device.trace_file)},
      {"record-file", "a file", "the I/O commands, for lockstep --replay; empty: none", o->device.record_file,
       text(&o->device.record_file)},
  };
}

bool Set(const std::vector<Flag> &flags, const std::string &name, const std::string &value, std::string *error) {
  for (const Flag &flag : flags) {
    if (flag.name != name) continue;
    if (flag.parse(value)) return true;
    *error = "--" + name + "=" + value + ": expected " + flag.range;
    return false;
  }
  *error = "unknown option --" + name + " (see --help)";
  return false;
}

// The first of the build's devices.
std::string DefaultDevice() {
  const std::string names = BenchDeviceNames();
  return names.substr(0, names.find('|'));
}

bool OneOf(const std::string &name, const std::string &names) {
  std::istringstream stream(names);
  for (std::string known; std::getline(stream, known, '|');) {
    if (known == name) return true;
  }
  return false;
}

}  // namespace

SourceOptions SourceOptionsOf(const BenchOptions &options) {
  return {options.workload, options.num, options.Operations(), options.seed};
}

ValueSizes ValueSizesOf(const BenchOptions &options) {
  if (IsMixgraph(options.workload)) return MixgraphValueSizes();
  return ValueSizes::Uniform(options.value_size, std::max(options.value_size, options.value_size_max));
}

bool SetBenchOption(const std::string &name, const std::string &value, BenchOptions *options, std::string *error) {
  return Set(Flags(options), name, value, error);
}

bool CheckBenchOptions(const BenchOptions &options, std::string *error) {
  if (options.value_size_max != 0 && options.value_size_max < options.value_size) {
    *error = "--value-size-max=" + std::to_string(options.value_size_max) + ": less than --value-size";
    return false;
  }
  if (!options.trace.empty() && (!options.replay.empty() || !IsStream(options.workload))) {
    *error = "--trace=" + options.trace + ": of fillzipfian, ycsb* and mix* only, and not with --replay";
    return false;
  }
  if (options.check && options.workload != Workload::kFillRandom && options.workload != Workload::kFillSeq) {
    *error = "--check=" + std::to_string(*options.check) + ": of fillrandom and fillseq only";
    return false;
  }
  if (options.check && *options.check > options.Operations()) {
    *error = "--check=" + std::to_string(*options.check) + ": the run has " + std::to_string(options.Operations()) +
             " puts only";
    return false;
  }
  const uint64_t keys = KeySpaceSize(SourceOptionsOf(options));
  uint64_t names = 1;  // that many keys of this size differ
  for (size_t i = 0; i < options.key_size && names < keys; i++) names *= 10;
  if (names < keys) {
    *error = "--num=" + std::to_string(options.num) +
             ": more keys than --key-size=" + std::to_string(options.key_size) + " decimal digits can name";
    return false;
  }
  if (options.json.empty()) {
    *error = "--json=: expected a file, or -";
    return false;
  }
  return true;
}

ParseResult ParseBenchOptions(int argc, char **argv, BenchOptions *options, std::string *error) {
  options->device.device = DefaultDevice();
  const std::vector<Flag> flags = Flags(options);
  for (int i = 1; i < argc; i++) {
    const std::string argument = argv[i];
    if (argument == "--help" || argument == "-h") return ParseResult::kHelp;
    const size_t equals = argument.find('=');
    if (argument.compare(0, 2, "--") != 0 || equals == std::string::npos) {
      *error = "not an option: " + argument + " (options are --name=value; see --help)";
      return ParseResult::kError;
    }
    if (!Set(flags, argument.substr(2, equals - 2), argument.substr(equals + 1), error)) return ParseResult::kError;
  }
  if (!IsBenchDevicePath(options->device.device) && !OneOf(options->device.device, BenchDeviceNames())) {
    *error = "--device=" + options->device.device + ": expected " + DeviceChoice();
    return ParseResult::kError;
  }
  options->device.existing = options->check.has_value();
  return CheckBenchOptions(*options, error) ? ParseResult::kRun : ParseResult::kError;
}

std::string BenchUsage() {
  BenchOptions defaults;
  defaults.device.device = DefaultDevice();
  std::string usage =
      "usage: db_bench [--name=value ...]\n"
      "\n"
      "Runs one workload on LevelDB over one device, reads every key back and compares it, and writes one JSON "
      "object.\n"
      "Exit code: 0 all keys verified, 1 failed, 2 bad option.\n"
      "\n";
  for (const Flag &flag : Flags(&defaults)) {
    std::string left = "  --" + flag.name + "=";
    left.resize(left.size() < 20 ? 20 : left.size(), ' ');
    usage += left + flag.help + " (" + flag.range + ")";
    usage += flag.value.empty() ? "\n" : ", default " + flag.value + "\n";
  }
  return usage;
}

}  // namespace openremap
