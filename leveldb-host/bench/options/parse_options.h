// SPDX-License-Identifier: Apache-2.0
//
// The command line of db_bench.
#ifndef OPENREMAP_LEVELDB_HOST_BENCH_OPTIONS_PARSE_OPTIONS_H_
#define OPENREMAP_LEVELDB_HOST_BENCH_OPTIONS_PARSE_OPTIONS_H_

#include <cstdint>
#include <string>

#include "bench/options/options.h"

namespace openremap {

// What the program is to do. kDescribe: --describe.
enum class ParseResult : uint8_t { kRun, kHelp, kDescribe, kError };

// The device of a run that names none: the first of this build's.
std::string DefaultBenchDevice();

// Sets one option as `--name=value` does. Returns false if there is no such option or it does not take the value;
// *error is then one line that names the option and its range.
bool SetBenchOption(const std::string &name, const std::string &value, BenchOptions *options, std::string *error);

// Checks options that depend on each other. Returns false if they contradict; *error is then one line that names one of
// them. REQUIRES: each option is in its own range.
bool CheckBenchOptions(const BenchOptions &options, std::string *error);

// Parses and checks the command line. On kError *error is one line.
ParseResult ParseBenchOptions(int argc, char **argv, BenchOptions *options, std::string *error);

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BENCH_OPTIONS_PARSE_OPTIONS_H_
