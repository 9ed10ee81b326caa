// SPDX-License-Identifier: Apache-2.0
//
// crash-leveldb - LevelDB on PageFS on a device whose power is cut at events of flash and NVRAM; after each cut the
// file system is checked and the database compared with what it may hold (docs/developing/crash.md). Last line: N cuts,
// N violations.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "bench/gen/bench_options.h"
#include "command_line.h"
#include "crash_amounts.h"
#include "db_crash_run.h"
#include "output.h"
#include "progress_line.h"

namespace openremap {
namespace {

using Ull = unsigned long long;

struct Options {
  std::vector<RemapMode> modes;
  CrashRunOptions run;  // of each mode, but for seed and cuts
  std::string value_log = "both";
  std::vector<std::optional<ValueLogCollector>> collectors = {std::nullopt};  // of each mode; none: as the seed has it
  CrashAmounts amounts{40};
};

class Explorer {
 public:
  explicit Explorer(const Options &o) : o_(o) {}

  // Runs with consecutive seeds, until there are enough cuts. With a value log, a collector may be named.
  void Explore(RemapMode mode, bool separated, std::optional<ValueLogCollector> collector = std::nullopt) {
    CrashRunOptions run = o_.run;
    run.mode = mode;
    run.separated = separated;
    run.collector = collector;
    CrashRunResult total;
    uint64_t runs = 0;
    const uint64_t violations = violations_;
    while (total.cuts < o_.amounts.cuts && violations_ < o_.amounts.most_violations) {
      run.seed = o_.amounts.seed + runs++;
      run.cuts = std::min(o_.amounts.run_cuts, o_.amounts.cuts - total.cuts);
      const CrashRunResult result = RunWithCuts(run);
      total += result;
      if (!result.wrong.empty()) Violation(run, result);
      progress_.show(Title(run) + ": cuts", total.cuts, o_.amounts.cuts);
    }
    progress_.clear();
    Print(Title(run), runs, total);
    std::printf("  %llu cuts, %llu violations\n", Ull(total.cuts), Ull(violations_ - violations));
    orm::output::flush();
    cuts_ += total.cuts;
  }

  int End() const {
    std::printf("%llu cuts, %llu violations\n", Ull(cuts_), Ull(violations_));
    return violations_ == 0 ? 0 : 1;
  }

 private:
  void Violation(const CrashRunOptions &run, const CrashRunResult &result) {
    violations_++;
    progress_.clear();
    std::printf("VIOLATION after cut %llu, %s\n", Ull(result.cuts), result.wrong.c_str());
    // A run with the same options repeats up to the violation.
    std::printf(
        "  reproduce with: crash-leveldb --device %s --mode %s --value-log %s%s%s%s --blend-runs %d --seed %llu "
        "--run-cuts %llu --cuts %llu\n",
        run.device.c_str(), RemapModeName(run.mode), run.separated ? "on" : "off",
        run.collector ? (" --collector " + CollectorName(*run.collector)).c_str() : "",
        run.table_units ? " --table-units"
        : run.tight     ? " --tight"
                        : "",
        run.blend_rule == BlendRule::kRuns ? " --runs-rule" : "", run.blend_runs, Ull(run.seed), Ull(run.cuts),
        Ull(run.cuts));
    orm::output::flush();
  }

  static std::string CollectorName(ValueLogCollector collector) {
    return kValueLogCollectorsNames.at(static_cast<size_t>(collector)).name;
  }

  static std::string Title(const CrashRunOptions &run) {
    return std::string(RemapModeName(run.mode)) + (run.separated ? ", value log" : "") +
           (run.collector ? ", " + CollectorName(*run.collector) : "");
  }

  static void Print(const std::string &title, uint64_t runs, const CrashRunResult &total) {
    std::printf(
        "%s: %llu databases; %llu writes, %llu of them synced; %llu pages remapped, %llu copied instead, %llu moved by "
        "GC; %llu units begun by tables; %llu manifests replaced, %llu cuts meanwhile; %llu segments collected, "
        "%llu of them moved, %llu punched; %llu compactions when space was short, %llu of them plain, %llu of single "
        "tables; %llu sessions ended full; cuts at %s\n",
        title.c_str(), Ull(runs), Ull(total.writes), Ull(total.synced), Ull(total.remapped_pages),
        Ull(total.copied_pages), Ull(total.gc_moved_pages), Ull(total.units_begun), Ull(total.manifest_rolls),
        Ull(total.cuts_in_rolls), Ull(total.collected_segments), Ull(total.moved_segments), Ull(total.punched_segments),
        Ull(total.short_compactions + total.plain_compactions), Ull(total.plain_compactions),
        Ull(total.reclaim_compactions), Ull(total.ended_full), total.CutsByStage().c_str());
  }

