// SPDX-License-Identifier: Apache-2.0
//
// rocksdb_bench: one workload on RocksDB, or LinkBench on LevelDB, on PageFS on a device, one JSON object
// (docs/using/rocksdb.md).
#include <string>

#include "bench/run/bench_program.h"
#include "bench/run/bench_run.h"
#include "bench/run/capacity.h"
#include "bench/run/level_bench_database.h"
#include "rocksbench/link_run.h"
#include "rocksbench/rocks_bench_database.h"
#include "rocksbench/rocks_options.h"

namespace {

using openremap::BenchOptions;

constexpr char kName[] = "rocksdb_bench";

int RunProgram(const openremap::RocksBenchOptions &rocks) {
  rocksdb::Options used;
  openremap::LinkCounts counts{};
  openremap::BenchProgram program;
  program.name = kName;
  program.run = [&](const BenchOptions &options, openremap::BenchDevice *device, openremap::Progress *progress,
                    openremap::BenchResult *result) {
    if (!openremap::RocksBenchDatabase::CanUse(device)) {  // a folder on a namespace that Linux drives
      return leveldb::Status::NotSupported("--device=" + options.device.device, "has no PageFS");
    }
    if (rocks.leveldb) {
      openremap::LevelBenchDatabase database(options, device);
      return openremap::RunLinkBench(options, rocks.links, device, &database, progress, result, &counts);
    }
    if (!openremap::RocksOptionsOf(rocks, device->UnitBytes(), &used)) {
      return leveldb::Status::NotSupported(
          "--placement=table", "no table fits a reclaim unit of " + std::to_string(device->UnitBytes()) + " bytes");
    }
    openremap::RocksBenchDatabase database(used, device);
    if (!rocks.linkbench) return openremap::RunBench(options, device, &database, progress, result);
    return openremap::RunLinkBench(options, rocks.links, device, &database, progress, result, &counts);
  };
  program.fits = [&](const BenchOptions &options, uint64_t free_bytes, std::string *error) {
    return rocks.linkbench ? openremap::LinksFit(options, rocks.links, free_bytes, error)
                           : openremap::Fits(options, free_bytes, error);
  };
  program.members = [&] {
    const std::string members = openremap::RocksMembers(rocks, used);
    return rocks.linkbench ? members + ", " + openremap::LinkMembers(counts) : members;
  };
  return openremap::RunBenchProgram(program, rocks.bench);
}

}  // namespace

int main(int argc, char **argv) {
  openremap::RocksBenchOptions options;
  std::string error;
  switch (openremap::ParseRocksOptions(argc, argv, &options, &error)) {
    case openremap::ParseResult::kHelp:
      return openremap::BenchSay(kName, openremap::RocksBenchUsage());
    case openremap::ParseResult::kRun:
      return RunProgram(options);
    default:
      return openremap::BenchComplain(kName, error, openremap::kBenchBadOption);
  }
}
