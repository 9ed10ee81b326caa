// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_ROCKSBENCH_LINK_RUN_H_
#define OPENREMAP_ROCKSBENCH_LINK_RUN_H_

#include <array>
#include <cstdint>
#include <string>

#include "bench/measure/latency.h"
#include "bench/measure/progress.h"
#include "bench/options/options.h"
#include "bench/run/bench_database.h"
#include "bench/run/bench_run.h"
#include "bench_device.h"
#include "leveldb/status.h"
#include "rocksbench/link_source.h"

namespace openremap {

// Operations of a kind, and the time of the device that each took. What the database writes in the background because
// of one is not in it.
struct LinkTimes {
  uint64_t count = 0;
  uint64_t device_ns = 0;  // of all
  LatencyHistogram device;
};

using LinkCounts = std::array<LinkTimes, kLinkKinds>;  // by LinkKind

// Loads options.num nodes with `links` links each in the mean, runs options.Operations() operations of LinkSource, and
// after the database was opened anew reads all of it back and compares it with the graph. Each operation that changes a
// link changes its node's count with it, in one batch. Each read is compared, too. As RunBench() otherwise.
leveldb::Status RunLinkBench(const BenchOptions &options, uint64_t links, BenchDevice *device, BenchDatabase *database,
                             Progress *progress, BenchResult *result, LinkCounts *counts);

// As Fits(): whether the graph that is loaded fits into so many bytes.
bool LinksFit(const BenchOptions &options, uint64_t links, uint64_t free_bytes, std::string *error);

// The counts and times as members of a JSON object.
std::string LinkMembers(const LinkCounts &counts);

}  // namespace openremap

#endif  // OPENREMAP_ROCKSBENCH_LINK_RUN_H_
