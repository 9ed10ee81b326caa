// SPDX-License-Identifier: Apache-2.0
//
// Distributions of value sizes. A size depends on a random number only, so that a value can be generated again.
#ifndef OPENREMAP_LEVELDB_HOST_BENCH_VALUE_SIZES_H_
#define OPENREMAP_LEVELDB_HOST_BENCH_VALUE_SIZES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace openremap {

// The value below which a generalized Pareto variable (location 0) lies with probability 1 - u. REQUIRES: 0 < u <= 1.
double ParetoInverse(double u, double k, double sigma);

// P(X <= x).
double ParetoCdf(double x, double k, double sigma);

// P(n <= x) of a generalized Pareto variable rounded down to n, above `most` taken modulo `most`.
double ParetoModuloCdf(uint64_t x, double k, double sigma, uint64_t most);

class ValueSizes {
 public:
  static ValueSizes Fixed(size_t size) { return ValueSizes(size, size, 0, 0); }
  // Uniform from `low` to `high`.
  static ValueSizes Uniform(size_t low, size_t high) { return ValueSizes(low, high, 0, 0); }
  // Generalized Pareto, at least 1; above `most` modulo `most`, as RocksDB's db_bench.
  static ValueSizes Pareto(double k, double sigma, size_t most) { return ValueSizes(1, most, k, sigma); }

  // From `low` on, each size with its share; they sum to 1.
  static ValueSizes Shares(size_t low, const std::vector<double> &shares);

  // `bits` uniform.
  size_t Of(uint64_t bits) const;

  // P(size <= x).
  double Cdf(uint64_t x) const;

  double Mean() const;
  size_t Most() const { return high_; }

 private:
  ValueSizes(size_t low, size_t high, double k, double sigma) : low_(low), high_(high), k_(k), sigma_(sigma) {}

  size_t low_, high_;
  double k_, sigma_;          // sigma_ 0: no Pareto
  std::vector<double> upto_;  // P(size <= low_ + i); empty: not of shares
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BENCH_VALUE_SIZES_H_
