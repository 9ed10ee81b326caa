// SPDX-License-Identifier: Apache-2.0
//
// db_bench --help and --describe.
#ifndef OPENREMAP_LEVELDB_HOST_BENCH_OPTIONS_OPTION_HELP_H_
#define OPENREMAP_LEVELDB_HOST_BENCH_OPTIONS_OPTION_HELP_H_

#include <string>

namespace openremap {

// The text of --help.
std::string BenchUsage();

// The text of --describe, one JSON object: the options with their ranges, defaults and help, the modes, the workloads,
// the ranges of RemapOptions and the head of an operation trace, all as the program has them.
std::string BenchDescription();

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BENCH_OPTIONS_OPTION_HELP_H_
