// SPDX-License-Identifier: Apache-2.0
//
// Whether a workload can fit a device at all, told before it runs for minutes into a full one.
#ifndef OPENREMAP_LEVELDB_HOST_BENCH_CAPACITY_H_
#define OPENREMAP_LEVELDB_HOST_BENCH_CAPACITY_H_

#include <cstdint>
#include <string>

#include "bench/options/options.h"

namespace openremap {

// Bytes of keys and values that the database holds when the workload has run, as is expected: no layout takes less.
uint64_t LiveBytes(const BenchOptions &options);

// The largest --num that should fit, everything else (--operations, too) as given; 0: none. An estimate: from the space that the modes took
// over their live data in runs of the default shape, and room for a memtable, its log and one compaction.
uint64_t LargestNum(const BenchOptions &options, uint64_t free_bytes);

// False when the live data alone is more than `free_bytes`; *error is one line that names --num and LargestNum, if there is
// one.
bool Fits(const BenchOptions &options, uint64_t free_bytes, std::string *error);

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BENCH_CAPACITY_H_
