// SPDX-License-Identifier: Apache-2.0
// Generated from interfaces/options. Do not edit: run python interfaces/generate.py
// clang-format off
//
// The names of db_bench's workloads.
#ifndef OPENREMAP_LEVELDB_HOST_BENCH_GEN_WORKLOAD_NAMES_H_
#define OPENREMAP_LEVELDB_HOST_BENCH_GEN_WORKLOAD_NAMES_H_

#include <array>

namespace openremap {

// A workload's name and what it does. The order is that of Workload.
struct WorkloadText {
  const char *name;
  const char *text;
};
inline constexpr std::array<WorkloadText, 19> kWorkloads = { {
    {"fillrandom", "puts to random keys"},
    {"fillseq", "puts in key order"},
    {"overwrite", "puts to random keys of a filled database"},
    {"readrandom", "gets of random keys"},
    {"readseq", "one scan of the whole database"},
    {"fillzipfian", "puts to Zipfian keys"},
    {"ycsbload", "YCSB's load phase: inserts every record"},
    {"ycsba", "YCSB A: 50 % gets, 50 % updates"},
    {"ycsbb", "YCSB B: 95 % gets, 5 % updates"},
    {"ycsbc", "YCSB C: gets only"},
    {"ycsbd", "YCSB D: 95 % gets of the latest records, 5 % inserts"},
    {"ycsbe", "YCSB E: 95 % scans, 5 % inserts"},
    {"ycsbf", "YCSB F: 50 % gets, 50 % read-modify-writes"},
    {"mixallrandom", "Mixgraph with uniform keys"},
    {"mixalldist", "Mixgraph with power-law keys"},
    {"mixprefixrandom", "Mixgraph with key-range popularity, uniform keys in a range"},
    {"mixprefixdist", "Mixgraph with key-range popularity, power-law keys in a range"},
    {"mix", "inserts, updates, gets, deletes and scans in shares of choice (--mix-*)"},
    {"utxo", "coins of Bitcoin that blocks make and spend (--utxo-*)"},
}};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BENCH_GEN_WORKLOAD_NAMES_H_
