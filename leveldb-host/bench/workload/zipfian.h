// SPDX-License-Identifier: Apache-2.0
//
// Zipfian ranks after Gray et al., "Quickly Generating Billion-Record Synthetic Databases" (SIGMOD 1994), as YCSB draws
// them: rank 0 is the most popular, rank r has a probability proportional to 1 / (r + 1)^theta.
#ifndef OPENREMAP_LEVELDB_HOST_BENCH_ZIPFIAN_H_
#define OPENREMAP_LEVELDB_HOST_BENCH_ZIPFIAN_H_

#include <cstdint>

#include "bench/workload/keys.h"

namespace openremap {

class Zipfian {
 public:
  static constexpr double kYcsbTheta = 0.99;

  // REQUIRES: items > 0, 0 < theta < 1. Takes time proportional to `items`.
  explicit Zipfian(uint64_t items, double theta = kYcsbTheta);

  // A rank below items().
  uint64_t Next(Random64 *random) const;

  // More items from now on. Takes time proportional to how many.
  void Grow(uint64_t items);
  uint64_t items() const { return items_; }

  // The probability of a rank.
  double Probability(uint64_t rank) const;

 private:
  double theta_;
  uint64_t items_ = 0;
  double zeta_ = 0;  // sum of 1 / i^theta for i = 1 .. items_
  double eta_ = 0;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BENCH_ZIPFIAN_H_
