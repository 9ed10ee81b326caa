// SPDX-License-Identifier: Apache-2.0
//
// db_bench: one workload, one mode, one device, one JSON object.
#include <string>

#include "bench/options/option_help.h"
#include "bench/options/parse_options.h"
#include "bench/run/bench_program.h"
#include "bench/run/bench_run.h"
#include "bench/run/capacity.h"

namespace {

constexpr char kName[] = "db_bench";

openremap::BenchProgram Program() {
  openremap::BenchProgram program;
  program.name = kName;
  program.run = [](const openremap::BenchOptions &options, openremap::BenchDevice *device,
                   openremap::Progress *progress,
                   openremap::BenchResult *result) { return openremap::RunBench(options, device, progress, result); };
  program.fits = openremap::Fits;
  return program;
}

}  // namespace

int main(int argc, char **argv) {
  openremap::BenchOptions options;
  std::string error;
  switch (openremap::ParseBenchOptions(argc, argv, &options, &error)) {
    case openremap::ParseResult::kHelp:
      return openremap::BenchSay(kName, openremap::BenchUsage());
    case openremap::ParseResult::kDescribe:
      return openremap::BenchSay(kName, openremap::BenchDescription());
    case openremap::ParseResult::kError:
      return openremap::BenchComplain(kName, error, openremap::kBenchBadOption);
    case openremap::ParseResult::kRun:
      break;
  }
  return openremap::RunBenchProgram(Program(), options);
}
