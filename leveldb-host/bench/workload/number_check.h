// SPDX-License-Identifier: Apache-2.0
//
// Checks that random integers (ranks, sizes, lengths) follow their distribution, in bins that double: 1, 2, 3 to 4, 5
// to 8.
#ifndef OPENREMAP_LEVELDB_HOST_BENCH_NUMBER_CHECK_H_
#define OPENREMAP_LEVELDB_HOST_BENCH_NUMBER_CHECK_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "bench/workload/distribution_check.h"

namespace openremap {

class NumberCheck {
 public:
  // `cdf`: P(number <= x), which is 1 for `most`.
  NumberCheck(const std::string &name, const std::function<double(uint64_t)> &cdf, uint64_t most);

  // A few nanoseconds, as it is done for each operation. The last bin takes what is beyond `most`.
  void Add(uint64_t number) { bins_.Add(std::min(Bin(number), last_)); }

  // As DistributionCheck's.
  std::string Deviation() const { return bins_.Deviation(); }

 private:
  static size_t Bin(uint64_t number) { return number <= 1 ? 0 : static_cast<size_t>(64 - __builtin_clzll(number - 1)); }

  size_t last_;
  DistributionCheck bins_;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BENCH_NUMBER_CHECK_H_
