// SPDX-License-Identifier: Apache-2.0
//
// The command line of rocksdb_bench: those options of db_bench that apply to RocksDB, with the same names, ranges and
// texts, and some of its own.
#ifndef OPENREMAP_ROCKSBENCH_ROCKS_OPTIONS_H_
#define OPENREMAP_ROCKSBENCH_ROCKS_OPTIONS_H_

#include <cstdint>
#include <string>

#include "bench/options/options.h"
#include "bench/options/parse_options.h"
#include "rocksdb/options.h"

namespace openremap {

// Levels of RocksDB where --cold-level asks for a cold last one.
constexpr int kColdLevels = 3;

struct RocksBenchOptions {
  BenchOptions bench;      // mode off
  bool linkbench = false;  // in place of bench.workload
  uint64_t links = 5;      // linkbench: links of a node, in the mean
  bool leveldb = false;    // in place of RocksDB; linkbench only
  bool universal = false;  // compaction; otherwise of levels
  bool direct = false;     // reads, flushes and compactions go past caches
  bool cold_level = false;
  uint64_t blob_bytes = 0;  // values from this size on go to blob files; 0: none does
};

// Options whose value would do nothing are refused, and so are those of LevelDB alone. On kError *error is one line.
ParseResult ParseRocksOptions(int argc, char **argv, RocksBenchOptions *options, std::string *error);

// The text of --help.
std::string RocksBenchUsage();

// RocksDB's options for a run, without the Env. `unit_bytes`: of the device, used with --placement=table. Nothing in
// them lets a write wait for background work. False: no table fits a reclaim unit.
bool RocksOptionsOf(const RocksBenchOptions &options, uint64_t unit_bytes, rocksdb::Options *result);

// Members of the report that db_bench's does not have: a JSON object's text without braces.
std::string RocksMembers(const RocksBenchOptions &options, const rocksdb::Options &used);

}  // namespace openremap

#endif  // OPENREMAP_ROCKSBENCH_ROCKS_OPTIONS_H_
