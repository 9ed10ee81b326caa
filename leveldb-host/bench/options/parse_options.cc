// SPDX-License-Identifier: Apache-2.0
#include "bench/options/parse_options.h"

#include <vector>

#include "bench/options/option_table.h"

namespace openremap {
namespace {

bool Set(const std::vector<OptionRow> &table, const std::string &name, const std::string &value, std::string *error) {
  for (const OptionRow &row : table) {
    if (row.text.name != name) continue;
    if (row.parse(value)) return true;
    *error = "--" + name + "=" + value + ": expected " + row.expected;
    return false;
  }
  *error = "unknown option --" + name + " (see --help)";
  return false;
}

// The names in `names`, which are joined by |, for a sentence.
std::string Listed(const std::string &names) {
  std::string listed;
  for (const char c : names) listed += c == '|' ? std::string(", ") : std::string(1, c);
  return listed;
}

// What the description says of options that do not go together, and of workloads that an option does not apply to.
bool CheckCombinations(const BenchOptions &options, std::string *error) {
  BenchOptions given = options, initial;
  const std::vector<OptionRow> table = OptionTable(&given), defaults = OptionTable(&initial);
  std::string names;  // of the options that were given
  for (size_t i = 0; i < table.size(); i++) {
    if (table[i].value != defaults[i].value) names += std::string(table[i].text.name) + "|";
  }
  for (const OptionRow &row : table) {
    if (!IsOneOf(row.text.name, names)) continue;
    const std::string flag = std::string("--") + row.text.name + "=" + row.value + ": ";
    for (const OptionRow &other : table) {
      if (IsOneOf(other.text.name, row.text.excludes) && IsOneOf(other.text.name, names)) {
        *error = flag + "cannot be combined with --" + other.text.name;
        return false;
      }
    }
    const std::string workloads = row.text.workloads;
    if (!workloads.empty() && !IsOneOf(WorkloadName(options.workload), workloads)) {
      *error = flag + "does not apply to " + WorkloadName(options.workload) + ", only to " + Listed(workloads);
      return false;
    }
  }
  return true;
}

}  // namespace

std::string DefaultBenchDevice() {
  const std::string names = BenchDeviceNames();
  return names.substr(0, names.find('|'));
}

bool SetBenchOption(const std::string &name, const std::string &value, BenchOptions *options, std::string *error) {
  return Set(OptionTable(options), name, value, error);
}

bool CheckBenchOptions(const BenchOptions &options, std::string *error) {
  if (options.value_size_max != 0 && options.value_size_max < options.value_size) {
    *error = "--value-size-max=" + std::to_string(options.value_size_max) +
             ": smaller than --value-size=" + std::to_string(options.value_size);
    return false;
  }
  if (!CheckCombinations(options, error)) return false;
  if (options.check && *options.check > options.Operations()) {
    *error = "--check=" + std::to_string(*options.check) + ": the run has only " +
             std::to_string(options.Operations()) + " puts";
    return false;
  }
  if (options.workload == Workload::kMix && options.mix.Percent() != 100) {
    *error = "--mix-insert=" + std::to_string(options.mix.insert) +
             ": with --mix-update=" + std::to_string(options.mix.update) +
             ", --mix-read=" + std::to_string(options.mix.read) +
             ", --mix-delete=" + std::to_string(options.mix.remove) +
             " and --mix-scan=" + std::to_string(options.mix.scan) + " the shares add up to " +
             std::to_string(options.mix.Percent()) + " %, not to 100";
    return false;
  }
  const uint64_t keys = KeySpaceSize(SourceOptionsOf(options));
  uint64_t names = 1;  // number of distinct keys of this size, or `keys` if that is less
  for (size_t i = 0; i < options.key_size && names < keys; i++) names *= 10;
  if (names < keys && options.workload != Workload::kUtxo) {
    *error = "--num=" + std::to_string(options.num) +
             ": more keys than --key-size=" + std::to_string(options.key_size) + " decimal digits can represent";
    return false;
  }
  if (options.device.reserve_image && options.device.image_dir.empty()) {
    *error = "--reserve-image=on: needs --image-dir";
    return false;
  }
  if (options.json.empty()) {
    *error = "--json=: expected a file, or - for standard output";
    return false;
  }
  return true;
}

ParseResult ParseBenchOptions(int argc, char **argv, BenchOptions *options, std::string *error) {
  options->device.device = DefaultBenchDevice();
  const std::vector<OptionRow> table = OptionTable(options);
  for (int i = 1; i < argc; i++) {
    const std::string argument = argv[i];
    if (argument == "--help" || argument == "-h") return ParseResult::kHelp;
    if (argument == "--describe" && argc == 2) return ParseResult::kDescribe;
    if (argument == "--describe") {
      *error = "--describe: takes no other arguments";
      return ParseResult::kError;
    }
    const size_t equals = argument.find('=');
    if (argument.compare(0, 2, "--") != 0 || equals == std::string::npos) {
      *error = argument + ": not an option; options have the form --name=value (see --help)";
      return ParseResult::kError;
    }
    if (!Set(table, argument.substr(2, equals - 2), argument.substr(equals + 1), error)) return ParseResult::kError;
  }
  if (!IsBenchDevicePath(options->device.device) && !IsOneOf(options->device.device, BenchDeviceNames())) {
    *error = "--device=" + options->device.device + ": expected " + DeviceChoice();
    return ParseResult::kError;
  }
  options->device.existing = options->check.has_value();
  return CheckBenchOptions(*options, error) ? ParseResult::kRun : ParseResult::kError;
}

}  // namespace openremap
