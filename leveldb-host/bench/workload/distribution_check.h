// SPDX-License-Identifier: Apache-2.0
//
// Checks that random draws follow their distribution: compares the shares of bins with their probabilities.
#ifndef OPENREMAP_LEVELDB_HOST_BENCH_DISTRIBUTION_CHECK_H_
#define OPENREMAP_LEVELDB_HOST_BENCH_DISTRIBUTION_CHECK_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace openremap {

class DistributionCheck {
 public:
  // `name`: of what is drawn; a probability for each bin, they sum to 1.
  DistributionCheck(std::string name, const std::vector<double> &probabilities);

  void Add(size_t bin) {
    counts_.at(bin)++;
    drawn_++;
  }

  // Empty, or one line that names a bin, or the bins up to one, whose share chance takes as far off once in 30 million
  // times at most (six standard deviations, where many are expected). Shares of bins together tell of a law that is a
  // little off in each of them.
  std::string Deviation() const;

 private:
  std::string Deviation(const std::string &bins, uint64_t count, double p, double others) const;

  std::string name_;
  std::vector<double> probabilities_;
  std::vector<uint64_t> counts_;
  uint64_t drawn_ = 0;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BENCH_DISTRIBUTION_CHECK_H_
