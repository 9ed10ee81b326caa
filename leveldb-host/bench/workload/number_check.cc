// SPDX-License-Identifier: Apache-2.0
#include "bench/workload/number_check.h"

#include <vector>

namespace openremap {
namespace {

std::vector<double> Shares(const std::function<double(uint64_t)> &cdf, size_t last) {
  std::vector<double> shares;
  double before = 0;
  for (size_t bin = 0; bin <= last; bin++) {
    const double upto = bin == last ? 1 : cdf(uint64_t{1} << bin);
    shares.push_back(upto - before);
    before = upto;
  }
  return shares;
}

}  // namespace

NumberCheck::NumberCheck(const std::string &name, const std::function<double(uint64_t)> &cdf, uint64_t most)
    : last_(Bin(most)), bins_(name, Shares(cdf, last_)) {}

}  // namespace openremap
