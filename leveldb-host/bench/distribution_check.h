// SPDX-License-Identifier: Apache-2.0
//
// Whether what was drawn is distributed as it should be: shares of bins against their probabilities.
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
  DistributionCheck(std::string name, std::vector<double> probabilities);

  void Add(size_t bin);

  // Empty, or one line that names a bin whose share is more than five standard deviations from its probability.
  std::string Deviation() const;

 private:
  std::string name_;
  std::vector<double> probabilities_;
  std::vector<uint64_t> counts_;
  uint64_t drawn_ = 0;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BENCH_DISTRIBUTION_CHECK_H_
