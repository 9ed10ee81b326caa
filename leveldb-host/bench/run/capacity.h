// SPDX-License-Identifier: Apache-2.0
//
// Estimates whether a workload fits a device, so that a run that cannot succeed is refused at once.
#ifndef OPENREMAP_LEVELDB_HOST_BENCH_CAPACITY_H_
#define OPENREMAP_LEVELDB_HOST_BENCH_CAPACITY_H_

#include <cstdint>
#include <string>

#include "bench/options/options.h"

namespace openremap {

// Expected bytes of live keys and values after the workload: a lower bound of the space.
uint64_t LiveBytes(const BenchOptions &options);

// The largest --num that should fit, everything else (--operations, too) as given; 0: none. An estimate: from the space
// that the modes took over their live data in runs of the default shape, and room for a memtable, its log and one
// compaction.
uint64_t LargestNum(const BenchOptions &options, uint64_t free_bytes);

// Returns false if the live data alone exceeds `free_bytes`; *error is then one line that names --num, and LargestNum
// if it is not 0.
bool Fits(const BenchOptions &options, uint64_t free_bytes, std::string *error);

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BENCH_CAPACITY_H_
