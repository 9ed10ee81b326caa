// SPDX-License-Identifier: Apache-2.0
//
// Mixgraph (Cao et al., FAST 2020), with the parameters that RocksDB's db_bench documents for it: 83 % gets, 14 % puts,
// 3 % scans; keys uniform or after a power law, over the whole key space or within key ranges whose popularity is a sum
//   of
// two exponentials; sizes of values and scans generalized Pareto. The arrival rate, a sine, is not modelled: nothing
// here depends on when an operation arrives.
#ifndef OPENREMAP_LEVELDB_HOST_BENCH_MIXGRAPH_H_
#define OPENREMAP_LEVELDB_HOST_BENCH_MIXGRAPH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "bench/workload/distribution_check.h"
#include "bench/workload/keys.h"
#include "bench/workload/number_check.h"
#include "bench/workload/value_sizes.h"
#include "bench/workload/workload.h"

namespace openremap {

struct MixgraphParameters {
  double get_ratio = 0.83, put_ratio = 0.14;  // the rest scans
  // P(rank <= x) = a * x^b, of `keys`; with fewer the ranks shrink alike, so that the same share of them is popular.
  double key_a = 0.002312, key_b = 0.3467;
  uint64_t keys = 50'000'000;
  double range_a = 14.18, range_b = -2.917, range_c = 0.0164, range_d = -0.08082;  // a * e^(bx) + c * e^(dx)
  uint64_t ranges = 30;
  double value_k = 0.2615, value_sigma = 25.45;
  double scan_k = 2.517, scan_sigma = 14.236;
  uint64_t most_scanned = 10000;
  size_t most_value = 1024;

  // P(rank <= x) for the given number of records, and the last rank, where it is 1.
  double RankShare(double x, uint64_t records) const;
  double MostRank(uint64_t records) const;
};

// Sizes of Mixgraph's values.
ValueSizes MixgraphValueSizes();

class Mixgraph : public OperationSource {
 public:
  // Draws with `parameters`. What SelfCheck() compares with are those of the workload, be they the same or not.
  explicit Mixgraph(const SourceOptions &options, const MixgraphParameters &parameters = MixgraphParameters());

  bool Next(Operation *operation) override;
  uint64_t count() const override { return options_.operations; }
  std::string SelfCheck() const override;

  // The probability that an operation goes to a key range, by its place in the key space.
  const std::vector<double> &RangeProbabilities() const { return range_shares_; }

  bool prefix() const;  // key ranges differ in popularity
  bool dist() const;    // keys of a range do

 private:
  uint64_t Range();
  uint64_t KeyBelow(uint64_t keys);
  uint64_t ScanLength();

  const MixgraphParameters law_;
  const MixgraphParameters parameters_;
  const SourceOptions options_;
  uint64_t given_ = 0;
  Random64 random_;
  std::vector<double> range_shares_;
  std::vector<double> range_ends_;  // sums of the above
  DistributionCheck kinds_, range_check_;
  NumberCheck ranks_, scans_;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BENCH_MIXGRAPH_H_