  const Options &o_;
  orm::ProgressLine progress_;
  uint64_t cuts_ = 0;
  uint64_t violations_ = 0;
};

int Start(const Options &o) {
  try {
    Explorer explorer(o);
    std::printf("crash-leveldb: seed %llu, %s\n", Ull(o.amounts.seed), o.run.device.c_str());
    for (const RemapMode mode : o.modes) {
      if (o.value_log != "on") explorer.Explore(mode, /*separated=*/false);
      if (o.value_log == "off") continue;
      for (const auto &collector : o.collectors) explorer.Explore(mode, /*separated=*/true, collector);
    }
    const int code = explorer.End();
    orm::output::flush();
    return code;
  } catch (const std::exception &e) {
    std::fprintf(stderr, "crash-leveldb: %s\n", e.what());
    return 1;
  }
}

}  // namespace
}  // namespace openremap

int main(int argc, char **argv) {
  openremap::Options o;
  std::vector<std::string> modes;
  std::vector<std::string> known;
  for (const openremap::RemapMode mode : openremap::RemapModes()) known.emplace_back(openremap::RemapModeName(mode));
  CLI::App app(
      "Runs LevelDB on PageFS and cuts the device's power at flash and NVRAM events. After each cut, checks the file "
      "system, opens the database, compares its contents with what a cut may leave, and continues. Exit code: 0 no "
      "violations, 1 violations, 2 a usage error.",
      "crash-leveldb");
  orm::command_line::add_device(&app, &o.run.device);
  app.add_option("--mode", modes, "what compactions do with unchanged blocks; may be repeated (default: every mode)")
      ->check(CLI::IsMember(known));
  app.add_flag("--table-units", o.run.table_units,
               "each table begins a reclaim unit, as db_bench --placement=table has it, on flash of small units");
  app.add_flag(
      "--tight", o.run.tight,
      "so many keys on a small device that space is short; without a value log unless --value-log on is given");
  bool runs_rule = false;
  app.add_flag("--runs-rule", runs_rule, "mode blend attaches by the number of runs, as db_bench --blend-rule=runs");
  app.add_option("--blend-runs", o.run.blend_runs, "mode blend: maximum number of sorted runs in a table")
      ->check(CLI::Range(openremap::kBlendRuns.low, openremap::kBlendRuns.high))
      ->capture_default_str();
  app.add_option("--value-log", o.value_log, "whether the databases have a value log")
      ->check(CLI::IsMember({"off", "on", "both"}))
      ->capture_default_str();
  std::vector<std::string> chosen, collectors;
  for (const openremap::ChoiceName &choice : openremap::kValueLogCollectorsNames) collectors.emplace_back(choice.name);
  app.add_option("--collector", chosen,
                 "how their value logs are collected; may be repeated, each in every mode (default: each seed has its "
                 "own)")
      ->check(CLI::IsMember(collectors));
  openremap::AddCrashAmounts(&app, &o.amounts,
                             "number of power cuts in each mode, with and without a value log, with each --collector");
  if (const auto code = orm::command_line::parse(&app, argc, argv)) return *code;
  if (!chosen.empty()) {
    if (o.value_log == "off") {
      std::fprintf(stderr, "crash-leveldb: --collector: the databases have no value log (--value-log)\n");
      return 2;
    }
    o.collectors.clear();
    for (const std::string &name : chosen) {
      const auto found = std::find(collectors.begin(), collectors.end(), name);
      o.collectors.emplace_back(static_cast<openremap::ValueLogCollector>(found - collectors.begin()));
    }
  }
  if (o.run.tight && o.value_log == "both") o.value_log = "off";
  if (runs_rule) o.run.blend_rule = openremap::BlendRule::kRuns;
  for (const std::string &name : modes.empty() ? known : modes) {
    openremap::RemapMode mode{};
    if (openremap::ParseRemapMode(name, &mode)) o.modes.push_back(mode);
  }
  return openremap::Start(o);
}
