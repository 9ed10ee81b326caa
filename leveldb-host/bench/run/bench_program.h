// SPDX-License-Identifier: Apache-2.0
//
// What a benchmark program does once it has its options: checks the files that they name, opens the device, runs, and
// writes the report.
#ifndef OPENREMAP_LEVELDB_HOST_BENCH_BENCH_PROGRAM_H_
#define OPENREMAP_LEVELDB_HOST_BENCH_BENCH_PROGRAM_H_

#include <cstdint>
#include <functional>
#include <string>

#include "bench/measure/progress.h"
#include "bench/options/options.h"
#include "bench/run/bench_run.h"
#include "bench_device.h"
#include "leveldb/status.h"

namespace openremap {

struct BenchProgram {
  std::string name;  // that messages begin with
  // As RunBench().
  std::function<leveldb::Status(const BenchOptions &options, BenchDevice *device, Progress *progress,
                                BenchResult *result)>
      run;
  // Whether what the run leaves fits into so many bytes; if not, *error is one line.
  std::function<bool(const BenchOptions &options, uint64_t free_bytes, std::string *error)> fits;
  // Further members of the report, after a run: a JSON object's text without its braces. May be empty.
  std::function<std::string()> members;
};

// Exit codes of the program.
// kBenchFull: the workload ended because the device had no space left. The report has what was measured until then, and
// its member `full` is true.
enum BenchExit { kBenchOk = 0, kBenchFailed = 1, kBenchBadOption = 2, kBenchFull = 3 };

// Prints one line to stderr, and returns `code`.
int BenchComplain(const std::string &name, const std::string &reason, int code);

// Writes a text to stdout.
int BenchSay(const std::string &name, const std::string &text);

// Returns the exit code. Messages go to stderr.
int RunBenchProgram(const BenchProgram &program, BenchOptions options);

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BENCH_BENCH_PROGRAM_H_
