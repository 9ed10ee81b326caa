// SPDX-License-Identifier: Apache-2.0
//
// The options of db_bench as a table over one BenchOptions: parsing, help, --describe and the checks all read it. What
// an option is called, what it takes and what its help says come from interfaces/options/bench.yaml.
#ifndef OPENREMAP_LEVELDB_HOST_BENCH_OPTIONS_OPTION_TABLE_H_
#define OPENREMAP_LEVELDB_HOST_BENCH_OPTIONS_OPTION_TABLE_H_

#include <functional>
#include <string>
#include <vector>

#include "bench/gen/bench_options.h"
#include "bench/options/options.h"

namespace openremap {

struct OptionRow {
  OptionText text;
  const char *kind;      // "number", "optional", "choice", "switch" or "text"
  std::string expected;  // the values that it takes, for help and errors; empty: any
  std::string value;     // the value when the table was made; empty for an optional number that is absent
  std::string limits;    // members of its object in --describe: the range that `parse` checks

  // Sets the option; returns false and leaves it alone for a value that it does not take.
  std::function<bool(const std::string &)> parse;
};

// The table, in the order of the help. `parse` writes to *options, which must outlive the table.
std::vector<OptionRow> OptionTable(BenchOptions *options);

// The devices of this build, for help and errors.
std::string DeviceChoice();

// Whether `name` is one of `names`, which are joined by |.
bool IsOneOf(const std::string &name, const std::string &names);

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BENCH_OPTIONS_OPTION_TABLE_H_
