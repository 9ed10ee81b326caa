// SPDX-License-Identifier: Apache-2.0
//
// crash-rocksdb - RocksDB on PageFS on a device whose power is cut at events of flash and NVRAM; after each cut the
// file system is checked and the database compared with what it may hold (docs/using/rocksdb.md). Last line: N cuts, N
// violations.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>

#include "command_line.h"
#include "crash_amounts.h"
#include "output.h"
#include "progress_line.h"
#include "rocks_crash_run.h"

namespace openremap {
namespace {

using Ull = unsigned long long;

struct Options {
  std::string device = "model";
  CrashAmounts amounts{20};
};

void PrintViolation(const RocksCrashOptions &run, const RocksCrashResult &result) {
  std::printf("VIOLATION after cut %llu, %s\n", Ull(result.cuts), result.wrong.c_str());
  std::printf("  reproduce with: crash-rocksdb --device %s --seed %llu --run-cuts %llu --cuts %llu\n",
              run.device.c_str(), Ull(run.seed), Ull(run.cuts), Ull(run.cuts));
  orm::output::flush();
}

void PrintTotal(uint64_t runs, const RocksCrashResult &total) {
  std::printf(
      "%llu databases; %llu writes, %llu of them synced, and %llu syncs of the log; %llu deletions of ranges; %llu "
      "flushes, %llu compactions; %llu pages moved by GC; cuts at %s\n",
      Ull(runs), Ull(total.writes), Ull(total.synced), Ull(total.log_syncs), Ull(total.range_deletions),
      Ull(total.flushes), Ull(total.compactions), Ull(total.gc_moved_pages), total.CutsByStage().c_str());
}

// Runs with consecutive seeds, until there are enough cuts.
int Explore(const Options &o) {
  std::printf("crash-rocksdb: seed %llu, %s\n", Ull(o.amounts.seed), o.device.c_str());
  orm::ProgressLine progress;
  RocksCrashResult total;
  uint64_t runs = 0, violations = 0;
  while (total.cuts < o.amounts.cuts && violations < o.amounts.most_violations) {
    RocksCrashOptions run;
    run.device = o.device;
    run.seed = o.amounts.seed + runs++;
    run.cuts = std::min(o.amounts.run_cuts, o.amounts.cuts - total.cuts);
    const RocksCrashResult result = RunRocksWithCuts(run);
    total += result;
    if (!result.wrong.empty()) {
      violations++;
      progress.clear();
      PrintViolation(run, result);
    }
    progress.show("cuts", total.cuts, o.amounts.cuts);
  }
  progress.clear();
  PrintTotal(runs, total);
  std::printf("%llu cuts, %llu violations\n", Ull(total.cuts), Ull(violations));
  orm::output::flush();
  return violations == 0 ? 0 : 1;
}

}  // namespace
}  // namespace openremap

int main(int argc, char **argv) {
  openremap::Options o;
  CLI::App app(
      "Runs RocksDB on PageFS and cuts the device's power at flash and NVRAM events. After each cut, checks the file "
      "system, opens the database, compares its contents with what a cut may leave, and continues. Exit code: 0 no "
      "violations, 1 violations, 2 a usage error.",
      "crash-rocksdb");
  orm::command_line::add_device(&app, &o.device);
  openremap::AddCrashAmounts(&app, &o.amounts, "number of power cuts");
  if (const auto code = orm::command_line::parse(&app, argc, argv)) return *code;
  try {
    return openremap::Explore(o);
  } catch (const std::exception &e) {
    std::fprintf(stderr, "crash-rocksdb: %s\n", e.what());
    return 1;
  }
}
