// SPDX-License-Identifier: Apache-2.0
//
// The JSON object of one run.
#ifndef OPENREMAP_LEVELDB_HOST_BENCH_REPORT_H_
#define OPENREMAP_LEVELDB_HOST_BENCH_REPORT_H_

#include <string>

#include "bench/options/options.h"
#include "bench/run/bench_check.h"
#include "bench/run/bench_run.h"
#include "bench_device.h"
#include "leveldb/status.h"

namespace openremap {

// Ends with a newline. A ratio whose divisor is 0 is 0. `members`, if not empty, are further ones, without braces.
std::string ReportJson(const BenchOptions &options, const BenchDevice &device, const BenchResult &result,
                       const std::string &members = "");
std::string CheckJson(const BenchOptions &options, const CheckResult &result);

// Whether a report can be put there, found out before a run; if not, *error is one line about --json.
bool CanWriteReport(const std::string &path, std::string *error);

// Writes `text` to what `path` names (output_file.h), or to stdout for "-".
leveldb::Status WriteReport(const std::string &path, const std::string &text);

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BENCH_REPORT_H_
