// SPDX-License-Identifier: Apache-2.0
#include "rocksbench/rocks_options.h"

#include <array>
#include <charconv>
#include <sstream>
#include <system_error>
#include <vector>

#include "bench/options/option_table.h"
#include "leveldb/db.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/table.h"
#include "rocksdb/version.h"
#include "rocksrun/inline_rocks_env.h"
#include "rocksrun/unit_tables.h"

namespace openremap {

namespace {

constexpr size_t kColumns = 100;
constexpr char kLinkBench[] = "linkbench";
constexpr uint64_t kMostLinks = 1000;
constexpr uint64_t kMostBlob = 1 << 24;

// Options of db_bench that apply.
constexpr char kShared[] =
    "workload|device|num|operations|value-size|value-size-max|key-size|seed|write-buffer|max-file-size|level1-bytes|"
    "level-ratio|bloom-bits|mix-insert|mix-update|mix-read|mix-delete|mix-scan|mix-keys|superblocks|geometry|"
    "over-provisioning|placement-handles|cache|firmware|firmware-cpu|mapping-unit|placement|deallocate|mkfs-discard|"
    "allocation|align|journal|side|precondition|block-size|sync-every|json|image-dir|reserve-image|trace-pages|"
    "trace-verify|seek-compactions";
// Of these, what linkbench decides by itself.
constexpr char kNotLinkBench[] =
    "value-size|value-size-max|key-size|mix-insert|mix-update|mix-read|mix-delete|mix-scan|mix-keys";
// What LevelDB does not have.
constexpr char kNotLevelDb[] = "compaction|direct|cold-level|blob-bytes";
// What RocksDB does not have.
constexpr char kLevelDbOnly[] = "seek-compactions";
// What the size of a reclaim unit decides with --placement=table.
constexpr char kUnitSizes[] = "write-buffer|max-file-size";

bool ParseWhole(const std::string &text, uint64_t most, uint64_t *value) {
  uint64_t number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || end != text.data() + text.size() || number > most) return false;
  *value = number;
  return true;
}

bool ParseSwitch(const std::string &text, bool *value) {
  if (text != "on" && text != "off") return false;
  *value = text == "on";
  return true;
}

std::vector<OptionRow> OwnRows(RocksBenchOptions *o) {
  return {
      {{"links", "N", "Workload linkbench: links of a node, in the mean.", "", ""},
       "number",
       "1.." + std::to_string(kMostLinks),
       std::to_string(o->links),
       "",
       [o](const std::string &text) { return text != "0" && ParseWhole(text, kMostLinks, &o->links); }},
      {{"database", "rocksdb|leveldb", "Workload linkbench: which database it runs on; the others are db_bench's.", "",
        ""},
       "choice",
       "rocksdb|leveldb",
       "rocksdb",
       "",
       [o](const std::string &text) {
         o->leveldb = text == "leveldb";
         return o->leveldb || text == "rocksdb";
       }},
      {{"compaction", "level|universal", "How RocksDB compacts.", "", ""},
       "choice",
       "level|universal",
       "level",
       "",
       [o](const std::string &text) {
         o->universal = text == "universal";
         return o->universal || text == "level";
       }},
      {{"direct", "on|off", "Direct reads, flushes and compactions: nothing but RocksDB reads ahead.", "", ""},
       "switch",
       "on or off",
       "off",
       "",
       [o](const std::string &text) { return ParseSwitch(text, &o->direct); }},
      {{"cold-level", "on|off", "Three levels, of which the last has the temperature cold: a placement of its own.", "",
        ""},
       "switch",
       "on or off",
       "off",
       "",
       [o](const std::string &text) { return ParseSwitch(text, &o->cold_level); }},
      {{"blob-bytes", "N", "Values from this size on go to blob files, with garbage collection. 0: none does.", "", ""},
       "number",
       "0.." + std::to_string(kMostBlob),
       "0",
       "",
       [o](const std::string &text) { return ParseWhole(text, kMostBlob, &o->blob_bytes); }},
  };
}

std::vector<OptionRow> Rows(RocksBenchOptions *o) {
  std::vector<OptionRow> rows;
  for (OptionRow &row : OptionTable(&o->bench)) {
    if (!IsOneOf(row.text.name, kShared)) continue;
    if (row.text.name == std::string("workload")) {
      row.expected += std::string("|") + kLinkBench;
      const auto parse = row.parse;
      row.parse = [o, parse](const std::string &text) {
        o->linkbench = text == kLinkBench;
        return o->linkbench || parse(text);
      };
    }
    rows.push_back(std::move(row));
  }
  for (OptionRow &row : OwnRows(o)) rows.push_back(std::move(row));
  return rows;
}

// False and *error: no such option, or not that value.
bool Set(const std::vector<OptionRow> &rows, const std::string &name, const std::string &value, std::string *error) {
  for (const OptionRow &row : rows) {
    if (row.text.name != name) continue;
    if (row.parse(value)) return true;
    *error = "--" + name + "=" + value + ": expected " + row.expected;
    return false;
  }
  BenchOptions unused;
  for (const OptionRow &row : OptionTable(&unused)) {
    if (row.text.name != name) continue;
    *error = "--" + name + ": an option of db_bench that does not apply to RocksDB";
    return false;
  }
  *error = "unknown option --" + name + " (see --help)";
  return false;
}

bool CheckRocksOptions(const RocksBenchOptions &o, const std::string &given, std::string *error) {
  std::istringstream names(given);
  for (std::string name; std::getline(names, name, '|');) {
    if (o.linkbench && IsOneOf(name, kNotLinkBench)) {
      *error = "--" + name + ": does not apply to linkbench";
      return false;
    }
    if (!o.linkbench && name == "links") {
      *error = "--links: applies to linkbench only";
      return false;
    }
    if (o.leveldb && IsOneOf(name, kNotLevelDb)) {
      *error = "--" + name + ": applies to RocksDB only";
      return false;
    }
    if (!o.leveldb && IsOneOf(name, kLevelDbOnly)) {
      *error = "--" + name + ": applies to LevelDB only";
      return false;
    }
    if (!o.leveldb && o.bench.device.placement == BenchPlacement::kTable && IsOneOf(name, kUnitSizes)) {
      *error = "--" + name + ": with --placement=table the reclaim unit decides it";
      return false;
    }
  }
  if (o.leveldb && !o.linkbench) {
    *error = "--database=leveldb: with linkbench only; db_bench has the other workloads";
    return false;
  }
  if (o.cold_level && o.universal) {
    *error = "--cold-level=on: applies to --compaction=level only";
    return false;
  }
  const std::string &device = o.bench.device.device;
  if (device == "mem" || device.compare(0, 8, "reflink:") == 0) {
    *error = "--device=" + device + ": has no PageFS, on which RocksDB's files lie here";
    return false;
  }
  return CheckBenchOptions(o.bench, error);
}

std::string Wrapped(const std::string &text) {
  std::istringstream words(text);
  std::string wrapped, line;
  for (std::string word; words >> word;) {
    if (!line.empty() && 6 + line.size() + 1 + word.size() > kColumns) {
      wrapped += "      " + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return wrapped + "      " + line + "\n";
}

}  // namespace

ParseResult ParseRocksOptions(int argc, char **argv, RocksBenchOptions *options, std::string *error) {
  options->bench.mode = RemapMode::kOff;
  options->bench.device.device = DefaultBenchDevice();
  const std::vector<OptionRow> rows = Rows(options);
  std::string given;
  for (int i = 1; i < argc; i++) {
    const std::string argument = argv[i];
    if (argument == "--help" || argument == "-h") return ParseResult::kHelp;
    const size_t equals = argument.find('=');
    if (argument.compare(0, 2, "--") != 0 || equals == std::string::npos) {
      *error = argument + ": not an option; options have the form --name=value (see --help)";
      return ParseResult::kError;
    }
    const std::string name = argument.substr(2, equals - 2);
    if (!Set(rows, name, argument.substr(equals + 1), error)) return ParseResult::kError;
    given += name + "|";
  }
  if (!IsBenchDevicePath(options->bench.device.device) && !IsOneOf(options->bench.device.device, BenchDeviceNames())) {
    *error = "--device=" + options->bench.device.device + ": expected " + DeviceChoice();
    return ParseResult::kError;
  }
  return CheckRocksOptions(*options, given, error) ? ParseResult::kRun : ParseResult::kError;
}

std::string RocksBenchUsage() {
  RocksBenchOptions initial;
  initial.bench.device.device = DefaultBenchDevice();
  std::string text =
      "rocksdb_bench [--name=value]...\n"
      "  Runs a workload on RocksDB on PageFS on a device, reads every key back, and prints a JSON object.\n"
      "  Compactions write what they write with any file system: nothing is remapped.\n\n";
  for (const OptionRow &row : Rows(&initial)) {
    text += std::string("  --") + row.text.name + "=" + row.text.value;
    if (!row.expected.empty() && row.expected != row.text.value) text += "  (" + row.expected + ")";
    if (!row.value.empty()) text += "  [" + row.value + "]";
    text += "\n" + Wrapped(row.text.help);
  }
  return text;
}

bool RocksOptionsOf(const RocksBenchOptions &options, uint64_t unit_bytes, rocksdb::Options *result) {
  const BenchOptions &bench = options.bench;
  rocksdb::Options o;
  o.info_log = std::make_shared<SilentLogger>();
  o.write_buffer_size = bench.write_buffer;
  o.target_file_size_base = bench.max_file_size;
  if (bench.device.placement == BenchPlacement::kTable && !FitTablesToUnits(unit_bytes, &o)) return false;
  o.max_bytes_for_level_base = bench.level1_bytes;
  o.max_bytes_for_level_multiplier = bench.level_ratio;
  o.compression = rocksdb::kNoCompression;  // the values are incompressible
  if (options.universal) o.compaction_style = rocksdb::kCompactionStyleUniversal;
  o.use_direct_reads = o.use_direct_io_for_flush_and_compaction = options.direct;
  if (options.cold_level) {
    o.num_levels = kColdLevels;
    o.last_level_temperature = rocksdb::Temperature::kCold;
  }
  if (options.blob_bytes != 0) {
    o.enable_blob_files = o.enable_blob_garbage_collection = true;
    o.min_blob_size = options.blob_bytes;
    o.blob_file_size = o.target_file_size_base;
  }
  rocksdb::BlockBasedTableOptions table;
  table.block_size = bench.block_size;
  if (bench.bloom_bits > 0) table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(bench.bloom_bits));
  o.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  // Work runs inline, after each operation.
  o.max_write_buffer_number = 64;
  o.level0_slowdown_writes_trigger = o.level0_stop_writes_trigger = 1 << 20;
  o.soft_pending_compaction_bytes_limit = o.hard_pending_compaction_bytes_limit = 0;
  o.max_file_opening_threads = 1;
  o.max_bgerror_resume_count = 0;
  o.stats_dump_period_sec = o.stats_persist_period_sec = 0;
  *result = o;
  return true;
}

std::string RocksMembers(const RocksBenchOptions &options, const rocksdb::Options &used) {
  const auto text = [](const char *name, const std::string &value) {
    return "\"" + std::string(name) + "\": \"" + value + "\"";
  };
  const auto number = [](const char *name, uint64_t value) {
    return "\"" + std::string(name) + "\": " + std::to_string(value);
  };
  const auto on_off = [](bool on) { return on ? "on" : "off"; };
  if (options.leveldb) {
    return text("database", "leveldb") + ", " +
           text("database_version",
                std::to_string(leveldb::kMajorVersion) + "." + std::to_string(leveldb::kMinorVersion)) +
           ", " + number("table_bytes", options.bench.max_file_size) + ", " +
           number("memtable_bytes", options.bench.write_buffer) + ", " + text("stream", kLinkBench) + ", " +
           number("links", options.links);
  }
  std::string members =
      text("database", "rocksdb") + ", " +
      text("database_version",
           std::to_string(ROCKSDB_MAJOR) + "." + std::to_string(ROCKSDB_MINOR) + "." + std::to_string(ROCKSDB_PATCH)) +
      ", " + text("compaction", options.universal ? "universal" : "level") + ", " +
      text("direct", on_off(options.direct)) + ", " + text("cold_level", on_off(options.cold_level)) + ", " +
      number("blob_bytes", options.blob_bytes) + ", " + number("table_bytes", used.target_file_size_base) + ", " +
      number("memtable_bytes", used.write_buffer_size);
  if (options.linkbench) members += ", " + text("stream", kLinkBench) + ", " + number("links", options.links);
  return members;
}

}  // namespace openremap
